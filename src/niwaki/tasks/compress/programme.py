"""The integer programme of Clarke and Lapata (2007): the likeliest words that obey all demands.

Variables are 0 or 1: y_i word i is kept, p_i it is the first, q_ij the pair i, j is the last,
x_ijk the triple i, j, k is in a row (i < j < k; 0 is the place before a sentence). A kept word is

    first or third of one triple,             y_k = p_k + sum x_ijk
    second of one triple or the last,         y_j = sum x_ijk + sum q_ij
    first of one triple, or one of the end,   y_i = sum x_ijk + sum q_ij + sum q_hi

one word is first and one pair last. HiGHS finds the optimum.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from niwaki.data.compressions import Kept
from niwaki.errors import ExtraMissingError, NiwakiError
from niwaki.typing import FloatArray

Places = NDArray[np.int64]

# What a word too many or too few costs; more than any word is worth.
_FAR = 1e4


@dataclass(frozen=True)
class Demand:
    """A statement about kept words: least <= sum of signs over words (from 1) <= most."""

    words: tuple[int, ...]
    signs: tuple[int, ...]
    least: float
    most: float = np.inf


@dataclass(frozen=True)
class Weights:
    """What words are worth: kept (n), first (n), in a row and last (by places; see `Grid`)."""

    kept: FloatArray
    first: FloatArray
    rows: FloatArray
    last: FloatArray


@dataclass(frozen=True)
class Grid:
    """The triples and pairs of a sentence; neighbours among kept words are at most `skip` apart.

    Those that no choice can have are left out: between two neighbours stands no word that one of
    them needs, or that must be kept.
    """

    n: int
    skip: int = 12
    demands: tuple[Demand, ...] = ()

    @cached_property
    def _needed(self) -> NDArray[np.int64]:
        """How many of the words up to each one are needed by each word; by all in row 0."""
        needs = np.eye(self.n + 1, dtype=np.bool_)
        needs[0, 0] = False
        for each in self.demands:
            if len(each.words) == 1 and each.least >= 1:
                needs[:, each.words[0]] = True
            elif each.signs == (1, -1) and each.least == 0:
                head, word = each.words
                needs[word, head] = True
                needs[head, word] |= each.most == 0
        for middle in range(1, self.n + 1):
            # Warshall's closure: what is needed by what is needed.
            needs |= needs[:, middle : middle + 1] & needs[middle]
        return np.asarray(np.cumsum(needs, axis=1))

    def _free(self, words: Places, start: Places, end: Places) -> NDArray[np.bool_]:
        """Whether none of the words needs one between `start` and `end`, both left out."""
        return np.asarray(self._needed[words, end - 1] == self._needed[words, start])

    @cached_property
    def triples(self) -> Places:
        pairs = self._neighbours
        after = [pairs[pairs[:, 0] == j, 1] for j in range(self.n + 1)]
        parts = [
            np.column_stack([np.broadcast_to(pair, (len(after[pair[1]]), 2)), after[pair[1]]])
            for pair in pairs
        ]
        found = np.concatenate([np.zeros((0, 3), dtype=np.int64), *parts])
        i, j, k = found.T
        return found[self._free(i, j, k) & self._free(k, i, j)]

    @cached_property
    def pairs(self) -> Places:
        """Those that may be the last."""
        pairs = self._neighbours
        i, j = pairs.T
        end = np.full(len(pairs), self.n + 1)
        return pairs[self._free(i, j, end) & self._free(j, j, end)]

    @cached_property
    def _neighbours(self) -> Places:
        """Pairs of neighbouring kept words; 0 is before the first of them."""
        i, j = np.triu_indices(self.n + 1, 1)
        near = ((j - i <= self.skip) | (i == 0)) & self._free(i, i, j) & self._free(j, i, j)
        return np.asarray(np.column_stack([i, j])[near], dtype=np.int64)


@dataclass(frozen=True)
class Programme:
    """A sentence's programme; `size` is how many words are wanted, if that matters."""

    grid: Grid
    weights: Weights
    size: int | None = None

    def solve(self) -> Kept:
        """The words of the optimum; demands that all words obey together never contradict."""
        found = _optimum(*self._matrix())
        return tuple((found[: self.grid.n] > 0.5).tolist())

    def _matrix(self) -> tuple[FloatArray, list[tuple[Places, FloatArray, float, float]]]:
        """Worth of variables (y, p, x, q, words missing and too many), and rows."""
        grid, n = self.grid, self.grid.n
        x, q = len(grid.triples), len(grid.pairs)
        worth = np.concatenate(
            [self.weights.kept, self.weights.first, self.weights.rows, self.weights.last]
        )
        rows = [(np.arange(n, 2 * n), np.ones(n), 1.0, 1.0)]
        rows.append((np.arange(2 * n + x, 2 * n + x + q), np.ones(q), 1.0, 1.0))
        for word in range(1, n + 1):
            third, second, first = (
                2 * n + np.flatnonzero(grid.triples[:, place] == word) for place in (2, 1, 0)
            )
            ends = 2 * n + x + np.flatnonzero(grid.pairs[:, 1] == word)
            before = 2 * n + x + np.flatnonzero(grid.pairs[:, 0] == word)
            for parts in (
                [third, np.array([n + word - 1])],
                [second, ends],
                [first, before, ends],
            ):
                columns = np.concatenate([[word - 1], *parts]).astype(np.int64)
                values = np.concatenate([[1.0], -np.ones(len(columns) - 1)])
                rows.append((columns, values, 0.0, 0.0))
        for demand in grid.demands:
            columns = np.array(demand.words, dtype=np.int64) - 1
            rows.append((columns, np.array(demand.signs, float), demand.least, demand.most))
        if self.size is not None:
            worth = np.concatenate([worth, [-_FAR, -_FAR]])
            columns = np.concatenate([np.arange(n), [len(worth) - 2, len(worth) - 1]])
            values = np.concatenate([np.ones(n), [1.0, -1.0]])
            rows.append((columns, values, float(self.size), float(self.size)))
        return worth, rows


