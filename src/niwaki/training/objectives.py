"""Training with costs: many objectives, each with its data, its cursor and its schedule.

This is Algorithm 2 of Hall et al. (2011) with the inline ranker: when an objective is
due, the next of its examples is parsed, its candidates are priced, and the weights move
from the first candidate towards a cheaper one.

Examples come in rounds. Those of a round are parsed and priced at the same time, by as
many threads as there are, before any of them changes the weights; so threads change the
time but not the result. A round of one example is the algorithm by the letter.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from niwaki.data.kbest import CandidateArrays
from niwaki.errors import ConfigError, NiwakiError, ObjectiveError, shown
from niwaki.kernel.linear import SparseWeights
from niwaki.learning.corpus import shuffled
from niwaki.objectives import ArcObjective, Costs, Objective, checked_costs
from niwaki.parsers.transition.candidates import ArcTrainee, Slopes, Trainee
from niwaki.tagging.updates import TagLessons
from niwaki.training.config import ARC_SELECTIONS, CostConfig
from niwaki.training.examples import CostData, Tagging
from niwaki.training.selection import CHOICES

FIRST_ADAPTIVE_K = 2


@dataclass(frozen=True)
class ObjectiveReport:
    """What an objective did in an epoch; the means are over its examples.

    `first` is the cost of the parser's own tree and `oracle` that of the cheapest
    candidate: between them lies what an update can gain. `rescued` counts examples
    whose right tree was found by constrained search only, `retagged` those whose cheapest
    tree was found with another tag of a word only.
    """

    name: str
    examples: int
    updates: int
    first: float
    oracle: float
    k: float
    rescued: int
    retagged: int = 0


@dataclass
class _Counts:
    examples: int = 0
    updates: int = 0
    rescued: int = 0
    retagged: int = 0
    candidates: int = 0
    first: float = 0.0
    oracle: float = 0.0


@dataclass
class _Priced:
    """Candidates of an example with their costs, and how many were in the list."""

    candidates: CandidateArrays
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
class OtherTags:
    """Examples tagged in another way, and the parser that sees them so."""

    tagging: Tagging
    trainee: Trainee


@dataclass
class CostLessons:
    """One objective while it is being taught."""

    name: str
    config: CostConfig
    objective: Objective
    trainee: Trainee
    # The same examples with other tags, and who learns these.
    others: Sequence[OtherTags] = ()
    tagger: TagLessons | None = None
    visited: int = 0
    counts: _Counts = field(default_factory=_Counts)

    @classmethod
    def of(
        cls,
        data: CostData,
        trainee_of: Callable[[Tagging], Trainee],
        tagger: TagLessons | None,
    ) -> CostLessons:
        """The lessons of some data for a kind of parser."""
        first, *others = data.taggings
        ways = [OtherTags(tagging, trainee_of(tagging)) for tagging in others]
        return cls(data.name, data.config, data.objective, trainee_of(first), ways, tagger)

    def __post_init__(self) -> None:
        if self.config.select in ARC_SELECTIONS and not isinstance(self.objective, ArcObjective):
            raise ConfigError(
                f"{self.config.kind}: select = {self.config.select!r} is for costs that are sums "
                "over arcs, and this one is not; choose another"
            )

    @property
    def scale(self) -> float:
        scale = self.config.scale
        return self.trainee.usual_scale if scale == "auto" else scale

    @property
    def size(self) -> int:
        return len(self.objective.sentences)

    def due(self, visited: int) -> int:
        """Examples that the schedule asks for by now: Sched(j, i) for all i up to `visited`."""
        return int(self.config.schedule * visited + 1e-9) - self.visited

    def next_numbers(self, count: int, seed: int) -> list[int]:
        """The next examples; each pass over the data has an order of its own."""
        numbers: list[int] = []
        while len(numbers) < count:
            passes, at = divmod(self.visited + len(numbers), self.size)
            order = shuffled(self.size, seed, self.name, passes)
            numbers += order[at : at + count - len(numbers)].tolist()
        return numbers

    # -- pricing, in any thread ---------------------------------------------------

    def price(self, numbers: Sequence[int]) -> list[_Priced]:
        """Candidates and costs of some examples under the weights of this moment."""
        if self.config.select in ARC_SELECTIONS:
            return [self._price_arcs(number) for number in numbers]
        if self.config.k == "adaptive":
            found = self._price_adaptively(numbers)
        else:
            found = self._price(numbers, int(self.config.k))
        return self._rescue([self._retag(priced) for priced in found])

    def _price_adaptively(self, numbers: Sequence[int]) -> list[_Priced]:
        found: dict[int, _Priced] = {}
        waiting, k = list(numbers), FIRST_ADAPTIVE_K
        while waiting:
            for number, priced in zip(waiting, self._price(waiting, k), strict=True):
                before = found.get(number)
                priced.is_whole = before is not None and before.listed == priced.listed
                found[number] = priced
            waiting = [n for n in waiting if 2 * k <= self.config.max_k and found[n].wants_more]
            k *= 2
        return [found[number] for number in numbers]

    def _price(self, numbers: Sequence[int], k: int) -> list[_Priced]:
        candidates = [self.trainee.candidates(number, k) for number in numbers]
        costs = self._costs(candidates)
        return [_Priced(*pair, len(pair[0])) for pair in zip(candidates, costs, strict=True)]

    def _retag(self, priced: _Priced) -> _Priced:
        """Where another tag of a word leads to a cheaper tree, take the candidates it has."""
        best, listed = priced, priced.listed
        number, k = priced.candidates.number, max(priced.listed, FIRST_ADAPTIVE_K)
        for way, other in enumerate(self.others, start=1):
            if other.tagging.changed[number] < 0 or not best.costs.min() > 0:
                continue
            candidates = other.trainee.candidates(number, k)
            (costs,) = self._costs([candidates], other.tagging.objective)
            listed += len(candidates)
            if costs.min() < best.costs.min():
                best = _Priced(candidates, costs, listed, way=way)
        best.first, best.listed = priced.first, listed
        return best

    def _price_arcs(self, number: int) -> _Priced:
        """The same where arcs have costs, so that one need not list trees."""
        trainee = self.trainee
        assert isinstance(trainee, ArcTrainee)
        assert isinstance(self.objective, ArcObjective)
        arc_costs = self.objective.arc_costs(number)
        if arc_costs is None:
            raise ObjectiveError(
                f"example {shown(self.objective.ids[number])}: its cost is no sum over arcs; "
                "choose another select than " + self.config.select
            )
        slopes = None
        if self.config.select == "exact":
            candidates, slopes, _ = trainee.expectation(number, arc_costs, self.scale)
        else:
            candidates = trainee.augmented(number, arc_costs, self.scale)
        (costs,) = self._costs([candidates])
        return _Priced(candidates, costs, len(candidates), slopes=slopes)

    def _costs(
        self, candidates: Sequence[CandidateArrays], objective: Objective | None = None
    ) -> list[Costs]:
        ids = [self.objective.ids[each.number] for each in candidates]
        try:
            found = (objective or self.objective).costs(candidates)
        except NiwakiError:
            raise
        except Exception as error:
            raise ObjectiveError(
                f"one of the examples {shown(', '.join(ids))}: the cost raised "
                f"{type(error).__name__}: {error}"
            ) from error
        return [
            checked_costs(costs, len(each), name)
            for costs, each, name in zip(found, candidates, ids, strict=True)
        ]

    def _rescue(self, found: list[_Priced]) -> list[_Priced]:
        """Where no candidate is right but it is known what right is, ask for such a tree."""
        for priced in found:
            number = priced.candidates.number
            constraints = self.objective.constraints(number)
            if not self.config.rescue or constraints is None:
                continue
            if priced.way == 0 and priced.costs.min() > 0:
                priced.rescued = True
                obeying = self.trainee.obeying(number, constraints)
                priced.candidates = priced.candidates.and_then(obeying)
                priced.costs = np.concatenate([priced.costs, *self._costs([obeying])])
        return found

    # -- learning, in one thread --------------------------------------------------

    def learn(self, priced: _Priced) -> None:
        """Let an example change the weights, and count what it did."""
        counts = self.counts
        changed = self._change(priced)
        if priced.way and self.tagger is not None:
            self.tagger.learn(self.others[priced.way - 1].tagging, priced.candidates.number)
            counts.retagged += 1
            changed = True
        self.visited += 1
        counts.examples += 1
        counts.updates += changed
        counts.candidates += priced.listed
        counts.rescued += priced.rescued
        counts.first += priced.first
        counts.oracle += float(priced.costs[: len(priced.costs) - priced.rescued].min())

    def _change(self, priced: _Priced) -> bool:
        """Move the parser's weights, if there is a reason to."""
        config = self.config
        trainee = self.others[priced.way - 1].trainee if priced.way else self.trainee
        if priced.slopes is not None:
            assert isinstance(trainee, ArcTrainee)
            trainee.descend(priced.slopes, config.step)
            return len(priced.slopes.arcs) > 0
        scores = priced.candidates.scores.astype(np.float64)
        steps = CHOICES[config.select](scores, priced.costs, self.scale)
        for step in steps:
            trainee.update(priced.candidates, step.towards, step.away, step.length * config.step)
        return bool(steps)

    def report(self) -> ObjectiveReport:
        counts, examples = self.counts, max(self.counts.examples, 1)
        return ObjectiveReport(
            self.name,
            counts.examples,
            counts.updates,
            round(counts.first / examples, 6),
            round(counts.oracle / examples, 6),
            round(counts.candidates / examples, 3),
            counts.rescued,
            counts.retagged,
        )


