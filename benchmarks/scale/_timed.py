"""Watches mixed training: processor time of each shard, of each mix, and bytes on the way."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from unittest import mock

from niwaki.scale.local import LocalCrew
from niwaki.training import run
from niwaki.training.jobs import mixing
from niwaki.training.jobs.mixing import MixedTraining
from niwaki.training.jobs.shards import Order, ShardResult, ShardTask
from niwaki.training.jobs.workers import ShardLearner
from niwaki.typing import Arrays


def size_of(arrays: Arrays) -> int:
    return sum(array.nbytes for array in arrays.values())


class TimedLearner(ShardLearner):
    """A worker that writes down what its shards took."""

    def __init__(self, order: Order, folder: str) -> None:
        super().__init__(order)
        self._file = Path(folder) / f"{os.getpid()}.shards"
        self._ready = time.process_time()
        self._write(ready=self._ready)
        self._idle_since = self._ready

    def __call__(self, task: ShardTask) -> ShardResult | None:
        begun = time.process_time()
        result = super().__call__(task)
        ended = time.process_time()
        if result is None:
            return None
        self._write(
            stage=task.stage,
            epoch=task.epoch,
            shard=task.shard.number,
            # What came before this call is reading the task, and writing the last result.
            handling=begun - self._idle_since,
            seconds=ended - begun,
            sent=size_of(task.state or task.changes or {}),
            returned=size_of(result.changes),
        )
        self._idle_since = ended
        return result

    def _write(self, **record: Any) -> None:
        with self._file.open("a") as file:
            file.write(json.dumps(record) + "\n")


@dataclass
class Watch:
    """What was seen: shards by worker processes, and seconds of the head by what it did."""

    folder: Path
    head: dict[str, list[float]] = field(default_factory=dict)

    @property
    def shards(self) -> list[dict[str, Any]]:
        lines = [x for file in self.folder.glob("*.shards") for x in file.read_text().splitlines()]
        return [json.loads(line) for line in lines]

    def timed(self, name: str, work: Callable[..., Any]) -> Callable[..., Any]:
        def watched(*arguments: Any, **named: Any) -> Any:
            begun = time.thread_time()
            try:
                return work(*arguments, **named)
            finally:
                self.head.setdefault(name, []).append(time.thread_time() - begun)

        return watched


@contextmanager
def watched(folder: Path) -> Iterator[Watch]:
    """Mixed training within is watched."""
    watch = Watch(folder)

    def timed_crew(self: run.Run) -> Any:
        assert self.engine is not None
        return self.engine.crew(f"{__name__}:TimedLearner", self._order(), str(folder))

    with (
        mock.patch.object(run.Run, "_crew", timed_crew),
        mock.patch.object(mixing, "mixed", watch.timed("mix", mixing.mixed)),
        mock.patch.object(
            MixedTraining, "_take_up", watch.timed("take up", MixedTraining._take_up)
        ),
        mock.patch.object(
            MixedTraining, "_finish_epoch", watch.timed("finish", MixedTraining._finish_epoch)
        ),
        mock.patch.object(LocalCrew, "_send", watch.timed("send", LocalCrew._send)),
        mock.patch.object(LocalCrew, "_next_event", watch.timed("receive", LocalCrew._next_event)),
    ):
        yield watch
