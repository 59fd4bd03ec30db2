"""Training with costs: many objectives, each with its data, its cursor and its schedule.

This is Algorithm 2 of Hall et al. (2011) with the inline ranker: when an objective is
due, the next of its examples is parsed, its candidates are priced, and the weights move
from the first candidate towards a cheaper one.

Examples come in batches. Those of a batch are parsed and priced at the same time, by as
many threads as there are, before any of them changes the weights; so threads change the
time but not the result. A batch of one example is the algorithm by the letter.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field, replace
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from niwaki.data.kbest import KBest
from niwaki.errors import ConfigError
from niwaki.features.weights import PackedWeights, pack, unpack
from niwaki.kernel.linear import SparseWeights
from niwaki.learning.checkpoint import Checkpoint, below
from niwaki.learning.corpus import shuffled
from niwaki.objectives import ArcObjective, GroupObjective, Objective
from niwaki.parsers.base import (
    ArcTrainable,
    Parser,
    Search,
    TrainableCandidates,
    TrainableParser,
)
from niwaki.tagging.updates import TagUpdates
from niwaki.training.config import ARC_SELECTIONS, CostConfig
from niwaki.training.examples import CostData
from niwaki.training.pricing import (
    GroupPricer,
    Priced,
    PricedGroup,
    Pricer,
    Sample,
    TaggedExamples,
)
from niwaki.training.reporting import ObjectiveReport
from niwaki.training.selection import EXACT_STEP, Chooser, Spread, Step
from niwaki.typing import Arrays, IntArray

_TAGGER = "tagger-taught"
# Visits of an example in a whole run, at most, where nothing is said: what is gained on few
# examples after that is not gained on others.
_MOST_PASSES = 20.0


@dataclass(frozen=True)
class Schedule:
    """Sched(j, i) of Hall et al. (2011): examples for each sentence of the treebank."""

    rate: float

    def visits(self, sentences: int) -> int:
        """Examples that have been visited after so many sentences of the treebank."""
        return int(self.rate * sentences + 1e-9)


def schedules_of(costs: Sequence[CostData], trees: int, epochs: int) -> list[Schedule]:
    """The schedules of all costs beside a treebank of so many sentences; 0 if there is none."""
    rates = []
    for each in costs:
        if not isinstance(each.config.schedule, str):
            rates.append(each.config.schedule)
        elif trees:
            rates.append(min(1.0, _MOST_PASSES * each.size / (epochs * trees)))
        else:
            rates.append(each.size / costs[0].size)
    return [Schedule(rate) for rate in rates]


@dataclass
class _Counts:
    examples: int = 0
    updates: int = 0
    rescued: int = 0
    retagged: int = 0
    single: int = 0
    candidates: int = 0
    first: float = 0.0
    oracle: float = 0.0


P = TypeVar("P")


@dataclass
class ObjectiveInTraining(ABC, Generic[P]):
    """One objective while a parser is trained by it; P is an example with its costs."""

    name: str
    config: CostConfig
    numbers: NDArray[np.int64]  # the examples to learn from
    schedule: Schedule
    visited: int = field(default=0, init=False)
    chooser: Chooser = field(init=False)
    counts: _Counts = field(default_factory=_Counts, init=False)

    def __post_init__(self) -> None:
        self.chooser = Chooser(self.config.select, self.config.step, self.config.scale)

    @property
    def size(self) -> int:
        return len(self.numbers)

    def due(self, visited: int) -> int:
        """Examples that the schedule asks for after so many sentences of the treebank."""
        return self.schedule.visits(visited) - self.visited

    def next_numbers(self, count: int, seed: int) -> list[int]:
        """The next examples; each pass over the data has an order of its own."""
        numbers: list[int] = []
        while len(numbers) < count:
            passes, at = divmod(self.visited + len(numbers), self.size)
            order = shuffled(self.size, seed, self.name, passes)
            numbers += self.numbers[order[at : at + count - len(numbers)]].tolist()
        return numbers

    @abstractmethod
    def price(self, numbers: Sequence[int]) -> list[P]:
        """Some examples under the weights of this moment, in any thread."""

    def learn(self, priced: P) -> None:
        """Let an example change the weights, and count what it did."""
        self.visited += 1
        self.counts.examples += 1
        self.counts.updates += self._learn(priced)

    @abstractmethod
    def _learn(self, priced: P) -> bool:
        """Move the weights, if there is a reason to."""

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
            counts.single,
        )


class SentencesInTraining(ObjectiveInTraining[Priced]):
    """An objective each of whose examples is a sentence."""

    def __init__(
        self,
        data: CostData,
        objective: Objective,
        schedule: Schedule,
        parser: TrainableParser,
        tagger: TagUpdates | None,
    ) -> None:
        super().__init__(data.name, data.config, data.numbers, schedule)
        self._tagger = tagger
        self._ways = [
            TaggedExamples(tagging, parser.examples(tagging.batch, tagging.tags))
            for tagging in data.taggings
        ]
        self._pricer = Pricer(data.config, objective, self._ways)

    def price(self, numbers: Sequence[int]) -> list[Priced]:
        return self._pricer.price(numbers)

    def _learn(self, priced: Priced) -> bool:
        counts = self.counts
        changed = self._change(priced)
        if priced.way and self._tagger is not None:
            tagging, s = self._ways[priced.way].tagging, priced.candidates.number
            word = int(tagging.starts[s]) + tagging.changed[s]
            self._tagger.learn(tagging.batch, tagging.tags, s, word)
            counts.retagged += 1
            changed = True
        counts.candidates += priced.listed
        counts.rescued += priced.rescued
        counts.single += len(priced.costs) == 1
        counts.first += priced.first
        counts.oracle += float(priced.costs[: len(priced.costs) - priced.rescued].min())
        return changed

    def _change(self, priced: Priced) -> bool:
        config, examples = self.config, self._ways[priced.way].examples
        if priced.slopes is not None:
            assert isinstance(examples, ArcTrainable)
            length = EXACT_STEP if config.step == "auto" else config.step
            examples.descend(priced.slopes, length)
            return len(priced.slopes.arcs) > 0
        kbest, costs = priced.candidates, priced.costs
        scores = kbest.scores.astype(np.float64)
        steps = self.chooser.steps(scores, costs, len(costs) - priced.rescued)
        for step in steps:
            _take(step, examples, kbest, step.towards, step.away)
        return bool(steps)


class GroupsInTraining(ObjectiveInTraining[list[PricedGroup]]):
    """An objective whose examples hold several sentences."""

    def __init__(
        self,
        data: CostData,
        objective: GroupObjective,
        schedule: Schedule,
        parser: TrainableParser,
    ) -> None:
        super().__init__(data.name, data.config, data.numbers, schedule)
        tagging = data.taggings[0]
        self._examples = parser.examples(tagging.batch, tagging.tags)
        self._pricer = GroupPricer(data.config, objective, self._examples)

    def price(self, numbers: Sequence[int]) -> list[list[PricedGroup]]:
        return self._pricer.price(numbers)

    def _learn(self, priced: list[PricedGroup]) -> bool:
        changed = False
        for group in priced:
            for step in self.chooser.steps(group.scores, group.costs):
                trees = list(group.differing(step))
                shared = step._replace(lead=step.lead / len(trees))
                for tree in trees:
                    _take(shared, self._examples, *tree)
                changed = True
        counts = self.counts
        counts.candidates += sum(len(group.rows) for group in priced)
        counts.single += all(len(group.rows) == 1 for group in priced)
        # All lists begin with the current best tree of each sentence.
        counts.first += float(priced[0].costs[0])
        counts.oracle += min(float(group.costs.min()) for group in priced)
        return changed


def _take(step: Step, examples: TrainableCandidates, kbest: KBest, towards: int, away: int) -> None:
    if step.lead:
        examples.raise_lead(kbest, towards, away, step.lead)
    else:
        examples.update(kbest, towards, away, step.length)


def objective_in_training(
    data: CostData, schedule: Schedule, parser: TrainableParser, tagger: TagUpdates | None
) -> ObjectiveInTraining[Any]:
    """An objective and the parser that is trained by it."""
    select, kind, objective = data.config.select, data.config.kind, data.objective
    if isinstance(objective, GroupObjective):
        if select in ARC_SELECTIONS or data.config.tags > 1:
            raise ConfigError(
                f"{kind}: examples of several sentences go with neither `tags` nor "
                f"select = {' or '.join(map(repr, ARC_SELECTIONS))}; leave them out"
            )
        return GroupsInTraining(data, objective, schedule, parser)
    if select in ARC_SELECTIONS and not isinstance(objective, ArcObjective):
        raise ConfigError(
            f"{kind}: select = {select!r} is for costs that are sums over arcs, and this one is "
            "not; choose another"
        )
    return SentencesInTraining(data, objective, schedule, parser, tagger)


class ObjectivesInTraining:
    """All objectives that are costs; keeps them in step with the treebank."""

    def __init__(
        self,
        data: Sequence[CostData],
        schedules: Sequence[Schedule],
        parser: TrainableParser,
        seed: int,
        tagger: TagUpdates | None = None,
    ) -> None:
        self.all = [
            objective_in_training(each, schedule, parser, tagger)
            for each, schedule in zip(data, schedules, strict=True)
        ]
        self._samples = [Sample(each.objective, each.taggings[0], each.numbers) for each in data]
        self._parser, self._seed, self._tagger = parser, seed, tagger

    def keep_up(self, part: IntArray, visited: int, pool: Executor, threads: int) -> int:
        """Visit all examples that are due after so many of the treebank, the last of which are
        `part`; returns how many.
        """
        if self._tagger is not None:
            self._tagger.learn_treebank(part)
        done = 0
        for objective in self.all:
            count = objective.due(visited)
            if count <= 0:
                continue
            numbers = objective.next_numbers(count, self._seed)
            parts = [numbers[at::threads] for at in range(min(threads, len(numbers)))]
            priced = list(pool.map(objective.price, parts))
            for at in range(len(numbers)):
                objective.learn(priced[at % threads][at // threads])
                self._parser.tick()
            done += len(numbers)
        return done

    def finish_epoch(self) -> tuple[ObjectiveReport, ...]:
        reports = tuple(objective.report() for objective in self.all)
        for objective in self.all:
            objective.counts = _Counts()
        return reports

    def as_written(
        self, reports: Sequence[ObjectiveReport], parser: Parser, search: Search
    ) -> tuple[ObjectiveReport, ...]:
        """The reports with what the trees of a parser cost, as it would be written now."""
        return tuple(
            replace(report, written=round(sample.mean_cost(parser, search), 6), priced=len(sample))
            for report, sample in zip(reports, self._samples, strict=True)
        )

    def finish(self, checkpoint: Checkpoint) -> None:
        """All epochs are over: keep what the tagger has learned."""
        if self._tagger is not None:
            checkpoint.put(_TAGGER, pack(self._tagger.finished()))

    @property
    def tables(self) -> dict[str, SparseWeights]:
        """Tables that costs change beside those of the parser, by their names in `export`."""
        return {} if self._tagger is None else {"tagger": self._tagger.weights}

    # -- interruption -------------------------------------------------------------

    def export(self) -> dict[str, NDArray[Any]]:
        """Cursors and counts, as numbers that come back exactly."""
        rows = [[each.visited, *vars(each.counts).values()] for each in self.all]
        spreads = [list(vars(each.chooser.spread).values()) for each in self.all]
        found = {"costs": np.array(rows, dtype=np.float64), "spreads": np.array(spreads)}
        if self._tagger is not None:
            found |= {f"tagger.{name}": array for name, array in self._tagger.export().items()}
        return found

    def restore(self, arrays: Arrays) -> None:
        names = list(vars(_Counts()))
        whole = names[: names.index("first")]
        for objective, row in zip(self.all, arrays["costs"].tolist(), strict=True):
            objective.visited = int(row[0])
            found = dict(zip(names, row[1:], strict=True))
            found.update({name: int(found[name]) for name in whole})
            objective.counts = _Counts(**found)
        for objective, (seen, scores, costs) in zip(
            self.all, arrays["spreads"].tolist(), strict=True
        ):
            objective.chooser.spread = Spread(int(seen), scores, costs)
        taught = below(arrays, "tagger")
        if self._tagger is not None and taught:
            self._tagger.restore(taught)


def trained_tagger(checkpoint: Checkpoint) -> PackedWeights | None:
    """The weights of the tagger that learned beside a parser, if one did."""
    return unpack(checkpoint[_TAGGER]) if _TAGGER in checkpoint else None
