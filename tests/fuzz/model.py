"""Model files: the container byte by byte, then parts that are whole but say something else."""

from __future__ import annotations

import contextlib
import copy
import io
import tempfile
import warnings
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from safetensors import SafetensorError

from niwaki.data.faults import find_faults
from niwaki.data.modelfile import ModelFile, read_parts
from niwaki.data.sentence import Sentence
from niwaki.errors import ModelError, NiwakiError
from niwaki.pipeline.pipeline import Pipeline
from niwaki.pipeline.store import learned_of, pipeline_of
from tests.apart import packed, taken_apart
from tests.fuzz.choices import ODD, Choices
from tests.fuzz.model_changes import change
from tests.saving import saved
from tests.toy import NEW, quick_model

_SMALL = {"max_rows": 60}
_NO_FLAGS = (None, 0, 1, "", [], {})
_TRAINING = {"epochs": 1, "dev": "tests/fixtures/toy.conllu"}
_KINDS: tuple[dict[str, Any], ...] = (
    {
        "model": {"beam": 2, "features": "lean", **_SMALL},
        "tagger": {"folds": 2, "epochs": 1, **_SMALL},
        "segmenter": {"epochs": 1, **_SMALL},
        "training": {**_TRAINING, "greedy_epochs": 1},
    },
    {"model": {"kind": "graph", **_SMALL}, "training": _TRAINING},
    {"tagger": {"learner": "tnt", "folds": 2}, "training": {**_TRAINING, "greedy_epochs": 1}},
    {
        "model": {"kind": "graph", **_SMALL},
        "graph": {"trainer": "perceptron", "order": 2},
        "tagger": {"tags": False},
        "training": _TRAINING,
    },
)


@cache
def original(kind: int = 0) -> tuple[bytes, dict[str, Any]]:
    """The bytes of a small model, and its parts as values."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "toy.niwaki"
        quick_model(path, **_KINDS[kind])
        parts = taken_apart(path)
        # So inputs that were kept say what they said before these were there.
        del parts["learned.bin"], parts["designs.json"]["learned"]
        return path.read_bytes(), parts


def check(data: bytes) -> None:
    choices = Choices(data)
    first = choices.byte()
    if first % 4 == 0:
        (_learned if first & 32 else _container)(choices)
        return
    kind = first >> 6
    parts = copy.deepcopy(original(kind)[1])
    with np.errstate(all="ignore"):
        if first & 32:
            other = original((kind + 1 + choices.below(3)) % 4)[1]
            # After many changes, the first of them is all that is ever seen.
            for _ in range(1 + choices.below(3)):
                change(parts, copy.deepcopy(other), choices)
        else:
            # Inputs that were kept say what they said before there was more to change.
            while choices:
                _change(parts, choices)
    whole = {}
    for name, part in parts.items():
        try:
            whole[name] = packed(name, part)
        except (TypeError, ValueError, SafetensorError):
            return  # nothing that a file could hold
    try:
        pipeline = pipeline_of(ModelFile("fuzz", whole))
    except ModelError as error:
        said = str(error)
    else:
        said = ""
        _use(pipeline)
    assert said.isprintable()
    assert len(said) < 1000


def _use(pipeline: Pipeline) -> None:
    """Whatever a model says, what it writes can be read, and has the words that were given."""
    answers: list[Callable[[], Iterable[Sentence]]] = [
        lambda: pipeline.parse([NEW], beam=1),
        lambda: pipeline.parse([NEW]),
        lambda: pipeline.parse([NEW], probabilities=pipeline.parser.gives_probabilities),
        lambda: pipeline.parse("Don't wait. The pine's old!"),
        lambda: [NEW.replace(heads=t.heads, deprels=t.deprels) for t in pipeline.kbest(NEW, 2)],
    ]
    for number, answer in enumerate(answers):
        with warnings.catch_warnings(), contextlib.suppress(NiwakiError):
            warnings.simplefilter("ignore")
            for sentence in answer():
                assert not find_faults(sentence.source, 1, 0)
                assert number == 3 or sentence.forms == NEW.forms


def _container(choices: Choices) -> None:
    data = bytearray(original()[0][:4000])
    while choices:
        at = choices.below(len(data) + 1)
        data[at : at + choices.below(5)] = choices.take(8)
    with contextlib.suppress(ModelError):
        read_parts("fuzz", io.BytesIO(data), len(data))


def _learned(choices: Choices) -> None:
    """Hashes of sentences: refused, or as they were written."""
    records = {"learned": {"complete": choices.of((True, True, False, *_NO_FLAGS))}}
    rows = sorted(choices.take(5).rjust(5, b"\0") for _ in range(choices.byte()))
    written = b"".join(rows) + choices.take(6)
    whole = {"designs.json": packed("designs.json", records), "learned.bin": written}
    try:
        found = learned_of(ModelFile("fuzz", whole))
    except ModelError:
        return
    assert found is not None and saved(found.parts())._file.raw("learned.bin") == written
    assert len(found) == len(set(found.hashes.tolist()))
    assert found.knows([NEW]).tolist() in ([False], [True])


def _change(parts: dict[str, Any], choices: Choices) -> None:
    name = choices.of(sorted(parts) or ["config.json"])
    part = parts.get(name)
    if isinstance(part, bytes):
        parts[name] = part[: choices.below(200)] + choices.take() + part[choices.below(200) :]
    elif name.endswith(".json"):
        _change_json(parts, name, choices)
    elif part:
        _change_tensor(part, choices)
    else:
        parts.pop(name, None)


def _change_json(holder: Any, key: Any, choices: Choices) -> None:
    """Walk down a few steps, then put something else there."""
    for _ in range(choices.below(6)):
        value = holder[key]
        if isinstance(value, dict) and value:
            holder, key = value, choices.of(sorted(value, key=str))
        elif isinstance(value, list) and value:
            holder, key = value, choices.below(len(value))
        else:
            break
    what = choices.below(4)
    value = holder[key]
    if what == 0:
        holder[key] = choices.of(ODD)
    elif what == 1 and isinstance(value, str):
        at = choices.below(len(value) + 1)
        inserted = choices.take(20).decode("utf-8", "surrogateescape")
        holder[key] = value[:at] + inserted + value[at + choices.below(4) :]
    elif what == 2 and isinstance(value, int | float):
        holder[key] = value + choices.byte() - 128
    elif what == 3 and isinstance(value, list):
        holder[key] = value + value if choices.below(2) else value[:-1]
    else:
        del holder[key]


def _change_tensor(part: dict[str, Any], choices: Choices) -> None:
    name = choices.of(sorted(part))
    array = part[name]
    what = choices.below(6)
    if what == 0 and array.size:
        changed = array.copy()
        changed.flat[choices.below(array.size)] = np.array(choices.byte()).astype(array.dtype)
        part[name] = changed
    elif what == 1:
        part[name] = array[:-1]
    elif what == 2:
        part[name] = np.concatenate([array, array])
    elif what == 3:
        part[name] = array.astype(choices.of(["u1", "i1", "u2", "i8", "u8", "f4", "f2", "?"]))
    elif what == 4:
        part[name] = array[None]
    else:
        del part[name]
