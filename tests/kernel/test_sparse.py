"""Products with sparse rows beside dense ones, and what is no matrix."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from niwaki.kernel.sparse import SparseRows

pytestmark = pytest.mark.kernel


@given(st.integers(0, 2**32 - 1), st.integers(0, 6), st.integers(1, 5))
def test_products_are_those_of_dense_matrices(seed: int, height: int, width: int) -> None:
    random = np.random.default_rng(seed)
    sizes = random.integers(0, 4, height)
    rows = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    columns = random.integers(0, width, int(rows[-1])).astype(np.int32)
    values = random.normal(size=len(columns))
    dense = np.zeros((height, width))
    for row in range(height):
        for at in range(rows[row], rows[row + 1]):
            dense[row, columns[at]] += values[at]
    sparse = SparseRows(rows, columns, values, width)
    right, left = random.normal(size=width), random.normal(size=height)
    assert np.allclose(sparse.times(right), dense @ right)
    assert np.allclose(sparse.transposed_times(left), left @ dense)
    with pytest.raises(ValueError, match="a vector of"):
        sparse.times(np.zeros(width + 1))
    with pytest.raises(ValueError, match="a vector of"):
        sparse.transposed_times(np.zeros(height + 1))


@pytest.mark.parametrize(
    ("rows", "columns", "values"),
    [
        ([], [], 0),
        ([1, 2], [0, 0], 2),
        ([0, 2, 1], [0], 1),
        ([0, 1], [0, 0], 2),
        ([0, 3], [0, 0], 2),
        ([0, 1], [3], 1),
        ([0, 1], [-1], 1),
        ([0, 1], [0], 2),
    ],
)
def test_what_is_no_matrix_is_refused(rows: list[int], columns: list[int], values: int) -> None:
    with pytest.raises(ValueError, match="do not make a matrix"):
        SparseRows(np.array(rows, np.int64), np.array(columns, np.int32), np.ones(values), 3)
