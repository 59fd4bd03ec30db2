"""Scores of connectives and their arguments: F1 of heads found, in percent.

An argument counts if its connective was found and its head is the right word; "both" asks for both
arguments. Where connectives were given, F1 is the share of arguments that are right.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from niwaki.data.connectives import Document
from niwaki.errors import CorpusError, NiwakiError
from niwaki.metrics.base import Counts, Evaluation, Metric, Scores

METRICS = ("Arg1", "Arg2", "both", "connectives")


@dataclass(frozen=True)
class ConnectivesEvaluation(Evaluation):
    """Counts of every sentence: gold ones, found ones; right Arg1, Arg2, both, connectives."""

    names: tuple[str, ...] = METRICS

    def scores_of(self, sums: Counts) -> Scores:
        table = np.asarray(sums, dtype=np.float64)
        total = table[..., :2].sum(axis=-1, keepdims=True)
        right = 2 * table[..., 2:]
        # Without any connectives on both sides, all is right.
        return np.asarray(100 * np.divide(right, total, out=np.ones_like(right), where=total > 0))

    @property
    def details(self) -> str:
        gold, found = self.counts[:, :2].sum(axis=0).tolist()
        return f"heads=words|sentences={self.sentences}|gold={gold}|found={found}"


def evaluate_connectives(
    gold: Sequence[Document], system: Sequence[Document]
) -> ConnectivesEvaluation:
    """Compare the connectives of the same documents; their trees may differ."""
    counts: list[Counts] = []
    if len(gold) != len(system):
        raise NiwakiError(
            f"{len(gold)} gold documents but {len(system)} of the system; compare the same ones"
        )
    for right, found in zip(gold, system, strict=True):
        if [s.forms for s in right.sentences] != [s.forms for s in found.sentences]:
            first = found.sentences[0]
            raise CorpusError(
                first.file, first.line, "FORM", "other words than gold ones", "compare the same"
            )
        counts.append(_count(right, found))
    empty = np.zeros((0, 6), dtype=np.int64)
    return ConnectivesEvaluation(np.concatenate([empty, *counts]))


def _count(gold: Document, system: Document) -> Counts:
    """A connective is known by its first word; one with two senses is asked for twice."""
    counts = np.zeros((len(gold.sentences), 6), dtype=np.int64)
    found = {(each.sentence, each.words[0]): each for each in system.connectives}
    asked = [(each.sentence, each.words[0]) for each in gold.connectives]
    for each in gold.connectives:
        answer = found.get((each.sentence, each.words[0]))
        row = counts[each.sentence]
        row[0] += 1
        if answer is not None:
            one, other = answer.arg1 == each.arg1, answer.arg2 == each.arg2
            row[1:] += (1, one, other, one and other, 1)
    for sentence, word in found:
        counts[sentence, 1] += (sentence, word) not in asked
    return counts


METRIC = Metric(evaluate_connectives, "documents")
