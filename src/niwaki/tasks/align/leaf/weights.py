"""Weights of LEAF's features by error-rate training: the D-step of EMD (Fraser and Marcu 2006).

The error is 1 - F_alpha of the best alignments of hand-aligned pairs, among those that were
found so far. Along a line of weights, each pair's best alignment changes where the upper envelope
of its candidates' scores has a corner; between all corners the error is constant and known.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from niwaki.kernel.bilingual.leaf import WEIGHTS

Amounts = NDArray[np.float64]

# The size of all weights together, which the best alignments do not depend on.
_SIZE = 20.0
# Starts of the search beside the weights so far are drawn near them; if none of these gains
# anything, farther away.
_NEAR = (0.2, 0.2)
_FAR = (0.7,) * 5
_PASSES = 8
# An interval has to be so wide to be stepped into, and a gain in F so large: lesser gains are
# those of chance, and did not come back on other sentences.
_NARROWEST = 1e-4
_LEAST_GAIN = 5e-4


@dataclass(frozen=True, eq=False)
class Candidates:
    """Alignments of hand-aligned pairs: features, and links found, right sure, right possible.

    Pairs have rows of one length: shorter ones repeat their first candidate.
    """

    features: Amounts  # pairs x candidates x features
    counts: NDArray[np.int64]  # pairs x candidates x 3
    sure: int  # links to be found in all pairs
    alpha: float

    def f(self, sums: NDArray[np.int64]) -> Amounts:
        """F_alpha of sums of counts (... x 3)."""
        return f_alpha(sums, self.sure, self.alpha)

    def score(self, weights: Amounts) -> float:
        best = (self.features @ weights).argmax(axis=1)
        return float(self.f(self.counts[np.arange(len(best)), best].sum(axis=0)))


def f_alpha(sums: NDArray[np.int64], sure: int, alpha: float) -> Amounts:
    """1 / (alpha / precision + (1 - alpha) / recall), 0 where nothing is right."""
    found, right_sure, right = np.moveaxis(np.asarray(sums, np.float64), -1, 0)
    precision = right / np.maximum(found, 1)
    recall = right_sure / max(sure, 1)
    low = np.minimum(precision, recall) <= 0
    safe = np.where(low, 1.0, precision), np.where(low, 1.0, recall)
    return np.where(low, 0.0, 1 / (alpha / safe[0] + (1 - alpha) / safe[1]))


def normalised(weights: Amounts) -> Amounts:
    total = np.abs(weights).sum()
    return weights * (_SIZE / total) if total else weights


def optimise(candidates: Candidates, weights: Amounts, random: np.random.Generator) -> Amounts:
    """The best weights that line searches find from these and from some drawn around them."""
    best, best_f = weights, candidates.score(weights)
    for spread in (0.0, *_NEAR, *_FAR):
        if spread in _FAR and best is not weights:
            break
        start = weights + spread * random.normal(0, 1, WEIGHTS)
        found, f = _ascend(candidates, start, random)
        if f > best_f + _LEAST_GAIN:
            best, best_f = found, f
    return normalised(best)


def _ascend(
    candidates: Candidates, weights: Amounts, random: np.random.Generator
) -> tuple[Amounts, float]:
    """One feature's weight after the other, until none helps."""
    weights, f = weights.copy(), candidates.score(weights)
    for _ in range(_PASSES):
        before = f
        values = candidates.features @ weights
        for feature in random.permutation(WEIGHTS).tolist():
            slopes = candidates.features[:, :, feature]
            step, reached = best_step(candidates, values, slopes)
            if reached > f + _LEAST_GAIN:
                weights[feature] += step
                values = candidates.features @ weights
                f = reached
        if f <= before + _LEAST_GAIN:
            break
    return weights, f


def best_step(candidates: Candidates, values: Amounts, slopes: Amounts) -> tuple[float, float]:
    """How far to go along a line to where F is highest, and F there."""
    corners, changes, sums = envelope(candidates.counts, values, slopes)
    if not len(corners):
        return 0.0, float(candidates.f(sums))
    order = np.argsort(corners, kind="stable")
    corners, changes = corners[order], changes[order]
    reached = candidates.f(np.concatenate([sums[None], sums + np.cumsum(changes, axis=0)]))
    edges = np.concatenate([[corners[0] - 1], corners, [corners[-1] + 1]])
    reached[np.diff(edges) < _NARROWEST] = -1
    best = int(reached.argmax())
    return float((edges[best] + edges[best + 1]) / 2), float(reached[best])


def envelope(
    counts: NDArray[np.int64], values: Amounts, slopes: Amounts
) -> tuple[Amounts, NDArray[np.int64], NDArray[np.int64]]:
    """Corners of all pairs' upper envelopes, what counts change there, and sums at the far left."""
    pairs = np.arange(len(values))
    low = slopes <= slopes.min(axis=1, keepdims=True)
    now = np.where(low, values, -np.inf).argmax(axis=1)
    sums = counts[pairs, now].sum(axis=0)
    corners, changes = [], []
    while len(pairs):
        rise = slopes[pairs] - slopes[pairs, now][:, None]
        behind = values[pairs, now][:, None] - values[pairs]
        steeper = rise > 1e-12
        at = np.where(steeper, behind / np.where(steeper, rise, 1), np.inf)
        first = at.min(axis=1)
        # Of lines that meet in one corner, the steepest goes on.
        then = np.where(at <= first[:, None] + 1e-12, rise, -np.inf).argmax(axis=1)
        going = np.isfinite(first)
        corners.append(first[going])
        changes.append(counts[pairs[going], then[going]] - counts[pairs[going], now[going]])
        pairs, now = pairs[going], then[going]
    return np.concatenate(corners), np.concatenate(changes), sums
