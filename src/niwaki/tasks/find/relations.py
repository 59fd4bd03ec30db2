"""How words of a forest stand to each other: all that stand so to some, and whether two do."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import repeat

import numpy as np

from niwaki.errors import NiwakiError
from niwaki.tasks.find.forest import NO_HEAD, Fitting, Forest, Numbers, in_ranges
from niwaki.tasks.find.pattern import Relation


def related(forest: Forest, relation: Relation, words: Numbers) -> tuple[Numbers, Numbers]:
    """Rows of `words`, and for each a word that stands so to it; all there are."""
    if relation.tree == "":
        return _in_order(forest, relation.order, words)
    rows, others = _in_tree(forest, relation.tree, words)
    kept = _ordered(relation.order, words[rows], others)
    return rows[kept], others[kept]


def stand_so(forest: Forest, relation: Relation, words: Numbers, others: Numbers) -> Fitting:
    """Whether each of `others` stands so to its word; both are of one sentence."""
    kept = _ordered(relation.order, words, others)
    heads = forest.heads
    match relation.tree:
        case ">":
            kept &= heads[others] == words
        case "<":
            kept &= heads[words] == others
        case "$":
            above = heads[words]
            kept &= (above != NO_HEAD) & (above == heads[others]) & (words != others)
        case ">>":
            kept &= _is_above(forest, words, others)
        case "<<":
            kept &= _is_above(forest, others, words)
    return kept


def _ordered(order: str, words: Numbers, others: Numbers) -> Fitting:
    match order:
        case "+":
            return np.asarray(others == words + 1)
        case "-":
            return np.asarray(others == words - 1)
        case "++":
            return np.asarray(others > words)
        case "--":
            return np.asarray(others < words)
    return np.ones(len(words), dtype=bool)


def sentences_of(forest: Forest, words: Numbers) -> Numbers:
    return np.searchsorted(forest.starts, words, side="right") - 1


def _in_order(forest: Forest, order: str, words: Numbers) -> tuple[Numbers, Numbers]:
    """Words of the same sentence; without an order, all of them."""
    sentences = sentences_of(forest, words)
    firsts, lasts = forest.starts[sentences], forest.starts[sentences + 1]
    if "+" in order:
        firsts = words + 1
    elif "-" in order:
        lasts = words
    if order == "+":
        lasts = np.minimum(lasts, words + 2)
    elif order == "-":
        firsts = np.maximum(firsts, words - 1)
    return in_ranges(firsts, lasts)


def _in_tree(forest: Forest, tree: str, words: Numbers) -> tuple[Numbers, Numbers]:
    match tree:
        case ">":
            return _children(forest, words)
        case "<":
            return _heads(forest, words)
        case "$":
            rows, above = _heads(forest, words)
            below, others = _children(forest, above)
            rows = rows[below]
            kept = others != words[rows]
            return rows[kept], others[kept]
    step = _children if tree == ">>" else _heads
    rows, others = step(forest, words)
    all_rows, all_others = [rows], [others]
    for _ in _steps(forest):
        if not len(rows):
            break
        further, others = step(forest, others)
        rows = rows[further]
        all_rows.append(rows)
        all_others.append(others)
    return np.concatenate(all_rows), np.concatenate(all_others)


def _children(forest: Forest, words: Numbers) -> tuple[Numbers, Numbers]:
    starts, children = forest.children
    rows, places = in_ranges(starts[words], starts[words + 1])
    return rows, children[places]


def _heads(forest: Forest, words: Numbers) -> tuple[Numbers, Numbers]:
    heads = forest.heads[words]
    rows = np.flatnonzero(heads != NO_HEAD)
    return rows, heads[rows]


def _is_above(forest: Forest, words: Numbers, others: Numbers) -> Fitting:
    """Whether each word stands above the other, somewhere between it and the root."""
    found = np.zeros(len(words), dtype=bool)
    rows, above = _heads(forest, others)
    for _ in _steps(forest):
        if not len(rows):
            break
        found[rows[above == words[rows]]] = True
        further, above = _heads(forest, above)
        rows = rows[further]
    return found


def _steps(forest: Forest) -> Iterator[None]:
    """As many steps as a way through a tree can have; whoever takes more goes round."""
    longest = int(np.diff(forest.starts).max(initial=0))
    yield from repeat(None, longest + 1)
    raise NiwakiError("heads that go round in a circle; give trees")
