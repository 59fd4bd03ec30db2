"""Correlation of scores with ratings, sentence by sentence."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray


def pearson(a: ArrayLike, b: ArrayLike) -> float:
    """Pearson's correlation; not a number where one side does not vary."""
    x, y = np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64)
    if x.shape != y.shape:
        raise ValueError(f"{x.shape} and {y.shape} values cannot be paired")
    x, y = x - x.mean(), y - y.mean()
    scale = float(np.sqrt((x @ x) * (y @ y)))
    return float(x @ y) / scale if scale > 0 else float("nan")


def spearman(a: ArrayLike, b: ArrayLike) -> float:
    """Spearman's rank correlation; equal values share the mean of their ranks."""
    return pearson(ranks(a), ranks(b))


def ranks(values: ArrayLike) -> NDArray[np.float64]:
    array = np.asarray(values, dtype=np.float64)
    _, inverse, counts = np.unique(array, return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    return np.asarray((last - (counts - 1) / 2)[inverse])
