"""Distances between a translation and its reference, in edits of words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Row = NDArray[np.int64]


def edit_distance(tokens: Sequence[str], reference: Sequence[str]) -> int:
    """Fewest insertions, deletions and replacements of a word."""
    numbers, others = _numbered(tokens, reference)
    row = np.arange(len(tokens) + 1)
    for word in others:
        row = _next_row(row, numbers == word)
    return int(row[-1])


def block_distance(tokens: Sequence[str], reference: Sequence[str]) -> int:
    """As `edit_distance`, with jumps within the translation that cost 1 (CDER: Leusch, Ueffing
    and Ney 2006): the reference is covered once and in its order, the translation as may be.
    """
    numbers, others = _numbered(tokens, reference)
    row = np.minimum(np.arange(len(tokens) + 1), 1)
    for word in others:
        row = _next_row(row, numbers == word)
        row = np.minimum(row, row.min() + 1)
    return int(row[-1])


def unordered_errors(tokens: Sequence[str], reference: Sequence[str]) -> int:
    """What is left of the longer side when words that are in both are taken away (PER)."""
    matches = sum((Counter(tokens) & Counter(reference)).values())
    return max(len(tokens), len(reference)) - matches


def _numbered(tokens: Sequence[str], reference: Sequence[str]) -> tuple[Row, list[int]]:
    numbers: dict[str, int] = {}
    found = [numbers.setdefault(word, len(numbers)) for word in (*tokens, *reference)]
    return np.array(found[: len(tokens)], np.int64), found[len(tokens) :]


def _next_row(row: Row, same: NDArray[np.bool_]) -> Row:
    """Costs of one more word of the reference, by words of the translation used so far."""
    made = row + 1
    np.minimum(made[1:], row[:-1] + ~same, out=made[1:])
    # A word of the translation more costs 1: min over i' <= i of cost(i') + i - i'.
    steps = np.arange(len(row))
    return np.asarray(np.minimum.accumulate(made - steps) + steps)
