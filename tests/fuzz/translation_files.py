"""Files of translation systems: ARPA, n-best lists, and mapped models that were changed."""

from __future__ import annotations

import contextlib
import io
from functools import cache

import numpy as np

from niwaki.data.sentence import Sentence
from niwaki.errors import NiwakiError
from niwaki.tasks.translate.language_model import LanguageModel, read_arpa, train
from niwaki.tasks.translate.nbest import nbest_lines, read_nbest
from niwaki.tasks.translate.reordering import MaxentReordering, events, learn_reordering
from niwaki.tasks.translate.senses.classifiers import Ensemble
from niwaki.tasks.translate.senses.features import Occurrences
from niwaki.tasks.translate.senses.model import Sense, SenseModel
from niwaki.tasks.trees import TreeView
from tests.fuzz.choices import Choices
from tests.fuzz.projects import place

_WORDS = "a b c".split()


def check(data: bytes) -> None:
    first, rest = (data[0], data[1:]) if data else (0, b"")
    with contextlib.suppress(NiwakiError):
        READERS[first % len(READERS)](rest)


def _arpa(data: bytes) -> None:
    model = read_arpa(io.BytesIO(data))
    out = io.BytesIO()
    model.write_arpa(out)
    again = read_arpa(io.BytesIO(out.getvalue()))
    assert again.words == model.words
    assert len(again.score(_WORDS)) == 4


def _nbest(data: bytes) -> None:
    names, lists = read_nbest(io.BytesIO(data))
    text = "".join(line for each in lists for line in nbest_lines(each, names))
    again, same = read_nbest(io.BytesIO(text.encode("utf-8")))
    assert [each.index for each in same] == [each.index for each in lists]
    assert not lists or again == names


@cache
def _files() -> dict[str, bytes]:
    """Models as they are written."""
    folder = place()
    train([_WORDS, _WORDS[1:]], 3).save(folder / "language-model")
    pairs = events(_WORDS, _WORDS, [(0, 2), (1, 1), (2, 0)])
    learn_reordering([*pairs], least_count=1, passes=2).save(folder / "jumps")
    rows, labels = np.eye(4)[[0, 1, 0, 1, 2]], np.array([0, 1, 0, 1, 0])
    keys = np.array([1, 2, 3, 4], np.uint32)
    sense = Sense((("x",), ("y",)), keys, Ensemble.learn(rows, labels, 2))
    SenseModel({("a",): sense, ("a", "b"): sense}).save(folder / "senses")
    names = "language-model", "jumps", "senses"
    return {name: (folder / name).read_bytes() for name in names}


def _changed(name: str, data: bytes) -> str:
    """A model's file of which some bytes, most of them near the end, are others."""
    made, choices = bytearray(_files()[name]), Choices(data)
    while choices:
        from_end = choices.below(2)
        at = choices.below(min(len(made), 700 if from_end else 1 << 20))
        made[-1 - at if from_end else at] = choices.byte()
    path = place() / f"{name}-changed"
    path.write_bytes(made)
    return str(path)


def _language_model(data: bytes) -> None:
    model = LanguageModel.load(_changed("language-model", data))
    assert len(model.score([*_WORDS, "a", "d"])) == 6
    model.write_arpa(io.BytesIO())


def _jumps(data: bytes) -> None:
    model = MaxentReordering.load(_changed("jumps", data))
    assert model.source_scores(_WORDS).shape == (3, 4)
    assert model.target_scores(_WORDS).shape == (3, 2, 4)


def _senses(data: bytes) -> None:
    model = SenseModel.load(_changed("senses", data))
    tree = Sentence.from_words(_WORDS, heads=[0, 1, 1], deprels=["root", "dep", "dep"])
    found = Occurrences(TreeView(tree)).keys(0, 1)
    for sense in model.senses.values():
        with np.errstate(all="ignore"):
            assert len(sense.probabilities(found)) == len(sense.targets)


READERS = (_arpa, _nbest, _language_model, _jumps, _senses)
