"""Scores of all kinds for the tests of trees: ties, rounding, forbidden arcs, large and small."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import strategies as st

seeds = st.integers(0, 2**32 - 1)
lengths = st.integers(1, 5)
kinds = st.sampled_from(["smooth", "ties", "tenths", "wide", "sparse"])

each_root = pytest.mark.parametrize("single_root", [True, False])
each_shape = pytest.mark.parametrize("projective", [True, False])


def draw_scores(seed: int, kind: str, *shape: int) -> np.ndarray:
    random = np.random.default_rng(seed)
    if kind == "ties":
        return random.integers(-2, 3, shape).astype(float)
    if kind == "tenths":
        return random.integers(-9, 10, shape) * 0.1
    if kind == "wide":
        return random.normal(size=shape) * 10.0 ** random.integers(-3, 4, shape)
    scores = random.normal(size=shape)
    if kind == "sparse":
        scores[random.random(shape) < 0.35] = -np.inf
    return scores
