"""Quadratic programmes over a simplex: the conditions of their optimum."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from niwaki.kernel.quadratic import solve_simplex


@given(st.integers(0, 2**32 - 1), st.integers(1, 12))
def test_no_two_want_to_trade(seed: int, n: int) -> None:
    random = np.random.default_rng(seed)
    vectors = random.normal(size=(n, int(random.integers(1, 6))))
    products, bounds = vectors @ vectors.T, random.normal(size=n)
    found = solve_simplex(products, bounds, np.full(n, 2.0 / n), 1e-9, 100_000)
    assert found.min() >= 0 and found.sum() == pytest.approx(2)
    wants = bounds - products @ found
    # Whoever has a share wants it as much as anyone.
    assert wants[found > 0].min() >= wants.max() - 1e-6


def test_what_does_not_fit_is_refused() -> None:
    with pytest.raises(ValueError, match="do not fit"):
        solve_simplex(np.zeros((2, 2)), np.zeros(3), np.zeros(3), 0.1, 5)
