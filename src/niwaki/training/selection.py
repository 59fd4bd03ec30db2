"""Which candidates an update moves the weights towards, and which away from.

`hard` is the inline ranker of Hall et al. (2011), Algorithm 3. The others are
alternatives to its choice of one tree; all of them take the first of the cheapest. For costs
that are sums over arcs, a graph parser finds hope and fear among all trees (`augmented`), or
lowers the expected cost over all trees (`exact`), which needs no choice.

How far a step should go nobody can say in advance: scores of parsers differ by orders of
magnitude, and so do costs. So steps are as long as they need to be, and what a cost weighs is
measured on the lists themselves (`Spread`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from niwaki.typing import FloatArray


class Step(NamedTuple):
    """A step of some length towards one candidate and away from another; or of the length by
    which the lead of the one over the other rises by `lead`.
    """

    towards: int
    away: int
    length: float
    lead: float = 0.0


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


# -- how far, and what a cost weighs ---------------------------------------------------------

# Steps down an expected cost, which are many and small; over all trees there are more.
EXPECTED_STEP, EXACT_STEP = 12.0, 1.0
# A usual difference in cost weighs so much of a usual one in score.
SHARE = 0.5
# Lists that are remembered: scores grow while a parser learns from nothing.
_REMEMBERED = 100


@dataclass
class Spread:
    """How far the scores of an example's candidates lie apart, and their costs; running means
    over examples whose candidates differ in both.
    """

    seen: int = 0
    scores: float = 0.0
    costs: float = 0.0

    def tell(self, scores: FloatArray, costs: FloatArray) -> None:
        score_range, cost_range = float(np.ptp(scores)), float(np.ptp(costs))
        if score_range > 0 and cost_range > 0:
            self.seen += 1
            share = 1 / min(self.seen, _REMEMBERED)
            self.scores += share * (score_range - self.scores)
            self.costs += share * (cost_range - self.costs)

    @property
    def temperature(self) -> float:
        """What a usual difference in cost weighs in scores."""
        # A parser that has learned nothing scores all alike.
        return SHARE * self.scores if self.seen else 1.0

    @property
    def scale(self) -> float:
        """What a cost of 1 weighs in scores."""
        return self.temperature / self.costs if self.seen else 1.0


@dataclass
class Chooser:
    """Steps for one list after the other, by what [[objective]] says of `select`, `step` and
    `scale`.
    """

    select: str
    step: float | str
    scale: float | str
    spread: Spread = field(default_factory=Spread)

    def steps(self, scores: FloatArray, costs: FloatArray, listed: int | None = None) -> list[Step]:
        """What to do about candidates with such scores and costs.

        listed: how many of them were in the list. A tree that was searched for is far below.
        """
        self.spread.tell(scores[:listed], costs[:listed])
        is_expected = self.select == "expected"
        scale = self.scale
        if isinstance(scale, str):
            scale = self.spread.temperature if is_expected else self.spread.scale
        found = CHOICES[self.select](scores, costs, scale)
        if isinstance(self.step, str) and not is_expected:
            leads = [step.length * self._missing(step, scores, costs, scale) for step in found]
            pairs = zip(found, leads, strict=True)
            return [step._replace(lead=lead) for step, lead in pairs if lead > 0]
        length = EXPECTED_STEP if isinstance(self.step, str) else self.step
        return [step._replace(length=step.length * length) for step in found]

    def _missing(self, step: Step, scores: FloatArray, costs: FloatArray, scale: float) -> float:
        """By how much the lead of the better tree falls short of what it is cheaper.

        That is made up for, and no more (passive-aggressive, Crammer et al. 2006), but never
        more than is usual: a list may have no good tree, and then the better one is wrong almost
        everywhere.
        """
        wanted = scale * (costs[step.away] - costs[step.towards])
        lead = scores[step.towards] - scores[step.away]
        return float(np.clip(wanted - lead, 0.0, self.spread.temperature))
