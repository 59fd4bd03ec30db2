"""The intrinsic objective: trees as a treebank has them.

A parser learns it by ordinary structured updates, because the right tree is known.
As a cost, it is the share of words with a wrong head or label, or with `exact` 1 for
any tree but the right one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from niwaki.data.conllu import read_conllu
from niwaki.data.constraints import Constraints
from niwaki.data.kbest import KBest
from niwaki.data.sentence import Sentence
from niwaki.objectives import Costs
from niwaki.objectives._trees import KnownTrees


@dataclass(frozen=True)
class Settings:
    """Nothing: a whole tree says all."""


class Treebank(KnownTrees):
    """Wrong words of a tree whose every arc is known."""

    def __init__(
        self, sentences: Sequence[Sentence], *, labelled: bool = True, exact: bool = False
    ) -> None:
        super().__init__(sentences)
        self._labelled, self._exact = labelled, exact

    def cost(self, candidates: KBest) -> Costs:
        right = self.right_words(candidates, labelled=self._labelled)
        if self._exact:
            return np.asarray(~right.all(axis=1), dtype=np.float64)
        return np.asarray(1 - right.mean(axis=1), dtype=np.float64)

    def arc_costs(self, number: int) -> Costs | None:
        if self._exact:
            return None
        n = len(self.sentences[number])
        return self.costs_of_wrong_arcs(number, np.full(n, 1 / n), labelled=self._labelled)

    def constraints(self, number: int) -> Constraints | None:
        return None


def load(files: Sequence[str], settings: Settings) -> Treebank:
    sentences = [sentence for file in files for sentence in read_conllu(file)]
    return Treebank(sentences)
