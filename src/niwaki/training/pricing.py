"""Candidates with their costs: what an example says about the weights of this moment."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from niwaki.data.constraints import Constraints
from niwaki.data.kbest import KBest
from niwaki.errors import ConstraintError, ObjectiveError, shown
from niwaki.kernel.batch import Batch
from niwaki.objectives import (
    AnyObjective,
    ArcObjective,
    Costs,
    GroupObjective,
    Objective,
    checked_costs,
    costs_of_single,
    told_of,
)
from niwaki.parsers.base import ArcTrainable, Parser, Search, Slopes, TrainableCandidates
from niwaki.training.config import ARC_SELECTIONS, CostConfig
from niwaki.training.examples import Tagging
from niwaki.training.selection import Step
from niwaki.typing import FloatArray, IntArray

FIRST_ADAPTIVE_K = 2
# Examples of an objective, evenly spread over its data, that are priced after each epoch.
MOST_PRICED = 300


@dataclass
class Priced:
    """Candidates of an example with their costs, and how many were in the list."""

    candidates: KBest
    costs: Costs
    listed: int
    is_whole: bool = False  # a longer list would hold no more
    slopes: Slopes | None = None  # of the expected cost, if that is what is lowered
    rescued: bool = False  # whether the last one was searched for
    way: int = 0  # which tagging the candidates have
    first: float = 0.0  # the cost of the parser's own tree, with its own tags

    def __post_init__(self) -> None:
        self.first = float(self.costs[0])

    @property
    def wants_more(self) -> bool:
        """Whether a longer list may bring a tree that is cheaper than the first."""
        return not self.is_whole and bool(0 < self.costs[0] <= self.costs.min())


@dataclass(frozen=True)
class TaggedExamples:
    """Examples tagged in one way, and the parser that sees them so."""

    tagging: Tagging
    examples: TrainableCandidates


class Pricer:
    """Prices the examples of an objective, in any thread."""

    def __init__(
        self, config: CostConfig, objective: Objective, ways: Sequence[TaggedExamples]
    ) -> None:
        self._config, self._objective = config, objective
        self._examples = ways[0].examples
        self._others = ways[1:]

    def price(self, numbers: Sequence[int]) -> list[Priced]:
        """Candidates and costs of some examples under the weights of this moment."""
        if self._config.select in ARC_SELECTIONS:
            return [self._price_arcs(number) for number in numbers]
        if self._config.k == "adaptive":
            found = self._price_adaptively(numbers)
        else:
            found = self._price(numbers, int(self._config.k))
        return self._rescue([self._retag(priced) for priced in found])

    def _price_adaptively(self, numbers: Sequence[int]) -> list[Priced]:
        found: dict[int, Priced] = {}
        waiting, k = list(numbers), FIRST_ADAPTIVE_K
        while waiting:
            for number, priced in zip(waiting, self._price(waiting, k), strict=True):
                before = found.get(number)
                priced.is_whole = before is not None and before.listed == priced.listed
                found[number] = priced
            waiting = [n for n in waiting if 2 * k <= self._config.max_k and found[n].wants_more]
            k *= 2
        return [found[number] for number in numbers]

    def _price(self, numbers: Sequence[int], k: int) -> list[Priced]:
        candidates = [self._examples.kbest(number, k) for number in numbers]
        costs = self._costs(candidates)
        return [Priced(*pair, len(pair[0])) for pair in zip(candidates, costs, strict=True)]

    def _retag(self, priced: Priced) -> Priced:
        """Where another tag of a word leads to a cheaper tree, take the candidates it has."""
        best, listed = priced, priced.listed
        number, k = priced.candidates.number, max(priced.listed, FIRST_ADAPTIVE_K)
        for way, other in enumerate(self._others, start=1):
            if other.tagging.changed[number] < 0 or not best.costs.min() > 0:
                continue
            candidates = other.examples.kbest(number, k)
            assert not isinstance(other.tagging.objective, GroupObjective)
            (costs,) = self._costs([candidates], other.tagging.objective)
            listed += len(candidates)
            if costs.min() < best.costs.min():
                best = Priced(candidates, costs, listed, way=way)
        best.first, best.listed = priced.first, listed
        return best

    def _price_arcs(self, number: int) -> Priced:
        """The same where arcs have costs, so that one need not list trees."""
        examples = self._examples
        assert isinstance(examples, ArcTrainable)
        assert isinstance(self._objective, ArcObjective)
        arc_costs = self._objective.arc_costs(number)
        if arc_costs is None:
            raise ObjectiveError(
                f"example {shown(self._objective.ids[number])}: its cost is no sum over arcs; "
                "choose another select than " + self._config.select
            )
        slopes = None
        scale = examples.auto_scale if self._config.scale == "auto" else self._config.scale
        if self._config.select == "exact":
            candidates, slopes, _ = examples.expectation(number, arc_costs, scale)
        else:
            candidates = examples.augmented(number, arc_costs, scale)
        (costs,) = self._costs([candidates])
        return Priced(candidates, costs, len(candidates), slopes=slopes)

    def _costs(
        self, candidates: Sequence[KBest], objective: Objective | None = None
    ) -> list[Costs]:
        ids = [self._objective.ids[each.number] for each in candidates]
        with told_of(ids):
            found = (objective or self._objective).costs(candidates)
        return [
            checked_costs(costs, len(each), name)
            for costs, each, name in zip(found, candidates, ids, strict=True)
        ]

    def _rescue(self, found: list[Priced]) -> list[Priced]:
        """Where no candidate is right but it is known what right is, ask for such a tree."""
        for priced in found:
            number = priced.candidates.number
            constraints = self._objective.constraints(number)
            if not self._config.rescue or constraints is None:
                continue
            if priced.way == 0 and priced.costs.min() > 0 and not _obeyed(constraints, priced):
                priced.rescued = True
                obeying = self._obeying(number, constraints)
                priced.candidates = priced.candidates.and_then(obeying)
                priced.costs = np.concatenate([priced.costs, *self._costs([obeying])])
        return found

    def _obeying(self, number: int, constraints: Constraints) -> KBest:
        try:
            return self._examples.kbest(number, 1, constraints)
        except ConstraintError as error:
            raise ObjectiveError(
                f"example {shown(self._objective.ids[number])}: {error}"
            ) from error


def _obeyed(constraints: Constraints, priced: Priced) -> bool:
    """Whether a candidate is such a tree: none that is searched for would be better."""
    return any(next(constraints.broken_by(tree), None) is None for tree in priced.candidates)


# -- examples of several sentences -----------------------------------------------------------


@dataclass(frozen=True)
class PricedGroup:
    """Combinations of the candidates of an example's sentences: a row says which of each."""

    candidates: tuple[KBest, ...]
    rows: IntArray
    costs: Costs

    def differing(self, step: Step) -> Iterator[tuple[KBest, int, int]]:
        """The sentences whose trees a step changes: towards which, and away from which."""
        for kbest, rows in zip(self.candidates, self.rows.T, strict=True):
            towards, away = int(rows[step.towards]), int(rows[step.away])
            if towards != away:
                yield kbest, towards, away

    @property
    def scores(self) -> FloatArray:
        found = zip(self.candidates, self.rows.T, strict=True)
        scores = [each.scores[row] for each, row in found]
        return np.asarray(np.sum(scores, axis=0, dtype=np.float64))


