"""Slow twins of the ranker: probabilities and losses candidate by candidate."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

Rows = Sequence[Mapping[int, float]]


def probabilities(rows: Rows, weights: Mapping[int, float]) -> list[float]:
    scores = [sum(weights.get(key, 0.0) * value for key, value in row.items()) for row in rows]
    exponentials = [math.exp(score) for score in scores]
    return [each / sum(exponentials) for each in exponentials]


def loss(sets: Sequence[tuple[Rows, int]], weights: Mapping[int, float], l2: float) -> float:
    found = l2 * sum(weight * weight for weight in weights.values()) / 2
    for rows, right in sets:
        found -= math.log(probabilities(rows, weights)[right])
    return found
