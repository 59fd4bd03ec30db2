"""Scores of judges in percent: how often clean and broken sentences are told apart.

A clean sentence and what was made of it are counted together. "accuracy" is that over both
sentences of all pairs of a clean and a broken one, at a probability of one half; each kind of
breakage has its own. "pairs" is how often the clean one is judged better; equal ones count half.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from niwaki.data.judged import breakage_of, clean_text_of, judgement_of
from niwaki.data.sentence import Sentence
from niwaki.errors import NiwakiError
from niwaki.metrics.base import Metric
from niwaki.metrics.means import MeanEvaluation

METRICS = ("accuracy", "pairs")


@dataclass(frozen=True)
class JudgingEvaluation(MeanEvaluation):
    """Counts are (100 x right, asked) for each clean sentence and name."""

    @property
    def details(self) -> str:
        pairs = int(self.counts[:, 1, 1].sum())
        return f"threshold=0.5|sentences={self.sentences}|pairs={pairs}"


def evaluate_judging(gold: Sequence[Sentence], system: Sequence[Sentence]) -> JudgingEvaluation:
    """Compare judgements of `system` with what `gold` says of the same sentences."""
    if len(gold) != len(system):
        raise NiwakiError(
            f"{len(gold)} gold sentences but {len(system)} of the system; compare the same ones"
        )
    clean: dict[str, float] = {}
    broken: list[tuple[str, str, float]] = []
    for right, found in zip(gold, system, strict=True):
        if right.forms != found.forms:
            raise NiwakiError(
                f"{found.file}:{found.line}: other words than in the gold sentence; "
                "compare the same ones"
            )
        kind, text = breakage_of(right), clean_text_of(right)
        if kind is None:
            clean[text] = judgement_of(found)
        else:
            broken.append((text, kind, judgement_of(found)))
    return judging_of([(text, kind, clean[text], p) for text, kind, p in broken if text in clean])


def judging_of(pairs: Sequence[tuple[str, str, float, float]]) -> JudgingEvaluation:
    """Of a name for each clean sentence, the kind, and the probabilities of clean and broken."""
    if not pairs:
        raise NiwakiError(
            "no broken sentence with its clean one; give both, as `niwaki corrupt` names them"
        )
    kinds = tuple(dict.fromkeys(kind for _, kind, _, _ in pairs))
    rows = {name: at for at, name in enumerate(dict.fromkeys(pair[0] for pair in pairs))}
    counts = np.zeros((len(rows), len(METRICS) + len(kinds), 2))
    for name, kind, good, bad in pairs:
        accuracy = 100 * (int(good > 0.5) + int(bad <= 0.5)) / 2
        ranked = 100 * (int(good > bad) + int(good == bad) / 2)
        for column, value in ((0, accuracy), (1, ranked), (2 + kinds.index(kind), accuracy)):
            counts[rows[name], column] += value, 1
    return JudgingEvaluation(counts, (*METRICS, *kinds))


METRIC = Metric(evaluate_judging, "judged sentences")
