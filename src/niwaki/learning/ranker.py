"""A linear ranker of candidate sets of any size, with probabilities.

The probability of candidate a among the candidates C is `exp(w . f(a)) / sum_C exp(w . f(c))`.
Weights are those of least `l2 |w|^2 / 2 - sum_sets sum_a share(a) log P(a)`, found by L-BFGS, or
those of an averaged perceptron.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from niwaki.errors import NiwakiError
from niwaki.kernel.sparse import SparseRows
from niwaki.keys import key
from niwaki.learning.candidates import CandidateSets
from niwaki.learning.lbfgs import LBFGS
from niwaki.typing import FloatArray

Places = NDArray[np.int64]

# Relative descent of the last evaluation below which L-BFGS ends.
_FLAT = 1e-5


@dataclass(frozen=True)
class RankerSettings:
    """How a ranker learns."""

    learner: Literal["likelihood", "perceptron"] = key("likelihood", "What weights are fit to.")
    l2: float = key(
        0.5, "How much weights are drawn to 0.", above=0, when={"learner": ("likelihood",)}
    )
    passes: int = key(60, "Most passes over the data.", least=1)
    least_count: int = key(1, "Candidates that must have a feature.", least=1)
    seed: int = key(1, "Of the order of sets.", least=0, when={"learner": ("perceptron",)})


@dataclass(frozen=True)
class Ranker:
    """Weights by key, the keys in order; what has no weight says nothing."""

    keys: NDArray[np.uint32]
    weights: NDArray[np.float32]

    def scores(self, data: CandidateSets) -> FloatArray:
        """A number for each candidate."""
        weights = np.append(self.weights.astype(np.float64), 0.0)
        return matrix_of(self.keys, data).times(weights)

    def log_probabilities(self, data: CandidateSets) -> FloatArray:
        """log P of each candidate within its set."""
        return log_softmax(self.scores(data), data)

    @property
    def arrays(self) -> dict[str, NDArray[Any]]:
        """What a model file keeps of it."""
        return {"keys": self.keys, "weights": self.weights}

    @classmethod
    def of(cls, arrays: Mapping[str, NDArray[Any]]) -> Ranker:
        """A ranker of such arrays; raises ValueError if they make none."""
        keys, weights = arrays["keys"], arrays["weights"]
        sound = keys.dtype == np.uint32 and weights.dtype == np.float32
        if not sound or keys.ndim != 1 or keys.shape != weights.shape:
            raise ValueError("a ranker whose keys and weights do not fit together")
        if not np.isfinite(weights).all() or (keys[1:] <= keys[:-1]).any():
            raise ValueError("a ranker with weights out of order")
        return cls(keys, weights)


def learn_ranker(data: CandidateSets, settings: RankerSettings | None = None) -> Ranker:
    """Fit a ranker to the sets that have something right in them."""
    settings = settings or RankerSettings()
    decided = data.decided if len(data) else np.zeros(0, dtype=np.bool_)
    if not decided.any():
        raise NiwakiError("no set has a right candidate among others; give examples to learn from")
    data = data if decided.all() else data.only(decided)
    keys, counts = np.unique(data.keys, return_counts=True)
    keys = keys[counts >= settings.least_count]
    if settings.learner == "likelihood":
        weights = _most_likely(data, keys, settings)
    else:
        weights = _perceptron(data, places_of(keys, data.keys), len(keys), settings)
    learned = weights.astype(np.float32)
    return Ranker(keys[learned != 0], learned[learned != 0])


def places_of(known: NDArray[Any], keys: NDArray[Any]) -> Places:
    """Where each key stands among the known ones; behind them if it is none of them."""
    places = np.searchsorted(known, keys)
    found = np.zeros(len(keys), dtype=np.bool_)
    inside = places < len(known)
    found[inside] = known[places[inside]] == keys[inside]
    return np.where(found, places, len(known))


def log_softmax(scores: FloatArray, data: CandidateSets) -> FloatArray:
    """Scores within each set as logarithms of probabilities."""
    starts, sizes = data.sets[:-1], np.diff(data.sets)
    if not len(starts):
        return np.zeros(0)
    shifted = scores - np.repeat(np.maximum.reduceat(scores, starts), sizes)
    sums = np.log(np.add.reduceat(np.exp(shifted), starts))
    return np.asarray(shifted - np.repeat(sums, sizes))


def best_of(scores: FloatArray, data: CandidateSets) -> Places:
    """The best candidate of each set, counted within it; of equal ones the first."""
    pairs = zip(data.sets[:-1].tolist(), data.sets[1:].tolist(), strict=True)
    return np.array([int(np.argmax(scores[first:last])) for first, last in pairs], dtype=np.int64)


def loss(
    data: CandidateSets, matrix: SparseRows, weights: FloatArray, l2: float
) -> tuple[float, FloatArray]:
    """`l2 |w|^2 / 2 - sum share log P` and its gradient."""
    logs = log_softmax(matrix.times(np.append(weights, 0.0)), data)
    value = l2 * float(np.square(weights).sum()) / 2 - float((data.shares * logs).sum())
    # d/dw = l2 w + expected features - features of what is right.
    gradient = matrix.transposed_times(np.exp(logs) - data.shares)[:-1]
    return value, np.asarray(gradient + l2 * weights)


def matrix_of(known: NDArray[np.uint32], data: CandidateSets) -> SparseRows:
    """A row a candidate, a column a known key; behind them one for all that are not known."""
    places = places_of(known, data.keys).astype(np.int32)
    return SparseRows(data.rows, places, data.values, len(known) + 1)


def _most_likely(
    data: CandidateSets, keys: NDArray[np.uint32], settings: RankerSettings
) -> FloatArray:
    matrix, search, before = matrix_of(keys, data), LBFGS(np.zeros(len(keys))), np.inf
    for _ in range(settings.passes):
        search.tell(*loss(data, matrix, search.point, settings.l2))
        if search.value < before and before - search.value < _FLAT * abs(search.value):
            break
        before = search.value
    return search.best


def _perceptron(
    data: CandidateSets, places: Places, size: int, settings: RankerSettings
) -> FloatArray:
    """The average of the weights after each set; a mistake moves them from the best candidate
    to the best of those that are right.
    """
    random = np.random.default_rng(settings.seed)
    weights, sums, steps = np.zeros(size + 1), np.zeros(size + 1), 0
    for _ in range(settings.passes):
        mistakes = 0
        for s in random.permutation(len(data)).tolist():
            first, last = data.sets[s], data.sets[s + 1]
            begin, end = data.rows[first], data.rows[last]
            here, values = places[begin:end], data.values[begin:end]
            row_of = np.repeat(np.arange(last - first), np.diff(data.rows[first : last + 1]))
            scores = np.bincount(row_of, weights[here] * values, minlength=last - first)
            right = data.shares[first:last] > 0
            chosen, wanted = int(scores.argmax()), int(np.where(right, scores, -np.inf).argmax())
            if not right[chosen]:
                mistakes += 1
                step = ((row_of == wanted) * 1.0 - (row_of == chosen)) * values
                np.add.at(weights, here, step)
                # A step that is made later is part of fewer averages.
                np.add.at(sums, here, steps * step)
                weights[size] = sums[size] = 0.0
            steps += 1
        if not mistakes:
            break
    return np.asarray(weights - sums / steps)[:size]
