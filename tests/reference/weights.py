"""Averaged weights in a growing table, without compressing them."""

from __future__ import annotations

import numpy as np

from niwaki.features.weights import average
from niwaki.kernel.linear import SparseWeights


def averaged(learned: dict[str, np.ndarray], classes: int) -> SparseWeights:
    table = SparseWeights(classes)
    table.restore(**{**learned, "weights": average(learned)})
    return table
