"""Ranks the candidate answers of questions, by one matcher or a weighted sum of several."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

from niwaki.data.answers import Question, Ranked
from niwaki.data.modelfile import ModelFile, write_model_file
from niwaki.data.sentence import Sentence
from niwaki.data.wordnet import WordNet
from niwaki.errors import ConfigError, nearest, shown
from niwaki.keys import check_values, key
from niwaki.learning.ranker import RankerSettings
from niwaki.tasks.answers.edits import TreeMatch
from niwaki.tasks.answers.lexical import BM25, Overlap
from niwaki.tasks.answers.matcher import Matcher
from niwaki.tasks.answers.paths import PathMatch
from niwaki.tasks.answers.quasi import QuasiSynchronous
from niwaki.tasks.answers.quasi_learning import QuasiSettings
from niwaki.tasks.answers.words import WordView
from niwaki.tasks.modelfiles import load_as
from niwaki.typing import FloatArray

KIND = "answers"
_CARD = "config.json"
_DIGITS = 9


_CLASSES: tuple[type[Matcher], ...] = (Overlap, BM25, TreeMatch, PathMatch, QuasiSynchronous)
MATCHERS: dict[str, type[Matcher]] = {each.name: each for each in _CLASSES}


@dataclass(frozen=True)
class Settings:
    """Which matchers there are, and how they and their weights are learned."""

    matchers: tuple[str, ...] = key(("bm25", "quasi"), "What is summed up.")
    wordnet: bool = key(True, "Whether related words are looked up in WordNet.")
    folds: int = key(5, "Parts of the questions that are held out in turn.", least=2, most=100)
    quasi: QuasiSettings = field(default_factory=QuasiSettings)
    ranker: RankerSettings = field(default_factory=RankerSettings)

    def __post_init__(self) -> None:
        for each in (self, self.quasi, self.ranker):
            check_values(each)
        for name in self.matchers:
            if name not in MATCHERS:
                raise ConfigError(f"no matcher {shown(name)}; {nearest(name, MATCHERS)}")
        if not self.matchers or len(set(self.matchers)) < len(self.matchers):
            raise ConfigError("no matcher, or one of them twice; name each of them once")


@dataclass(frozen=True)
class AnswerModel:
    """See the module. Scores of several matchers are comparable within a question only."""

    settings: Settings
    matchers: tuple[Matcher, ...]
    weights: tuple[float, ...]
    wordnet: WordNet | None = field(default=None, repr=False)
    card: Mapping[str, Any] = field(default_factory=dict)

    @property
    def uses_trees(self) -> bool:
        return any(each.uses_trees for each in self.matchers)

    def view(self, sentence: Sentence) -> WordView:
        return WordView(sentence, self.wordnet)

    def rank(self, question: Question) -> Ranked:
        """Scores of the answers of a question."""
        views = [self.view(answer.sentence) for answer in question.answers]
        # What differs in the last digits alone, by the order of sums, is equal.
        scores = self.scores(self.view(question.sentence), views).round(_DIGITS).tolist()
        ids = [answer.id for answer in question.answers]
        return Ranked(question.id, dict(zip(ids, scores, strict=True)))

    def scores(self, question: WordView, answers: Sequence[WordView]) -> FloatArray:
        """A number for each answer: the matcher's own, or the sum of those of several, each of them
        with mean 0 and variance 1 over the answers.
        """
        return self.summed(self.parts(question, answers))

    def parts(self, question: WordView, answers: Sequence[WordView]) -> FloatArray:
        """What each matcher says of each answer."""
        return np.array([each.scores(question, answers) for each in self.matchers])

    def scores_of_trees(
        self, questions: Sequence[WordView], answers: Sequence[WordView]
    ) -> FloatArray:
        """The same for some trees of one question: trees x answers."""
        found = [each.scores_of_trees(questions, answers) for each in self.matchers]
        return self.summed(np.array(found))

    def scores_with_trees(
        self, question: WordView, parts: FloatArray, place: int, trees: Sequence[WordView]
    ) -> FloatArray:
        """The same where one of the answers has some trees: trees x answers.

        `parts` are those of all answers.
        """
        found = np.repeat(parts[:, None], len(trees), axis=1)
        found[:, :, place] = self.parts(question, trees)
        return self.summed(found)

    def summed(self, scores: FloatArray) -> FloatArray:
        """Of scores by matcher, perhaps by tree, and by answer."""
        if len(self.matchers) == 1:
            return np.asarray(scores[0])
        return np.asarray(np.tensordot(self.weights, standardized(scores), axes=1))

    # -- files ------------------------------------------------------------------------

    def save(self, path: str | os.PathLike[str]) -> None:
        card = {**self.card, "kind": KIND, "settings": asdict(self.settings)}
        parts: dict[str, Any] = {_CARD: {**card, "weights": list(self.weights)}}
        for each in self.matchers:
            if each.arrays:
                parts[f"{each.name}.safetensors"] = each.arrays
        write_model_file(path, parts)

    @classmethod
    def load(
        cls, path: str | os.PathLike[str], wordnet: str | os.PathLike[str] | None = None
    ) -> AnswerModel:
        """Read a model; raises ModelError if it is another one, or damaged.

        wordnet: the folder of WordNet, if the model has learned with it and it is not installed.
        """
        found = load_as(path, KIND, cls._of, what="ranker of answers", command="train-ranker")
        if not found.settings.wordnet:
            return found
        return cls(found.settings, found.matchers, found.weights, WordNet(wordnet), found.card)

    @classmethod
    def _of(cls, file: ModelFile) -> AnswerModel:
        said = dict(file.config["settings"])
        said["matchers"] = tuple(said["matchers"])
        quasi, ranker = QuasiSettings(**said["quasi"]), RankerSettings(**said["ranker"])
        settings = Settings(**{**said, "quasi": quasi, "ranker": ranker})
        matchers = []
        for name in settings.matchers:
            part = f"{name}.safetensors"
            matchers.append(MATCHERS[name].of(file.tensors(part) if part in file.parts else {}))
        weights = tuple(float(weight) for weight in file.config["weights"])
        if len(weights) != len(matchers) or not np.isfinite(weights).all():
            raise ValueError("a weight for each matcher is missing")
        return cls(settings, tuple(matchers), weights, card=file.config)


def standardized(scores: FloatArray) -> FloatArray:
    """Rows with mean 0 and variance 1; what is the same everywhere is 0."""
    if not scores.shape[-1]:
        return scores
    apart = scores - scores.mean(axis=-1, keepdims=True)
    spread = apart.std(axis=-1, keepdims=True)
    flat = spread <= 1e-12 * np.maximum(np.abs(scores).max(axis=-1, keepdims=True), 1)
    return np.asarray(np.where(flat, 0.0, apart / np.where(flat, 1.0, spread)))
