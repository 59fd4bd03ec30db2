"""What jobs and training runs take on so many workers: constants, and a simulation of events.

The constants are measured (`benchmarks/scale/costs.py`); nothing else is known of a cluster than
its workers, what its network carries and how often machines fail. Docs: docs/explain/scale.md.
"""

from __future__ import annotations

import heapq
import math
import random
from dataclasses import dataclass

_HOUR = 3600.0


@dataclass(frozen=True)
class Outcome:
    """A simulated run; `busy` is the share of all workers' time in which they did what counts.

    The three others are times in seconds: of the head alone, of the network between head and
    workers, and what the slowest worker took beyond the mean.
    """

    seconds: float
    workers: int
    busy: float
    head: float
    network: float
    straggling: float
    failures: int = 0

    @property
    def core_hours(self) -> float:
        return self.seconds * self.workers / _HOUR

    def price(self, core_hour: float) -> float:
        """The money of a run, at so much an hour of a core."""
        return self.core_hours * core_hour

    @property
    def bottleneck(self) -> str:
        """What takes the most time beside the work itself."""
        found = {"head": self.head, "network": self.network, "stragglers": self.straggling}
        return max(found, key=lambda name: found[name])


# -- corpora -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class JobCosts:
    """Constants of a job over the shards of a corpus."""

    words_per_second: float  # of one core
    start_up: float  # seconds until a worker has its model
    handling: float = 0.0  # seconds of a worker for a shard, beside its words
    dispatch: float = 0.0  # seconds of the head for a shard: they come one after the other
    spread: float = 0.0  # standard deviation of a shard's time, as a share of it
    bytes_per_word: float = 0.0  # read and written
    bandwidth: float = math.inf  # bytes a second of the storage, for all workers together
    hours_to_failure: float = math.inf  # of one worker, on average


def simulate_job(
    costs: JobCosts, words: float, shard_words: float, workers: int, seed: int = 1
) -> Outcome:
    """A job from its start to its last shard, event by event.

    A free worker is handed the next shard when the head has time for it. The shards that are
    worked on share the storage: none is faster than its part of the bandwidth. A worker that
    fails starts again, and its shard is done again, by whoever is free.
    """
    drawn = random.Random(seed)
    shards = math.ceil(words / shard_words)
    of_words = shard_words / costs.words_per_second
    at_once = min(workers, shards)
    transfer = shard_words * costs.bytes_per_word * at_once / costs.bandwidth
    free = [costs.start_up] * workers
    heapq.heapify(free)
    head = end = total = network = 0.0
    failures = 0
    left = shards
    while left:
        ready = heapq.heappop(free)
        head = max(head, ready) + costs.dispatch
        work = of_words * _spread(costs.spread, drawn)
        taken = max(work, transfer) + costs.handling
        fails_after = costs.hours_to_failure * _HOUR * drawn.expovariate(1.0)
        if fails_after < taken:
            failures += 1
            heapq.heappush(free, head + fails_after + costs.start_up)
            continue
        left -= 1
        total += work
        network += max(0.0, transfer - work)
        heapq.heappush(free, head + taken)
        end = max(end, head + taken)
    # How long workers wait at the end for the last of them.
    waiting = end - sum(min(each, end) for each in free) / workers
    return Outcome(
        end,
        workers,
        total / (end * workers),
        shards * costs.dispatch,
        network / workers,
        waiting,
        failures,
    )


# -- training ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class MixingCosts:
    """Constants of training by iterative parameter mixing, in seconds but for bytes."""

    epoch: float  # of one core, over the whole treebank
    start_up: float
    handling: float  # of a worker, to take up weights and to give them back
    table_bytes: float  # of the weights, one way
    bandwidth: float  # bytes a second through the head
    mixing: float  # of the head, a worker's weights
    finish: float  # of the head, to score and to save an epoch: beside the workers' next one
    spread: float = 0.0  # standard deviation of a shard's time, as a share of it


def simulate_training(
    costs: MixingCosts, workers: int, epochs: int, seed: int = 1, *, tree: bool = False
) -> Outcome:
    """Epochs: weights go to all workers, all learn, weights come back and are mixed.

    With one worker nothing is sent or mixed, and it scores its epochs itself. `tree` is what is not
    built: workers that pass weights on and mix in pairs, so that the head's part grows with the
    logarithm of their number.
    """
    drawn = random.Random(seed)
    if workers == 1:
        seconds = epochs * (costs.epoch + costs.finish)
        return Outcome(seconds, 1, epochs * costs.epoch / seconds, epochs * costs.finish, 0.0, 0.0)
    times = math.ceil(math.log2(workers)) if tree else workers
    transfer, mixing = times * costs.table_bytes / costs.bandwidth, times * costs.mixing
    now, beside = costs.start_up, 0.0
    head = network = straggling = 0.0
    for _ in range(epochs):
        shards = [costs.epoch / workers * _spread(costs.spread, drawn) for _ in range(workers)]
        slowest = max(shards) + costs.handling
        straggling += max(shards) - costs.epoch / workers
        # The head is still at the last epoch when workers have begun with this one.
        now += transfer + max(slowest, beside) + transfer + mixing
        head += mixing + max(0.0, beside - slowest)
        network += 2 * transfer
        beside = costs.finish
    now += beside
    busy = epochs * costs.epoch / (now * workers)
    return Outcome(now, workers, busy, head + beside, network, straggling)


def _spread(share: float, drawn: random.Random) -> float:
    """A factor around 1, never below 0: log-normal, with a mean of 1."""
    if not share:
        return 1.0
    variance = math.log(1 + share * share)
    return math.exp(drawn.gauss(-variance / 2, math.sqrt(variance)))
