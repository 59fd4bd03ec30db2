"""Gradient-boosted trees that tell two classes apart by numbers, with probabilities.

Log odds are a sum over small trees, each a step against the gradient of the logistic loss (Friedman
2001). Trees are full, of one depth; numbers are cut at quantiles, so that a tree is found by sums.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from niwaki.errors import NiwakiError
from niwaki.keys import key
from niwaki.typing import FloatArray

# More log odds than these say nothing more, and leave no gradient.
_SURE = 30.0


@dataclass(frozen=True)
class BoostingSettings:
    """How trees are made."""

    rounds: int = key(300, "Trees.", least=1, most=100_000)
    depth: int = key(3, "Questions that a tree asks one after the other.", least=1, most=8)
    rate: float = key(0.08, "Share of each step that is made.", above=0, most=1)
    bins: int = key(32, "Parts into which the values of a number are cut.", least=2, most=256)
    l2: float = key(20.0, "How much leaves are drawn to 0.", above=0)
    share: float = key(0.5, "Share of the examples that a tree sees.", above=0, most=1)
    seed: int = key(1, "Which examples a tree sees.", least=0)
    pairs: float = key(
        2.0, "How much a pair of a right and a wrong example counts beside each of them.", least=0
    )


@dataclass(frozen=True)
class Boosted:
    """Trees: node n asks whether a feature is above a threshold; its children are 2n+1 and 2n+2."""

    features: NDArray[np.int32]  # [tree, node]
    thresholds: NDArray[np.float32]  # [tree, node]; infinite where all go to the left
    leaves: NDArray[np.float32]  # [tree, leaf]

    def log_odds(self, rows: FloatArray) -> FloatArray:
        """For each row of numbers, log p / (1 - p)."""
        sums, every = np.zeros(len(rows)), np.arange(len(rows))
        nodes = self.features.shape[1]
        for features, thresholds, leaves in zip(
            self.features, self.thresholds, self.leaves, strict=True
        ):
            node = np.zeros(len(rows), dtype=np.int64)
            while len(rows) and node[0] < nodes:
                node = 2 * node + 1 + (rows[every, features[node]] > thresholds[node])
            sums += leaves[node - nodes]
        return sums

    @property
    def arrays(self) -> dict[str, NDArray[Any]]:
        """What a model file keeps of it."""
        return dict(vars(self))

    @classmethod
    def of(cls, arrays: Mapping[str, NDArray[Any]], width: int) -> Boosted:
        """Trees of such arrays over so many numbers; raises ValueError if they make none."""
        features, thresholds, leaves = (
            arrays[name] for name in ("features", "thresholds", "leaves")
        )
        sound = features.dtype == np.int32 and features.ndim == 2 == leaves.ndim
        if not sound or features.shape != thresholds.shape or len(features) != len(leaves):
            raise ValueError("trees whose parts do not fit together")
        nodes = features.shape[1]
        if leaves.shape[1] != nodes + 1 or nodes + 1 & nodes or not nodes:
            raise ValueError("trees that are not full")
        if features.min(initial=0) < 0 or features.max(initial=0) >= width:
            raise ValueError(f"trees that ask for other numbers than {width}")
        if np.isnan(thresholds).any() or not np.isfinite(leaves).all():
            raise ValueError("trees with what is no number")
        return cls(features, thresholds.astype(np.float32), leaves.astype(np.float32))


def learn_boosted(
    rows: FloatArray,
    right: NDArray[np.bool_],
    settings: BoostingSettings | None = None,
    pairs: NDArray[np.int64] | None = None,
    weights: FloatArray | None = None,
) -> Boosted:
    """Trees that give rows that are `right` high log odds, and the others low ones.

    Of `pairs` of rows the first should have the higher ones: the loss of each is that of the
    difference of its log odds (Burges et al. 2005), and counts `settings.pairs` times. A row counts
    as often as its weight says.
    """
    settings = settings or BoostingSettings()
    if not right.any() or right.all():
        raise NiwakiError("all examples are of one class; give examples of both")
    chance = np.random.default_rng(settings.seed)
    rows = rows.astype(np.float32).astype(np.float64)
    edges = [_edges(rows[:, f], settings.bins) for f in range(rows.shape[1])]
    binned = np.stack([np.searchsorted(e, rows[:, f]) for f, e in enumerate(edges)], axis=1)
    cut = np.full((rows.shape[1], settings.bins), np.inf)
    for f, values in enumerate(edges):
        cut[f, : len(values)] = values
    sums = np.zeros(len(rows))
    parts: list[tuple[Any, Any, Any]] = []
    for _ in range(settings.rounds):
        p = 1 / (1 + np.exp(-np.clip(sums, -_SURE, _SURE)))
        seen = chance.random(len(rows)) < settings.share
        slopes, bends = p - right, p * (1 - p)
        if weights is not None:
            slopes, bends = slopes * weights, bends * weights
        if pairs is not None:
            _add_pairs(slopes, bends, sums, pairs, settings.pairs)
        tree = _Tree(binned, slopes, bends, seen, settings)
        sums += tree.steps
        parts.append((tree.features, cut[tree.features, tree.bins], tree.leaves))
    features, thresholds, leaves = (np.array(each) for each in zip(*parts, strict=True))
    return Boosted(
        features.astype(np.int32), thresholds.astype(np.float32), leaves.astype(np.float32)
    )


def _add_pairs(
    slopes: FloatArray,
    bends: FloatArray,
    sums: FloatArray,
    pairs: NDArray[np.int64],
    weight: float,
) -> None:
    """Adds the slopes of -log sigma(better - worse) and how they bend."""
    better, worse = pairs.T
    wrong = 1 / (1 + np.exp(np.clip(sums[better] - sums[worse], -_SURE, _SURE)))
    bend = weight * wrong * (1 - wrong)
    for which, sign in ((better, -weight), (worse, weight)):
        slopes += _summed(which, sign * wrong, len(slopes))
        bends += _summed(which, bend, len(bends))


def _edges(values: FloatArray, bins: int) -> FloatArray:
    """Values between the parts: a value falls behind all edges below it."""
    return np.unique(np.quantile(values, np.arange(1, bins) / bins, method="lower"))


class _Tree:
    """The tree of the largest gain at each node: G^2 / (H + l2), of the parts over the whole."""

    def __init__(
        self,
        binned: NDArray[np.int64],
        slopes: FloatArray,
        bends: FloatArray,
        seen: NDArray[np.bool_],
        settings: BoostingSettings,
    ) -> None:
        depth, bins = settings.depth, settings.bins
        self._width, self._count = binned.shape[1], bins
        self.features = np.zeros(2**depth - 1, dtype=np.int64)
        self.bins = np.full(2**depth - 1, bins - 1)
        known = np.flatnonzero(seen)
        places = binned[known] + bins * np.arange(self._width)
        every, node = np.arange(len(binned)), np.zeros(len(binned), dtype=np.int64)
        for level in range(depth):
            first, size = 2**level - 1, 2**level
            here = node[known] - first
            down = self._sums(places, here, size, slopes[known])
            bent = self._sums(places, here, size, bends[known])
            for at in range(size):
                feature, part = _best(down[at], bent[at], settings.l2)
                self.features[first + at], self.bins[first + at] = feature, part
            node = 2 * node + 1 + (binned[every, self.features[node]] > self.bins[node])
        leaf = node - (2**depth - 1)
        down = _summed(leaf[known], slopes[known], 2**depth)
        bent = _summed(leaf[known], bends[known], 2**depth)
        self.leaves = -settings.rate * down / (bent + settings.l2)
        self.steps = self.leaves[leaf]

    def _sums(
        self, places: NDArray[np.int64], node: NDArray[np.int64], size: int, weights: FloatArray
    ) -> FloatArray:
        """Sums of weights by node, feature and part."""
        width = self._width * self._count
        flat = (places + (node * width)[:, None]).ravel()
        found = _summed(flat, np.repeat(weights, self._width), size * width)
        return found.reshape(size, self._width, self._count)


def _summed(places: NDArray[np.int64], weights: FloatArray, size: int) -> FloatArray:
    return np.asarray(np.bincount(places, weights, minlength=size), dtype=np.float64)


def _best(slopes: FloatArray, bends: FloatArray, l2: float) -> tuple[int, int]:
    """The feature, and the last part that goes to the left; all of them if nothing is gained."""
    left, bent = slopes.cumsum(axis=1), bends.cumsum(axis=1)
    whole, all_bent = left[:, -1:], bent[:, -1:]
    gains = left**2 / (bent + l2) + (whole - left) ** 2 / (all_bent - bent + l2)
    gains -= whole**2 / (all_bent + l2)
    feature, part = np.unravel_index(int(gains.argmax()), gains.shape)
    if gains[feature, part] <= 1e-9:
        return 0, slopes.shape[1] - 1
    return int(feature), int(part)
