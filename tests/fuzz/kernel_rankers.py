"""The kernel's Python surface, third part: what rankers call, with sound and with odd arguments.

Answers to sound ones are checked: products of sparse rows against numpy's, edits of trees against
the sum of removing and adding everything, sums over alignments against the best one.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from niwaki.kernel.answers.edits import edit_distance
from niwaki.kernel.answers.quasi import FIXED_CONFIGURATIONS, RELATION_SETS, Grammar
from niwaki.kernel.sparse import SparseRows
from tests.fuzz.choices import Choices
from tests.fuzz.kernel import _try, numbers, odd, try_one

_LARGE = (-1, 0, 1, 255, 2**31 - 1, 2**62, 2**63 - 1, -(2**63))


def check(data: bytes) -> None:
    # Some numbers here ask for thousands of millions of columns.
    try_one(data, TARGETS, (_odd_sparse,))


def _bytes(choices: Choices, size: int) -> np.ndarray:
    return np.resize(np.frombuffer(choices.take(40).ljust(1, b"\1"), np.uint8), size)


def _starts(choices: Choices, dtype: str, *usual: int) -> Any:
    """Where things begin, with a number somewhere that no memory has."""
    made = np.array(usual, dtype="i8")
    if choices.below(2) and made.size:
        made[choices.below(made.size)] = choices.of(_LARGE)
    with np.errstate(over="ignore"):
        return odd(choices, made.astype(dtype))


# -- sparse rows ---------------------------------------------------------------------------


def _sparse(choices: Choices) -> None:
    lengths = _bytes(choices, 1 + choices.below(6)) % 5
    width, entries = 1 + choices.below(7), int(lengths.sum())
    rows = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    columns = (_bytes(choices, entries) % width).astype(np.int32)
    values = _bytes(choices, entries) - 100.0
    matrix = SparseRows(rows, columns, values, width)
    dense = np.zeros((len(lengths), width))
    np.add.at(dense, (np.repeat(np.arange(len(lengths)), lengths), columns), values)
    one, other = _bytes(choices, width) - 7.0, _bytes(choices, len(lengths)) - 7.0
    assert np.allclose(matrix.times(one), dense @ one)
    assert np.allclose(matrix.transposed_times(other), dense.T @ other)


def _odd_sparse(choices: Choices) -> None:
    rows = _starts(choices, "i8", 0, 2, 3)
    columns = numbers(choices, "i4", 3)
    if choices.below(2) and isinstance(columns, np.ndarray):
        columns = columns % 3
    matrix = SparseRows(rows, columns, numbers(choices, "f8", 3), odd(choices, 3))
    _try(matrix.times, numbers(choices, "f8", 3))
    _try(matrix.transposed_times, numbers(choices, "f8", 2))


# -- edits of trees ------------------------------------------------------------------------


def _edits(choices: Choices) -> None:
    trees = [_postorder(choices, choices.below(6)) for _ in range(2)]
    removed, added = (_bytes(choices, len(tree)).astype("f8") for tree in trees)
    changed = _bytes(choices, len(removed) * len(added)).astype("f8")
    changed = changed.reshape(len(removed), len(added))
    cost = edit_distance(*trees, removed, added, changed)
    assert 0 <= cost <= removed.sum() + added.sum() + 1e-9
    assert cost == edit_distance(*trees[::-1], added, removed, np.ascontiguousarray(changed.T))


def _postorder(choices: Choices, size: int) -> np.ndarray:
    """Leftmost leaves of a tree in postorder: a node takes some of the trees before it."""
    left: list[int] = []
    open_ones: list[int] = []
    for node in range(size):
        taken = len(open_ones) if node == size - 1 else choices.below(len(open_ones) + 1)
        first = open_ones[len(open_ones) - taken] if taken else node
        open_ones = [*open_ones[: len(open_ones) - taken], first]
        left.append(first)
    return np.array(left, dtype=np.int32)


def _odd_edits(choices: Choices) -> None:
    edit_distance(
        numbers(choices, "i4", 3),
        numbers(choices, "i4", 2),
        numbers(choices, "f8", 3),
        numbers(choices, "f8", 2),
        odd(choices, np.ones((3, 2))),
    )


# -- sums over alignments ------------------------------------------------------------------


def _grammar(labels: int) -> Grammar:
    shape = labels, FIXED_CONFIGURATIONS + 3 * labels
    words = np.full(RELATION_SETS, 0.1)
    return Grammar(np.full((2, 3), 0.3), np.full((2, 3), 0.3), np.full(shape, 0.2), words, 0.5)


def _tree(choices: Choices, size: int) -> np.ndarray:
    """Heads before their words, tags, entities, labels."""
    heads = [choices.below(word + 1) for word in range(size)]
    return np.array([heads, *(_bytes(choices, size) % 2 for _ in range(3))], dtype=np.int32)


def _sums(choices: Choices) -> None:
    asked, given = (_tree(choices, 1 + choices.below(5)) for _ in range(2))
    n, m = asked.shape[1], given.shape[1]
    counts = (
        *(np.zeros((2, 3)), np.zeros((2, 3)), np.zeros((2, FIXED_CONFIGURATIONS + 6))),
        *(np.zeros(RELATION_SETS), np.zeros(2)),
    )
    rest = (
        *(asked, np.array([0, n], dtype=np.int32), given, np.array([0, m], dtype=np.int32)),
        *(np.zeros((1, 2), dtype=np.int32), _bytes(choices, n * m).astype(np.uint16)),
        np.zeros(1, dtype=np.int64),
    )
    grammar = _grammar(2)
    every, best = grammar.scores(*rest, False, counts), grammar.scores(*rest, True)
    assert best[0] <= every[0] + 1e-9
    # Each word of the question is explained once.
    assert np.isclose(counts[4].sum(), n)


def _odd_sums(choices: Choices) -> None:
    asked, given = _tree(choices, 2), _tree(choices, 3)
    if choices.below(3) == 0:
        asked[choices.below(4), choices.below(2)] = choices.of((-1, 3, 255, 2**31 - 1))
    starts = _starts(choices, "i4", 0, 1, 2) if choices.below(2) else _starts(choices, "i4", 0, 2)
    related, places = odd(choices, numbers(choices, "u2", 6)), _starts(choices, "i8", 0)
    scores = _grammar(2).scores(
        odd(choices, asked),
        starts,
        odd(choices, given),
        _starts(choices, "i4", 0, 3),
        odd(choices, np.array([[0, 0]], dtype=np.int32) + choices.below(2)),
        related,
        places,
        bool(choices.below(2)),
    )
    # What was not refused lies inside.
    assert len(scores) == 1 and 0 <= places[0] <= len(related)
    assert (np.diff(starts) > 0).all() and starts[-1] == 2


TARGETS = (_sparse, _odd_sparse, _edits, _odd_edits, _sums, _odd_sums)
