"""Parts of a training epoch, for workers: what each visits, is told, and gives back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from niwaki.data.modelfile import ModelFile
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


@dataclass(frozen=True)
class ShardTask:
    """An epoch on a shard, from a state that all workers begin with.

    `own` is what this shard's learning of costs knows alone; `done` are weights that earlier jobs
    of the chain have finished.
    """

    stage: str
    epoch: int
    shard: Shard
    start: Arrays
    own: Arrays
    done: Mapping[str, Arrays]


@dataclass(frozen=True)
class ShardResult:
    """What an epoch on a shard came to; `updates` are those by trees, `changes` all of them."""

    visits: int
    updates: int
    changes: int
    learned: Arrays
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
    tags: Mapping[str, IntArray] | None
    sha256: str  # of the treebank