class GroupPricer:
    """Prices examples of several sentences.

    All combinations of candidates are priced together if there are no more than `joint`;
    otherwise the candidates of one sentence after the other, with the other sentences held at
    their best trees of that moment: the cheapest of those before, the parser's own of the rest.
    """

    def __init__(
        self, config: CostConfig, objective: GroupObjective, examples: TrainableCandidates
    ) -> None:
        self._config, self._objective, self._examples = config, objective, examples

    def price(self, numbers: Sequence[int]) -> list[list[PricedGroup]]:
        """For each example what is to be learned from it, one thing after the other."""
        return [self._price(number) for number in numbers]

    def _price(self, number: int) -> list[PricedGroup]:
        k = self._config.max_k if self._config.k == "adaptive" else self._config.k
        found = tuple(self._examples.kbest(s, k) for s in self._objective.groups[number])
        counts = [len(each) for each in found]
        if np.prod(counts, dtype=float) <= self._config.joint:
            grid = np.indices(counts, dtype=np.int32).reshape(len(counts), -1).T
            return [self._priced(number, found, grid)]
        lists = []
        best = np.zeros(len(counts), dtype=np.int32)
        for place, count in enumerate(counts):
            rows = np.tile(best, (count, 1))
            rows[:, place] = np.arange(count)
            lists.append(self._priced(number, found, rows))
            # Else two sentences that disagree would both give way, and disagree again.
            best[place] = np.argmin(lists[-1].costs)
        return lists

    def _priced(self, number: int, found: tuple[KBest, ...], rows: IntArray) -> PricedGroup:
        combined = [each.only(row.tolist()) for each, row in zip(found, rows.T, strict=True)]
        name = self._objective.ids[number]
        with told_of([name]):
            costs = self._objective.group_costs(number, combined)
        return PricedGroup(found, rows, checked_costs(costs, len(rows), name))


# -- as it is written ---------------------------------------------------------------------------


class Sample:
    """Some examples of an objective, tagged as they were when training began.

    Weights that learn have just learned the examples that they price. Those that are written are
    averaged and compressed, and after each epoch these examples are priced with them.
    """

    def __init__(
        self, objective: AnyObjective, tagging: Tagging, numbers: NDArray[np.int64]
    ) -> None:
        self._objective = objective
        self._numbers: list[int] = numbers[_spread(len(numbers))].tolist()
        if isinstance(objective, GroupObjective):
            self._sentences = sorted({s for n in self._numbers for s in objective.groups[n]})
        else:
            self._sentences = self._numbers
        self._batch = Batch([objective.sentences[s].source for s in self._sentences])
        words = np.zeros(tagging.batch.words, dtype=np.bool_)
        for s in self._sentences:
            words[tagging.starts[s] : tagging.starts[s + 1]] = True
        self._tags = tagging.tags.only(words)

    def __len__(self) -> int:
        return len(self._numbers)

    def mean_cost(self, parser: Parser, search: Search) -> float:
        """What the trees of a parser cost."""
        parsed = parser.parse(self._batch, self._tags, search)
        ends = np.cumsum(self._batch.lengths)[:-1]
        heads, labels = np.split(parsed.heads, ends), np.split(parsed.labels, ends)

        names = parser.labels.names
        trees = {
            s: KBest(_row(heads[at]), _row(labels[at]), np.zeros(1), names, number=s)
            for at, s in enumerate(self._sentences)
        }
        return float(costs_of_single(self._objective, trees, self._numbers).mean())


def _spread(size: int) -> list[int]:
    """Numbers from 0 to size, evenly spread, no more than are priced."""
    count = min(size, MOST_PRICED)
    return [number * size // count for number in range(count)]


def _row(values: IntArray) -> IntArray:
    return np.asarray(values, dtype=np.int32).reshape(1, -1)
