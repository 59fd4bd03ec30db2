"""How many words each sentence keeps: by a rate, or so that a whole document keeps so many."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np

from niwaki.typing import FloatArray

# Where it is looked for, and how often that is halved.
_MOST_BIAS, _HALVINGS = 64.0, 40


def words_at(rate: float, words: int) -> int:
    """The share of so many words, to the nearest whole one, and at least one."""
    return max(1, min(words, round(rate * words)))


def shared_out(tables: Sequence[FloatArray], total: int) -> list[int]:
    """The number of words of each sentence that makes their scores most, with `total` in all.

    `tables` are the best scores by the number of words kept, 0 first. Words are given where they
    bring most: along the upper hull of each table, whose slopes fall. What is left for the last
    slope is given to its sentence; so the sum is that of the best sharing but for one sentence.
    Every sentence keeps a word.
    """
    sizes = [1] * len(tables)
    slopes = sorted(
        (-(table[end] - table[start]) / (end - start), number, start, end)
        for number, table in enumerate(tables)
        for start, end in _hull(table)
    )
    left = total - len(tables)
    for _, number, start, end in slopes:
        step = min(end - start, left)
        if step <= 0:
            break
        sizes[number] = start + step
        left -= step
    return sizes


def bias_for(tables: Sequence[FloatArray], total: int) -> float:
    """What each word must be worth more, so that the best choices have `total` words in all; of
    all such numbers the one that is nearest to 0.
    """
    return float(np.clip(0.0, _least_bias(tables, total), _least_bias(tables, total + 1)))


def _least_bias(tables: Sequence[FloatArray], total: int) -> float:
    """From which bias on there are so many words."""
    low, high = -_MOST_BIAS, _MOST_BIAS
    for _ in range(_HALVINGS):
        bias = (low + high) / 2
        words = sum(int((table + bias * np.arange(len(table))).argmax()) for table in tables)
        low, high = (bias, high) if words < total else (low, bias)
    return high


def _hull(table: FloatArray) -> list[tuple[int, int]]:
    """Where the upper hull of the scores from one word on goes straight."""
    corners: list[int] = []
    for at in range(1, len(table)):
        while len(corners) > 1 and _bends_up(table, corners[-2], corners[-1], at):
            corners.pop()
        corners.append(at)
    return list(itertools.pairwise(corners))


def _bends_up(table: FloatArray, a: int, b: int, c: int) -> bool:
    """Whether b lies on or below the line from a to c."""
    return bool((table[b] - table[a]) * (c - a) <= (table[c] - table[a]) * (b - a))
