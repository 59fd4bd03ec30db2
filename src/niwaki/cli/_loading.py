"""Arguments of commands that a worker loads once: models, and what else takes long to read."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from niwaki.pipeline.store import find_model

Load = Callable[..., Any]
# What several commands take where no model is given.
_DEFAULT = "en"


@dataclass(frozen=True)
class Loading:
    """How a worker makes what it keeps of an argument; `also` names arguments that this asks for.

    Files of models are read by the head and shared. What is not a model is read by each worker: a
    folder whose files are mapped, or data.
    """

    load: Load
    also: tuple[str, ...] = ()
    is_optional: bool = False
    is_model: bool = True

    def made(self, name: str, given: Mapping[str, Any]) -> Any:
        if self.is_optional and given[name] is None:
            return None
        return self.load(given[name], *(given[each] for each in self.also))

    def located(self, value: Any) -> Any:
        """The argument by the absolute path of its file, or of several."""
        if isinstance(value, list):
            return [self.located(each) for each in value]
        if not isinstance(value, str):
            return value
        return os.path.abspath(find_model(value) if self.is_model else value)

    def files(self, value: Any) -> list[str]:
        """The files of models among what is loaded."""
        if not self.is_model or (value is None and self.is_optional):
            return []
        found = value if isinstance(value, list) else [value or self.located(_DEFAULT)]
        return [each for each in found if isinstance(each, str)]


def optional(load: Load) -> Loading:
    """Loads a model if one is given."""
    return Loading(load, is_optional=True)


def content(value: Any, loading: Loading | None) -> Any:
    """What an argument means: of a file, or of the files of a folder, what is in it."""
    if isinstance(value, list):
        return [content(each, loading) for each in value]
    is_model = loading is not None and loading.is_model
    if is_model and value is None:
        value = _DEFAULT
    if not isinstance(value, str):
        return value
    path = Path(find_model(value) if is_model else value)
    if loading is not None and path.is_dir():
        return {each.name: _digest(each) for each in sorted(path.iterdir()) if each.is_file()}
    return _digest(path) if path.is_file() else value


def _digest(path: Path) -> str:
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
