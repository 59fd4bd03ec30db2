"""Whether two systems differ: paired tests over sentences, for any metric.

The bootstrap (Koehn 2004) draws test sets and gives an interval of the difference;
approximate randomization (Noreen 1989) swaps what two systems did on some sentences, and
asks how often chance alone makes a difference as large.
"""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from niwaki.errors import NiwakiError, nearest, shown
from niwaki.metrics.base import INTERVAL, SAMPLES, Evaluation, Scores, parts_of, resample

TESTS = ("bootstrap", "randomization")
# Sums of the same numbers may differ by so much in their last digits.
_ROUNDING = 1e-10


@dataclass(frozen=True)
class Difference:
    """How much more B has than A of one score, with a 95% bootstrap interval and a p-value.

    By bootstrap, `p` is the share of drawn test sets, twice the smaller tail, on which the
    difference is not of the sign that was observed; by randomization, the share of swaps
    with a difference at least as large as the one observed.
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

    def to_json(self) -> dict[str, Any]:
        return {**dataclasses.asdict(self), "difference": self.difference}


def compare(
    a: Evaluation, b: Evaluation, samples: int = SAMPLES, seed: int = 1, test: str = TESTS[0]
) -> list[Difference]:
    """Differences in all scores; both must be of one metric and of the same sentences."""
    return compare_all([a, b], samples, seed, test)[0, 1]


def compare_all(
    systems: Sequence[Evaluation], samples: int = SAMPLES, seed: int = 1, test: str = TESTS[0]
) -> dict[tuple[int, int], list[Difference]]:
    """Differences of each two systems, the later minus the earlier."""
    if test not in TESTS:
        raise NiwakiError(f"no test {shown(test)}; {nearest(test, TESTS)}")
    pairs = list(itertools.combinations(range(len(systems)), 2))
    for a, b in pairs:
        _check_comparable(systems[a], systems[b])
    if not pairs:
        return {}
    # The same draws for all: that is what makes the test paired.
    sums = resample(np.stack([each.counts for each in systems], axis=1), samples, seed)
    drawn = [each.scores_of(sums[:, at]) for at, each in enumerate(systems)]
    found = {}
    for a, b in pairs:
        apart = _exact(drawn[b] - drawn[a])
        if test == "bootstrap":
            p = _tails(apart)
        else:
            p = _randomized(systems[a], systems[b], samples, seed)
        found[a, b] = _differences(systems[a], systems[b], apart, p)
    return found


def _check_comparable(a: Evaluation, b: Evaluation) -> None:
    if type(a) is not type(b):
        raise NiwakiError(
            f"{a.metric} and {b.metric} are different metrics; compare evaluations of one"
        )
    if a.names != b.names:
        other = sorted(set(a.names) ^ set(b.names))
        raise NiwakiError(f"only one of the evaluations has {', '.join(other)}; compare the same")
    if a.counts.shape != b.counts.shape:
        raise NiwakiError(
            f"evaluations of {a.sentences} and of {b.sentences} sentences; compare the same ones"
        )


def _exact(apart: Scores) -> Scores:
    return np.where(np.abs(apart) < _ROUNDING, 0.0, apart)


def _tails(apart: Scores) -> Scores:
    tails = np.minimum((apart <= 0).mean(axis=0), (apart >= 0).mean(axis=0))
    return np.asarray(np.minimum(1.0, 2 * tails))


def _randomized(a: Evaluation, b: Evaluation, samples: int, seed: int) -> Scores:
    """How often systems that swap sentences by chance are as far apart as these."""
    size = a.sentences
    row = a.counts.shape[1:]
    # A sentence that is swapped adds its difference to A's sum and takes it from B's.
    steps = (b.counts - a.counts).reshape(size, -1).astype(np.float64)
    sum_a, sum_b = a.counts.sum(axis=0), b.counts.sum(axis=0)
    observed = np.abs(a.scores_of(sum_a) - b.scores_of(sum_b))
    random = np.random.default_rng(seed)
    as_large = np.zeros(len(a.names))
    for part in parts_of(samples, size):
        swapped = random.integers(0, 2, size=(len(part), size)).astype(np.float64)
        moved = (swapped @ steps).reshape(-1, *row)
        apart = np.abs(a.scores_of(sum_a + moved) - b.scores_of(sum_b - moved))
        as_large += (apart >= observed - _ROUNDING).sum(axis=0)
    # What was observed is one of the ways to swap.
    return (as_large + 1) / (samples + 1)


def _differences(a: Evaluation, b: Evaluation, apart: Scores, p: Scores) -> list[Difference]:
    """`apart` are the differences on drawn test sets: samples x names."""
    low, high = np.percentile(apart, INTERVAL, axis=0)
    return [
        Difference(name, a.scores[name], b.scores[name], float(low[i]), float(high[i]), float(p[i]))
        for i, name in enumerate(a.names)
    ]
