"""Scores of rankings in percent: mean average precision, mean reciprocal rank, precision at 1.

Answers with equal scores count as the mean over all orders of them, never in the order of a file:
files that list right answers first would make any ranker look good. Questions without a right or
without a wrong answer say nothing and are left out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import comb

import numpy as np
from numpy.typing import NDArray

from niwaki.data.answers import Judged, Ranked, of_question
from niwaki.errors import NiwakiError, shown
from niwaki.metrics.base import Metric
from niwaki.metrics.means import MeanEvaluation, mean_counts
from niwaki.typing import FloatArray

METRICS = ("MAP", "MRR", "P@1")


@dataclass(frozen=True)
class RankingEvaluation(MeanEvaluation):
    """The scores of each question, and their means."""

    names: tuple[str, ...] = METRICS
    pairs: int = 0

    @property
    def details(self) -> str:
        return f"ties=averaged|sentences={self.sentences}|pairs={self.pairs}"


def evaluate_ranking(gold: Sequence[Judged], system: Sequence[Ranked]) -> RankingEvaluation:
    """Score rankings of questions. Answers that were judged and not ranked are never found."""
    rows, pairs = [], 0
    for judged, ranked in zip(gold, of_question(system, gold), strict=True):
        strange = [name for name in ranked.scores if name not in judged.right]
        if strange:
            raise NiwakiError(
                f"question {shown(judged.id)}: candidate {shown(strange[0])} was not judged; "
                "rank the candidates that were"
            )
        if len(set(judged.right.values())) == 2:
            scores = np.array(list(ranked.scores.values()), dtype=np.float64)
            right = np.array([judged.right[name] for name in ranked.scores], dtype=np.bool_)
            rows.append(ranking_scores(scores, right, sum(judged.right.values())))
            pairs += len(judged.right)
    values = 100 * np.array(rows).reshape(len(rows), len(METRICS))
    counts = mean_counts(values, len(METRICS))
    return RankingEvaluation(counts, pairs=pairs)


def ranking_scores(
    scores: FloatArray, right: NDArray[np.bool_], total: int
) -> tuple[float, float, float]:
    """Average precision, reciprocal rank and precision at 1 as shares, means over orders of ties.

    `total` counts right answers, also those that were not ranked. In a tie of n answers, r of them
    right, with t answers above, R of them right: the one at place j is right with probability r/n;
    then R + 1 + (j-1)(r-1)/(n-1) are right up to it on average; and it is the first right one of
    the tie with probability C(n-j, r-1) / C(n, r).
    """
    precision = reciprocal = first = 0.0
    above = right_above = 0
    for value in np.unique(scores)[::-1]:
        tied = scores == value
        n, r = int(tied.sum()), int(right[tied].sum())
        if above == 0:
            first = r / n
        if r:
            places = range(1, n + 1)
            each = (r - 1) / (n - 1) if n > 1 else 0.0
            precision += sum(
                r / n * (right_above + 1 + (j - 1) * each) / (above + j) for j in places
            )
            if not right_above:
                ways = comb(n, r)
                reciprocal = sum(comb(n - j, r - 1) / ways / (above + j) for j in places)
        above, right_above = above + n, right_above + r
    return precision / total if total else 0.0, reciprocal, first


METRIC = Metric(evaluate_ranking, "rankings")
