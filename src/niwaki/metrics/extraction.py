"""Scores of extracted answers in percent: the first is right, one of five, and reciprocal rank.

The reciprocal rank counts to place 5. Answers with equal scores count as the mean over all their
orders. Questions of which no answer that was extracted is right count 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import comb

import numpy as np

from niwaki.data.extraction import Extracted, Patterns
from niwaki.errors import NiwakiError, shown
from niwaki.metrics.base import Metric
from niwaki.metrics.means import MeanEvaluation, mean_counts

METRICS = ("top1", "MRR5", "top5")
_MOST = 5


@dataclass(frozen=True)
class ExtractionEvaluation(MeanEvaluation):
    """The scores of each question, and their means."""

    names: tuple[str, ...] = METRICS

    @property
    def details(self) -> str:
        return f"ties=averaged|sentences={self.sentences}"


def evaluate_extraction(
    gold: Sequence[Patterns], system: Sequence[Extracted]
) -> ExtractionEvaluation:
    """Score answers of questions; patterns of other questions are passed over."""
    patterns = {each.id: each for each in gold}
    rows = []
    for extracted in system:
        if extracted.id not in patterns:
            raise NiwakiError(
                f"no pattern of question {shown(extracted.id)}; give patterns of all questions"
            )
        accept = patterns[extracted.id].accept
        rows.append(
            extraction_scores([(each.score, accept(each.text)) for each in extracted.answers])
        )
    values = 100 * np.array(rows).reshape(len(rows), len(METRICS))
    return ExtractionEvaluation(mean_counts(values, len(METRICS)))


def extraction_scores(answers: Sequence[tuple[float, bool]]) -> tuple[float, float, float]:
    """Top 1, reciprocal rank to place 5, and top 5 as shares, of scores and what is right.

    Only the tie with the first right answer matters: with `above` answers before it, n in it and r
    of them right, the first right one is its j-th with probability C(n-j, r-1) / C(n, r).
    """
    right = [score for score, is_right in answers if is_right]
    if not right:
        return 0.0, 0.0, 0.0
    best = max(right)
    above = sum(score > best for score, _ in answers)
    n, r = sum(score == best for score, _ in answers), right.count(best)
    chances = {above + j: comb(n - j, r - 1) / comb(n, r) for j in range(1, n - r + 2)}
    near = {place: chance for place, chance in chances.items() if place <= _MOST}
    return near.get(1, 0.0), sum(c / place for place, c in near.items()), sum(near.values())


METRIC = Metric(evaluate_extraction, "answers")
