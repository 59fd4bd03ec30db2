"""Scores of word links against gold links: precision, recall and alignment error rate.

With sure gold links S, possible ones P (S among them) and a system's links A
(Och and Ney 2003): precision |A & P| / |A|, recall |A & S| / |S|, and
AER = 1 - (|A & S| + |A & P|) / (|A| + |S|), over all sentences, in percent.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from niwaki.data.bilingual.bitext import Links
from niwaki.errors import NiwakiError
from niwaki.metrics.base import Counts, Evaluation, Metric, Scores

METRICS = ("AER", "precision", "recall", "F1")


@dataclass(frozen=True)
class AlignmentEvaluation(Evaluation):
    """Counts of every sentence pair: links found, sure ones, found sure, found possible."""

    names: tuple[str, ...] = METRICS

    @property
    def costs(self) -> frozenset[str]:
        return frozenset({"AER"})

    def scores_of(self, sums: Counts) -> Scores:
        return link_scores(sums)

    @property
    def details(self) -> str:
        found, sure, _, _ = self.counts.sum(axis=0).tolist()
        return (
            "links=all of the system's, sure and possible of gold|"
            f"pairs={self.sentences}|sure={sure}|found={found}"
        )


def link_scores(counts: Counts) -> Scores:
    """Percent of METRICS from counts; without any links on both sides, all is right."""
    found, sure, found_sure, found_possible = np.moveaxis(np.asarray(counts, np.float64), -1, 0)

    def ratio(part: Scores, whole: Scores) -> Scores:
        return np.divide(part, whole, out=np.ones_like(whole), where=whole > 0)

    precision, recall = ratio(found_possible, found), ratio(found_sure, sure)
    error = 1 - ratio(found_sure + found_possible, found + sure)
    total = precision + recall
    f1 = np.divide(2 * precision * recall, total, out=np.zeros_like(total), where=total > 0)
    return np.asarray(100 * np.stack([error, precision, recall, f1], axis=-1))


def evaluate_links(gold: Iterable[Links], system: Iterable[Links]) -> AlignmentEvaluation:
    """Compare links pair by pair; there must be as many lines of them."""
    counts = []
    for number, (right, found) in enumerate(itertools.zip_longest(gold, system), start=1):
        if right is None or found is None:
            side = "gold" if right is None else "system"
            raise NiwakiError(
                f"the {side} links end after line {number - 1}; compare files of one length"
            )
        counts.append(count_links(right, found))
    return AlignmentEvaluation(np.array(counts, dtype=np.int64).reshape(-1, 4))


def count_links(gold: Links, system: Links) -> tuple[int, int, int, int]:
    found = system.all
    return len(found), len(gold.sure), len(found & gold.sure), len(found & gold.all)


METRIC = Metric(evaluate_links, "links")
