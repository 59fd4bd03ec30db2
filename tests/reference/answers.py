"""Slow twins of answer ranking: all alignments, all edits, all orders of ties."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import cache
from itertools import pairwise, permutations, product

import numpy as np

from niwaki.typing import FloatArray

Heads = Sequence[int]
# Configurations by name; those of a label have it beside them.
FIXED = ("null", "wall", "roots", "same", "commands", "other", *("sibling",) * 4)


def ancestors(heads: Heads, word: int) -> list[int]:
    found = []
    while heads[word - 1]:
        word = heads[word - 1]
        found.append(word)
    return found


def configuration(heads: Heads, labels: Sequence[int], names: int, one: int, other: int) -> int:
    """The number of the configuration in which answer words of a parent and of a child stand."""
    if other == 0:
        return FIXED.index("null")
    if one == 0:
        return FIXED.index("roots" if heads[other - 1] == 0 else "wall")
    if heads[other - 1] == one:
        return len(FIXED) + labels[other - 1]
    if heads[one - 1] == other:
        return len(FIXED) + names + labels[one - 1]
    if one in ancestors(heads, other)[1:2]:
        return len(FIXED) + 2 * names + labels[other - 1]
    if one == other:
        return FIXED.index("same")
    if heads[one - 1] == heads[other - 1]:
        siblings = [word for word, head in enumerate(heads, start=1) if head == heads[one - 1]]
        apart = abs(siblings.index(one) - siblings.index(other))
        return FIXED.index("sibling") + min(apart, 4) - 1
    for word, far in ((one, other), (other, one)):
        if heads[word - 1] and heads[word - 1] in ancestors(heads, far):
            return FIXED.index("commands")
    return FIXED.index("other")


def all_alignments(
    size: int, answer: int, likely: Callable[[int, int, int], float], heads: Heads
) -> dict[tuple[int, ...], float]:
    """What each alignment of question words with answer words, 0 for none, is worth.

    `likely` is of a question word, the answer word of its parent (0 for none and for the wall), and
    its own.
    """
    found = {}
    for chosen in product(range(answer + 1), repeat=size):
        above = [chosen[head - 1] if head else 0 for head in heads]
        found[chosen] = math.prod(likely(word, above[word], chosen[word]) for word in range(size))
    return found


def edit_distance(
    heads: Heads, others: Heads, removed: FloatArray, added: FloatArray, changed: FloatArray
) -> float:
    """By the definition over forests; words are counted from 1, 0 is above all of them."""

    def children(of: Heads, word: int) -> tuple[int, ...]:
        return tuple(child for child, head in enumerate(of, start=1) if head == word)

    @cache
    def least(forest: tuple[int, ...], other: tuple[int, ...]) -> float:
        if not forest and not other:
            return 0.0
        ways = []
        if forest:
            last = forest[-1]
            rest = forest[:-1] + children(heads, last)
            ways.append(least(rest, other) + removed[last])
        if other:
            end = other[-1]
            ways.append(least(forest, other[:-1] + children(others, end)) + added[end])
        if forest and other:
            below = least(children(heads, forest[-1]), children(others, other[-1]))
            beside = least(forest[:-1], other[:-1])
            ways.append(below + beside + changed[forest[-1], other[-1]])
        return float(min(ways))

    return least((0,), (0,))


def mean_over_orders(scores: Sequence[float], right: Sequence[bool]) -> FloatArray:
    """Average precision, reciprocal rank and precision at 1 of all orders that scores allow."""
    found = []
    for order in permutations(range(len(scores))):
        if all(scores[a] >= scores[b] for a, b in pairwise(order)):
            hits = [place for place, number in enumerate(order, start=1) if right[number]]
            precision = sum((n + 1) / place for n, place in enumerate(hits)) / max(len(hits), 1)
            found.append((precision, 1 / hits[0] if hits else 0.0, float(right[order[0]])))
    return np.mean(found, axis=0)
