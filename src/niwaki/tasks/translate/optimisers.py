"""Weights from lists of hypotheses: PRO, k-best MIRA, and MERT with its exact line search."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal

import numpy as np

from niwaki.data.bilingual import overlap
from niwaki.kernel.translation.envelope import envelopes
from niwaki.learning.lbfgs import LBFGS
from niwaki.tasks.translate.pool import Places, Pool
from niwaki.typing import FloatArray

Method = Literal["pro", "mira", "mert"]
Optimiser = Callable[[Pool, FloatArray, np.random.Generator], FloatArray]

# PRO (Hopkins and May 2011): pairs that are drawn, least difference, pairs that are kept.
_DRAWN, _LEAST_APART, _KEPT = 5000, 0.05, 50
# How much of the new weights is taken; the rest is what they were.
_NEW_SHARE = 0.5
_PRO_L2, _PRO_PASSES = 1.0, 100

# MIRA (Cherry and Foster 2012): passes over the lists, and the longest step.
_EPOCHS, _LONGEST_STEP = 30, 0.01

# MERT (Och 2003): random directions beside the axes, other beginnings, and the least gain of BLEU.
_RANDOM_DIRECTIONS, _RESTARTS, _LEAST_GAIN = 5, 6, 1e-3


def normalised(weights: FloatArray) -> FloatArray:
    """Weights whose absolute values sum to 1: what is best does not change."""
    total = float(np.abs(weights).sum())
    return weights / total if total > 0 else weights


def pro(pool: Pool, weights: FloatArray, random: np.random.Generator) -> FloatArray:
    """Weights of a classifier that tells the better of two hypotheses from their features."""
    quality = overlap.smoothed_bleu(pool.counts)
    pairs = [np.zeros((0, 2), np.int64)]
    for first, last in zip(pool.starts[:-1].tolist(), pool.starts[1:].tolist(), strict=True):
        if last - first > 1:
            pairs.append(_pairs(quality, random.integers(first, last, size=(_DRAWN, 2))))
    better, worse = np.concatenate(pairs).T
    apart = pool.features[better] - pool.features[worse]
    # Features of one scale, so that one prior fits all.
    scale = apart.std(axis=0)
    scale[scale == 0] = 1.0
    learned = normalised(_logistic(apart / scale) / scale)
    return normalised(_NEW_SHARE * learned + (1 - _NEW_SHARE) * normalised(weights))


def _pairs(quality: FloatArray, drawn: Places) -> Places:
    """Of pairs that were drawn, those that are farthest apart, the better one first."""
    gaps = quality[drawn[:, 0]] - quality[drawn[:, 1]]
    drawn[gaps < 0] = drawn[gaps < 0][:, ::-1]
    gaps = np.abs(gaps)
    farthest = np.argsort(-gaps, kind="stable")[:_KEPT]
    return drawn[farthest[gaps[farthest] >= _LEAST_APART]]


def _logistic(apart: FloatArray) -> FloatArray:
    """Least `l2 |w|^2 / 2 + sum log(1 + exp(-w . apart))`."""
    search = LBFGS(np.zeros(apart.shape[1]))
    for _ in range(_PRO_PASSES):
        weights = search.point
        margins = apart @ weights
        value = float(np.logaddexp(0, -margins).sum()) + _PRO_L2 / 2 * float(weights @ weights)
        slopes = -0.5 * (1 - np.tanh(margins / 2))
        search.tell(value, apart.T @ slopes + _PRO_L2 * weights)
    return search.best


def mira(pool: Pool, weights: FloatArray, random: np.random.Generator) -> FloatArray:
    """The average of weights that move, sentence by sentence, from the hypothesis that is feared
    (good score, bad translation) to the one that is hoped for.
    """
    # BLEU+1 times words: about what a sentence adds to BLEU of the whole.
    quality = overlap.smoothed_bleu(pool.counts) * pool.counts[:, 1]
    weights = normalised(weights)
    sums, steps = np.zeros_like(weights), 0
    filled = np.flatnonzero(np.diff(pool.starts))
    for _ in range(_EPOCHS):
        for s in random.permutation(filled).tolist():
            here = slice(int(pool.starts[s]), int(pool.starts[s + 1]))
            features, good = pool.features[here], quality[here]
            scores = features @ weights
            hope, fear = int(np.argmax(scores + good)), int(np.argmax(scores - good))
            loss = (good[hope] - good[fear]) - (scores[hope] - scores[fear])
            apart = features[hope] - features[fear]
            length = float(apart @ apart)
            if loss > 0 and length > 0:
                weights = weights + min(_LONGEST_STEP, loss / length) * apart
            sums += weights
            steps += 1
    return normalised(sums / max(steps, 1))


def mert(pool: Pool, weights: FloatArray, random: np.random.Generator) -> FloatArray:
    """The weights of best BLEU that line searches from several beginnings reach."""
    begins = [normalised(weights)]
    begins += [random.uniform(-1, 1, len(weights)) for _ in range(_RESTARTS)]
    drawn = random.normal(size=(_RANDOM_DIRECTIONS, len(weights)))
    directions = [(each, by_slope(pool, each)) for each in (*np.eye(len(weights)), *drawn)]
    found = [_ascended(pool, begin, directions) for begin in begins]
    return normalised(max(found, key=lambda each: each[1])[0])


def _ascended(
    pool: Pool, weights: FloatArray, directions: Sequence[tuple[FloatArray, Places]]
) -> tuple[FloatArray, float]:
    """Steps along all directions, one after the other, until none helps; and the BLEU reached."""
    best = pool.bleu(weights)
    while True:
        before = best
        for direction, order in directions:
            step, score = line_search(pool, weights, direction, order)
            if score > best:
                weights, best = normalised(weights + step * direction), score
        if best < before + _LEAST_GAIN:
            return weights, best


def by_slope(pool: Pool, direction: FloatArray) -> Places:
    """The hypotheses of each sentence, by how fast their scores rise in a direction."""
    sentence = np.repeat(np.arange(len(pool)), np.diff(pool.starts))
    return np.lexsort((pool.features @ direction, sentence))


def line_search(
    pool: Pool, weights: FloatArray, direction: FloatArray, order: Places
) -> tuple[float, float]:
    """The step along a direction with the best BLEU of all, and that BLEU (exact, Och 2003).

    The score of a hypothesis is a line over the step, the best hypothesis of a sentence the upper
    envelope of these; BLEU changes only where an envelope has a corner. `order` is `by_slope`.
    """
    intercepts, slopes = pool.features @ weights, pool.features @ direction
    winners, begins = envelopes(intercepts, slopes, order, pool.starts)
    rows = pool.counts[winners]
    first = np.isneginf(begins)
    start = rows[first].sum(axis=0)
    # Each corner takes the row of the winner before away and adds that of the next one.
    corners = np.flatnonzero(~first)
    corners = corners[np.argsort(begins[corners], kind="stable")]
    changes = rows[corners] - rows[corners - 1]
    scores = overlap.bleu(start + np.concatenate([np.zeros_like(start)[None], changes]).cumsum(0))
    edges = np.concatenate([[-np.inf], begins[corners], [np.inf]])
    # Corners at one place are passed together.
    scores[np.diff(edges) <= 0] = -np.inf
    place = int(np.argmax(scores))
    return _within(float(edges[place]), float(edges[place + 1])), float(scores[place])


def _within(low: float, high: float) -> float:
    """A step between two corners; 0 if that is one, else the middle, or 1 beyond the last."""
    if low < 0 < high:
        return 0.0
    if np.isinf(low):
        return high - 1
    return low + 1 if np.isinf(high) else (low + high) / 2


OPTIMISERS: dict[str, Optimiser] = {"pro": pro, "mira": mira, "mert": mert}
