"""What a training run has finished so far, on disk: a run that was killed goes on from there."""

from __future__ import annotations

import hashlib
import os
import threading
import time
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from niwaki.data.files import remove_leftovers
from niwaki.data.modelfile import read_model_file, write_model_file
from niwaki.errors import ModelError
from niwaki.typing import Arrays

# Time between two saves, in times of the last one.
_SHARE = 30


class Checkpoint:
    """Results by name, each a set of arrays; written all together, whole or not at all.

    `identity` says what the run is: configuration and data. A checkpoint of
    another run is refused.
    """

    def __init__(self, path: str, identity: Mapping[str, Any], minutes: float) -> None:
        self.path = path
        self._identity = dict(identity)
        self._interval = self._pause = 60 * minutes
        self._saved_at = time.monotonic()
        self._results: dict[str, dict[str, NDArray[Any]]] = {}
        # Of two saves at a time, the older might come last.
        self._saving = threading.Lock()
        # Results come and go in several threads, and even a copy of them is a walk over all.
        self._changing = threading.Lock()

    def load(self) -> bool:
        """Take up what an earlier run has left; False if there is nothing."""
        if not os.path.exists(self.path):
            return False
        try:
            file = read_model_file(self.path)
        except ModelError as error:
            raise ModelError(
                f"{self.path}: a damaged checkpoint; remove it, and training starts anew"
            ) from error
        if file.config != self._identity:
            raise ModelError(
                f"{self.path}: a checkpoint of another run (its configuration or data differ); "
                "remove it, or train with the same ones"
            )
        for name in file.parts:
            if name.endswith(".safetensors"):
                self._results[name.removesuffix(".safetensors")] = file.tensors(name)
        return True

    def __bool__(self) -> bool:
        return bool(self._results)

    def __contains__(self, name: str) -> bool:
        return name in self._results

    def get(self, name: str) -> dict[str, NDArray[Any]] | None:
        return self._results.get(name)

    def __getitem__(self, name: str) -> dict[str, NDArray[Any]]:
        return self._results[name]

    def of(self, *names: str) -> dict[str, Arrays]:
        """Those of some results that there are."""
        return {name: self._results[name] for name in names if name in self._results}

    def put(self, name: str, arrays: Arrays) -> None:
        """Keep a result as it is now; it is on disk after the next save."""
        copies = {key: np.array(array) for key, array in arrays.items()}
        with self._changing:
            self._results[name] = copies

    def drop(self, name: str) -> None:
        with self._changing:
            self._results.pop(name, None)

    @property
    def is_due(self) -> bool:
        return time.monotonic() - self._saved_at >= self._pause

    def save(self) -> None:
        with self._saving:
            started = time.monotonic()
            with self._changing:
                parts = {f"{name}.safetensors": arrays for name, arrays in self._results.items()}
            write_model_file(self.path, {"config.json": self._identity, **parts})
            self._saved_at = time.monotonic()
            # Large tables are saved less often, so that saving takes a small part of the time.
            if self._interval:
                self._pause = max(self._interval, _SHARE * (self._saved_at - started))

    def remove(self) -> None:
        path = Path(os.path.realpath(self.path))
        remove_leftovers(path)
        path.unlink(missing_ok=True)


def hash_of_files(files: Iterable[str]) -> str:
    """What is in the files, as one SHA-256."""
    digest = hashlib.sha256()
    for name in files:
        with open(name, "rb") as file:
            digest.update(hashlib.file_digest(file, "sha256").digest())
    return digest.hexdigest()


def hash_of_arrays(arrays: Arrays) -> str:
    """Names and contents of arrays, as one SHA-256."""
    digest = hashlib.sha256()
    for name in sorted(arrays):
        digest.update(name.encode() + np.ascontiguousarray(arrays[name]).tobytes())
    return digest.hexdigest()


def below(arrays: Arrays, prefix: str) -> dict[str, NDArray[Any]]:
    """The arrays whose names begin so, without the beginning."""
    start = f"{prefix}."
    return {n.removeprefix(start): a for n, a in arrays.items() if n.startswith(start)}
