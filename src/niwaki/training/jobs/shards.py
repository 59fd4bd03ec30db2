"""Parts of a training run, for workers: what each visits, is told, and gives back."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from niwaki.data.modelfile import ModelFile
from niwaki.errors import NiwakiError
from niwaki.scale.engine import ATTEMPTS, Crew
from niwaki.tagging.tagger import Tags
from niwaki.training.config import Config
from niwaki.training.examples import CostData
from niwaki.typing import Arrays, IntArray


@dataclass(frozen=True)
class Shard:
    """One of several parts of the data; a sentence is always in the same one."""

    number: int
    count: int

    def of(self, order: IntArray) -> IntArray:
        """Those of some sentences that are in it, in their order."""
        return order if self.count == 1 else order[order % self.count == self.number]

    def of_cost(self, data: CostData) -> CostData:
        """A cost with the examples that are in it."""
        if self.count == 1:
            return data
        own = set(data.numbers[self.number :: self.count].tolist())
        return replace(data, held_out=frozenset(range(len(data.objective.ids))) - own)


WHOLE = Shard(0, 1)
# Seconds between two looks whether the run is to stop.
_LOOK = 0.2


@dataclass(frozen=True)
class ShardTask:
    """An epoch on a shard.

    A worker that has learned the epoch before goes on with `changes`, the mix of what all learned
    in it; any other is given the whole `state`. `own` is what this shard's learning of costs knows
    alone; `done` are weights that earlier jobs of the chain have finished.
    """

    stage: str
    epoch: int
    shard: Shard
    own: Arrays
    changes: Arrays | None = None
    state: Arrays | None = None
    done: Mapping[str, Arrays] = field(default_factory=dict)


@dataclass(frozen=True)
class ShardResult:
    """What an epoch on a shard came to.

    Of the steps that were taken, `updates` are those by trees; `changes` are those of tables.
    """

    visits: int
    updates: int
    steps: int
    changes: Arrays
    own: Arrays


@dataclass(frozen=True)
class Order:
    """What a worker makes its part of a run from: the configuration, and what is finished.

    Data are read again, from the same files, and must be the same.
    """

    config: Config
    held_out: Mapping[str, frozenset[int]] | None
    skips: bool  # lines of clusters and links that do not fit
    init: ModelFile | None
    finished: Mapping[str, Arrays]
    tags: Tags | None
    sha256: str  # of the treebank


class Work:
    """Tasks that were handed in, each to the worker of its number or to any.

    One whose worker dies is given to another, and so is one that a worker answers with None: it
    cannot do it as it is. `again` then says what to hand in instead.
    """

    def __init__(
        self,
        crew: Crew,
        tasks: Sequence[Any],
        *,
        sticky: bool = False,
        again: Callable[[Any], Any] = lambda task: task,
    ) -> None:
        self._crew, self._tasks = crew, tasks
        self._sticky, self._again = sticky, again
        self._given: dict[int, tuple[int, int]] = {}
        for number, task in enumerate(tasks):
            self._submit(number, task, 1)

    def _submit(self, number: int, task: Any, attempt: int) -> None:
        worker = number if self._sticky else None
        self._given[self._crew.submit(task, worker)] = number, attempt

    def results(self, check: Callable[[], None]) -> Iterator[tuple[int, Any]]:
        """The numbers of tasks and what they came to, as they are done; `check` may raise."""
        while self._given:
            done = self._crew.wait(_LOOK)
            check()
            if done is None:
                continue
            number, attempt = self._given.pop(done.ticket)
            if done.error is not None:
                raise done.error
            if not done.died and done.value is not None:
                yield number, done.value
            elif attempt < ATTEMPTS:
                # A worker that does not know enough has not failed.
                self._submit(number, self._again(self._tasks[number]), attempt + done.died)
            else:
                raise NiwakiError(
                    f"part {number + 1} of {len(self._tasks)}: {attempt} workers died of it; is "
                    "there memory for so many? give fewer"
                )
