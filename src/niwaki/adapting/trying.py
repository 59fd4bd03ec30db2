"""A trial of an adaptation, wherever it runs: trained here, or by a worker of an engine."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from niwaki.data.modelfile import ModelFile
from niwaki.errors import ConfigError
from niwaki.pipeline.pipeline import Pipeline
from niwaki.pipeline.store import pipeline_of
from niwaki.training.config import Config
from niwaki.training.reporting import EpochReport, Quiet, Reporter
from niwaki.training.run import train

WORKER = "niwaki.adapting.trying:TrialWorker"


class Task(NamedTuple):
    """A trial to be trained: where the model goes, and the seconds that are left for all."""

    number: int
    name: str
    config: Config
    path: str
    left: float


@dataclass
class Clock:
    """When time is up, and what a unit of work took in the trial before."""

    ends: float
    rate: float = 0.0


def train_trial(
    task: Task,
    reporter: Reporter,
    threads: int,
    model: Pipeline,
    held_out: Mapping[str, frozenset[int]],
) -> tuple[str, float]:
    """Train a model on; why it could not be done, if it could not, and the seconds it took."""
    begun = time.monotonic()
    try:
        train(
            task.config,
            task.path,
            reporter,
            resume=True,
            threads=threads,
            init=model,
            held_out=held_out,
        )
    except ConfigError as error:
        return str(error), time.monotonic() - begun
    return "", time.monotonic() - begun


class TrialWorker:
    """In a worker: trains the model as it is told."""

    def __init__(self, model: ModelFile, held_out: Mapping[str, frozenset[int]]) -> None:
        self._model, self._held_out = pipeline_of(model), held_out

    def __call__(self, task: Task) -> tuple[str, float]:
        return train_trial(task, Quiet(), 1, self._model, self._held_out)


class TrialReporter:
    """Shows a trial as one piece of work, with the time that is left for all."""

    def __init__(self, reporter: Reporter, task: Task) -> None:
        self._reporter, self._left = reporter, task.left
        self._name = f"trial {task.number + 1} ({task.name})"

    def stage(self, name: str, total: int) -> None:
        minutes = max(0.0, self._left) / 60
        self._reporter.stage(f"{self._name}, {name}; {minutes:.0f} min left for others", total)

    def advance(self, sentences: int) -> None:
        self._reporter.advance(sentences)

    def epoch(self, report: EpochReport) -> None: ...

    def note(self, line: str) -> None: ...
