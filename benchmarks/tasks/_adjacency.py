"""The rival of rules over trees: scores of neighbours among the kept words (McDonald 2006).

The score of a compression is a sum over pairs of kept words that follow each other, of features
of the second one, as rules have them, and of the pair: both tags, and what was dropped between. The
best is found by a dynamic programme, also for each number of words, and learned by the same
machine as the rules, with margins that grow with wrong words.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from niwaki.data.compressions import Kept
from niwaki.kernel.sparse import SparseRows
from niwaki.learning.candidates import feature_key
from niwaki.learning.cutting_plane import learn_machine
from niwaki.tasks.compress.features import word_features
from niwaki.tasks.compress.weights import Keys, matrix_of
from niwaki.tasks.trees import TreeView
from niwaki.typing import FloatArray

# Most words that are dropped in a row, and one more.
_FARTHEST = 10


@lru_cache(maxsize=256)
def pairs_of(n: int) -> NDArray[np.int64]:
    """Places that may follow each other; 0 is before the words, n + 1 behind them."""
    return np.array(
        [
            (i, j)
            for j in range(1, n + 2)
            for i in range(j)
            if j - i <= _FARTHEST or i == 0 or j == n + 1
        ]
    )


@lru_cache(maxsize=256)
def places_of_pairs(n: int) -> NDArray[np.int64]:
    """Where in `pairs_of` a pair stands; behind all for one that is not there."""
    pairs = pairs_of(n)
    found = np.full((n + 2, n + 2), len(pairs))
    found[pairs[:, 0], pairs[:, 1]] = np.arange(len(pairs))
    return found


# Features of a tree are the same in all folds.
_SEEN: dict[tuple[tuple[str, ...], tuple[int, ...]], tuple[NDArray[np.int64], Keys]] = {}


def pair_features(tree: TreeView) -> tuple[NDArray[np.int64], Keys]:
    """Where the keys of each pair end, and the keys."""
    name = tree.forms, tree.heads
    if name not in _SEEN:
        _SEEN[name] = _pair_features(tree)
    return _SEEN[name]


def _pair_features(tree: TreeView) -> tuple[NDArray[np.int64], Keys]:
    words = [keys.tolist() for keys in word_features(tree)]
    tags = ["<", *tree.upos, ">"]
    labels = ["<", *tree.relations, ">"]
    rows = []
    for i, j in pairs_of(len(tree.heads)).tolist():
        between = range(i + 1, j)
        names = [f"a {tags[i]} {tags[j]}", f"al {labels[i]} {labels[j]}", f"g {min(j - i, 6)}"]
        names += [f"ag {tags[i]} {tags[j]} {j - i > 1}"]
        # What is dropped between them: tags, labels, and whether its heads are dropped with it.
        names += [f"bt {tags[k]} {tags[j]}" for k in between]
        names += [f"bl {labels[k]}" for k in between]
        names += [f"bh {labels[k]} {i < tree.heads[k - 1] < j}" for k in between]
        found = [feature_key(name) for name in names]
        rows.append(found + (words[j - 1] if j <= len(words) else []))
    ends = np.cumsum([0, *map(len, rows)], dtype=np.int64)
    return ends, np.array([key for row in rows for key in row], dtype=np.uint32)


@dataclass(frozen=True)
class AdjacencyChart:
    """The best score of each number of words, and the way to it."""

    best: FloatArray
    before: NDArray[np.int64]

    def kept(self, size: int) -> Kept:
        n = self.before.shape[1] - 2
        found, at = [False] * n, n + 1
        for count in range(size + 1, 0, -1):
            at = int(self.before[count, at])
            if at:
                found[at - 1] = True
        return tuple(found)


def chart_of(n: int, scores: FloatArray) -> AdjacencyChart:
    """value[c, j]: the best way to j, the c-th place behind the first."""
    pairs = pairs_of(n)
    table = np.full((n + 2, n + 2), -np.inf)
    table[pairs[:, 0], pairs[:, 1]] = scores
    value = np.full((n + 2, n + 2), -np.inf)
    before = np.zeros((n + 2, n + 2), dtype=np.int64)
    value[0, 0] = 0
    for count in range(1, n + 2):
        sums = value[count - 1][:, None] + table
        before[count] = sums.argmax(axis=0)
        value[count] = sums.max(axis=0)
    best = np.append(-np.inf, value[2:, n + 1])
    return AdjacencyChart(best, before)


def chosen(n: int, kept: Sequence[bool]) -> NDArray[np.bool_]:
    """Which pairs a choice has."""
    words = np.flatnonzero(np.array([True, *kept, True]))
    found = np.zeros(len(pairs_of(n)) + 1, dtype=np.bool_)
    found[places_of_pairs(n)[words[:-1], words[1:]]] = True
    return found[:-1]


@dataclass(frozen=True)
class Adjacency:
    """Weights by key."""

    keys: Keys
    weights: FloatArray

    def chart(self, tree: TreeView) -> AdjacencyChart:
        scores = matrix_of(self.keys, *pair_features(tree)).times(np.append(self.weights, 0.0))
        return chart_of(len(tree.heads), scores)

    @classmethod
    def learned(cls, given: Sequence[tuple[TreeView, Kept]], c: float = 10.0) -> Adjacency:
        seen = [pair_features(tree) for tree, _ in given]
        known, counts = np.unique(np.concatenate([keys for _, keys in seen]), return_counts=True)
        known = known[counts >= 5]
        problems = [
            (matrix_of(known, ends, keys), kept)
            for (ends, keys), (_, kept) in zip(seen, given, strict=True)
        ]
        cut = lambda weights: _cut(problems, weights)  # noqa: E731
        found = learn_machine(cut, len(known) + 1, c, gap=0.02, rounds=40)
        return cls(known, found.weights[:-1])


def _cut(
    problems: Sequence[tuple[SparseRows, Kept]], weights: FloatArray
) -> tuple[float, FloatArray]:
    bound, gradient = 0.0, np.zeros(len(weights))
    share = 1 / len(problems)
    for matrix, right in problems:
        n = len(right)
        scores = matrix.times(weights)
        found = _most_violated(n, scores, np.array(right))
        wrong = sum(a != b for a, b in zip(found, right, strict=True)) / n
        moved = chosen(n, right).astype(float) - chosen(n, found)
        if wrong - float(moved @ scores) > 0:
            bound += share * wrong
            gradient += share * matrix.transposed_times(moved)
    return bound, gradient


def _most_violated(n: int, scores: FloatArray, right: NDArray[np.bool_]) -> Kept:
    """The best way if each wrong word, kept or dropped, adds 1/n."""
    pairs = pairs_of(n)
    missed = np.concatenate([[0], np.cumsum(right), [right.sum()]])
    i, j = pairs.T
    dropped = missed[j - 1] - missed[i]
    spare = np.concatenate([[0], 1 - right, [0]])[j]
    table = np.full((n + 2, n + 2), -np.inf)
    table[i, j] = scores + (dropped + spare) / n
    value, before = np.full(n + 2, -np.inf), np.zeros(n + 2, dtype=np.int64)
    value[0] = 0
    # To keep nothing is no choice.
    table[0, n + 1] = -np.inf
    # Columns one after the other in memory: they are read as rows.
    table = np.ascontiguousarray(table.T)
    for place in range(1, n + 2):
        sums = value[:place] + table[place, :place]
        before[place] = best = int(sums.argmax())
        value[place] = sums[best]
    found, at = [False] * n, int(before[n + 1])
    while at:
        found[at - 1] = True
        at = int(before[at])
    return tuple(found)
