"""Structured support vector machines by a cutting plane (Joachims, Finley and Yu 2009).

Weights are those of least |w|^2 / 2 + C xi with w . g_k >= b_k - xi for all cuts k. A cut is made
of the most violated outputs of all examples at the weights of the moment: with slack rescaling, of
loss D and difference d of features, b is the mean of D and g that of D d. The dual is a quadratic
programme in one number a cut: most sum a_k b_k - |sum a_k g_k|^2 / 2, a_k >= 0, sum a_k <= C.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from niwaki.kernel.quadratic import solve_simplex
from niwaki.typing import FloatArray

# Of the weights of the moment: b and g of the most violated cut.
Oracle = Callable[[FloatArray], tuple[float, FloatArray]]
# Cuts that have not mattered for so many rounds are forgotten.
_IDLE = 30
# How much nearer to its optimum than to that of all cuts the dual is solved.
_NEARER = 0.1
_MOST_STEPS = 200_000


@dataclass(frozen=True)
class Machine:
    """What was found: weights, and how far the two bounds of the optimum are apart."""

    weights: FloatArray
    primal: float
    dual: float
    rounds: int

    @property
    def gap(self) -> float:
        """Of the primal objective, as a share of it."""
        return (self.primal - self.dual) / max(self.primal, 1e-12)


def learn_machine(
    oracle: Oracle,
    size: int,
    c: float,
    gap: float = 1e-3,
    rounds: int = 300,
    told: Callable[[float], None] = lambda gap: None,
) -> Machine:
    """Cuts are added until the gap is small enough; the weights are the best that were seen."""
    cuts = _Cuts(size, c)
    weights = np.zeros(size)
    best, least = weights, np.inf
    for number in range(1, rounds + 1):
        bound, gradient = oracle(weights)
        violation = max(0.0, bound - float(np.einsum("i,i", gradient, weights)))
        primal = float(np.einsum("i,i", weights, weights)) / 2 + c * violation
        if primal < least:
            best, least = weights, primal
        found = Machine(best, least, cuts.dual, number)
        told(found.gap)
        if found.gap < gap:
            return found
        cuts.add(bound, gradient)
        weights = cuts.solve(_NEARER * gap * least / c)
    return Machine(best, least, cuts.dual, rounds)


class _Cuts:
    """The cuts, their products with each other, and the solution of the dual."""

    def __init__(self, size: int, c: float) -> None:
        self._c = c
        self._gradients: list[FloatArray] = []
        self._bounds = np.zeros(0)
        self._products = np.zeros((0, 0))
        self._shares = np.zeros(0)
        self._idle = np.zeros(0, dtype=np.int64)
        self._size = size
        self.dual = 0.0

    def add(self, bound: float, gradient: FloatArray) -> None:
        keep = self._idle < _IDLE
        if not keep.all():
            kept = np.flatnonzero(keep)
            self._gradients = [self._gradients[k] for k in kept]
            self._bounds, self._shares = self._bounds[kept], self._shares[kept]
            self._idle = self._idle[kept]
            self._products = self._products[np.ix_(kept, kept)]
        row = np.array([np.einsum("i,i", gradient, other) for other in self._gradients])
        n = len(self._gradients)
        products = np.zeros((n + 1, n + 1))
        products[:n, :n] = self._products
        products[n, :n] = products[:n, n] = row
        products[n, n] = np.einsum("i,i", gradient, gradient)
        self._products = products
        self._gradients.append(gradient)
        self._bounds = np.append(self._bounds, bound)
        self._shares = np.append(self._shares, 0.0)
        self._idle = np.append(self._idle, 0)

    def solve(self, exact: float) -> FloatArray:
        """Weights of the optimum over the cuts so far."""
        self._shares = solve_dual(self._products, self._bounds, self._c, self._shares, exact)
        self._idle = np.where(self._shares > 0, 0, self._idle + 1)
        weights = np.zeros(self._size)
        for share, gradient in zip(self._shares.tolist(), self._gradients, strict=True):
            if share:
                weights += share * gradient
        square = float(self._shares @ self._products @ self._shares)
        self.dual = float(self._shares @ self._bounds) - square / 2
        return weights


def solve_dual(
    products: FloatArray, bounds: FloatArray, c: float, start: FloatArray, exact: float
) -> FloatArray:
    """Most a . b - a G a / 2 with a >= 0 and sum a <= C.

    The slack, C less the sum, is one more cut of bound 0 that is orthogonal to all others. What is
    found is at most C x `exact` below the optimum.
    """
    n = len(bounds)
    table = np.zeros((n + 1, n + 1))
    table[:n, :n] = products
    begin = np.append(start, max(0.0, c - start.sum()))
    return solve_simplex(table, np.append(bounds, 0.0), begin, exact, _MOST_STEPS)[:n]
