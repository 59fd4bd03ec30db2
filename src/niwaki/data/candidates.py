"""The k best trees of a sentence with what the parser thinks of each."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

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
