"""Whether two systems differ: paired bootstrap over sentences (Koehn 2004)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from niwaki.metrics.attachment import METRICS, Evaluation, f1

SAMPLES = 10_000


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


def resample(counts: NDArray[np.int64], samples: int, seed: int) -> NDArray[np.float64]:
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
    low, high = np.percentile(differences, [2.5, 97.5], axis=0)
    tails = np.minimum((differences <= 0).mean(axis=0), (differences >= 0).mean(axis=0))
    return [
        Difference(
            metric,
            a.scores[metric],
            b.scores[metric],
            float(low[i]),
            float(high[i]),
            float(min(1.0, 2 * tails[i])),
        )
        for i, metric in enumerate(METRICS)
    ]
