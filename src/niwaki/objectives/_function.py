"""A cost that is a Python function of the user: `kind = "package.module:function"`.

The function gets an example and its `Candidates` and returns a cost for each tree. An
example is the record of a line of JSON, or a `Sentence` of a CoNLL-U file.
"""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Callable, Sequence
from typing import Any

from niwaki.data.kbest import CandidateArrays
from niwaki.errors import ConfigError, ObjectiveError, shown
from niwaki.objectives import Costs, Settings, checked_costs
from niwaki.objectives._examples import Example, Examples, read_examples

Function = Callable[..., Any]


class FunctionObjective(Examples):
    """Calls a function for each example."""

    def __init__(self, examples: Sequence[Example], function: Function) -> None:
        super().__init__(examples)
        self._function = function

    def costs(self, candidates: Sequence[CandidateArrays]) -> list[Costs]:
        return [self._cost(each) for each in candidates]

    def _cost(self, arrays: CandidateArrays) -> Costs:
        example = self.examples[arrays.number]
        try:
            found = self._function(example.content, self.as_candidates(arrays))
        except Exception as error:
            raise ObjectiveError(
                f"example {shown(example.id)}: the cost raised {type(error).__name__}: {error}"
            ) from error
        return checked_costs(found, len(arrays), example.id)


def load(files: Sequence[str], settings: Settings) -> FunctionObjective:
    module, _, name = settings.kind.partition(":")
    # A module of the user's lies where the command is run.
    if os.getcwd() not in sys.path:
        sys.path.insert(0, os.getcwd())
    try:
        function = getattr(importlib.import_module(module), name)
    except (ImportError, AttributeError, ValueError) as error:
        raise ConfigError(
            f"objective {shown(settings.kind)}: {error}; "
            "give package.module:function that can be imported from here"
        ) from error
    if not callable(function):
        raise ConfigError(f"objective {shown(settings.kind)} is not a function")
    return FunctionObjective(read_examples(files), function)
