"""Scores of the possible arcs of many sentences, checked once and laid out for the kernel."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from niwaki.errors import ScoresError
from niwaki.typing import FloatArray, IntArray

# Projective trees take time in the cube of the length: five seconds or so at this one.
MAX_LENGTH = 2000

# Sums of scores beyond this could overflow; decoders shrink them all alike first.
_LARGE = 1e290
_SHRINK = 2.0**-64


class Scores:
    """What each arc of each sentence scores: [head 0..n, dependent 1..n], or with labels as
    a third axis. Minus infinity forbids an arc; an arc from a word to itself is ignored.

    `siblings` are [head, dependent, sibling]: the score of a dependent behind another one
    on the same side of their head, or behind none (0).

    The sentences lie one after the other: `table` has a row for each arc (and a column for
    each label), `lengths` says how many words each sentence has.
    """

    def __init__(
        self, table: FloatArray, lengths: IntArray, siblings: FloatArray | None = None
    ) -> None:
        self.table = np.ascontiguousarray(table, dtype=np.float64)
        self.lengths = np.ascontiguousarray(lengths, dtype=np.int32)
        self.siblings = siblings
        if siblings is not None:
            self.siblings = np.ascontiguousarray(siblings, dtype=np.float64).ravel()
        self._check()

    @classmethod
    def of(
        cls, sentences: Sequence[ArrayLike], siblings: Sequence[ArrayLike] | None = None
    ) -> Scores:
        """Scores given sentence by sentence.

        >>> Scores.of([[[0, 2], [0, 3], [1, 0]]]).lengths.tolist()
        [2]
        """
        arrays = [np.asarray(array, dtype=np.float64) for array in sentences]
        for number, array in enumerate(arrays):
            if array.ndim not in (2, 3) or array.shape[0] != array.shape[1] + 1:
                raise ScoresError(
                    f"sentence {number}: scores of shape {array.shape}; "
                    "give one row for each of n + 1 heads, one column for each of n words"
                )
            if array.shape[2:] != arrays[0].shape[2:]:
                raise ScoresError(
                    f"sentence {number}: scores for {array.shape[2:] or 'no'} labels where the "
                    f"first sentence has {arrays[0].shape[2:] or 'none'}; give all the same"
                )
        lengths = np.array([array.shape[1] for array in arrays], dtype=np.int32)
        tail = arrays[0].shape[2:] if arrays else ()
        table = _joined([array.reshape(array.shape[0] * array.shape[1], *tail) for array in arrays])
        if siblings is None:
            return cls(table, lengths)
        seconds = [np.asarray(array, dtype=np.float64) for array in siblings]
        wanted = [(n + 1, n, n + 1) for n in lengths.tolist()]
        for number, (second, shape) in enumerate(zip(seconds, wanted, strict=True)):
            if second.shape != shape:
                raise ScoresError(
                    f"sentence {number}: scores of siblings of shape {second.shape}; "
                    f"the shape must be {shape}"
                )
        return cls(table, lengths, _joined([second.ravel() for second in seconds]))

    def _check(self) -> None:
        if self.lengths.ndim != 1 or (self.lengths < 1).any():
            raise ScoresError("a sentence without words has no tree; leave it out")
        if self.table.ndim not in (1, 2) or self.table.shape[1:] == (0,):
            raise ScoresError(f"a table of shape {self.table.shape}; give arcs, or arcs by labels")
        if len(self.table) != self.arc_counts.sum():
            raise ScoresError(
                f"scores of {len(self.table)} arcs; the sentences have {self.arc_counts.sum()}"
            )
        given = [self.table]
        if self.siblings is not None:
            given.append(self.siblings)
            if len(self.siblings) != (self.arc_counts * (self.lengths + 1)).sum():
                raise ScoresError("scores of siblings do not fit the lengths of the sentences")
        magnitude = 0.0
        for array in given:
            # The largest is NaN if any is.
            largest, least = array.max(initial=0), array.min(initial=0)
            if not largest < np.inf:
                raise ScoresError(
                    f"a score is {largest}; scores are numbers, or minus infinity for what is "
                    "forbidden"
                )
            if least == -np.inf:
                least = array.min(initial=0, where=array > -np.inf)
            magnitude = max(magnitude, largest, -least)
        # What decoders multiply all scores with, so that no sum overflows.
        self.scale = _SHRINK if magnitude > _LARGE else 1.0

    def __len__(self) -> int:
        return len(self.lengths)

    @property
    def words(self) -> int:
        return int(self.lengths.sum())

    @property
    def labels(self) -> int | None:
        """How many labels there are; None without labels."""
        return self.table.shape[1] if self.table.ndim == 2 else None

    @property
    def arc_counts(self) -> NDArray[np.int64]:
        lengths = self.lengths.astype(np.int64)
        return np.asarray((lengths + 1) * lengths)

    @cached_property
    def starts(self) -> NDArray[np.int64]:
        """Where the arcs of each sentence begin, and the end."""
        return np.concatenate([[0], np.cumsum(self.arc_counts)])

    @cached_property
    def sibling_starts(self) -> NDArray[np.int64]:
        return np.concatenate([[0], np.cumsum(self.arc_counts * (self.lengths + 1))])

    @cached_property
    def best_arcs(self) -> FloatArray:
        """The score of each arc with its best label."""
        return self.table if self.table.ndim == 1 else np.asarray(self.table.max(axis=1))

    @cached_property
    def summed_arcs(self) -> FloatArray:
        """The logarithm of the sum of exp(score) over the labels of each arc."""
        if self.table.ndim == 1:
            return self.table
        top = np.where(self.best_arcs > -np.inf, self.best_arcs, 0)
        with np.errstate(divide="ignore"):
            return np.asarray(np.log(np.exp(self.table - top[:, None]).sum(axis=1)) + top)

    def shrunk(self) -> tuple[FloatArray, FloatArray | None]:
        """Best scores of arcs, and of siblings, that any tree's can be added up of."""
        if self.scale == 1:
            return self.best_arcs, self.siblings
        siblings = None if self.siblings is None else self.siblings * self.scale
        return self.best_arcs * self.scale, siblings

    def arcs_of_words(self, heads: IntArray) -> NDArray[np.int64]:
        """The rows of the table for the arcs of given trees, one for each word."""
        lengths = self.lengths.astype(np.int64)
        first_word = np.repeat(np.cumsum(lengths) - lengths, lengths)
        place = np.arange(self.words) - first_word
        starts = np.repeat(self.starts[:-1], lengths)
        return np.asarray(starts + heads * np.repeat(lengths, lengths) + place)

    def take(self, sentences: Iterable[int]) -> Scores:
        """The scores of some of the sentences."""
        chosen = list(sentences)
        pieces = [self.table[self.starts[i] : self.starts[i + 1]] for i in chosen]
        siblings = None
        if self.siblings is not None:
            starts = self.sibling_starts
            siblings = _joined([self.siblings[starts[i] : starts[i + 1]] for i in chosen])
        return Scores(_joined(pieces), self.lengths[chosen], siblings)


def _joined(pieces: Sequence[NDArray[Any]]) -> FloatArray:
    return np.concatenate(pieces) if pieces else np.empty(0)
