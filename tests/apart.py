"""Takes a model file apart into values, and writes values as a file whose checksums are right."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import safetensors.numpy

from niwaki.data.modelfile import ModelFile, read_model_file, write_model_file


def taken_apart(path: Path) -> dict[str, Any]:
    """The parts of a model: JSON and arrays as values, all else as bytes."""
    file = read_model_file(path)
    return {name: _value(file, name) for name in file.parts}


def _value(file: ModelFile, name: str) -> Any:
    if name.endswith(".json"):
        return file.json(name)
    return file.tensors(name) if name.endswith(".safetensors") else file.raw(name)


def packed(name: str, part: Any) -> bytes:
    """A part as a file has it; text that is none (a lone surrogate) is written as JSON can."""
    if isinstance(part, bytes):
        return part
    if name.endswith(".safetensors"):
        return safetensors.numpy.save(part)
    return json.dumps(part).encode()


def put_together(path: Path, parts: Mapping[str, Any]) -> Path:
    """The parts as a model file."""
    write_model_file(path, {name: packed(name, part) for name, part in parts.items()})
    return path
