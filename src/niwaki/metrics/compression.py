"""Scores of shorter sentences in percent: F1 of kept words and of relations, and rates.

F1 of kept words is the mean over sentences. Where people drop little, a system that copies every
word has a high one, which says nothing: compare systems at equal rates, and with copying.
Relations are labelled arcs of the shorter sentences, if trees of these are given, named by the
places that their words had in the long one; F1 is of all sentences together.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from niwaki.data.compressions import Compression, Kept
from niwaki.data.sentence import Sentence
from niwaki.errors import NiwakiError
from niwaki.metrics.base import Counts, Evaluation, Metric, Scores

METRICS = ("F1", "rate", "gold rate")
RELATIONS = "relations"

# Trees of the shorter sentences, of people and of the system.
Trees = tuple[Sequence[Sentence], Sequence[Sentence]]


@dataclass(frozen=True)
class CompressionEvaluation(Evaluation):
    """Counts of every sentence: F1, 1; words kept, kept by people, in all; and relations of people,
    of the system, of both.
    """

    names: tuple[str, ...] = METRICS

    def scores_of(self, sums: Counts) -> Scores:
        table = np.asarray(sums, dtype=np.float64)
        scores = 100 * _quotients(table[..., [0, 2, 3]], table[..., [1, 4, 4]])
        if RELATIONS not in self.names:
            return scores
        related = _quotients(2 * table[..., 7], table[..., 5] + table[..., 6])
        return np.concatenate([scores, 100 * related[..., None]], axis=-1)

    @property
    def details(self) -> str:
        return f"F1=sentences|sentences={self.sentences}|words={int(self.counts[:, 4].sum())}"


def _quotients(parts: Scores, wholes: Scores) -> Scores:
    """1 where there is nothing."""
    return np.asarray(np.divide(parts, wholes, out=np.ones_like(parts), where=wholes > 0))


def evaluate_compression(
    gold: Sequence[Compression], system: Sequence[Kept], trees: Trees | None = None
) -> CompressionEvaluation:
    """Score choices of words; of several references, the nearest to each choice counts."""
    if len(gold) != len(system):
        raise NiwakiError(
            f"{len(gold)} gold sentences but {len(system)} of the system; compare the same ones"
        )
    counts = np.zeros((len(gold), 8))
    for number, (each, kept) in enumerate(zip(gold, system, strict=True)):
        right = nearest(each, kept)
        counts[number, :5] = kept_f1(right, kept), 1, sum(kept), sum(right), len(kept)
        if trees is not None:
            one = _relations(trees[0][number], right)
            other = _relations(trees[1][number], kept)
            counts[number, 5:] = len(one), len(other), len(one & other)
    names = METRICS if trees is None else (*METRICS, RELATIONS)
    return CompressionEvaluation(counts, names)


def nearest(gold: Compression, kept: Kept) -> Kept:
    """The reference with most F1; of equal ones the first."""
    where = f"{gold.sentence.file}:{gold.sentence.line}"
    if not gold.references:
        raise NiwakiError(f"{where}: no reference; give what people kept")
    if len(kept) != len(gold.sentence):
        raise NiwakiError(
            f"{where}: {len(kept)} words in the system's sentence and {len(gold.sentence)} here; "
            "compare the same ones"
        )
    return max(gold.references, key=lambda right: kept_f1(right, kept))


def kept_f1(gold: Kept, kept: Kept) -> float:
    both = sum(one and other for one, other in zip(gold, kept, strict=True))
    return 2 * both / max(1, sum(gold) + sum(kept))


def _relations(tree: Sentence, kept: Kept) -> set[tuple[int, str, int]]:
    """Arcs between words, by the places that these had; the root's is none."""
    places = [place for place, keep in enumerate(kept) if keep]
    if len(places) != len(tree):
        raise NiwakiError(
            f"{tree.file}:{tree.line}: a tree of {len(tree)} words for {len(places)} that are "
            "kept; give trees of the shorter sentences"
        )
    return {
        (places[head - 1], label, place)
        for head, label, place in zip(tree.heads, tree.deprels, places, strict=True)
        if head > 0
    }


METRIC = Metric(evaluate_compression, "compressions")
