"""Slow twins of what chooses words to keep: all choices, one by one."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence

import numpy as np

Kept = tuple[bool, ...]


def choices(n: int) -> Iterator[Kept]:
    """All that keep at least one of n words."""
    for kept in itertools.product((False, True), repeat=n):
        if any(kept):
            yield kept


def score(heads: Sequence[int], scores: np.ndarray, kept: Kept) -> float:
    """The score of a choice, by what its rules say."""
    n = len(heads)

    def stands(word: int) -> bool:
        return kept[word - 1] or any(stands(c) for c in range(1, n + 1) if heads[c - 1] == word)

    total = 0.0
    for word in range(1, n + 1):
        if stands(word):
            head = heads[word - 1]
            promoted = head > 0 and not kept[head - 1]
            total += scores[word - 1, 2 * promoted + (not kept[word - 1])]
    return total
