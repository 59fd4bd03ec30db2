"""Learning epoch by epoch, whatever kind of parser learns, and however many sets of weights.

A pass over the treebank is an epoch; between its batches the objectives that are costs keep
up. A run can be broken off anywhere and taken up again: the checkpoint knows how far it
came, and the same bytes come out.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from niwaki.learning.checkpoint import Checkpoint, below
from niwaki.learning.workers import Stopped
from niwaki.parsers.base import Job, Parser, Search, TrainableParser
from niwaki.training.config import TrainingConfig
from niwaki.training.jobs.shards import WHOLE, Shard
from niwaki.training.objectives import ObjectivesInTraining
from niwaki.training.reporting import EpochReport, ObjectiveReport
from niwaki.typing import Arrays

# Sentences between two looks at the clock.
_CHUNK = 64

Score = Callable[[Parser], tuple[float, float]]


@dataclass
class _Progress:
    """Where the learning of one set of weights stands."""

    epoch: int = 0
    cursor: int = 0  # sentences of the epoch that are done
    updates: int = 0
    best_las: float = -1.0
    best: Arrays | None = None
    reports: list[str] = field(default_factory=list)  # of the epochs so far, lines of the log


class Training:
    """The training of one set of weights; `run` can be broken off anywhere and taken up again."""

    def __init__(
        self,
        job: Job,
        trainer: TrainableParser,
        config: TrainingConfig,
        costs: ObjectivesInTraining,
        checkpoint: Checkpoint,
        threads: int,
        shard: Shard = WHOLE,
    ) -> None:
        self._job, self._trainer, self._config, self._shard = job, trainer, config, shard
        self._costs, self._checkpoint, self._threads = costs, checkpoint, threads
        # An epoch is a pass over the treebank, or over the examples of the first cost.
        self._epoch_size = job.corpus.visits("trees") or costs.all[0].size * shard.count
        self._progress = _Progress()
        if job.stage in checkpoint:
            self._restore(checkpoint[job.stage])

    def run(
        self,
        score: Score | None,
        advance: Callable[[int], None],
        report: Callable[[EpochReport], None],
    ) -> Arrays:
        """Learn for all epochs; returns the weights of the best one, as they are shipped.

        With costs they are those of the last epoch: what is best on the treebank is not what
        is best for the task. `score` gives UAS and LAS, percent. `advance` may raise
        Stopped: the checkpoint then knows how far learning came, and whoever stopped it
        decides about saving that.
        """
        done, stage = self._progress, self._job.stage
        try:
            with ThreadPoolExecutor(self._threads) as pool:
                while done.epoch < self._job.epochs:
                    self._learn_epoch(advance, pool)
                    self._finish_epoch(score, report)
        except Stopped:
            self._keep()
            raise
        best = done.best or self._trainer.finished()
        # In this order: another thread may save in between.
        self._costs.finish(self._checkpoint)
        self._checkpoint.put(f"{stage}-reports", {"reports": _as_bytes(done.reports)})
        self._checkpoint.put(f"{stage}-result", best)
        self._checkpoint.drop(stage)
        return best

    @property
    def reports(self) -> list[str]:
        """What the epochs so far did, lines of the log."""
        return self._progress.reports

    def _learn_epoch(self, advance: Callable[[int], None], pool: ThreadPoolExecutor) -> None:
        done, corpus = self._progress, self._job.corpus
        at_once = self._config.batch_size if self._costs.all else _CHUNK
        order = corpus.epoch_order("trees", self._config.seed, self._job.stage, done.epoch)
        order = self._shard.of(order)
        size = len(order) or self._costs.all[0].size
        whole = len(order)
        if done.epoch == 0:
            # Who knows nothing yet cannot complete trees, so the whole ones come first.
            is_partial = np.isin(order, list(corpus.constraints))
            order = np.concatenate([order[~is_partial], order[is_partial]])
            whole -= int(is_partial.sum())
        if done.cursor == 0:
            done.updates = 0
            self._trainer.begin_epoch(done.epoch)
        while done.cursor < size:
            end = min(done.cursor + at_once, size)
            if done.cursor < whole:
                end = min(end, whole)
            part = order[done.cursor : end]
            done.updates += self._trainer.learn(part)
            done.cursor = end
            # Schedules count sentences of the whole treebank.
            visited = done.epoch * self._epoch_size + end * self._epoch_size // size
            advance(len(part) + self._costs.keep_up(part, visited, pool, self._threads))
            if self._checkpoint.is_due:
                self._keep()
                self._checkpoint.save()

    def _finish_epoch(self, score: Score | None, report: Callable[[EpochReport], None]) -> None:
        done = self._progress
        self._trainer.end_epoch()
        uas = las = None
        objectives: tuple[ObjectiveReport, ...] = ()
        if score is not None or self._costs.all:
            finished = self._trainer.finished()
            parser = self._trainer.parser(finished)
            if score is not None:
                uas, las = score(parser)
                if las > done.best_las and not self._costs.all:
                    done.best_las, done.best = las, finished
            if self._costs.all:
                reports = self._costs.finish_epoch()
                objectives = self._costs.as_written(reports, parser, self._job.search or Search())
        done.epoch += 1
        done.cursor = 0
        epoch = EpochReport(
            self._job.stage,
            done.epoch,
            self._job.epochs,
            done.updates,
            self._trainer.rows,
            uas,
            las,
            objectives,
        )
        done.reports += epoch.log_lines()
        report(epoch)

    # -- interruption ----------------------------------------------------------------

    def _keep(self) -> None:
        """Put into the checkpoint from where learning can go on as if nothing had happened."""
        self._checkpoint.put(self._job.stage, self._state())

    def _state(self) -> dict[str, NDArray[Any]]:
        done = self._progress
        state: dict[str, NDArray[Any]] = {
            "numbers": np.array([done.epoch, done.cursor, done.updates], dtype=np.int64),
            "best_las": np.array([done.best_las]),
            "reports": _as_bytes(done.reports),
            **self._costs.export(),
            **{f"state.{name}": array for name, array in self._trainer.export().items()},
        }
        if done.best is not None:
            state.update({f"best.{name}": array for name, array in done.best.items()})
        return state

    def _restore(self, state: Arrays) -> None:
        done = self._progress
        done.epoch, done.cursor, done.updates = map(int, state["numbers"])
        done.best_las = float(state["best_las"][0])
        done.reports = _as_lines(state["reports"])
        done.best = below(state, "best") or None
        self._costs.restore(state)
        self._trainer.restore(below(state, "state"))


def finished_weights(stage: str, checkpoint: Checkpoint) -> Arrays | None:
    """The weights of a job that an earlier run has already finished, if it has."""
    return checkpoint.get(f"{stage}-result")


def finished_reports(stage: str, checkpoint: Checkpoint) -> list[str]:
    """What the epochs of a finished job did, lines of the log."""
    found = checkpoint.get(f"{stage}-reports")
    return _as_lines(found["reports"]) if found else []


def _as_bytes(lines: list[str]) -> NDArray[np.uint8]:
    return np.frombuffer("\n".join(lines).encode(), dtype=np.uint8)


def _as_lines(array: NDArray[np.uint8]) -> list[str]:
    return array.tobytes().decode().splitlines()
