"""What LEAF counts in alignments: one table of events for each factor of its story."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from niwaki.kernel.bilingual.alignment import Table
from niwaki.kernel.bilingual.leaf import LARGEST_CEPT, LONGEST_MOVE

SPAN = 2 * LONGEST_MOVE + 1
EDGE = 0

Numbers = NDArray[np.int64]
Amounts = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Words:
    """One side of aligned pairs: words, their sentences and places, and the places of heads."""

    words: NDArray[np.int32]
    starts: Numbers
    heads: NDArray[np.int32]
    classes: NDArray[np.int32]  # by word
    class_count: int

    @property
    def sentences(self) -> Numbers:
        return np.repeat(np.arange(len(self.starts) - 1), np.diff(self.starts))

    @property
    def places(self) -> Numbers:
        return np.arange(len(self.words)) - self.starts[self.sentences]

    @property
    def head_words(self) -> Numbers:
        """The head of each word as a place in the whole text; -1 if there is none."""
        return np.where(self.heads >= 0, self.starts[self.sentences] + self.heads, -1)

    @property
    def types(self) -> int:
        return len(self.classes)


@dataclass(frozen=True, eq=False)
class Counts:
    """Events of one direction, which goes from words x to words y."""

    kind: Amounts  # x words x (deleted, head, non-head)
    choice: Amounts  # classes of x x displacements
    head: Amounts  # entries
    size: Amounts  # x words x (one word in the source cept, more) x sizes
    spurious: Amounts  # y words
    linked: float  # how many words of y are not spurious
    first: Amounts  # (edge, classes of x) x classes of y x displacements
    second: Amounts  # classes of y x displacements
    later: Amounts
    word: Amounts  # entries, whether heads or not
    non_head_entries: Numbers  # of each non-head: its entry and the class of its head
    non_head_classes: Numbers
    non_head_amounts: Amounts


def count(
    x: Words, y: Words, mates: NDArray[np.int32], table: Table, turned: bool, amounts: Amounts
) -> Counts:
    """Events of all pairs, each pair so often as `amounts` says.

    `mates` are the places that heads of x are linked to; `turned` says that y is the source
    side of the table.
    """
    return _Events(x, y, mates, table, turned, amounts).counts()


class _Events:
    """Words of all pairs as one text; places in it are numbers of words from its beginning."""

    def __init__(
        self,
        x: Words,
        y: Words,
        mates: NDArray[np.int32],
        table: Table,
        turned: bool,
        amounts: Amounts,
    ) -> None:
        self.x, self.y, self.table, self.turned = x, y, table, turned
        self.x_sentences, self.x_amounts = x.sentences, amounts[x.sentences]
        self.y_amounts = amounts[y.sentences]
        self.x_heads, self.y_heads = x.head_words, y.head_words
        every = np.arange(len(x.words))
        self.kinds = np.where(x.heads < 0, 0, np.where(self.x_heads == every, 1, 2))
        # Heads of x from left to right, what they are linked to, and the words of y in cepts.
        self.heads = np.flatnonzero(self.kinds == 1)
        self.moved = mates[self.heads].astype(np.int64)
        self.linked = y.starts[self.x_sentences[self.heads]] + self.moved
        self.members = np.flatnonzero(self.y_heads >= 0)
        self.sizes = np.bincount(self.y_heads[self.members], minlength=len(y.words))[self.linked]
        self.makers = np.full(len(y.words), -1)
        self.makers[self.linked] = self.heads

    def counts(self) -> Counts:
        x, y, table = self.x, self.y, self.table
        kinds = _added(_scaled(x.words, 3) + self.kinds, self.x_amounts, x.types, 3)
        free = np.flatnonzero(self.y_heads < 0)
        non_heads = self.members[self.y_heads[self.members] != self.members]
        second, later = self._steps(non_heads)
        head_amounts = self.x_amounts[self.heads]
        return Counts(
            kind=kinds,
            choice=self._choices(),
            head=_added(self._entries(self.linked), head_amounts, len(table.columns)),
            size=self._sizes(),
            spurious=_added(_scaled(y.words[free], 1), self.y_amounts[free], y.types),
            linked=float(self.y_amounts[self.members].sum()),
            first=self._moves(),
            second=second,
            later=later,
            word=_added(
                self._entries(self.members), self.y_amounts[self.members], len(table.columns)
            ),
            non_head_entries=self._entries(non_heads),
            non_head_classes=self._classes(self.y_heads[non_heads]),
            non_head_amounts=self.y_amounts[non_heads],
        )

    def _entries(self, made: Numbers) -> Numbers:
        """Where words of y stand in the table with the source heads that brought them forth."""
        words = self.x.words[self.makers[self.y_heads[made]]], self.y.words[made]
        return self.table.find(*(words[::-1] if self.turned else words))

    def _classes(self, words: Numbers) -> Numbers:
        return self.y.classes[self.y.words[words]].astype(np.int64)

    def _choices(self) -> Amounts:
        x, others = self.x, np.flatnonzero(self.kinds == 2)
        rows = _scaled(x.classes[x.words[others]], SPAN)
        events = rows + _clipped(self.x_heads[others] - others)
        return _added(events, self.x_amounts[others], x.class_count, SPAN)

    def _sizes(self) -> Amounts:
        sources = np.bincount(self.x_heads[self.x_heads >= 0], minlength=len(self.x.words))
        rows = _scaled(self.x.words[self.heads], 2) + (sources[self.heads] > 1)
        events = rows * LARGEST_CEPT + np.minimum(self.sizes, LARGEST_CEPT) - 1
        return _added(events, self.x_amounts[self.heads], self.x.types, 2, LARGEST_CEPT)

    def _moves(self) -> Amounts:
        """Heads, seen from the centre of the cept of the next source head to the left."""
        x, y, heads = self.x, self.y, self.heads
        places = y.places[self.members] + 1
        sums = np.bincount(self.y_heads[self.members], places, minlength=len(y.words))
        centres = np.ceil(sums[self.linked] / self.sizes).astype(np.int64)
        begins = np.ones(len(heads), bool)
        begins[1:] = self.x_sentences[heads[1:]] != self.x_sentences[heads[:-1]]
        rows = np.where(begins, EDGE, np.roll(1 + x.classes[x.words[heads]], 1))
        moves = self.moved + 1 - np.where(begins, 0, np.roll(centres, 1))
        events = _scaled(rows, y.class_count) + self._classes(self.linked)
        return _added(
            events * SPAN + _clipped(moves),
            self.x_amounts[heads],
            *(x.class_count + 1, y.class_count, SPAN),
        )

    def _steps(self, non_heads: Numbers) -> tuple[Amounts, Amounts]:
        """Non-heads from left to right in their cepts: the first ones, and all others."""
        y = self.y
        walk = non_heads[np.lexsort((non_heads, self.y_heads[non_heads]))]
        opens = np.ones(len(walk), bool)
        opens[1:] = self.y_heads[walk[1:]] != self.y_heads[walk[:-1]]
        before = np.where(opens, self.y_heads[walk], np.roll(walk, 1))
        events = self._classes(self.y_heads[walk]) * SPAN + _clipped(walk - before)
        first, later = (
            _added(events[which], self.y_amounts[walk[which]], y.class_count, SPAN)
            for which in (opens, ~opens)
        )
        return first, later


def _clipped(distances: Numbers) -> Numbers:
    return np.clip(distances, -LONGEST_MOVE, LONGEST_MOVE) + LONGEST_MOVE


def _scaled(numbers: NDArray[Any], by: int) -> Numbers:
    return numbers.astype(np.int64) * by


def _added(events: Numbers, amounts: Amounts, *shape: int) -> Amounts:
    sums = np.bincount(events, amounts, minlength=int(np.prod(shape)))
    return sums.astype(np.float64).reshape(shape)
