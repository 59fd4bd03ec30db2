"""Models that reach workers once: read, checked and compiled by the head, mapped by all workers.

An engine moves large arrays of constants apart from the rest: plain processes map one file in
memory, those of Ray its object store. So a model takes its memory once on a machine, however many
workers there are, and what a worker never looks at takes none of its own.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from niwaki.data.modelfile import ModelFile, give_model_files, read_model_file
from niwaki.features.parts import SavedParts, image_file

_RECORDS = "designs.json"
_TENSORS = ".safetensors"


@dataclass(frozen=True)
class SharedModels:
    """Files of models by their absolute paths; `install` is for the process of a worker."""

    files: dict[str, ModelFile]

    @classmethod
    def of(cls, paths: Iterable[str]) -> SharedModels:
        found = {os.path.abspath(path) for path in paths}
        return cls({path: shared_file(read_model_file(path)) for path in sorted(found)})

    def install(self) -> None:
        """From now on, this process reads these where it would read the files."""
        give_model_files(self.files)


def shared_file(file: ModelFile) -> ModelFile:
    """A file whose tensors are arrays, with its tables compiled; pickled, it is arrays only."""
    tensors: dict[str, dict[str, NDArray[Any]]] = {
        name: file.tensors(name) for name in file.parts if name.endswith(_TENSORS)
    }
    # Whoever asks for the bytes of tensors does not share them.
    parts: dict[str, Any] = {
        name: b"" if name in tensors else np.frombuffer(part, dtype=np.uint8)
        for name, part in file.parts.items()
    }
    if _RECORDS in parts:
        saved = SavedParts(ModelFile(file.path, parts, tensors))
        images = {image_file(name): saved.weights(name).compile().image() for name in saved.tables}
        tensors |= images
    return ModelFile(file.path, parts, tensors)
