"""A slow twin of the support vector machine: all pairs in turn, each solved exactly."""

from __future__ import annotations

import math


def kernel(one: list[float], other: list[float], gamma: float) -> float:
    return math.exp(-gamma * sum((a - b) ** 2 for a, b in zip(one, other, strict=True)))


def objective(table: list[list[float]], labels: list[int], shares: list[float]) -> float:
    size = range(len(labels))
    squares = sum(
        shares[i] * shares[j] * labels[i] * labels[j] * table[i][j] for i in size for j in size
    )
    return squares / 2 - sum(shares)


def solved(table: list[list[float]], labels: list[int], c: float) -> list[float]:
    """Rounds over all pairs, until a whole round changes nothing that counts."""
    size = len(labels)
    shares = [0.0] * size
    for _ in range(20_000):
        moved = 0.0
        for i in range(size):
            for j in range(i):
                moved = max(moved, _solve_pair(table, labels, c, shares, i, j))
        if moved < 1e-10:
            break
    return shares


def _solve_pair(
    table: list[list[float]], labels: list[int], c: float, shares: list[float], i: int, j: int
) -> float:
    """Move y_i a_i up and y_j a_j down by as much as is best and allowed."""
    f = [
        sum(shares[k] * labels[k] * table[k][place] for k in range(len(labels))) for place in (i, j)
    ]
    slope = (labels[i] - f[0]) - (labels[j] - f[1])
    curved = table[i][i] + table[j][j] - 2 * table[i][j]
    step = slope / curved if curved > 1e-12 else math.copysign(4 * c, slope) if slope else 0.0
    low, high = [], []
    for place, sign in ((i, 1), (j, -1)):
        ends = [(bound - shares[place]) * labels[place] * sign for bound in (0.0, c)]
        low.append(min(ends))
        high.append(max(ends))
    step = min(max(step, *low), *high)
    shares[i] += step * labels[i]
    shares[j] -= step * labels[j]
    return abs(step)
