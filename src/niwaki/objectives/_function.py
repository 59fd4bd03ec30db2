"""A cost that is a Python function of the user: `kind = "package.module:function"`.

The function gets an example and its `Candidates` and returns a cost for each tree. An
example is the record of a line of JSON, or a `Sentence` of a CoNLL-U file. If the function has
an attribute `settings`, a dataclass of keys, these are keys of its objective, and it gets an
instance as its third argument.
"""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, is_dataclass
from typing import Any

from niwaki.data.kbest import CandidateArrays
from niwaki.errors import ConfigError, ObjectiveError, shown
from niwaki.objectives import Costs, checked_costs
from niwaki.objectives._examples import Example, Examples, read_examples

Function = Callable[..., Any]


@dataclass(frozen=True)
class Settings:
    """Nothing: what a function has that declares no settings."""


class FunctionObjective(Examples):
    """Calls a function for each example."""

    def __init__(
        self, examples: Sequence[Example], function: Function, settings: Any = None
    ) -> None:
        super().__init__(examples)
        self._function = function
        self._more = () if settings is None else (settings,)

    def costs(self, candidates: Sequence[CandidateArrays]) -> list[Costs]:
        return [self._cost(each) for each in candidates]

    def _cost(self, arrays: CandidateArrays) -> Costs:
        example = self.examples[arrays.number]
        try:
            found = self._function(example.content, self.as_candidates(arrays), *self._more)
        except Exception as error:
            raise ObjectiveError(
                f"example {shown(example.id)}: the cost raised {type(error).__name__}: {error}"
            ) from error
        return checked_costs(found, len(arrays), example.id)


def settings_of(kind: str) -> type[Any]:
    """The keys that a function declares."""
    found = getattr(_function(kind), "settings", Settings)
    if not isinstance(found, type) or not is_dataclass(found):
        raise ConfigError(f"objective {shown(kind)}: `settings` is no dataclass of keys")
    return found


def load(kind: str, files: Sequence[str], settings: Any) -> FunctionObjective:
    function = _function(kind)
    more = settings if hasattr(function, "settings") else None
    return FunctionObjective(read_examples(files), function, more)


def _function(kind: str) -> Function:
    module, _, name = kind.partition(":")
    # A module of the user's lies where the command is run.
    if os.getcwd() not in sys.path:
        sys.path.insert(0, os.getcwd())
    try:
        function: Function = getattr(importlib.import_module(module), name)
    except Exception as error:  # whatever a module of the user's does when it is imported
        raise ConfigError(
            f"objective {shown(kind)}: {error}; "
            "give package.module:function that can be imported from here"
        ) from error
    if not callable(function):
        raise ConfigError(f"objective {shown(kind)} is not a function")
    return function
