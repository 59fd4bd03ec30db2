"""The integer programme of Clarke and Lapata (2007): the likeliest words that obey all demands.

Variables are 0 or 1: y_i word i is kept, p_i it is the first, q_ij the pair i, j is the last, x_ijk the
triple i, j, k is in a row (i < j < k; i = 0 is the place before the sentence). Each kept word is

    first or third of one triple,             y_k = p_k + sum x_ijk
    second of one triple or the last,         y_j = sum x_ijk + sum q_ij
    first of one triple, or one of the end,   y_i = sum x_ijk + sum q_ij + sum q_hi

one word is first and one pair last. HiGHS finds the optimum.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
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
    """The triples and pairs of a sentence; words of a triple are at most `skip` apart."""

    n: int
    skip: int = 12

    @cached_property
    def triples(self) -> Places:
        near = range(1, self.skip + 1)
        found = [
            (i, j, k)
            for j in range(1, self.n + 1)
            for i in (0, *(j - step for step in near if j - step > 0))
            for k in (j + step for step in near if j + step <= self.n)
        ]
        return np.array(found, dtype=np.int64).reshape(-1, 3)

    @cached_property
    def pairs(self) -> Places:
        near = range(1, self.skip + 1)
        found = [
            (i, j)
            for j in range(1, self.n + 1)
            for i in (0, *(j - step for step in near if j - step > 0))
        ]
        return np.array(found, dtype=np.int64).reshape(-1, 2)


@dataclass(frozen=True)
class Programme:
    """A sentence's programme; `size` is how many words are wanted, if that matters."""

    grid: Grid
    weights: Weights
    demands: Sequence[Demand] = field(default_factory=tuple)
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
        for demand in self.demands:
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
