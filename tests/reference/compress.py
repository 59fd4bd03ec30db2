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


# -- the integer programme -----------------------------------------------------------------

# Worth of words kept, first, in a row (i, j, k) and last (i, j); places from 1, 0 before them.
Rows, Last = dict[tuple[int, int, int], float], dict[tuple[int, int], float]
Worth = tuple[np.ndarray, np.ndarray, Rows, Last]


def worth(of: Worth, kept: Kept) -> float:
    """What a choice is worth; -inf if it has a triple or pair that there is not."""
    kept_worth, first, rows, last = of
    places = [0, *(place for place, keep in enumerate(kept, start=1) if keep)]
    total = first[places[1] - 1] + sum(kept_worth[place - 1] for place in places[1:])
    for triple in zip(places, places[1:], places[2:], strict=False):
        total += rows.get(triple, -np.inf)
    return float(total + last.get((places[-2], places[-1]), -np.inf))


def best_walk(of: Worth, n: int) -> tuple[float, Kept]:
    """The dynamic programme: the best way to each pair of neighbouring kept words."""
    kept_worth, first, rows, last = of
    best = {(0, j): (first[j - 1] + kept_worth[j - 1], (j,)) for j in range(1, n + 1)}
    for k in range(2, n + 1):
        for (i, j), (value, way) in list(best.items()):
            if j < k and (i, j, k) in rows:
                found = value + rows[i, j, k] + kept_worth[k - 1], (*way, k)
                if (j, k) not in best or found[0] > best[j, k][0]:
                    best[j, k] = found
    ends = [(value + last[pair], way) for pair, (value, way) in best.items() if pair in last]
    value, way = max(ends)
    return float(value), tuple(place in way for place in range(1, n + 1))
