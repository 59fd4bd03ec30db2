"""Support vector machines with a radial kernel: two classes, and several one against one.

The dual of two classes, of labels y of 1 and -1 and K(x, z) = exp(-gamma |x - z|^2):

    min 1/2 sum a_i a_j y_i y_j K_ij - sum a_i,  0 <= a_i <= C,  sum a_i y_i = 0

is solved by sequential minimal optimization: the pair that violates most is solved exactly, again
and again, until no pair violates by more than a tolerance.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from niwaki.errors import NiwakiError
from niwaki.keys import check_values, key
from niwaki.typing import FloatArray

_TOLERANCE = 1e-6
_MOST_STEPS = 1_000_000
# What stands for a curvature of 0, of two equal points.
_FLAT = 1e-12


@dataclass(frozen=True)
class SvmSettings:
    """The kernel, and what mistakes cost."""

    c: float = key(1.0, "What a point on the wrong side costs.", above=0)
    gamma: float = key(0.001, "How soon points are far from each other.", above=0)

    def __post_init__(self) -> None:
        check_values(self)


def radial(one: FloatArray, other: FloatArray, gamma: float) -> FloatArray:
    """K of all rows of one with all rows of the other."""
    squares = (one**2).sum(axis=1)[:, None] + (other**2).sum(axis=1) - 2 * one @ other.T
    return np.asarray(np.exp(-gamma * np.maximum(squares, 0.0)))


@dataclass(frozen=True)
class TwoClasses:
    """f(x) = sum a_i y_i K(x_i, x) + bias: above 0 for the first class."""

    points: FloatArray
    weights: FloatArray  # a_i y_i
    bias: float
    gamma: float

    def decide(self, rows: FloatArray) -> FloatArray:
        return np.asarray(radial(rows, self.points, self.gamma) @ self.weights + self.bias)


def learn_two(
    points: FloatArray, first: Sequence[bool], settings: SvmSettings | None = None
) -> TwoClasses:
    """From points and whether each is of the first class; there must be some of both."""
    settings = settings or SvmSettings()
    labels = np.where(np.asarray(first, dtype=np.bool_), 1.0, -1.0)
    if len(set(labels.tolist())) < 2:
        raise NiwakiError("points of one class alone; give some of both")
    kernel = radial(points, points, settings.gamma)
    shares, bias = solve_dual(kernel, labels, settings.c)
    used = shares > 0
    return TwoClasses(points[used], (shares * labels)[used], bias, settings.gamma)


def solve_dual(kernel: FloatArray, labels: FloatArray, c: float) -> tuple[FloatArray, float]:
    """The a_i, and the bias."""
    shares, slopes = np.zeros(len(labels)), -np.ones(len(labels))
    for _ in range(_MOST_STEPS):
        # -y times the slope: how much f would have to fall short. Those that may rise must not
        # have more of it than those that may fall.
        lacking = -labels * slopes
        rising = np.where(labels > 0, shares < c, shares > 0)
        falling = np.where(labels > 0, shares > 0, shares < c)
        i = int(np.where(rising, lacking, -np.inf).argmax())
        highest = lacking[i]
        lowest = np.where(falling, lacking, np.inf).min()
        if highest - lowest <= _TOLERANCE:
            break
        # Of those that violate with i the one that lowers the objective most.
        apart = highest - lacking
        curved = np.maximum(kernel[i, i] + kernel.diagonal() - 2 * kernel[i], _FLAT)
        gains = np.where(falling & (apart > 0), apart**2 / curved, -np.inf)
        j = int(gains.argmax())
        step = min(
            apart[j] / curved[j], _room(i, 1, shares, labels, c), _room(j, -1, shares, labels, c)
        )
        for place, sign in ((i, 1), (j, -1)):
            shares[place] += sign * step * labels[place]
            slopes += sign * step * labels * kernel[place]
        for place in (i, j):
            # Sums of steps end at the bounds, not beside them.
            if shares[place] < _FLAT * c:
                shares[place] = 0.0
            elif shares[place] > c * (1 - _FLAT):
                shares[place] = c
    return shares, float((highest + lowest) / 2)


def _room(place: int, sign: int, shares: FloatArray, labels: FloatArray, c: float) -> float:
    """How far y a of a point can go in a direction."""
    up = labels[place] * sign > 0
    return float(c - shares[place] if up else shares[place])


def votes(
    clusters: Mapping[str, FloatArray], row: FloatArray, settings: SvmSettings | None = None
) -> dict[str, tuple[int, float]]:
    """How many other clusters each one beats for a row, and the sum of what it is decided by."""
    found = dict.fromkeys(clusters, (0, 0.0))
    for one, other in combinations(clusters, 2):
        points = np.concatenate([clusters[one], clusters[other]])
        first = [True] * len(clusters[one]) + [False] * len(clusters[other])
        value = float(learn_two(points, first, settings).decide(row[None])[0])
        for name, won in ((one, value > 0), (other, value <= 0)):
            count, total = found[name]
            found[name] = (count + won, total + (value if name == one else -value))
    return found
