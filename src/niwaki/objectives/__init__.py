"""What a parser can be trained for: one file an objective, found by its name.

An objective has examples, each of them one sentence or several, and tells what candidate trees
of an example cost: 0 is perfect. `objectives/arc_length.py` is the objective "arc-length" of a
configuration; its class `Settings` declares the keys that it has beside those of all costs,
and its function `load(files, settings)` reads the data. Costs from outside are named
`package.module:function`.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from niwaki.data.constraints import Constraints
from niwaki.data.kbest import KBest
from niwaki.data.sentence import Sentence
from niwaki.data.text import TextSegmenter
from niwaki.errors import ConfigError, NiwakiError, ObjectiveError, nearest, shown
from niwaki.keys import check_values

Costs = NDArray[np.float64]


class TaskExamples(Protocol):
    """Examples of a task, and the sentences that they hold."""

    @property
    def ids(self) -> Sequence[str]:
        """A name of each example, for messages."""

    @property
    def sentences(self) -> Sequence[Sentence]:
        """The sentences of all examples; tags that are given stay."""

    def open(self, tagged: Sequence[Sentence], labels: Sequence[str]) -> None:
        """Be told, before any cost is asked for, the tags and the names of the labels."""


class Objective(TaskExamples, Protocol):
    """What candidate trees of examples cost, each of which is one sentence. Many threads ask."""

    def costs(self, candidates: Sequence[KBest]) -> list[Costs]:
        """The costs of candidates of some examples, a number a tree."""

    def constraints(self, number: int) -> Constraints | None:
        """What trees obey that cost nothing, or that most such trees do, if it can be said."""


@runtime_checkable
class GroupObjective(TaskExamples, Protocol):
    """The same where an example holds several sentences: a question and its answers, a pair."""

    @property
    def groups(self) -> Sequence[Sequence[int]]:
        """The numbers of the sentences of each example."""

    def group_costs(self, number: int, candidates: Sequence[KBest]) -> Costs:
        """The costs of combinations of trees of an example: the first tree of each sentence, the
        second of each, and so on.
        """


AnyObjective = Objective | GroupObjective


@runtime_checkable
class ArcObjective(Protocol):
    """An objective whose costs are sums over the arcs of a tree."""

    def arc_costs(self, number: int) -> Costs | None:
        """What each arc of an example costs: a number for head 0..n and word 1..n, one row
        after the other, or a row of numbers, by label. None if this example is no such sum.
        """


@runtime_checkable
class KnowsTags(Protocol):
    """An objective that knows tags of its sentences which a parser must find out."""

    @property
    def tagged(self) -> Sequence[Sentence]:
        """The sentences with these tags, `_` where one is not known."""


class Placed(Protocol):
    """What was read from a line of a file."""

    @property
    def file(self) -> str: ...
    @property
    def line(self) -> int: ...


@dataclass(frozen=True)
class LeftOut:
    """Examples that were read but can teach nothing: how many, why, and which comes first."""

    count: int
    reason: str
    first: str

    @classmethod
    def of(cls, examples: Sequence[Placed], reason: str) -> LeftOut | None:
        """All of them for one reason; nothing if there are none."""
        if not examples:
            return None
        return cls(len(examples), reason, f"{examples[0].file}:{examples[0].line}")

    def __str__(self) -> str:
        return f"{self.count:,} left out: {self.reason} (the first: {self.first})"


@runtime_checkable
class LeavesOut(Protocol):
    """An objective that does not use all examples of its data."""

    @property
    def left_out(self) -> LeftOut | None: ...


def left_out_of(objective: AnyObjective) -> LeftOut | None:
    """What of its data an objective has left out, if it has."""
    return objective.left_out if isinstance(objective, LeavesOut) else None


def objective_names() -> list[str]:
    """The objectives, found by looking for their files."""
    modules = pkgutil.iter_modules(__path__)
    return sorted(m.name.replace("_", "-") for m in modules if not m.name.startswith("_"))


def settings_class(kind: str, folder: Path | None = None) -> type[Any]:
    """The keys of an objective; raises ConfigError for an objective that there is not.

    folder: where modules of the user's may lie, beside the working directory.
    """
    if ":" in kind:
        return _module("_function").settings_of(kind, folder or Path())  # type: ignore[no-any-return]
    return _module(kind).Settings  # type: ignore[no-any-return]


def load_objective(
    kind: str,
    files: Sequence[str],
    settings: Any = None,
    segmenter: TextSegmenter | None = None,
) -> AnyObjective:
    """An objective with its data; raises ConfigError for one that there is not.

    settings: an instance of the objective's `Settings`, if not its defaults.
    segmenter: splits examples that are texts, for costs that are functions and programs.
    """
    settings = settings if settings is not None else settings_class(kind)()
    check_values(settings)
    objective: AnyObjective
    if ":" in kind:
        objective = _module("_function").load(kind, files, settings, segmenter)
    elif kind == "command":
        objective = _module(kind).load(files, settings, segmenter)
    else:
        objective = _module(kind).load(files, settings)
    return objective


def _module(kind: str) -> Any:
    if kind != "_function" and kind not in objective_names():
        advice = f"{nearest(kind, objective_names())}, or package.module:function"
        raise ConfigError(f"no objective {shown(kind)}; {advice}")
    return importlib.import_module(f"{__name__}.{kind.replace('-', '_')}")


def of_sentences(objective: AnyObjective, purpose: str) -> Objective:
    """An objective each of whose examples is one sentence; raises ConfigError for another."""
    if isinstance(objective, GroupObjective):
        raise ConfigError(
            f"{purpose} chooses trees sentence by sentence, and examples of this objective hold "
            "several; train with it instead"
        )
    return objective


def groups_of(objective: AnyObjective) -> Sequence[Sequence[int]]:
    """The numbers of the sentences of each example, also where that is one."""
    if isinstance(objective, GroupObjective):
        return objective.groups
    return [(number,) for number in range(len(objective.ids))]


def costs_of_trees(objective: AnyObjective, parsed: Sequence[Sentence]) -> Costs:
    """What the trees of all sentences of an objective cost, a number an example."""
    names = sorted({label for sentence in parsed for label in sentence.deprels})
    objective.open(parsed, names)
    found = {
        number: KBest.of_trees([each.tree], [0.0], names, number=number)
        for number, each in enumerate(parsed)
    }
    return costs_of_single(objective, found, range(len(objective.ids)))


def costs_of_single(
    objective: AnyObjective, trees: Mapping[int, KBest], numbers: Sequence[int]
) -> Costs:
    """What some examples cost, a number each, where there is one tree for each sentence.

    The objective has been opened; `trees` has those of the sentences of these examples.
    """
    ids = [objective.ids[number] for number in numbers]
    costs: list[Costs] = []
    if isinstance(objective, GroupObjective):
        for number, name in zip(numbers, ids, strict=True):
            with told_of([name]):
                group = [trees[s] for s in objective.groups[number]]
                costs.append(objective.group_costs(number, group))
    elif numbers:
        with told_of(ids):
            costs = objective.costs([trees[number] for number in numbers])
    checked = [checked_costs(each, 1, name) for each, name in zip(costs, ids, strict=True)]
    return np.array([float(each[0]) for each in checked])


@contextmanager
def told_of(examples: Sequence[str]) -> Iterator[None]:
    """Whatever the cost of somebody raises becomes an ObjectiveError that names the examples."""
    try:
        yield
    except NiwakiError:
        raise
    except Exception as error:
        one = "example" if len(examples) == 1 else "one of the examples"
        raise ObjectiveError(
            f"{one} {shown(', '.join(examples))}: the cost raised {type(error).__name__}: {error}"
        ) from error


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
