"""Epochs on many workers: each learns its shard from the same weights, then they are mixed.

Head and workers keep their tables from epoch to epoch. What travels are changes: of each worker to
the head, and their mix to each worker. A worker that is new, because another died, is given all.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from niwaki.errors import ConfigError
from niwaki.kernel.linear import SparseWeights
from niwaki.learning.checkpoint import Checkpoint, below
from niwaki.learning.mixing import Start, add_changes, mixed, shares_of
from niwaki.parsers.base import Job, MixableParser, TrainableParser
from niwaki.scale.engine import Crew
from niwaki.training.config import TrainingConfig
from niwaki.training.jobs.shards import Shard, ShardResult, ShardTask, Work
from niwaki.training.loop import Score, Training
from niwaki.training.objectives import ObjectivesInTraining
from niwaki.training.reporting import EpochReport
from niwaki.typing import Arrays

_PARSER, _TAGGER = "parser", "tagger."


class ShardTraining(Training):
    """In a worker: the training of a shard, epoch after epoch."""

    _start: Start
    _next: tuple[str, int, Shard] | None = None  # what it can go on with

    def can_go_on(self, task: ShardTask) -> bool:
        """Whether the changes of a task are all that is needed for it."""
        return task.changes is not None and self._next == (task.stage, task.epoch, task.shard)

    def learn_shard(self, task: ShardTask) -> ShardResult:
        done, costs = self._progress, self._costs
        done.epoch, done.cursor = task.epoch, 0
        taught: dict[str, NDArray[Any]] = {}
        if task.state is None:
            assert task.changes is not None
            self._start.go_on(task.changes)
        else:
            self._trainer.restore(below(task.state, _PARSER))
            taught = {n: x for n, x in task.state.items() if n.startswith(_TAGGER)}
        if task.own:
            costs.restore({**task.own, **taught})
            costs.finish_epoch()
        if task.state is not None:
            self._start = Start(_tables(self._trainer, costs))
        visits = 0

        def advance(count: int) -> None:
            nonlocal visits
            visits += count

        with ThreadPoolExecutor(self._threads) as pool:
            self._learn_epoch(advance, pool)
        steps = done.updates + sum(each.counts.updates for each in costs.all)
        self._next = task.stage, task.epoch + 1, task.shard
        own = {n: x for n, x in costs.export().items() if not n.startswith(_TAGGER)}
        return ShardResult(visits, done.updates, steps, self._start.changes(), own)


class MixedTraining(Training):
    """At the head: epochs that workers learn and that are mixed, each kept in the checkpoint."""

    def __init__(
        self,
        job: Job,
        trainer: TrainableParser,
        config: TrainingConfig,
        costs: ObjectivesInTraining,
        checkpoint: Checkpoint,
        crew: Crew,
        done: Mapping[str, Arrays],
    ) -> None:
        self._crew, self._done = crew, done
        self._own: list[Arrays] = [{}] * config.workers
        self._work: Work | None = None
        super().__init__(job, trainer, config, costs, checkpoint, threads=1)

    def _learn_epoch(self, advance: Callable[[int], None], pool: ThreadPoolExecutor) -> None:
        done, count = self._progress, self._config.workers
        if self._work is None:
            self._work = self._handed_in(done.epoch)
        found: dict[int, ShardResult] = {}
        for number, result in self._work.results(lambda: advance(0)):
            found[number] = result
            advance(result.visits)
        results = [found[number] for number in range(count)]
        self._own = [each.own for each in results]
        shares = shares_of(self._config.mixing, [each.steps for each in results])
        tables = _tables(self._trainer, self._costs)
        changes = mixed(tables, [each.changes for each in results], shares)
        # Workers go on while the epoch is taken up, scored and saved here.
        is_last = done.epoch + 1 == self._job.epochs
        self._work = None if is_last else self._handed_in(done.epoch + 1, changes)
        self._take_up(tables, changes)
        done.updates = sum(each.updates for each in results)

    def _handed_in(self, epoch: int, changes: Arrays | None = None) -> Work:
        count = self._config.workers
        tasks = [
            ShardTask(self._job.stage, epoch, Shard(k, count), own, changes)
            for k, own in enumerate(self._own)
        ]
        if changes is None:
            tasks = [self._whole(task) for task in tasks]
        return Work(self._crew, tasks, sticky=True, again=self._whole)

    def _whole(self, task: ShardTask) -> ShardTask:
        """A task for a worker that knows nothing; tables here are as at the start of its epoch."""
        exported = self._trainer.export().items()
        state = {f"{_PARSER}.{name}": array for name, array in exported}
        state |= {n: x for n, x in self._costs.export().items() if n.startswith(_TAGGER)}
        return replace(task, changes=None, state=state, done=self._done)

    def _take_up(self, tables: Mapping[str, SparseWeights], changes: Arrays) -> None:
        add_changes(tables, changes)
        # What objectives did is the sum of what they did everywhere.
        costs = np.sum([own["costs"] for own in self._own], axis=0)
        self._costs.restore({"costs": costs, "spreads": self._own[0]["spreads"]})

    def _finish_epoch(self, score: Score | None, report: Callable[[EpochReport], None]) -> None:
        super()._finish_epoch(score, report)
        self._keep()
        self._checkpoint.save()

    def _state(self) -> dict[str, NDArray[Any]]:
        own = {f"own.{k}.{n}": x for k, each in enumerate(self._own) for n, x in each.items()}
        return {**super()._state(), **own}

    def _restore(self, state: Arrays) -> None:
        super()._restore(state)
        self._own = [below(below(state, "own"), str(k)) for k in range(len(self._own))]


def check_shards(job: Job, costs: Sequence[int], workers: int) -> None:
    """Raises ConfigError if a job, by costs of so many examples, is not for so many workers."""
    if not job.mixable:
        raise ConfigError(
            f"training.workers is {workers}, but weights that are learned in this way cannot be "
            "mixed; give 1, or another way to learn"
        )
    sizes = [len(job.corpus.sentences), *costs] if job.corpus.sentences else costs
    if min(sizes) < workers:
        raise ConfigError(
            f"training.workers is {workers}, but there are {min(sizes)} examples to learn from; "
            "give fewer workers"
        )


def _tables(trainer: TrainableParser, costs: ObjectivesInTraining) -> dict[str, SparseWeights]:
    """All tables that are mixed, by the names of what is sent of them."""
    assert isinstance(trainer, MixableParser)
    own = {f"{_PARSER}.{name}": table for name, table in trainer.tables.items()}
    return {**own, **costs.tables}
