"""Learning from trees of which only a part is known."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from niwaki.data.sentence import Sentence
from niwaki.errors import ConstraintError, CorpusError
from niwaki.kernel.transition.systems import system_names
from niwaki.metrics.attachment import evaluate
from niwaki.pipeline.pipeline import Pipeline
from niwaki.training import loop as epochs
from niwaki.training.config import Config
from niwaki.training.config_file import make_config
from niwaki.training.run import train
from niwaki.training.treebanks import read_treebank
from tests.toy import QUICK, Log, check, write


def blanked(sentence: Sentence, share: float, seed: int) -> Sentence:
    """Heads and labels of a share of the words made unknown."""
    gone = np.random.default_rng(seed).random(len(sentence)) < share
    heads = [-1 if g else head for g, head in zip(gone, sentence.heads, strict=True)]
    labels = ["_" if g else label for g, label in zip(gone, sentence.deprels, strict=True)]
    return sentence.replace(heads=heads, deprels=labels)


def config_of(
    data: Path, *, whole: Path | None = None, partial: bool = True, **model: object
) -> Config:
    objectives = [{"data": str(data), "partial": partial}]
    if whole:
        objectives.insert(0, {"data": str(whole)})
    tables = {**QUICK, "model": {**QUICK["model"], **model}}
    return make_config({"objective": objectives, **tables})


def las(model: Pipeline, toy: list[Sentence], beam: int) -> float:
    return evaluate(toy, model.parse(toy, beam=beam)).scores["LAS"]


@pytest.fixture(scope="module")
def projective(toy: list[Sentence]) -> list[Sentence]:
    return [sentence for sentence in toy if sentence.tree.is_projective]


@pytest.mark.parametrize("system", system_names())
def test_partial_trees_teach(tmp_path: Path, projective: list[Sentence], system: str) -> None:
    """Half of the trees are half unknown; with the whole ones alone much less is learned."""
    cut = len(projective) // 4
    whole = write(tmp_path / "whole.conllu", projective[:cut])
    partial = write(
        tmp_path / "partial.conllu",
        [blanked(sentence, 0.4, seed) for seed, sentence in enumerate(projective[cut:])],
    )
    log = Log()
    both = train(config_of(partial, whole=whole, system=system), tmp_path / "m", log)
    check(both)
    assert f"{len(projective) - cut} partial trees" in " ".join(log.notes)
    alone = train(config_of(whole, partial=False, system=system), tmp_path / "m2", Log())
    for beam in (1, 4):
        assert las(both, projective, beam) > las(alone, projective, beam) + 3
    assert "_" not in both.parser.model.spec.labels


def test_only_partial_trees(tmp_path: Path, projective: list[Sentence]) -> None:
    data = write(
        tmp_path / "partial.conllu", [blanked(s, 0.3, n) for n, s in enumerate(projective)]
    )
    one = train(config_of(data), tmp_path / "one", Log(), threads=1)
    two = train(config_of(data), tmp_path / "two", Log(), threads=2)
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()
    assert las(one, projective, 4) > 60
    assert las(two, projective, 1) > 60


def test_whole_trees_are_learned_as_ever(tmp_path: Path, projective: list[Sentence]) -> None:
    """Accepting partial trees changes nothing where there are none."""
    data = write(tmp_path / "whole.conllu", projective)
    models = [
        train(config_of(data, partial=partial), tmp_path / "m", Log()) for partial in (True, False)
    ]
    for name in ("model", "greedy"):
        one, other = (getattr(model.parser, name).weights.arrays for model in models)
        assert one.keys() == other.keys()
        assert all(np.array_equal(one[key], other[key]) for key in one)


class Impatient(Log):
    """Breaks off after so many pieces of the parsers' work."""

    left: int = 9

    def advance(self, sentences: int) -> None:
        if self.stages[-1] == "parser":
            self.left -= 1
            if self.left < 0:
                raise KeyboardInterrupt


def test_an_interrupted_run_ends_with_the_same_bytes(
    tmp_path: Path, projective: list[Sentence], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(epochs, "_CHUNK", 7)
    data = write(
        tmp_path / "partial.conllu",
        [s if n % 2 else blanked(s, 0.5, n) for n, s in enumerate(projective)],
    )
    config = config_of(data)
    config = replace(config, training=replace(config.training, checkpoint_minutes=0.0))
    train(config, tmp_path / "straight", Log(), threads=1)
    with pytest.raises(KeyboardInterrupt):
        train(config, tmp_path / "broken", Impatient(), threads=1)
    assert (tmp_path / "broken.checkpoint").exists()
    train(config, tmp_path / "broken", Log(), threads=1, resume=True)
    assert (tmp_path / "broken").read_bytes() == (tmp_path / "straight").read_bytes()


def test_refused_unless_asked_for(tmp_path: Path, projective: list[Sentence]) -> None:
    data = write(tmp_path / "partial.conllu", [projective[0], blanked(projective[1], 1, 1)])
    line = 1 + projective[0].source.count(b"\n") + len(projective[1].comments)
    with pytest.raises(CorpusError, match=f"{data}:{line}:HEAD: .* unknown heads"):
        read_treebank([str(data)])
    assert set(read_treebank([str(data)], partial=[str(data)]).constraints) == {1}


def test_contradictions_are_refused_with_their_place(tmp_path: Path) -> None:
    nonprojective = Sentence.from_words(["w"] * 4, heads=[3, 4, -1, -1], deprels=["x"] * 4)
    data = write(tmp_path / "nonprojective.conllu", [nonprojective])
    with pytest.raises(ConstraintError, match=f"{data}:1: no projective tree obeys all of"):
        read_treebank([str(data)], partial=[str(data)])
    roots = Sentence.from_words(["w"] * 2, heads=[0, 0], deprels=["x"] * 2)
    data = write(tmp_path / "roots.conllu", [roots])
    with pytest.raises(CorpusError, match="2 roots"):
        read_treebank([str(data)], partial=[str(data)])
