"""How much is thought of the arcs of a sentence, so that several parsers can be added up."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from niwaki.data.kbest import KBest
from niwaki.data.tree import Tree
from niwaki.parsers.decoding import Scores, decode
from niwaki.typing import FloatArray

# Trees that are looked at where a parser has no probabilities of arcs.
BELIEVED_TREES = 16

# Scores are divided by temperatures and must stay numbers; usual ones are 0.001 to 1,000.
_TEMPERATURES = (1e-9, 1e9)


def check_temperature(temperature: float) -> None:
    """Raises ValueError for one that makes no probabilities of scores."""
    if not _TEMPERATURES[0] <= temperature <= _TEMPERATURES[1]:
        raise ValueError(f"a temperature of {temperature}")


@dataclass
class Beliefs:
    """How much is thought of the arcs of a sentence, [head 0..n, dependent 1..n], and of the
    labels of those arcs that come into question.
    """

    arcs: FloatArray
    labels: dict[tuple[int, int], dict[str, float]] = field(default_factory=dict)

    @classmethod
    def none(cls, words: int) -> Beliefs:
        return cls(np.zeros((words + 1, words)))

    @classmethod
    def of_trees(cls, found: KBest) -> Beliefs:
        """Each tree speaks for its arcs with its share in the probability of all."""
        beliefs = cls.none(found.heads.shape[1])
        for tree, share in zip(found.trees, found.probabilities.tolist(), strict=True):
            beliefs.add_tree(tree, share)
        return beliefs

    def add_label(self, head: int, word: int, label: str, weight: float) -> None:
        names = self.labels.setdefault((head, word), {})
        names[label] = names.get(label, 0.0) + weight

    def add_tree(self, tree: Tree, weight: float) -> None:
        for word, (head, label) in enumerate(zip(tree.heads, tree.deprels, strict=True), start=1):
            self.arcs[head, word - 1] += weight
            self.add_label(head, word, label, weight)

    def add(self, other: Beliefs, weight: float) -> None:
        self.arcs += weight * other.arcs
        for (head, word), names in other.labels.items():
            for label, belief in names.items():
                self.add_label(head, word, label, weight * belief)

    def best_tree(self, projective: bool) -> Tree:
        """The tree of the largest sum of beliefs; of equal labels the first by name."""
        scores = Scores.of([self.arcs])
        heads = decode(scores, projective=projective, too_long="spanning").heads.tolist()
        labels = []
        for word, head in enumerate(heads, start=1):
            # An arc that nobody thought of, but that a tree needs.
            names = self.labels.get((head, word), {"root" if head == 0 else "dep": 1.0})
            labels.append(min(names, key=lambda name: (-names[name], name)))
        return Tree(tuple(heads), tuple(labels))
