"""Which candidates an update moves the weights towards, and which away from.

`hard` is the inline ranker of Hall et al. (2011), Algorithm 3. The others are
alternatives to its choice of one tree; all of them take the first of the cheapest. For costs
that are sums over arcs, a graph parser finds hope and fear among all trees (`augmented`), or
lowers the expected cost over all trees (`exact`), which needs no choice.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from niwaki.typing import FloatArray


class Step(NamedTuple):
    """A step of some length towards one candidate and away from another."""

    towards: int
    away: int
    length: float


def choose_hard(scores: FloatArray, costs: FloatArray, scale: float) -> list[Step]:
    """From the first candidate to the cheapest one, if that is cheaper."""
    best = int(np.argmin(costs))
    return [Step(best, 0, 1.0)] if costs[best] < costs[0] else []


def choose_hope_fear(scores: FloatArray, costs: FloatArray, scale: float) -> list[Step]:
    """From where score and cost are high to where score is high and cost is low.

    A cost of 1 weighs as much as `scale` of the score (Chiang 2012).
    """
    hope = int(np.argmax(scores - scale * costs))
    fear = int(np.argmax(scores + scale * costs))
    return [Step(hope, fear, 1.0)] if costs[hope] < costs[fear] else []


def choose_all_cheaper(scores: FloatArray, costs: FloatArray, scale: float) -> list[Step]:
    """From the first candidate to all that are cheaper, in equal parts."""
    cheaper = np.flatnonzero(costs < costs[0]).tolist()
    return [Step(each, 0, 1.0 / len(cheaper)) for each in cheaper]


def choose_expected(scores: FloatArray, costs: FloatArray, scale: float) -> list[Step]:
    """Down the gradient of the expected cost, with p = softmax(score / scale).

    The gradient is the sum of p (cost - expected) over the features of each candidate.
    These numbers add up to 0, so it is also a sum of differences to the first candidate.
    """
    weights = np.exp((scores - scores.max()) / max(scale, 1e-6))
    shares = weights / weights.sum()
    gains = shares * (shares @ costs - costs)
    steps = [(int(c), float(gains[c])) for c in range(1, len(costs)) if abs(gains[c]) > 1e-6]
    return [Step(c, 0, gain) if gain > 0 else Step(0, c, -gain) for c, gain in steps]


def choose_augmented(scores: FloatArray, costs: FloatArray, scale: float) -> list[Step]:
    """From fear to hope, where the candidates are the first tree and these two."""
    return [Step(1, 2, 1.0)] if costs[1] < costs[2] else []


CHOICES: dict[str, Callable[[FloatArray, FloatArray, float], list[Step]]] = {
    "hard": choose_hard,
    "hope-fear": choose_hope_fear,
    "all-cheaper": choose_all_cheaper,
    "expected": choose_expected,
    "augmented": choose_augmented,
}
