"""Learning epoch by epoch, whatever kind of parser learns, and however many sets of weights.

A pass over the treebank is an epoch; between its batches the objectives that are costs keep
up. A run can be broken off anywhere and taken up again: the checkpoint knows how far it
came, and the same bytes come out.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from niwaki.data.faults import DEPREL
from niwaki.learning.checkpoint import Checkpoint, below
from niwaki.learning.corpus import Corpus
from niwaki.learning.workers import Stopped, checked_first, run_all
from niwaki.parsers.base import Job, Parser, Search, TrainableParser
from niwaki.tagging.tagger import Tags
from niwaki.tagging.updates import TagUpdates
from niwaki.training.config import TrainingConfig
from niwaki.training.examples import CostData
from niwaki.training.objectives import ObjectivesInTraining, schedules_of
from niwaki.training.reporting import EpochReport, Log, ObjectiveReport, Reporter, locked
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
    ) -> None:
        self._job, self._trainer, self._config = job, trainer, config
        self._costs, self._checkpoint, self._threads = costs, checkpoint, threads
        # An epoch is a pass over the treebank, or over the examples of the first cost.
        self._epoch_size = job.corpus.visits("trees") or costs.all[0].size
        self._progress = _Progress()
        self._restore()

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
        whole = len(order)
        if done.epoch == 0:
            # Who knows nothing yet cannot complete trees, so the whole ones come first.
            is_partial = np.isin(order, list(corpus.constraints))
            order = np.concatenate([order[~is_partial], order[is_partial]])
            whole -= int(is_partial.sum())
        if done.cursor == 0:
            done.updates = 0
            self._trainer.begin_epoch(done.epoch)
        while done.cursor < self._epoch_size:
            end = min(done.cursor + at_once, self._epoch_size)
            if done.cursor < whole:
                end = min(end, whole)
            part = order[done.cursor : end]
            done.updates += self._trainer.learn(part)
            done.cursor = end
            visited = done.epoch * self._epoch_size + end
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
        self._checkpoint.put(self._job.stage, state)

    def _restore(self) -> None:
        if self._job.stage not in self._checkpoint:
            return
        state = self._checkpoint[self._job.stage]
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


# -- the jobs of a plan ----------------------------------------------------------------------


def costs_after(chain: Sequence[Job], tags: Tags) -> list[Job]:
    """The chain with trees first and costs in one more epoch, in which the treebank has such tags.

    A parser that knows nothing lists trees that are wrong everywhere, and the cheapest of these
    teaches it nothing.
    """
    return [each for job in chain for each in (job.costs_after(tags) if job.search else [job])]


@dataclass(frozen=True)
class Jobs:
    """Trains all jobs, or takes up what an earlier run has finished of them."""

    chains: Mapping[str, Sequence[Job]]  # by the weights that they end with
    config: TrainingConfig
    costs: Sequence[CostData]
    tag_updates: TagUpdates | None
    dev: tuple[Corpus, Tags] | None
    checkpoint: Checkpoint
    log: Log
    threads: int

    def train(self, reporter: Reporter) -> Mapping[str, Arrays]:
        """The finished weights of all chains, side by side."""
        jobs = [job for chain in self.chains.values() for job in chain]
        reporter.stage("parser", sum(map(self._work, jobs)))
        advance = locked(reporter.advance)

        def train_chain(stage: str, check: Callable[[], None]) -> Arrays:
            return self._train_chain(stage, checked_first(advance, check))

        # In threads, so that an interruption never breaks off an update.
        return run_all(train_chain, self.chains, min(self.threads, len(self.chains)))

    def _work(self, job: Job) -> int:
        """Sentences and examples that a job visits."""
        costs, trees = self._costs_of(job), job.corpus.visits("trees")
        sentences = job.epochs * (trees or costs[0].size)
        schedules = schedules_of(costs, trees, job.epochs)
        return (sentences if trees else 0) + sum(each.visits(sentences) for each in schedules)

    def _costs_of(self, job: Job) -> Sequence[CostData]:
        """Those that train a job's weights."""
        return self.costs if job.search and job.has_costs else ()

    def _train_chain(self, stage: str, advance: Callable[[int], None]) -> Arrays:
        done: dict[str, Arrays] = {}
        *before, last = self.chains[stage]
        is_finished = finished_weights(last.stage, self.checkpoint) is not None
        for job in before:
            if is_finished:
                self.log.take_up(job.stage, finished_reports(job.stage, self.checkpoint))
            else:
                done[job.stage] = self._train_job(job, done, advance)
        return self._train_job(last, done, advance)

    def _train_job(
        self, job: Job, done: Mapping[str, Arrays], advance: Callable[[int], None]
    ) -> Arrays:
        finished = finished_weights(job.stage, self.checkpoint)
        if finished is not None:
            self.log.take_up(job.stage, finished_reports(job.stage, self.checkpoint))
            return finished
        parser, costs = job.make(done), self._costs_of(job)
        schedules = schedules_of(costs, job.corpus.visits("trees"), job.epochs)
        # The weights of the usual way to parse also teach the tagger.
        is_usual = job is next(iter(self.chains.values()))[-1]
        tagger = self.tag_updates if is_usual else None
        objectives = ObjectivesInTraining(costs, schedules, parser, self.config.seed, tagger)
        training = Training(job, parser, self.config, objectives, self.checkpoint, self.threads)
        return training.run(
            self._score(job), advance, lambda epoch: self.log.report(epoch, training.reports)
        )

    def _score(self, job: Job) -> Callable[[Parser], tuple[float, float]] | None:
        """UAS and LAS of a parser on the development data, percent."""
        if self.dev is None or job.search is None:
            return None
        (dev, tags), search = self.dev, job.search
        gold = dev.batch.given_heads()

        def score(parser: Parser) -> tuple[float, float]:
            found = parser.parse(dev.batch, tags, search)
            right = found.heads == gold
            labels = dev.batch.numbers(DEPREL, parser.labels.symbols)
            labelled = right & (found.labels == labels)
            return 100 * float(right.mean()), 100 * float(labelled.mean())

        return score
