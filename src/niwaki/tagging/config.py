"""What can be said of the tagger and of how it learns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class TaggerConfig:
    """The tagger and what follows it."""

    # Predict UPOS and XPOS; FEATS; LEMMA.
    tags: bool = True
    feats: bool = True
    lemmas: bool = True
    # "tnt" counts tags of words and endings and trigrams of tags; the others weigh features.
    learner: Literal["logistic", "perceptron", "tnt"] = "logistic"
    epochs: int = 5
    learning_rate: float = 0.1
    adagrad_epsilon: float = 0.1
    margin: float = 12.0
    # tnt: whether a known word can have tags that it was not seen with, and as how many
    # occurrences of the word its ending then counts.
    known_words: Literal["seen", "all"] = "all"
    smoothing: float = 0.1
    # A feature gets weights only when it was met so often.
    min_updates: int = 1
    # The parser is trained on tags that were predicted for each part of the data by a
    # tagger trained on the other parts; 0 trains it on the tags of the file.
    folds: int = 10
    max_rows: int = 300_000

    @property
    def passes(self) -> int:
        """How often a tagger looks at the data."""
        return 1 if self.learner == "tnt" else self.epochs

    @property
    def ending_weight(self) -> float:
        """What the ending of a known word weighs in its tags."""
        return self.smoothing if self.known_words == "all" else 0.0
