"""The average arc-length score of Hall et al. (2011), section 4.3, as a cost.

The score is the length of the right arcs over that of all gold arcs. A length is
|i - head|: signed, as printed in the paper, left and right arcs would cancel. The root
hangs from place 0, so that its arc is as long as its place.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from niwaki.data.conllu import read_conllu
from niwaki.data.constraints import Constraints
from niwaki.data.kbest import KBest
from niwaki.data.sentence import Sentence
from niwaki.keys import key
from niwaki.objectives import Costs
from niwaki.objectives._trees import KnownTrees


@dataclass(frozen=True)
class Settings:
    """What counts."""

    labelled: bool = key(True, "Whether labels count.")


class ArcLength(KnownTrees):
    """1 - the arc-length score, of arcs with or without their labels."""

    def __init__(self, sentences: Sequence[Sentence], *, labelled: bool = True) -> None:
        super().__init__(sentences)
        self._labelled = labelled
        self._lengths = [
            np.abs(np.arange(1, len(heads) + 1) - heads).astype(np.float64) for heads in self._heads
        ]

    def cost(self, candidates: KBest) -> Costs:
        lengths = self._lengths[candidates.number]
        right = self.right_words(candidates, labelled=self._labelled)
        return np.asarray(1 - right @ lengths / lengths.sum(), dtype=np.float64)

    def arc_costs(self, number: int) -> Costs | None:
        lengths = self._lengths[number]
        return self.costs_of_wrong_arcs(number, lengths / lengths.sum(), labelled=self._labelled)

    def constraints(self, number: int) -> Constraints | None:
        return None


def load(files: Sequence[str], settings: Settings) -> ArcLength:
    sentences = [sentence for file in files for sentence in read_conllu(file)]
    return ArcLength(sentences, labelled=settings.labelled)
