"""Sets of weights that are trained, some of which wait for others."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass

from niwaki.data.faults import DEPREL
from niwaki.learning.checkpoint import Checkpoint
from niwaki.learning.corpus import Corpus
from niwaki.learning.workers import checked_first, run_all
from niwaki.parsers.base import Job, Parser, TrainableParser
from niwaki.scale.engine import Crew
from niwaki.tagging.tagger import Tags
from niwaki.tagging.updates import TagUpdates
from niwaki.training.config import TrainingConfig
from niwaki.training.examples import CostData
from niwaki.training.jobs.mixing import MixedTraining, ShardTraining, check_shards
from niwaki.training.jobs.shards import WHOLE, Shard, ShardTask
from niwaki.training.loop import Score, Training, finished_reports, finished_weights
from niwaki.training.objectives import ObjectivesInTraining, Schedule, schedules_of
from niwaki.training.reporting import Log, Reporter, locked
from niwaki.typing import Arrays


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
    tag_updates: Callable[[], TagUpdates | None]  # new ones
    dev: tuple[Corpus, Tags] | None
    checkpoint: Checkpoint
    log: Log
    threads: int
    crew: Callable[[], Crew] | None = None  # starts workers, where there are several

    def train(self, reporter: Reporter) -> Mapping[str, Arrays]:
        """The finished weights of all chains: side by side, or one after the other by workers."""
        reporter.stage("parser", sum(map(self._work, self._all)))
        advance = locked(reporter.advance)
        if self.crew is not None:
            for job in self._all:
                sizes = [each.size for each in self._costs_of(job)]
                check_shards(job, sizes, self.config.workers)
        with self.crew() if self.crew else nullcontext() as crew:

            def train_chain(stage: str, check: Callable[[], None]) -> Arrays:
                return self._train_chain(stage, checked_first(advance, check), crew)

            # In threads, so that an interruption never breaks off an update.
            threads = 1 if crew else min(self.threads, len(self.chains))
            return run_all(train_chain, self.chains, threads)

    def shard_training(self, task: ShardTask) -> ShardTraining:
        """In a worker: the training of a job on a shard, before it has learned anything."""
        job = next(job for job in self._all if job.stage == task.stage)
        parser, objectives = self._make(job, task.done, task.shard)
        config, checkpoint = self.config, self.checkpoint
        return ShardTraining(job, parser, config, objectives, checkpoint, self.threads, task.shard)

    @property
    def _all(self) -> list[Job]:
        return [job for chain in self.chains.values() for job in chain]

    def _work(self, job: Job) -> int:
        """Sentences and examples that a job visits."""
        costs, trees = self._costs_of(job), job.corpus.visits("trees")
        sentences = job.epochs * (trees or costs[0].size)
        schedules = schedules_of(costs, trees, job.epochs)
        return (sentences if trees else 0) + sum(each.visits(sentences) for each in schedules)

    def _costs_of(self, job: Job) -> Sequence[CostData]:
        """Those that train a job's weights."""
        return self.costs if job.search and job.has_costs else ()

    def _train_chain(self, stage: str, advance: Callable[[int], None], crew: Crew | None) -> Arrays:
        done: dict[str, Arrays] = {}
        *before, last = self.chains[stage]
        is_finished = finished_weights(last.stage, self.checkpoint) is not None
        for job in before:
            if is_finished:
                self.log.take_up(job.stage, finished_reports(job.stage, self.checkpoint))
            else:
                done[job.stage] = self._train_job(job, done, advance, crew)
        return self._train_job(last, done, advance, crew)

    def _train_job(
        self,
        job: Job,
        done: Mapping[str, Arrays],
        advance: Callable[[int], None],
        crew: Crew | None,
    ) -> Arrays:
        finished = finished_weights(job.stage, self.checkpoint)
        if finished is not None:
            self.log.take_up(job.stage, finished_reports(job.stage, self.checkpoint))
            return finished
        training: Training
        parser, costs = self._make(job, done)
        if crew is None:
            training = Training(job, parser, self.config, costs, self.checkpoint, self.threads)
        else:
            checkpoint = self.checkpoint
            training = MixedTraining(job, parser, self.config, costs, checkpoint, crew, done)
        return training.run(
            self._score(job), advance, lambda epoch: self.log.report(epoch, training.reports)
        )

    def _make(
        self, job: Job, done: Mapping[str, Arrays], shard: Shard = WHOLE
    ) -> tuple[TrainableParser, ObjectivesInTraining]:
        """A job's parser before it has learned anything, and the costs of a shard beside it."""
        parser, costs = job.make(done), self._costs_of(job)
        schedules = [
            Schedule(each.rate / shard.count)
            for each in schedules_of(costs, job.corpus.visits("trees"), job.epochs)
        ]
        # The weights of the usual way to parse also teach the tagger.
        is_usual = job is next(iter(self.chains.values()))[-1]
        tagger = self.tag_updates() if is_usual else None
        own = [shard.of_cost(each) for each in costs]
        return parser, ObjectivesInTraining(own, schedules, parser, self.config.seed, tagger)

    def _score(self, job: Job) -> Score | None:
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
