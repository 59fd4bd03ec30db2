"""The contract of every metric: counts of each sentence, and scores of their sums.

An evaluation keeps one row of counts a sentence. A score is a function of the sum of the
rows, so a test set that was drawn anew, or two halves of one, are scored without looking at
a sentence again: intervals, significance, JSON and signatures come with the class.

A metric is a file here with a subclass of `Evaluation` and a `METRIC`. A sentence stands for
whatever is drawn together: a pair of sentences for links, a question with its answers for a
ranking. A mean over these, as MAP and MRR are, is a `means.MeanEvaluation` with other names.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

import niwaki
from niwaki.errors import NiwakiError, nearest, shown

SAMPLES = 10_000
# A 95% interval, in percentiles.
INTERVAL = (2.5, 97.5)

Counts = NDArray[np.int64 | np.float64]
Scores = NDArray[np.float64]


class Metric(NamedTuple):
    """What a metric's file offers: how to evaluate, and what it compares."""

    evaluate: Callable[[Any, Any], Evaluation]
    compares: str  # "sentences", "orders", ...


@dataclass(frozen=True)
class Evaluation(ABC):
    """Counts of every sentence, and what is made of them."""

    counts: Counts  # sentences x anything; only sums over sentences matter
    names: tuple[str, ...]  # of the scores
    # How what is scored was made, if that is known: the end of the signature.
    more: str = field(default="", kw_only=True)
    # How many of the sentences the model that was scored has learned from, if that is known.
    learned: int | None = field(default=None, kw_only=True)

    @property
    def costs(self) -> frozenset[str]:
        """Names of scores of which less is better."""
        return frozenset()

    @property
    @abstractmethod
    def details(self) -> str:
        """Everything else that the numbers depend on, as `this=that|these=those`."""

    @abstractmethod
    def scores_of(self, sums: Counts) -> Scores:
        """Scores (... x names) of sums of counts (... x the shape of a row of them)."""

    @property
    def metric(self) -> str:
        """The name of the metric, which is that of its file."""
        return type(self).__module__.rpartition(".")[2]

    @property
    def sentences(self) -> int:
        return len(self.counts)

    @cached_property
    def scores(self) -> dict[str, float]:
        return self._named(self.scores_of(self.counts.sum(axis=0)).tolist())

    @cached_property
    def values(self) -> Scores:
        """The scores of each sentence by itself: sentences x names."""
        return self.scores_of(self.counts)

    def of(self, name: str) -> Scores:
        """One score of each sentence."""
        if name not in self.names:
            raise NiwakiError(f"no score {shown(name)} here; {nearest(name, self.names)}")
        return np.asarray(self.values[:, self.names.index(name)])

    @property
    def signature(self) -> str:
        """Everything that the numbers depend on, in one line."""
        names = ",".join(self.names)
        found = f"niwaki={niwaki.__version__}|metric={self.metric}|metrics={names}|{self.details}"
        return f"{found}|{self.more}" if self.more else found

    def interval(self, samples: int = SAMPLES, seed: int = 1) -> dict[str, tuple[float, float]]:
        """95% bootstrap intervals of the scores, over sentences."""
        drawn = self.scores_of(resample(self.counts, samples, seed))
        low, high = np.percentile(drawn, INTERVAL, axis=0)
        return self._named(zip(low.tolist(), high.tolist(), strict=True))

    def to_json(self, samples: int = 0, seed: int = 1) -> dict[str, Any]:
        """The scores with what they depend on, and with intervals of so many samples, if any."""
        record: dict[str, Any] = {**self.scores, "sentences": self.sentences}
        if self.learned is not None:
            record["learned"] = self.learned
        record["signature"] = self.signature
        if samples:
            record["signature"] += f"|{drawn_by(samples, seed)}"
            found = self.interval(samples, seed)
            record["intervals"] = {name: list(pair) for name, pair in found.items()}
        return record

    def _named(self, values: Any) -> dict[str, Any]:
        return dict(zip(self.names, values, strict=True))


def drawn_by(samples: int, seed: int, test: str = "bootstrap") -> str:
    """What a signature says of random draws; `test` is where p-values are from."""
    drawn = f"bootstrap={samples}|seed={seed}"
    return drawn if test == "bootstrap" else f"{drawn}|p={test}"


def resample(counts: Counts, samples: int, seed: int) -> NDArray[np.float64]:
    """Sums of the counts over test sets drawn with replacement: samples x (the rest)."""
    size = len(counts)
    if not size:
        raise NiwakiError("no sentences to draw from; give at least one")
    flat = counts.reshape(size, -1).astype(np.float64)
    random = np.random.default_rng(seed)
    sums = np.empty((samples, flat.shape[1]))
    # How often each sentence was drawn, some samples at a time to bound memory.
    for part in parts_of(samples, size):
        drawn = random.multinomial(size, np.full(size, 1 / size), size=len(part))
        sums[part.start : part.stop] = drawn @ flat
    return sums.reshape(samples, *counts.shape[1:])


def parts_of(samples: int, size: int) -> list[range]:
    """The numbers of samples, so many at a time that a table of them x sentences is small."""
    step = max(1, (1 << 22) // max(size, 1))
    return [range(start, min(start + step, samples)) for start in range(0, samples, step)]
