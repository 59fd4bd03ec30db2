"""Structured support vector machines: the dual beside a grid, the gap, and the optimum."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from niwaki.learning.cutting_plane import learn_machine, solve_dual


@given(st.integers(0, 2**32 - 1), st.integers(1, 4))
def test_the_dual_is_not_below_any_point_of_a_grid(seed: int, n: int) -> None:
    random = np.random.default_rng(seed)
    gradients = random.normal(size=(n, 3))
    products, bounds = gradients @ gradients.T, random.random(n)
    c = float(random.choice([0.1, 1, 10]))

    def value(shares: np.ndarray) -> float:
        return float(shares @ bounds - shares @ products @ shares / 2)

    found = solve_dual(products, bounds, c, np.zeros(n), 1e-8)
    assert found.min() >= 0 and found.sum() <= c * (1 + 1e-9)
    for point in itertools.product(np.linspace(0, c, 7), repeat=n):
        if sum(point) <= c:
            assert value(np.array(point)) <= value(found) + 1e-6


def labelled(random: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    points = random.normal(size=(40, 3))
    return points, np.where(points @ [1.0, -2.0, 0.5] + random.normal(size=40) > 0, 1.0, -1.0)


def test_the_gap_closes_on_the_optimum() -> None:
    points, signs = labelled(np.random.default_rng(1))
    c = 5.0

    def cut(weights: np.ndarray) -> tuple[float, np.ndarray]:
        """Two classes: an output is wrong with loss 1, and features differ by 2 x."""
        wrong = 2 * signs * (points @ weights) < 1
        return float(wrong.mean()), 2 * (signs * wrong) @ points / len(points)

    def objective(weights: np.ndarray) -> float:
        return float(
            weights @ weights / 2 + c * np.maximum(0, 1 - 2 * signs * (points @ weights)).mean()
        )

    gaps: list[float] = []
    found = learn_machine(cut, 3, c, gap=1e-3, told=gaps.append)
    assert found.gap < 1e-3 and found.gap == gaps[-1] and len(gaps) == found.rounds
    assert found.dual <= found.primal == pytest.approx(objective(found.weights))
    # No point around is better by more than the gap allows.
    random = np.random.default_rng(2)
    for size in (1e-3, 1e-2, 0.1, 1.0):
        for _ in range(50):
            other = found.weights + size * random.normal(size=3)
            assert objective(other) >= found.dual - 1e-9


def test_rounds_end_it() -> None:
    points, signs = labelled(np.random.default_rng(3))

    def cut(weights: np.ndarray) -> tuple[float, np.ndarray]:
        wrong = 2 * signs * (points @ weights) < 1
        return float(wrong.mean()), 2 * (signs * wrong) @ points / len(points)

    found = learn_machine(cut, 3, 100.0, gap=1e-9, rounds=2)
    assert found.rounds == 2 and found.gap > 1e-9
