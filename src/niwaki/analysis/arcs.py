"""What the arcs of trees are like: length, distance to the root, siblings, crossings.

The root stands at place 0. For the arc from head h to word d (McDonald & Nivre 2007):

* length: |h - d|
* depth: how many arcs lead from the root to d; a child of the root has 1
* siblings: how many other arcs leave h
* degree of non-projectivity: how many words between h and d neither descend from h nor have
  a head between h and d; 0 for an arc that crosses nothing
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from niwaki.data.sentence import Sentence
from niwaki.data.tree import ROOT

Ints = NDArray[np.int64]
Strings = NDArray[np.str_]


@dataclass(frozen=True)
class Arcs:
    """The arcs of many trees: one entry a word, sentence after sentence."""

    heads: Ints
    labels: Strings
    lengths: Ints
    depths: Ints
    siblings: Ints
    degrees: Ints

    @classmethod
    def of(cls, sentences: Iterable[Sentence]) -> Arcs:
        heads: list[int] = []
        labels: list[str] = []
        columns: tuple[list[int], ...] = ([], [], [], [])
        for sentence in sentences:
            heads += sentence.heads
            labels += sentence.deprels
            for column, values in zip(columns, arc_properties(sentence.heads), strict=True):
                column += values
        whole = (np.array(column, dtype=np.int64) for column in (heads, *columns))
        return cls(next(whole), np.array(labels, dtype=np.str_), *whole)


def arc_properties(
    heads: Sequence[int],
) -> tuple[list[int], list[int], list[int], list[int]]:
    """Lengths, depths, siblings and degrees of the arcs to words 1, 2, ...

    >>> arc_properties((2, 0, 2))
    ([1, 2, 1], [2, 1, 2], [1, 0, 1], [0, 0, 0])
    """
    size = len(heads)
    children: list[list[int]] = [[] for _ in range(size + 1)]
    for word, head in enumerate(heads, start=1):
        if not ROOT <= head <= size:
            raise ValueError(f"word {word} has no head")
        children[head].append(word)
    # Each word before all below it; what hangs below a word are the `below` entries after it.
    depths = [0] * (size + 1)
    order: list[int] = []
    todo = [ROOT]
    while todo:
        word = todo.pop()
        order.append(word)
        for child in children[word]:
            depths[child] = depths[word] + 1
            todo.append(child)
    if len(order) != size + 1:
        raise ValueError("the heads make no tree: there is a cycle")
    return (
        [abs(head - word) for word, head in enumerate(heads, start=1)],
        depths[1:],
        [len(children[head]) - 1 for head in heads],
        _degrees(heads, order),
    )


def _degrees(heads: Sequence[int], order: list[int]) -> list[int]:
    """Of each arc; `order` is a walk through the tree in which a subtree is one stretch."""
    size = len(heads)
    entered = [0] * (size + 1)
    for time, word in enumerate(order):
        entered[word] = time
    count = [1] * (size + 1)
    first, last = list(range(size + 1)), list(range(size + 1))
    for word in reversed(order[1:]):
        head = heads[word - 1]
        count[head] += count[word]
        first[head] = min(first[head], first[word])
        last[head] = max(last[head], last[word])
    degrees = []
    for word, head in enumerate(heads, start=1):
        # If all below the head stand together, nothing foreign stands between.
        if head == ROOT or last[head] - first[head] + 1 == count[head]:
            degrees.append(0)
            continue
        low, high = min(word, head), max(word, head)
        start, stop = entered[head], entered[head] + count[head]
        degrees.append(
            sum(
                not start <= entered[other] < stop and not low <= heads[other - 1] <= high
                for other in range(low + 1, high)
            )
        )
    return degrees
