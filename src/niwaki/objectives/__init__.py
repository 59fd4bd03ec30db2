"""What a parser can be trained for: one file an objective, found by its name.

An objective has examples, each of them a sentence, and tells what candidate trees of an
example cost: 0 is perfect. `objectives/arc_length.py` is the objective "arc-length" of a
configuration; its class `Settings` declares the keys that it has beside those of all costs,
and its function `load(files, settings)` reads the data. Costs from outside are named
`package.module:function`.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Sequence
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from niwaki.data.constraints import Constraints
from niwaki.data.kbest import CandidateArrays
from niwaki.data.sentence import Sentence
from niwaki.errors import ConfigError, ObjectiveError, nearest, shown
from niwaki.keys import check_values

Costs = NDArray[np.float64]


class Objective(Protocol):
    """Examples and what candidate trees of them cost. Costs are asked for by many threads."""

    @property
    def ids(self) -> Sequence[str]:
        """A name of each example, for messages."""

    @property
    def sentences(self) -> Sequence[Sentence]:
        """The sentence of each example; tags that are given stay."""

    def open(self, tagged: Sequence[Sentence], labels: Sequence[str]) -> None:
        """Be told, before any cost is asked for, the tags and the names of the labels."""

    def costs(self, candidates: Sequence[CandidateArrays]) -> list[Costs]:
        """The costs of candidates of some examples, a number a tree."""

    def constraints(self, number: int) -> Constraints | None:
        """What trees must obey to cost nothing, if it can be said so."""


@runtime_checkable
class ArcObjective(Protocol):
    """An objective whose costs are sums over the arcs of a tree."""

    def arc_costs(self, number: int) -> Costs | None:
        """What each arc of an example costs: a number for head 0..n and word 1..n, one row
        after the other, or a row of numbers, by label. None if this example is no such sum.
        """


def objective_names() -> list[str]:
    """The objectives, found by looking for their files."""
    modules = pkgutil.iter_modules(__path__)
    return sorted(m.name.replace("_", "-") for m in modules if not m.name.startswith("_"))


def settings_class(kind: str) -> type[Any]:
    """The keys of an objective; raises ConfigError for an objective that there is not."""
    if ":" in kind:
        return _module("_function").settings_of(kind)  # type: ignore[no-any-return]
    return _module(kind).Settings  # type: ignore[no-any-return]


def load_objective(kind: str, files: Sequence[str], settings: Any = None) -> Objective:
    """An objective with its data; raises ConfigError for one that there is not.

    settings: an instance of the objective's `Settings`, if not its defaults.
    """
    settings = settings if settings is not None else settings_class(kind)()
    check_values(settings)
    objective: Objective
    if ":" in kind:
        objective = _module("_function").load(kind, files, settings)
    else:
        objective = _module(kind).load(files, settings)
    return objective


def _module(kind: str) -> Any:
    if kind != "_function" and kind not in objective_names():
        advice = f"{nearest(kind, objective_names())}, or package.module:function"
        raise ConfigError(f"no objective {shown(kind)}; {advice}")
    return importlib.import_module(f"{__name__}.{kind.replace('-', '_')}")


def checked_costs(found: Any, count: int, example: str) -> Costs:
    """Costs that somebody gave, as numbers; raises ObjectiveError if they are none."""
    try:
        costs = np.asarray(found, dtype=np.float64)
    except (TypeError, ValueError):
        raise ObjectiveError(
            f"example {shown(example)}: costs are {shown(repr(found))}; give numbers"
        ) from None
    if costs.shape != (count,):
        given = f"{len(costs)} costs" if costs.ndim == 1 else "something that is no list"
        raise ObjectiveError(
            f"example {shown(example)}: {given} for {count} candidates; give one for each"
        )
    if not np.isfinite(costs).all():
        raise ObjectiveError(
            f"example {shown(example)}: a cost is {costs[~np.isfinite(costs)][0]}; "
            "give finite numbers, 0 for a perfect tree"
        )
    return costs
