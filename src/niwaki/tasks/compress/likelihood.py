"""Sums over all choices of words of trees: how likely a choice is, and each rule of each word.

The same rules as in the chart, with sums in place of the best: below a kept word each child stands
or not, below one that promotes at least one stands, and so at the root. With U(c) the log of all
ways in which c stands, K(h) = sum log(1 + exp U(c)), and P(h) = log(exp(K of the same children
below a promoting head) - 1).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from niwaki.kernel.compress.chart import KEPT, KEPT_BELOW, PROMOTING, PROMOTING_BELOW
from niwaki.tasks.compress.rules import RULES
from niwaki.tasks.trees import TreeView
from niwaki.typing import FloatArray


class Forest:
    """Trees whose words are numbered one after the other, and the places of their roots behind."""

    def __init__(self, trees: Sequence[TreeView]) -> None:
        self._words = sum(len(tree.heads) for tree in trees)
        self._size = self._words + len(trees)
        above: list[int] = []
        depths: list[int] = []
        for number, tree in enumerate(trees):
            start = len(above)
            above += [start + head - 1 if head else self._words + number for head in tree.heads]
            depths += [len(chain) for chain in tree.chains]
        self._above = np.array(above, dtype=np.int64)
        depth = np.array(depths, dtype=np.int64)
        self._levels: list[NDArray[np.int64]] = [
            np.flatnonzero(depth == level) for level in np.unique(depth)
        ]

    def expected(self, scores: FloatArray) -> tuple[float, FloatArray]:
        """The log of the sum over all choices, of all trees, and how likely each word has each
        rule."""
        kept, below = np.zeros(self._size), np.zeros(self._size)
        standing, standing_below = np.zeros(self._words), np.zeros(self._words)
        promoting = np.full(self._words, -np.inf)
        for words in reversed(self._levels):
            promoting[words] = _log_minus_one(below[words])
            for column, sums, stands in (
                (KEPT, kept, standing),
                (KEPT_BELOW, below, standing_below),
            ):
                stands[words] = np.logaddexp(
                    scores[words, column] + kept[words],
                    scores[words, column + 1] + promoting[words],
                )
                sums += np.bincount(
                    self._above[words], np.logaddexp(0, stands[words]), minlength=self._size
                )
        roots = slice(self._words, None)
        total = float(_log_minus_one(kept[roots]).sum())
        rules = np.zeros((self._words, RULES))
        under_kept, under_promoting = np.zeros(self._size), np.zeros(self._size)
        under_kept[roots] = _of_some(kept[roots])
        for words in self._levels:
            for column, under, stands in (
                (KEPT, under_kept, standing),
                (KEPT_BELOW, under_promoting, standing_below),
            ):
                likely = under[self._above[words]] * np.exp(-np.logaddexp(0, -stands[words]))
                share = np.exp(scores[words, column] + kept[words] - stands[words])
                rules[words, column] = likely * share
                rules[words, column + 1] = likely * (1 - share)
            under_kept[words] = rules[words, KEPT] + rules[words, KEPT_BELOW]
            promotes = rules[words, PROMOTING] + rules[words, PROMOTING_BELOW]
            some = below[words] > 0
            under_promoting[words[some]] = promotes[some] * _of_some(below[words[some]])
        return total, rules


def _log_minus_one(logs: FloatArray) -> FloatArray:
    """log(exp x - 1): all ways but the one in which nothing stands; minus infinity for x = 0."""
    with np.errstate(divide="ignore"):
        return np.asarray(logs + np.log(-np.expm1(-logs)))


def _of_some(logs: FloatArray) -> FloatArray:
    """1 / (1 - exp -x): how much likelier each way is if nothing is no way."""
    return np.asarray(-1 / np.expm1(-logs))
