"""How well non-projective arcs are found: precision, recall and F1.

An arc is non-projective if it spans a word that does not descend from its head. Recall is
over the non-projective arcs of the gold trees, precision over those of the system's trees;
an arc is right if its head and its whole label are.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from niwaki.data.sentence import Sentence
from niwaki.data.tree import Tree
from niwaki.metrics.attachment import check_same_words
from niwaki.metrics.base import Counts, Evaluation, Metric, Scores

METRICS = ("nonprojective_precision", "nonprojective_recall", "nonprojective_F1")


@dataclass(frozen=True)
class NonprojectiveEvaluation(Evaluation):
    """Counts of every sentence: arcs of gold, how many of them the system has, and conversely."""

    names: tuple[str, ...] = METRICS

    @property
    def gold(self) -> int:
        """Non-projective arcs of the gold trees."""
        return int(self.counts[:, 0].sum())

    @property
    def system(self) -> int:
        """Non-projective arcs of the system's trees."""
        return int(self.counts[:, 2].sum())

    def scores_of(self, sums: Counts) -> Scores:
        """Percent; 0 where there is nothing."""
        gold, found, system, right = np.moveaxis(np.asarray(sums, np.float64), -1, 0)

        def share(part: Scores, whole: Scores) -> Scores:
            return np.divide(part, whole, out=np.zeros_like(whole), where=whole > 0)

        precision, recall = 100 * share(right, system), 100 * share(found, gold)
        f1 = share(2 * precision * recall, precision + recall)
        return np.stack([precision, recall, f1], axis=-1)

    @property
    def arcs(self) -> str:
        """What there was to be found, and what was, for a signature."""
        return f"nonprojective arcs={self.gold} gold, {self.system} system"

    @property
    def details(self) -> str:
        return f"arcs=head and whole label|sentences={self.sentences}|{self.arcs}"


def count_nonprojective(
    gold: Iterable[Sentence], system: Iterable[Sentence]
) -> NonprojectiveEvaluation:
    """Compare sentences one by one; their words must be the same."""
    counts = []
    for one, other in itertools.zip_longest(gold, system):
        check_same_words(one, other)
        counts.append([*_agreeing(one.tree, other.tree), *_agreeing(other.tree, one.tree)])
    return NonprojectiveEvaluation(np.array(counts, dtype=np.int64).reshape(-1, 4))


def _agreeing(tree: Tree, rival: Tree) -> tuple[int, int]:
    """How many non-projective arcs a tree has, and how many of them the rival has, too."""
    if tree.is_projective:
        return 0, 0
    arcs = list(tree.crossing_arcs())
    return len(arcs), sum(_agree(tree, rival, word) for word in arcs)


def _agree(tree: Tree, rival: Tree, word: int) -> bool:
    return (tree.heads[word - 1], tree.deprels[word - 1]) == (
        rival.heads[word - 1],
        rival.deprels[word - 1],
    )


METRIC = Metric(count_nonprojective, "sentences")
