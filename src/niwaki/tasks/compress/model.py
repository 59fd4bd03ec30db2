"""Makes sentences shorter: the words whose rules add up to the most, as many as are wanted."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

import numpy as np

from niwaki.data.compressions import Kept
from niwaki.data.modelfile import ModelFile, write_model_file
from niwaki.data.sentence import Sentence
from niwaki.data.wordnet import WordNet
from niwaki.kernel.compress.chart import KEPT, KEPT_BELOW, Chart
from niwaki.keys import check_values, key
from niwaki.tasks.compress.budget import shared_out, words_at
from niwaki.tasks.compress.ilp import shorten
from niwaki.tasks.compress.likelihood import Forest
from niwaki.tasks.compress.ngrams import NGrams
from niwaki.tasks.compress.rules import chart_of, check_length, k_best
from niwaki.tasks.compress.weights import Weights
from niwaki.tasks.modelfiles import load_as
from niwaki.tasks.trees import TreeView
from niwaki.typing import FloatArray

KIND = "compressor"
_CARD, _RULES = "config.json", "rules.safetensors"
_COUNTS, _WORDS = "counts.safetensors", "words.json"
# Nothing is surer than that.
_LEAST = 1e-6


@dataclass(frozen=True)
class Settings:
    """How rules are learned."""

    learner: Literal["likelihood", "svm"] = key(
        "likelihood",
        "What is learned: how likely the choices of people are among all, or that other choices "
        "lose by a margin (Cohn and Lapata 2007).",
    )
    l2: float = key(40.0, "likelihood: how much weights are drawn to 0.", least=0)
    belief: float = key(
        0.9,
        "likelihood: how much of a word's score is the log odds that it is kept, over all choices; "
        "the rest is that of its rule.",
        least=0,
        most=1,
    )
    c: float = key(1.0, "svm: how much mistakes weigh beside the size of weights.", above=0)
    loss: Literal["bp2", "bp1", "precision"] = key(
        "bp2", "svm: what a choice loses: its precision times which brevity penalty."
    )
    scaling: Literal["slack", "margin"] = key(
        "slack", "svm: what the loss multiplies: the whole violation, or its margin."
    )
    calibrate: bool = key(True, "Fit the rate: each half of the data by weights of the other.")
    annotator: int = key(1, "Which of several references is learned from.", least=1)
    least_count: int = key(2, "Words that must have a feature.", least=1)
    gap: float = key(1e-3, "svm: learning ends so near to the best weights.", above=0)
    rounds: int = key(300, "Most cuts, or passes of likelihood.", least=1)

    def __post_init__(self) -> None:
        check_values(self)


@dataclass(frozen=True)
class Compressor:
    """See the module. A kept word is worth `bias` more than its rule says, which fits the rate.
    `card` says how it was made.
    """

    settings: Settings
    weights: Weights
    counts: NGrams
    bias: float = 0.0
    card: Mapping[str, Any] = field(default_factory=dict)

    def compress(
        self,
        sentences: Sequence[Sentence],
        rate: float | None = None,
        *,
        document: bool = False,
        sizes: Sequence[int] | None = None,
    ) -> list[Kept]:
        """The words to keep of each sentence: as many as are best; or a share of them, of each
        sentence or of all as one document; or so many as `sizes` says.
        """
        for sentence in sentences:
            check_length(sentence)
        charts = self.charts([TreeView(sentence) for sentence in sentences])
        if sizes is None:
            sizes = _sizes([chart.best[:, 0] for chart in charts], rate, document)
        return [
            tuple(map(bool, chart.kept(size, 0))) for chart, size in zip(charts, sizes, strict=True)
        ]

    def programme(
        self,
        sentences: Sequence[Sentence],
        rate: float | None = None,
        *,
        discourse: bool = False,
        sizes: Sequence[int] | None = None,
        wordnet: WordNet | None = None,
    ) -> list[Kept]:
        """The words to keep by the integer programme, which asks the counts and no rules; with
        `discourse` it keeps what holds the sentences together as a document. Sizes are met as
        nearly as its demands allow.
        """
        for sentence in sentences:
            check_length(sentence)
        wanted: Sequence[int | None] = sizes or [
            None if rate is None else words_at(rate, len(sentence)) for sentence in sentences
        ]
        trees = [TreeView(sentence) for sentence in sentences]
        return list(shorten(trees, self.counts, wanted, discourse=discourse, wordnet=wordnet))

    def charts(self, trees: Sequence[TreeView]) -> list[Chart]:
        """The best choices of each tree, by the number of words that are kept."""
        return charts_of(self.scores(trees), trees)

    def k_best(self, tree: TreeView, k: int) -> list[tuple[float, Kept]]:
        """The k best choices with their scores, best first."""
        return k_best(tree, self.scores([tree]), k)

    def scores(self, trees: Sequence[TreeView]) -> FloatArray:
        """What each rule of each word adds, of one tree after the other."""
        found = believed(self.weights.scores(trees), trees, self.settings)
        found[:, [KEPT, KEPT_BELOW]] += self.bias
        return found

    # -- files ------------------------------------------------------------------------

    def save(self, path: str | os.PathLike[str]) -> None:
        card = {**self.card, "kind": KIND, "settings": asdict(self.settings), "bias": self.bias}
        parts = {_CARD: card, _RULES: self.weights.arrays, _COUNTS: self.counts.arrays}
        write_model_file(path, {**parts, _WORDS: list(self.counts.words)})

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Compressor:
        """Read a compressor; raises ModelError if it is another model, or damaged."""
        return load_as(path, KIND, cls._of, what="compressor", command="train-compressor")

    @classmethod
    def _of(cls, file: ModelFile) -> Compressor:
        settings = Settings(**file.config["settings"])
        weights = Weights.of(file.tensors(_RULES))
        counts = NGrams.of(file.json(_WORDS), file.tensors(_COUNTS))
        return cls(settings, weights, counts, float(file.config["bias"]), file.config)


def believed(scores: FloatArray, trees: Sequence[TreeView], settings: Settings) -> FloatArray:
    """Scores of rules by which words are chosen.

    The best choice of all is right as a whole, or not; that of the words that are most likely kept
    has the most right words. Between both stands `belief`.
    """
    if settings.learner != "likelihood":
        return scores
    _, rules = Forest(trees).expected(scores)
    kept = np.clip(rules[:, KEPT] + rules[:, KEPT_BELOW], _LEAST, 1 - _LEAST)
    found = (1 - settings.belief) * scores
    found[:, [KEPT, KEPT_BELOW]] += settings.belief * np.log(kept / (1 - kept))[:, None]
    return np.asarray(found)


def charts_of(scores: FloatArray, trees: Sequence[TreeView]) -> list[Chart]:
    ends = np.cumsum([len(tree.heads) for tree in trees])
    parts = np.split(scores, ends[:-1])
    return [chart_of(tree, part) for tree, part in zip(trees, parts, strict=True)]


def _sizes(tables: Sequence[FloatArray], rate: float | None, document: bool) -> list[int]:
    if rate is None:
        return [int(table.argmax()) for table in tables]
    words = [len(table) - 1 for table in tables]
    if document:
        return shared_out(tables, words_at(rate, sum(words)))
    return [words_at(rate, count) for count in words]
