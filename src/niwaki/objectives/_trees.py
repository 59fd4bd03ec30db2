"""What objectives share whose examples are sentences of a treebank, whole or partly known."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from niwaki.data.kbest import KBest
from niwaki.data.sentence import Sentence
from niwaki.objectives import Costs


class KnownTrees(ABC):
    """Heads and labels that are known, beside which candidates are laid."""

    def __init__(self, sentences: Sequence[Sentence]) -> None:
        self.sentences = tuple(sentences)
        self.ids = tuple(s.id or f"{s.file}:{s.line}" for s in self.sentences)
        self._heads = [np.array(s.heads, dtype=np.int32) for s in self.sentences]
        self._labels: list[NDArray[np.int32]] = []
        self._label_count = 0

    def open(self, tagged: Sequence[Sentence], labels: Sequence[str]) -> None:
        self._label_count = len(labels)
        numbers = {name: number for number, name in enumerate(labels)}
        # -1 is a label that is not known, -2 one that no candidate can have.
        numbers["_"] = -1
        self._labels = [
            np.array([numbers.get(name, -2) for name in s.deprels], dtype=np.int32)
            for s in self.sentences
        ]

    def right_words(self, candidates: KBest, *, labelled: bool) -> NDArray[np.bool_]:
        """Which words of which candidates have the head, and the label, that they should."""
        right = candidates.heads == self._heads[candidates.number]
        if labelled:
            right &= candidates.labels == self._labels[candidates.number]
        return np.asarray(right)

    def costs_of_wrong_arcs(self, number: int, weights: Costs, *, labelled: bool) -> Costs:
        """What arcs cost if a wrong one costs as much as its word weighs."""
        heads, labels = self._heads[number], self._labels[number]
        n = len(heads)
        shape = (n + 1, n, self._label_count) if labelled else (n + 1, n)
        words = np.arange(n)
        costs = np.empty(shape)
        costs[:] = weights[:, None] if labelled else weights
        if labelled:
            known = labels >= 0
            costs[heads[known], words[known], labels[known]] = 0
        else:
            costs[heads, words] = 0
        return costs.reshape((n + 1) * n, *shape[2:])

    def costs(self, candidates: Sequence[KBest]) -> list[Costs]:
        return [self.cost(each) for each in candidates]

    @abstractmethod
    def cost(self, candidates: KBest) -> Costs:
        """What the candidates of one example cost."""
