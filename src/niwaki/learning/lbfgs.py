"""Limited-memory BFGS (Nocedal 1980) that is asked for a point and told what was found there.

So one evaluation can be one pass over a corpus, and a run can be broken off after any.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from niwaki.typing import FloatArray

_SUFFICIENT = 1e-4  # Armijo: how much of the promised descent must be kept
_LEAST_STEP = 1e-10


class LBFGS:
    """Minimises a smooth function.

    >>> search = LBFGS(np.array([3.0, -1.0]))
    >>> for _ in range(20):
    ...     at = search.point
    ...     search.tell(float((at * at).sum()), 2 * at)
    >>> bool(np.abs(search.best).max() < 1e-6)
    True
    """

    def __init__(self, start: FloatArray, memory: int = 8) -> None:
        self.best = start.astype(np.float64)
        self.value = np.inf
        self.evaluations = 0
        self._gradient = np.zeros_like(self.best)
        self._direction = np.zeros_like(self.best)
        self._step = 0.0
        self._memory = memory
        # Differences of points and of gradients, newest last.
        self._moves: list[FloatArray] = []
        self._bends: list[FloatArray] = []

    @property
    def point(self) -> FloatArray:
        """Where the function is wanted next."""
        return np.asarray(self.best + self._step * self._direction)

    def tell(self, value: float, gradient: FloatArray) -> None:
        """What the function is at `point`."""
        self.evaluations += 1
        slope = _dot(self._gradient, self._direction)
        if self.value < np.inf and not value <= self.value + _SUFFICIENT * self._step * slope:
            self._shorten(value, slope)
            return
        if self.value < np.inf:
            move, bend = self._step * self._direction, gradient - self._gradient
            # Only positive curvature keeps the directions descending.
            if _dot(move, bend) > 1e-12 * _dot(bend, bend):
                self._moves = [*self._moves, move][-self._memory :]
                self._bends = [*self._bends, bend][-self._memory :]
        self.best, self.value, self._gradient = self.point, value, gradient.copy()
        self._direction = -self._scaled(gradient)
        length = float(np.sqrt(_dot(gradient, gradient)))
        self._step = 1.0 if self._moves else 1.0 / max(1.0, length)

    def _shorten(self, value: float, slope: float) -> None:
        """A step that overshot: the minimum of the parabola through what is known."""
        parabola = value - self.value - self._step * slope
        share = -0.5 * slope * self._step / parabola if np.isfinite(parabola) else 0.1
        self._step *= float(np.clip(share, 0.1, 0.5))
        if self._step < _LEAST_STEP:
            # Rounding is all that is left; begin again along the gradient.
            self._moves, self._bends = [], []
            self._direction = -self._gradient
            self._step = 1.0 / max(1.0, float(np.sqrt(_dot(self._gradient, self._gradient))))

    def _scaled(self, gradient: FloatArray) -> FloatArray:
        """The gradient times the inverse of the estimated curvature (two-loop recursion)."""
        found = gradient.copy()
        shares = []
        pairs = list(zip(self._moves, self._bends, strict=True))
        for move, bend in reversed(pairs):
            share = _dot(move, found) / _dot(move, bend)
            found -= share * bend
            shares.append(share)
        if pairs:
            move, bend = pairs[-1]
            found *= _dot(move, bend) / _dot(bend, bend)
        for (move, bend), share in zip(pairs, reversed(shares), strict=True):
            found += (share - _dot(bend, found) / _dot(move, bend)) * move
        return found

    # -- interruption ------------------------------------------------------------

    def state(self) -> dict[str, NDArray[np.generic]]:
        empty = np.zeros((0, len(self.best)))
        return {
            "best": self.best,
            "gradient": self._gradient,
            "direction": self._direction,
            "numbers": np.array([self.value, self._step, self.evaluations]),
            "moves": np.stack(self._moves) if self._moves else empty,
            "bends": np.stack(self._bends) if self._bends else empty,
        }

    def restore(self, state: Mapping[str, NDArray[np.generic]]) -> None:
        arrays = {name: np.asarray(array, dtype=np.float64) for name, array in state.items()}
        self.best, self._gradient = arrays["best"].copy(), arrays["gradient"].copy()
        self._direction = arrays["direction"].copy()
        self.value, self._step = float(arrays["numbers"][0]), float(arrays["numbers"][1])
        self.evaluations = int(arrays["numbers"][2])
        self._moves, self._bends = list(arrays["moves"]), list(arrays["bends"])


def _dot(one: FloatArray, other: FloatArray) -> float:
    """Without BLAS: its threads wait for each other where cores are busy, and round by their
    number.
    """
    return float(np.einsum("i,i", one, other))
