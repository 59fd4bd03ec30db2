"""The words of many sentences as columns of numbers: what queries are matched against.

Words are counted through all sentences, from 0. A forest has, for each column of CoNLL-U, the
number of each word's value, so that a condition is asked once for each value and not for each word.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from niwaki.data.faults import COLUMNS
from niwaki.data.sentence import Sentence
from niwaki.errors import NiwakiError
from niwaki.kernel.batch import Batch
from niwaki.typing import IntArray

# Numbers of words, or of values; narrow ones where there are few values.
Numbers = NDArray[Any]
# For each value of a column, whether it fits.
Fitting = NDArray[np.bool_]

NO_HEAD = -1

# Rows that a table may grow to: a query of several words without conditions, in a long sentence.
_MOST_ROWS = 1 << 25


class Forest(Protocol):
    """What is asked of the words of many sentences."""

    @property
    def starts(self) -> Numbers:
        """The first word of each sentence, and the number of all words."""

    @property
    def heads(self) -> IntArray:
        """The head of each word; NO_HEAD for roots and where it is not known."""

    @property
    def children(self) -> tuple[Numbers, IntArray]:
        """Where the children of each word begin, and all children."""

    def codes(self, column: str) -> Numbers:
        """The number of each word's value in a column."""

    def values(self, column: str) -> Sequence[str]:
        """The values of a column by their numbers."""

    def at_most(self, fitting: Mapping[str, Fitting]) -> int:
        """How many words can fit in all columns given; may be too many."""

    def words(self, fitting: Mapping[str, Fitting]) -> IntArray:
        """The words that fit in all columns given, in order."""


class SentenceForest:
    """A forest of sentences in memory."""

    def __init__(self, sentences: Sequence[Sentence]) -> None:
        self._batch = Batch([sentence.source for sentence in sentences])
        self.starts = starts_of(self._batch.lengths)
        self._columns: dict[str, tuple[Numbers, list[str]]] = {}

    @cached_property
    def heads(self) -> IntArray:
        return absolute_heads(self._batch.given_heads(), self.starts)

    @cached_property
    def children(self) -> tuple[Numbers, IntArray]:
        return children_of(self.heads)

    def _column(self, column: str) -> tuple[Numbers, list[str]]:
        if column not in self._columns:
            numbers: dict[bytes, int] = {}
            texts = self._batch.texts_of(COLUMNS.index(column))
            codes = [numbers.setdefault(text, len(numbers)) for text in texts]
            values = [text.decode("utf-8") for text in numbers]
            self._columns[column] = np.array(codes, dtype=np.int32), values
        return self._columns[column]

    def codes(self, column: str) -> Numbers:
        return self._column(column)[0]

    def values(self, column: str) -> Sequence[str]:
        return self._column(column)[1]

    def at_most(self, fitting: Mapping[str, Fitting]) -> int:
        return len(self.words(fitting))

    def words(self, fitting: Mapping[str, Fitting]) -> IntArray:
        return fitting_words(self, fitting, np.arange(self.starts[-1], dtype=np.int32))


def fitting_words(forest: Forest, fitting: Mapping[str, Fitting], words: IntArray) -> IntArray:
    """Those of some words that fit in all columns given."""
    for column, fits in fitting.items():
        words = words[fits[forest.codes(column)[words]]]
    return words


def starts_of(lengths: Sequence[int] | Numbers) -> Numbers:
    """The first word of each sentence, and the number of all words."""
    starts = np.zeros(len(lengths) + 1, dtype=np.int64)
    np.cumsum(lengths, out=starts[1:])
    return starts


def absolute_heads(heads: IntArray, starts: Numbers) -> IntArray:
    """Heads counted through all sentences, from those of CoNLL-U."""
    firsts = np.repeat(starts[:-1], np.diff(starts))
    return np.where(heads > 0, heads - 1 + firsts, NO_HEAD).astype(np.int32)


def children_of(heads: IntArray) -> tuple[Numbers, IntArray]:
    """Where the children of each word begin, and all children, from left to right."""
    counts = np.bincount(heads[heads != NO_HEAD], minlength=len(heads))
    starts = starts_of(counts)
    order = np.argsort(heads, kind="stable")
    return starts, order[len(heads) - int(starts[-1]) :].astype(np.int32)


def in_ranges(firsts: Numbers, lasts: Numbers) -> tuple[Numbers, Numbers]:
    """All numbers from each first to below its last, and the number of the range of each."""
    lengths = np.maximum(lasts - firsts, 0).astype(np.int64)
    if lengths.sum() > _MOST_ROWS:
        raise NiwakiError(
            f"more than {_MOST_ROWS:,} words to look at together; say more of the words"
        )
    rows = np.repeat(np.arange(len(lengths)), lengths)
    # Counting goes on through all ranges, and is set back to where each begins.
    passed = np.cumsum(lengths) - lengths
    return rows, np.arange(len(rows)) - np.repeat(passed - firsts, lengths)
