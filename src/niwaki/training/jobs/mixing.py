"""Epochs on many workers: each learns its shard from the same weights, then they are mixed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from numpy.typing import NDArray

from niwaki.errors import ConfigError
from niwaki.learning.checkpoint import Checkpoint, below
from niwaki.learning.mixing import mixed, shares_of
from niwaki.parsers.base import Job, TrainableParser
from niwaki.scale.engine import Crew
from niwaki.training.config import TrainingConfig
from niwaki.training.jobs.shards import Shard, ShardResult, ShardTask, Work
from niwaki.training.loop import Score, Training
from niwaki.training.objectives import ObjectivesInTraining
from niwaki.training.reporting import EpochReport
from niwaki.typing import Arrays

Make = Callable[[], tuple[TrainableParser, ObjectivesInTraining]]


class ShardTraining(Training):
    """In a worker: the training of one epoch on a shard."""

    def learn_shard(self, task: ShardTask) -> ShardResult:
        done, costs = self._progress, self._costs
        done.epoch = task.epoch
        self._trainer.restore(below(task.start, "parser"))
        tagger = {n: x for n, x in task.start.items() if n.startswith("tagger.")}
        if task.own:
            costs.restore({**task.own, **tagger})
            costs.finish_epoch()
        visits = 0

        def advance(count: int) -> None:
            nonlocal visits
            visits += count

        with ThreadPoolExecutor(self._threads) as pool:
            self._learn_epoch(advance, pool)
        changes = done.updates + sum(each.counts.updates for each in costs.all)
        learned, own = _split(self._trainer, costs)
        return ShardResult(visits, done.updates, changes, learned, own)


class MixedTraining(Training):
    """At the head: epochs that workers learn and that are mixed, each kept in the checkpoint."""

    def __init__(
        self,
        job: Job,
        make: Make,
        config: TrainingConfig,
        checkpoint: Checkpoint,
        crew: Crew,
        done: Mapping[str, Arrays],
    ) -> None:
        self._make, self._crew, self._done = make, crew, done
        self._own: list[Arrays] = [{}] * config.workers
        self._start: Arrays = {}
        self._work: Work | None = None
        trainer, costs = make()
        super().__init__(job, trainer, config, costs, checkpoint, threads=1)

    def _learn_epoch(self, advance: Callable[[int], None], pool: ThreadPoolExecutor) -> None:
        done, count = self._progress, self._config.workers
        if self._work is None:
            self._start, _ = _split(self._trainer, self._costs)
            self._work = self._handed_in(done.epoch)
        found: dict[int, ShardResult] = {}
        for number, result in self._work.results(lambda: advance(0)):
            found[number] = result
            advance(result.visits)
        results = [found[number] for number in range(count)]
        self._own = [each.own for each in results]
        shares = shares_of(self._config.mixing, [each.changes for each in results])
        self._start = mixed(self._start, [each.learned for each in results], shares)
        # Workers go on while the epoch is scored and saved here.
        is_last = done.epoch + 1 == self._job.epochs
        self._work = None if is_last else self._handed_in(done.epoch + 1)
        self._go_on_from(self._start)
        done.updates = sum(each.updates for each in results)

    def _handed_in(self, epoch: int) -> Work:
        stage, count = self._job.stage, self._config.workers
        tasks = [
            ShardTask(stage, epoch, Shard(k, count), self._start, own, self._done)
            for k, own in enumerate(self._own)
        ]
        return Work(self._crew, tasks)

    def _finish_epoch(self, score: Score | None, report: Callable[[EpochReport], None]) -> None:
        super()._finish_epoch(score, report)
        self._keep()
        self._checkpoint.save()

    def _go_on_from(self, state: Arrays) -> None:
        """A learner can be restored when it is new."""
        self._trainer, self._costs = self._make()
        self._trainer.restore(below(state, "parser"))
        tagger = {n: x for n, x in state.items() if n.startswith("tagger.")}
        # What objectives did is the sum of what they did everywhere.
        costs = np.sum([own["costs"] for own in self._own], axis=0)
        self._costs.restore({"costs": costs, "spreads": self._own[0]["spreads"], **tagger})

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


def _split(
    trainer: TrainableParser, costs: ObjectivesInTraining
) -> tuple[dict[str, NDArray[Any]], dict[str, NDArray[Any]]]:
    """What workers have in common, and what each knows alone."""
    learned = {f"parser.{name}": array for name, array in trainer.export().items()}
    own: dict[str, NDArray[Any]] = {}
    for name, array in costs.export().items():
        (learned if name.startswith("tagger.") else own)[name] = array
    return learned, own