def _optimum(
    worth: FloatArray, rows: Sequence[tuple[Places, FloatArray, float, float]]
) -> FloatArray:
    highspy = _highs()
    problem = highspy.HighsLp()
    problem.num_col_, problem.num_row_ = len(worth), len(rows)
    problem.col_cost_ = worth
    problem.col_lower_ = np.zeros(len(worth))
    problem.col_upper_ = np.where(worth == -_FAR, np.inf, 1.0)
    problem.row_lower_ = np.array([least for _, _, least, _ in rows])
    problem.row_upper_ = np.array([most for _, _, _, most in rows])
    problem.a_matrix_.format_ = highspy.MatrixFormat.kRowwise
    problem.a_matrix_.start_ = np.cumsum([0, *(len(columns) for columns, *_ in rows)])
    problem.a_matrix_.index_ = np.concatenate([columns for columns, *_ in rows])
    problem.a_matrix_.value_ = np.concatenate([values for _, values, *_ in rows])
    problem.integrality_ = [highspy.HighsVarType.kInteger] * len(worth)
    problem.sense_ = highspy.ObjSense.kMaximize
    solver = highspy.Highs()
    solver.setOptionValue("output_flag", False)
    solver.setOptionValue("threads", 1)
    solver.passModel(problem)
    solver.run()
    if solver.getModelStatus() != highspy.HighsModelStatus.kOptimal:
        raise NiwakiError(
            f"HiGHS found no optimum ({solver.getModelStatus()}); take --method rules"
        )
    return np.array(solver.getSolution().col_value)


def _highs() -> Any:
    try:
        import highspy
    except ImportError as error:
        raise ExtraMissingError(
            "the integer programme needs HiGHS; pip install 'niwaki[ilp]', or take --method rules"
        ) from error
    return highspy
