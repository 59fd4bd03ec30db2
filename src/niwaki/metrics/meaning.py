"""Scores of expressions, in percent.

"words" is the share of the words in gold expressions that have the right head and formal label
(Alshawi et al. 2011), "expressions" that of sentences whose whole expression is right, and "facts"
F1 of what expressions say, whatever their labels are.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from niwaki.data.meaning import Meaning
from niwaki.errors import NiwakiError
from niwaki.metrics.base import Counts, Evaluation, Metric, Scores

METRICS = ("words", "expressions", "facts")


@dataclass(frozen=True)
class MeaningEvaluation(Evaluation):
    """Counts of every sentence, two for each score: what there is, and what of it is right."""

    names: tuple[str, ...] = METRICS

    def scores_of(self, sums: Counts) -> Scores:
        table = np.asarray(sums, dtype=np.float64)
        total, right = table[..., 0::2], table[..., 1::2]
        # Without anything on both sides, all is right.
        return np.asarray(100 * np.divide(right, total, out=np.ones_like(right), where=total > 0))

    @property
    def details(self) -> str:
        words = int(self.counts[:, 0].sum())
        return f"sentences={self.sentences}|words={words}"


def evaluate_meaning(gold: Sequence[Meaning], system: Sequence[Meaning]) -> MeaningEvaluation:
    """Compare the expressions of the same sentences."""
    if len(gold) != len(system):
        raise NiwakiError(
            f"{len(gold)} gold sentences but {len(system)} of the system; compare the same ones"
        )
    counts = np.zeros((len(gold), 2 * len(METRICS)), dtype=np.int64)
    for row, right, found in zip(counts, gold, system, strict=True):
        if right.sentence.forms != found.sentence.forms:
            raise NiwakiError(
                f"{found.sentence.file}:{found.sentence.line}: other words than in the gold "
                "sentence; compare the same ones"
            )
        row[:] = (
            *_words(right, found),
            *(1, right.expression == found.expression),
            *_facts(right, found),
        )
    return MeaningEvaluation(counts)


def _words(gold: Meaning, system: Meaning) -> tuple[int, int]:
    said = gold.expression.words if gold.expression else ()
    columns = [(meaning.sentence.heads, meaning.sentence.deprels) for meaning in (gold, system)]
    places = [[(heads[w - 1], labels[w - 1]) for w in said] for heads, labels in columns]
    return len(said), sum(one == other for one, other in zip(*places, strict=True))


def _facts(gold: Meaning, system: Meaning) -> tuple[int, int]:
    """F1 is twice the common facts among those of both."""
    right, found = gold.facts, system.facts
    return len(right) + len(found), 2 * len(right & found)


METRIC = Metric(evaluate_meaning, "meanings")
