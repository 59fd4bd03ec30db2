"""N-grams that a translation shares with its reference, and BLEU from their counts.

A row of counts is `length, reference length, matches of 1 to 4 words, n-grams of 1 to 4 words`;
rows of sentences add up to those of a text.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from niwaki.typing import FloatArray

LONGEST = 4
WIDTH = 2 + 2 * LONGEST

Gram = tuple[str, ...]


def ngrams_of(tokens: Sequence[str], length: int) -> Counter[Gram]:
    """How often each n-gram of this length stands in a sentence."""
    return Counter(zip(*(tokens[first:] for first in range(length)), strict=False))


class Reference:
    """A reference sentence whose n-grams are counted once."""

    def __init__(self, tokens: Sequence[str]) -> None:
        self.length = len(tokens)
        self._ngrams = [ngrams_of(tokens, length) for length in range(1, LONGEST + 1)]

    def counts(self, tokens: Sequence[str]) -> list[int]:
        """The row of a translation; an n-gram matches as often as it stands in both."""
        matches = [
            sum((ngrams_of(tokens, length) & ngrams).values())
            for length, ngrams in enumerate(self._ngrams, start=1)
        ]
        totals = [max(0, len(tokens) - first) for first in range(LONGEST)]
        return [len(tokens), self.length, *matches, *totals]


def bleu(sums: NDArray[Any]) -> FloatArray:
    """BLEU in percent of sums of rows (... x WIDTH), as sacrebleu gives it.

    Where no n-gram of a length matches, half a match counts, then a quarter and so on.
    """
    length, reference, matches, totals = _parts(sums)
    none = (matches == 0) & (totals > 0)
    halves = 0.5 ** np.cumsum(none, axis=-1)
    some = np.where(none, halves, matches)
    found = _geometric(some, totals) * _brevity(length, reference)
    sound = (totals > 0).all(axis=-1) & (matches > 0).any(axis=-1)
    return np.asarray(100 * np.where(sound, found, 0.0))


def smoothed_bleu(rows: NDArray[Any]) -> FloatArray:
    """BLEU+1 from 0 to 1, for single sentences: n-grams of two and more words get a match more."""
    length, reference, matches, totals = _parts(rows)
    more = np.array([0, *[1] * (LONGEST - 1)])
    found = _geometric(matches + more, totals + more) * _brevity(length, reference)
    return np.asarray(np.where(matches[..., 0] > 0, found, 0.0))


def _parts(rows: NDArray[Any]) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
    table = np.asarray(rows, np.float64)
    return table[..., 0], table[..., 1], table[..., 2 : 2 + LONGEST], table[..., 2 + LONGEST :]


def _geometric(matches: FloatArray, totals: FloatArray) -> FloatArray:
    """The geometric mean of precisions, which are above 0 wherever the answer is used."""
    precisions = np.divide(matches, totals, out=np.ones_like(matches), where=totals > 0)
    return np.asarray(np.exp(np.log(np.maximum(precisions, 1e-300)).mean(axis=-1)))


def _brevity(length: FloatArray, reference: FloatArray) -> FloatArray:
    ratio = np.divide(reference, length, out=np.full_like(length, np.inf), where=length > 0)
    return np.asarray(np.exp(np.minimum(0.0, 1 - ratio)))
