"""How well crossing arcs are found: precision and recall on non-projective arcs.

An arc crosses if it spans a word that does not descend from its head. Recall is over
the crossing arcs of the gold trees, precision over those of the system's trees; an arc
is right if its head and its whole label are.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from niwaki.data.sentence import Sentence
from niwaki.data.tree import Tree


@dataclass(frozen=True)
class Crossing:
    """Crossing arcs of gold and system trees, and how many of each the other tree has."""

    gold: int
    found: int  # of the gold ones
    system: int
    right: int  # of the system's

    @property
    def scores(self) -> dict[str, float]:
        """Percent; 0 where there is nothing."""
        recall = 100 * self.found / self.gold if self.gold else 0.0
        precision = 100 * self.right / self.system if self.system else 0.0
        total = precision + recall
        return {
            "crossing_precision": precision,
            "crossing_recall": recall,
            "crossing_F1": 2 * precision * recall / total if total else 0.0,
        }


def count_crossing(gold: Iterable[Sentence], system: Iterable[Sentence]) -> Crossing:
    """Compare sentences one by one; their words must be the same."""
    counts = [0, 0, 0, 0]
    for one, other in zip(gold, system, strict=True):
        for place, (tree, rival) in enumerate([(one.tree, other.tree), (other.tree, one.tree)]):
            if not tree.is_projective:
                arcs = list(tree.crossing_arcs())
                counts[2 * place] += len(arcs)
                counts[2 * place + 1] += sum(_agree(tree, rival, word) for word in arcs)
    return Crossing(*counts)


def _agree(tree: Tree, rival: Tree, word: int) -> bool:
    return (tree.heads[word - 1], tree.deprels[word - 1]) == (
        rival.heads[word - 1],
        rival.deprels[word - 1],
    )
