"""A cost that is a Python function of the user: `kind = "package.module:function"`.

The function gets an example and its `KBest` and returns a cost for each tree. An example is
the record of a line of JSON, or a `Sentence` of a CoNLL-U file. Of an example of several sentences
it gets a `KBest` for each and returns a cost for each combination: that of all first trees, of
all second ones, and so on. If the function has
an attribute `settings`, a dataclass of keys, these are keys of its objective, and it gets an
instance as its third argument.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, is_dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

from niwaki.data.kbest import KBest
from niwaki.data.text import TextSegmenter
from niwaki.errors import ConfigError, ObjectiveError, shown
from niwaki.objectives import AnyObjective, Costs, checked_costs
from niwaki.objectives._examples import (
    Example,
    GroupExamples,
    SentenceExamples,
    read_examples,
)

Function = Callable[..., Any]


@dataclass(frozen=True)
class Settings:
    """Nothing: what a function has that declares no settings."""


class _Caller:
    """Calls a function for an example."""

    def __init__(self, function: Function, settings: Any) -> None:
        self._function = function
        self._more = () if settings is None else (settings,)

    def __call__(self, example: Example, candidates: KBest | Sequence[KBest], count: int) -> Costs:
        try:
            found = self._function(example.content, candidates, *self._more)
        except Exception as error:
            raise ObjectiveError(
                f"example {shown(example.id)}: the cost raised {type(error).__name__}: {error}"
            ) from error
        return checked_costs(found, count, example.id)


class FunctionObjective(SentenceExamples):
    """Calls a function for each example of one sentence."""

    def __init__(
        self, examples: Sequence[Example], function: Function, settings: Any = None
    ) -> None:
        super().__init__(examples)
        self._call = _Caller(function, settings)

    def costs(self, candidates: Sequence[KBest]) -> list[Costs]:
        return [
            self._call(self.examples[each.number], self.tagged(each), len(each))
            for each in candidates
        ]


class GroupFunctionObjective(GroupExamples):
    """The same for examples of several sentences."""

    def __init__(
        self, examples: Sequence[Example], function: Function, settings: Any = None
    ) -> None:
        super().__init__(examples)
        self._call = _Caller(function, settings)

    def group_costs(self, number: int, candidates: Sequence[KBest]) -> Costs:
        found = [self.tagged(each) for each in candidates]
        return self._call(self.examples[number], found, len(candidates[0]))


def settings_of(kind: str, folder: Path) -> type[Any]:
    """The keys that a function declares; its module may lie in the folder."""
    found = getattr(_function(kind, folder), "settings", Settings)
    if not isinstance(found, type) or not is_dataclass(found):
        raise ConfigError(f"objective {shown(kind)}: `settings` is no dataclass of keys")
    return found


def load(
    kind: str, files: Sequence[str], settings: Any, segmenter: TextSegmenter | None = None
) -> AnyObjective:
    function, examples = _function(kind), read_examples(files, segmenter)
    more = settings if hasattr(function, "settings") else None
    if any(example.is_group for example in examples):
        return GroupFunctionObjective(examples, function, more)
    return FunctionObjective(examples, function, more)


def _function(kind: str, folder: Path | None = None) -> Function:
    module, _, name = kind.partition(":")
    # A module of the user's lies beside the configuration, or where the command is run.
    for place in (Path.cwd(), *([] if folder is None else [folder.resolve()])):
        if str(place) not in sys.path:
            sys.path.insert(0, str(place))
    try:
        imported = importlib.import_module(module)
        function: Function = getattr(imported, name)
    except Exception as error:  # whatever a module of the user's does when it is imported
        raise ConfigError(
            f"objective {shown(kind)}: {error}; "
            "give package.module:function that can be imported from here, or from beside the file"
        ) from error
    if folder is not None:
        _check_is_that(imported, folder.resolve() / f"{module.replace('.', '/')}.py", kind)
    if not callable(function):
        raise ConfigError(f"objective {shown(kind)} is not a function")
    return function


def _check_is_that(module: ModuleType, file: Path, kind: str) -> None:
    """Refuse a module of the same name from elsewhere where one lies beside the configuration."""
    loaded = getattr(module, "__file__", None)
    if file.is_file() and loaded is not None and Path(loaded).resolve() != file:
        raise ConfigError(
            f"objective {shown(kind)}: {loaded} has this name, too; give {file.name} another"
        )
