"""What LEAF counts in alignments: one table of events for each factor of its story."""

from __future__ import annotations

from dataclasses import dataclass

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


def clipped(distances: Numbers) -> Numbers:
    return np.clip(distances, -LONGEST_MOVE, LONGEST_MOVE) + LONGEST_MOVE


def count(
    x: Words, y: Words, mates: NDArray[np.int32], table: Table, turned: bool, amounts: Amounts
) -> Counts:
    """Events of all pairs, each pair so often as `amounts` says.

    `mates` are the places that heads of x are linked to; `turned` says that y is the source
    side of the table.
    """
    x_sentences, y_sentences = x.sentences, y.sentences
    x_places, y_places = x.places, y.places
    x_heads, y_heads = x.head_words, y.head_words
    x_amounts, y_amounts = amounts[x_sentences], amounts[y_sentences]

    def entries(one: Numbers, other: Numbers) -> Numbers:
        words = x.words[one], y.words[other]
        return table.find(*(words[::-1] if turned else words))

    def added(events: Numbers, weights: Amounts, *shape: int) -> Amounts:
        size = int(np.prod(shape))
        return np.bincount(events, weights, minlength=size).astype(np.float64).reshape(shape)

    kinds = np.where(x.heads < 0, 0, np.where(x_heads == np.arange(len(x.words)), 1, 2))
    others = np.flatnonzero(kinds == 2)
    # Heads from left to right, and what they are linked to.
    heads = np.flatnonzero(kinds == 1)
    linked = y.starts[x_sentences[heads]] + mates[heads]
    head_amounts = x_amounts[heads]
    x_sizes = np.bincount(x_heads[x_heads >= 0], minlength=len(x.words))[heads]
    members = np.flatnonzero(y_heads >= 0)
    y_sizes = np.bincount(y_heads[members], minlength=len(y.words))[linked]
    many, sizes = (x_sizes > 1).astype(np.int64), np.minimum(y_sizes, LARGEST_CEPT) - 1
    maker = np.full(len(y.words), -1)
    maker[linked] = heads
    y_kinds = y.classes[y.words[linked]].astype(np.int64)
    free = np.flatnonzero(y_heads < 0)
    size_shape = (x.types, 2, LARGEST_CEPT)
    in_cepts = entries(maker[y_heads[members]], members)
    non_heads = members[y_heads[members] != members]
    non_head_kinds = y.classes[y.words[y_heads[non_heads]]].astype(np.int64)

    # The next head to the left, in the same sentence; its target cept's centre counts from 1.
    sums = np.bincount(y_heads[members], y_places[members] + 1, minlength=len(y.words))
    centres = np.ceil(sums[linked] / y_sizes).astype(np.int64)
    begins = np.ones(len(heads), bool)
    begins[1:] = x_sentences[heads[1:]] != x_sentences[heads[:-1]]
    rows = np.where(begins, EDGE, np.roll(1 + x.classes[x.words[heads]], 1)).astype(np.int64)
    moves = mates[heads] + 1 - np.where(begins, 0, np.roll(centres, 1))

    # Non-heads from left to right within their cepts.
    order = np.lexsort((non_heads, y_heads[non_heads]))
    walk, walk_kinds = non_heads[order], non_head_kinds[order]
    opens = np.ones(len(walk), bool)
    opens[1:] = y_heads[walk[1:]] != y_heads[walk[:-1]]
    before = np.where(opens, y_heads[walk], np.roll(walk, 1))
    steps = walk_kinds * SPAN + clipped(walk - before)
    return Counts(
        kind=added(x.words.astype(np.int64) * 3 + kinds, x_amounts, x.types, 3),
        choice=added(
            x.classes[x.words[others]].astype(np.int64) * SPAN
            + clipped(x.heads[others] - x_places[others]),
            x_amounts[others],
            *(x.class_count, SPAN),
        ),
        head=added(entries(heads, linked), head_amounts, len(table.columns)),
        size=added(
            (2 * x.words[heads].astype(np.int64) + many) * LARGEST_CEPT + sizes,
            head_amounts,
            *size_shape,
        ),
        spurious=added(y.words[free].astype(np.int64), y_amounts[free], y.types),
        linked=float(y_amounts[members].sum()),
        first=added(
            (rows * y.class_count + y_kinds) * SPAN + clipped(moves),
            head_amounts,
            *(x.class_count + 1, y.class_count, SPAN),
        ),
        second=added(steps[opens], y_amounts[walk[opens]], y.class_count, SPAN),
        later=added(steps[~opens], y_amounts[walk[~opens]], y.class_count, SPAN),
        word=added(in_cepts, y_amounts[members], len(table.columns)),
        non_head_entries=entries(maker[y_heads[non_heads]], non_heads),
        non_head_classes=non_head_kinds,
        non_head_amounts=y_amounts[non_heads],
    )
