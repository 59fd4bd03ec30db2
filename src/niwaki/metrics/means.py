"""Means over sentences of any values: what trees cost a task, ratings, scores of rankings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from niwaki.errors import NiwakiError
from niwaki.metrics.base import Counts, Evaluation, Metric, Scores


@dataclass(frozen=True)
class MeanEvaluation(Evaluation):
    """Counts are (value, 1) for each sentence and name: a mean is a quotient of sums."""

    def scores_of(self, sums: Counts) -> Scores:
        total, count = np.moveaxis(np.asarray(sums, dtype=np.float64), -1, 0)
        empty = np.full_like(total, self.of_nothing)
        return np.asarray(np.divide(total, count, out=empty, where=count > 0))

    @property
    def of_nothing(self) -> float:
        """The mean where there are no sentences."""
        return 0.0

    @property
    def details(self) -> str:
        return f"mean=sentences|sentences={self.sentences}"


def evaluate_means(names: Sequence[str], values: ArrayLike) -> MeanEvaluation:
    """Values are sentences x names."""
    return MeanEvaluation(mean_counts(values, len(names)), tuple(names))


def mean_counts(values: ArrayLike, width: int) -> Counts:
    table = np.asarray(values, dtype=np.float64)
    if table.ndim != 2 or table.shape[1] != width:
        raise NiwakiError(f"values of shape {table.shape}; give sentences x {width} names")
    return np.stack([table, np.ones_like(table)], axis=-1)


METRIC = Metric(evaluate_means, "values")