class CostTraining:
    """All objectives that are costs; keeps them in step with the treebank."""

    def __init__(
        self,
        lessons: Sequence[CostLessons],
        learners: Sequence[SparseWeights],
        seed: int,
        tagger: TagLessons | None = None,
    ) -> None:
        self.lessons, self.tagger = list(lessons), tagger
        self._learners, self._seed = learners, seed

    def keep_up(self, visited: int, pool: Executor, threads: int) -> int:
        """Visit all examples that are due after so many of the treebank; returns how many."""
        done = 0
        for lessons in self.lessons:
            count = lessons.due(visited)
            if count <= 0:
                continue
            numbers = lessons.next_numbers(count, self._seed)
            parts = [numbers[at::threads] for at in range(min(threads, len(numbers)))]
            priced = list(pool.map(lessons.price, parts))
            for at in range(len(numbers)):
                lessons.learn(priced[at % threads][at // threads])
                for learner in self._learners:
                    learner.tick()
            done += len(numbers)
        return done

    def finish_epoch(self) -> tuple[ObjectiveReport, ...]:
        reports = tuple(lessons.report() for lessons in self.lessons)
        for lessons in self.lessons:
            lessons.counts = _Counts()
        return reports

    # -- interruption -------------------------------------------------------------

    def export(self) -> dict[str, NDArray[Any]]:
        """Cursors and counts, as numbers that come back exactly."""
        rows = [[lessons.visited, *vars(lessons.counts).values()] for lessons in self.lessons]
        found = {"costs": np.array(rows, dtype=np.float64)}
        if self.tagger is not None:
            found |= {f"tagger.{name}": array for name, array in self.tagger.export().items()}
        return found

    def restore(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        names = list(vars(_Counts()))
        whole = names[: names.index("first")]
        for lessons, row in zip(self.lessons, arrays["costs"].tolist(), strict=True):
            lessons.visited = int(row[0])
            found = dict(zip(names, row[1:], strict=True))
            found.update({name: int(found[name]) for name in whole})
            lessons.counts = _Counts(**found)
        if self.tagger is not None:
            prefix = "tagger."
            taught = {n.removeprefix(prefix): a for n, a in arrays.items() if n.startswith(prefix)}
            self.tagger.restore(taught)
