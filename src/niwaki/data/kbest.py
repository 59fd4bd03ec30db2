"""The k best trees of a sentence with what the parser thinks of each."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from niwaki.data.sentence import Sentence
from niwaki.data.tree import Tree


@dataclass(frozen=True)
class Candidates:
    """Distinct trees of one sentence, best first.

    `scores` fall (a score rises with belief); `probabilities` are normalised
    over these candidates. `histories` are the labelled moves by which a transition
    parser came to each tree: all that an update needs, because features are found
    again from the moves.
    """

    sentence: Sentence
    trees: tuple[Tree, ...]
    scores: tuple[float, ...]
    probabilities: tuple[float, ...]
    histories: tuple[bytes, ...] = ()

    def __post_init__(self) -> None:
        if not len(self.trees) == len(self.scores) == len(self.probabilities):
            raise ValueError("each candidate needs a tree, a score and a probability")

    def __len__(self) -> int:
        return len(self.trees)

    def __iter__(self) -> Iterator[Tree]:
        return iter(self.trees)


@dataclass(frozen=True)
class CandidateArrays:
    """Candidates of sentence `number` of a data set as training handles them: a row a tree.

    Labels are numbers; whoever made the candidates knows their names. Histories are as
    in `Candidates`, and may be missing where trees are all that an update needs.
    """

    number: int
    heads: NDArray[np.int32]
    labels: NDArray[np.int32]
    scores: NDArray[np.float32]
    histories: tuple[NDArray[np.uint8], ...] = ()

    def __len__(self) -> int:
        return len(self.heads)

    def and_then(self, last: CandidateArrays) -> CandidateArrays:
        """These, and behind them others of the same sentence."""
        return CandidateArrays(
            self.number,
            np.concatenate([self.heads, last.heads]),
            np.concatenate([self.labels, last.labels]),
            np.concatenate([self.scores, last.scores]),
            (*self.histories, *last.histories),
        )
