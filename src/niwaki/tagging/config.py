"""What can be said of the tagger and of how it learns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from niwaki.keys import GIVEN, When, key

_TAGS: When = {"tags": GIVEN}
_LOGISTIC: When = {**_TAGS, "learner": ("logistic",)}
_PERCEPTRON: When = {**_TAGS, "learner": ("perceptron",)}
_WEIGHS: When = {**_TAGS, "learner": ("logistic", "perceptron")}
_TNT: When = {**_TAGS, "learner": ("tnt",)}


@dataclass(frozen=True)
class TaggerConfig:
    """The tagger and what follows it."""

    tags: bool = key(True, "Predict UPOS and XPOS.")
    feats: bool = key(True, "Predict FEATS.", when=_TAGS)
    lemmas: bool = key(True, "Predict LEMMA.", when=_TAGS)
    learner: Literal["logistic", "perceptron", "tnt"] = key(
        "logistic",
        '"tnt" counts tags of words and endings and trigrams of tags; the others weigh features.',
        when=_TAGS,
    )
    epochs: int = key(5, "Passes over the data.", least=1, when=_WEIGHS)
    runs: int = key(
        1,
        "Taggers that learn from sentences in other orders; their weights are averaged.",
        least=1,
        most=100,
        when=_WEIGHS,
    )
    finetune_epochs: int = key(
        0,
        "With --init: passes in which the tagger learns on, from the tags of treebanks and of "
        "sentences that were broken (robustness), before the parser does. 0: it stays as it is.",
        least=0,
        when=_WEIGHS,
    )
    learning_rate: float = key(
        0.1, "Length of AdaGrad's steps.", least=0, when=_LOGISTIC, formerly=("rate",)
    )
    adagrad_epsilon: float = key(
        0.1,
        "What is added to AdaGrad's sums of gradients: more makes first steps shorter.",
        least=0,
        when=_LOGISTIC,
        formerly=("damping",),
    )
    margin: float = key(12.0, "By how much the right tag must lead.", least=0, when=_PERCEPTRON)
    known_words: Literal["seen", "all"] = key(
        "all",
        "Whether a known word can have tags that it was not seen with.",
        when=_TNT,
    )
    smoothing: float = key(
        0.1,
        "As how many occurrences of a known word its ending counts.",
        above=0,
        when={**_TNT, "known_words": ("all",)},
    )
    min_updates: int = key(
        1,
        "A feature gets weights only when it was met so often.",
        least=1,
        most=255,
        when=_WEIGHS,
        formerly=("patience",),
    )
    folds: int = key(
        10,
        "The parser is trained on tags that were predicted for each part of the data by a tagger "
        "trained on the other parts. 1: by the finished tagger, which has learned them, as a model "
        "does that is fine-tuned (--init), if nothing is said; sentences that it has not learned "
        "it tags in any case. 0: the tags of the file.",
        least=0,
        when=_TAGS,
        init=1,
    )
    max_rows: int = key(300_000, "Rows of weights that are kept.", least=1, when=_WEIGHS)

    @property
    def visits(self) -> int:
        """How often a tagger looks at the data."""
        return 1 if self.learner == "tnt" else self.epochs * self.runs

    @property
    def ending_weight(self) -> float:
        """What the ending of a known word weighs in its tags."""
        return self.smoothing if self.known_words == "all" else 0.0
