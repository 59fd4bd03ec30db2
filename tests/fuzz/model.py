"""Model files: the container byte by byte, then parts that are whole but say something else."""

from __future__ import annotations

import contextlib
import copy
import io
import json
import tempfile
import warnings
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import safetensors.numpy

from niwaki.data.modelfile import ModelFile, read_parts
from niwaki.errors import ModelError, NiwakiError
from niwaki.pipeline.store import pipeline_of
from tests.apart import taken_apart
from tests.fuzz.choices import ODD, Choices
from tests.toy import NEW, quick_model


@cache
def original() -> tuple[bytes, dict[str, Any]]:
    """The bytes of a small model, and its parts as values."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "toy.niwaki"
        small = {"max_rows": 60}
        quick_model(
            path,
            model={"beam": 2, "features": "lean", **small},
            tagger={"folds": 2, "epochs": 1, **small},
            segmenter={"epochs": 1, **small},
            training={"epochs": 1, "greedy_epochs": 1, "dev": "tests/fixtures/toy.conllu"},
        )
        return path.read_bytes(), taken_apart(path)


def check(data: bytes) -> None:
    choices = Choices(data)
    if choices.below(4) == 0:
        _container(choices)
        return
    parts = copy.deepcopy(original()[1])
    while choices:
        with np.errstate(all="ignore"):
            _change(parts, choices)
    packed = {}
    for name, part in parts.items():
        try:
            packed[name] = _packed(name, part)
        except (TypeError, ValueError):
            return  # nothing that a file could hold
    try:
        pipeline = pipeline_of(ModelFile("fuzz", packed))
    except ModelError:
        return
    with warnings.catch_warnings(), contextlib.suppress(NiwakiError):
        warnings.simplefilter("ignore")
        for beam in (1, 2):
            list(pipeline.parse([NEW], beam=beam))
        list(pipeline.parse([NEW], probabilities=pipeline.parser.gives_probabilities))
        pipeline.kbest(NEW, 2)
        list(pipeline.parse("Don't wait. The pine's old!"))


def _container(choices: Choices) -> None:
    data = bytearray(original()[0][:4000])
    while choices:
        at = choices.below(len(data) + 1)
        data[at : at + choices.below(5)] = choices.take(8)
    with contextlib.suppress(ModelError):
        read_parts("fuzz", io.BytesIO(data), len(data))


def _packed(name: str, part: Any) -> bytes:
    if isinstance(part, bytes):
        return part
    if name.endswith(".safetensors"):
        return safetensors.numpy.save(part)
    return json.dumps(part).encode("utf-8", "surrogatepass")


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
