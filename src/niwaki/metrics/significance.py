"""Whether two systems differ: paired bootstrap over sentences (Koehn 2004)."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from niwaki.metrics.attachment import METRICS, Evaluation, f1

SAMPLES = 10_000
# Pairs of systems that are drawn for together: drawing costs more than summing.
_PAIRS_AT_ONCE = 32


@dataclass(frozen=True)
class Difference:
    """How much better B is than A in one metric, with a 95% interval and a p-value.

    `p` is the share of resampled test sets, twice the smaller tail, on which the
    difference is not of the sign that was observed.
    """

    metric: str
    a: float
    b: float
    low: float
    high: float
    p: float

    @property
    def difference(self) -> float:
        return self.b - self.a

    @property
    def is_significant(self) -> bool:
        return self.low > 0 or self.high < 0


def resample(
    counts: NDArray[np.int64] | NDArray[np.float64], samples: int, seed: int
) -> NDArray[np.float64]:
    """Sums of the counts over test sets drawn with replacement: samples x (the rest)."""
    size = len(counts)
    flat = counts.reshape(size, -1).astype(np.float64)
    random = np.random.default_rng(seed)
    sums = np.empty((samples, flat.shape[1]))
    # How often each sentence was drawn, some samples at a time to bound memory.
    step = max(1, (1 << 22) // max(size, 1))
    for start in range(0, samples, step):
        stop = min(start + step, samples)
        drawn = random.multinomial(size, np.full(size, 1 / size), size=stop - start)
        sums[start:stop] = drawn @ flat
    return sums.reshape(samples, *counts.shape[1:])


def compare(
    a: Evaluation, b: Evaluation, samples: int = SAMPLES, seed: int = 1
) -> list[Difference]:
    """Differences in all metrics; both evaluations must be of the same gold sentences."""
    if a.counts.shape != b.counts.shape:
        raise ValueError("the evaluations are of different sentences")
    # The same draws for both: that is what makes the test paired.
    both = resample(np.stack([a.counts, b.counts], axis=1), samples, seed)
    differences = f1(both[:, 1]) - f1(both[:, 0])
    return _differences(METRICS, a.scores, b.scores, differences)


def compare_means(
    metrics: Sequence[str],
    tables: Sequence[NDArray[np.float64]],
    samples: int = SAMPLES,
    seed: int = 1,
) -> dict[tuple[int, int], list[Difference]]:
    """Differences of each two systems, the later minus the earlier.

    Scores are means over sentences; each system has a table of sentences x metrics.
    """
    if len({table.shape for table in tables}) > 1:
        raise ValueError("the evaluations are of different sentences")
    if any(not len(table) for table in tables):
        raise ValueError("no sentences to compare")
    means = [dict(zip(metrics, each.mean(axis=0).tolist(), strict=True)) for each in tables]
    pairs = list(itertools.combinations(range(len(tables)), 2))
    found = {}
    for start in range(0, len(pairs), _PAIRS_AT_ONCE):
        some = pairs[start : start + _PAIRS_AT_ONCE]
        # The mean difference is the difference of the means, so one table a pair is enough.
        apart = np.stack([tables[b] - tables[a] for a, b in some], axis=1)
        drawn = resample(apart, samples, seed) / len(apart)
        for at, (a, b) in enumerate(some):
            found[a, b] = _differences(metrics, means[a], means[b], drawn[:, at])
    return found


def mean_intervals(
    values: NDArray[np.float64], samples: int = SAMPLES, seed: int = 1
) -> list[tuple[float, float]]:
    """95% bootstrap intervals of the means of each column of sentences x metrics."""
    if not len(values):
        raise ValueError("no sentences to draw from")
    drawn = resample(values, samples, seed) / len(values)
    low, high = np.percentile(drawn, [2.5, 97.5], axis=0)
    return list(zip(low.tolist(), high.tolist(), strict=True))


def _differences(
    metrics: Sequence[str],
    a: Mapping[str, float],
    b: Mapping[str, float],
    drawn: NDArray[np.float64],
) -> list[Difference]:
    """`drawn` are the differences on resampled test sets: samples x metrics."""
    low, high = np.percentile(drawn, [2.5, 97.5], axis=0)
    tails = np.minimum((drawn <= 0).mean(axis=0), (drawn >= 0).mean(axis=0))
    return [
        Difference(
            metric,
            a[metric],
            b[metric],
            float(low[i]),
            float(high[i]),
            float(min(1.0, 2 * tails[i])),
        )
        for i, metric in enumerate(metrics)
    ]
