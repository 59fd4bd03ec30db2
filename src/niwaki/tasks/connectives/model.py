"""Finds what connectives join: rankers of both arguments, a reranker of pairs, a marker."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, replace
from itertools import islice
from typing import Any, Literal

import numpy as np

from niwaki.data.connectives import Document
from niwaki.data.modelfile import ModelFile, write_model_file
from niwaki.keys import check_values, key
from niwaki.learning.ranker import Ranker, RankerSettings
from niwaki.tasks.connectives.candidates import DocumentView
from niwaki.tasks.connectives.features import FEATURE_SETS
from niwaki.tasks.connectives.finder import Finder
from niwaki.tasks.connectives.mixture import LEVELS, Mixture
from niwaki.tasks.connectives.questions import Questions
from niwaki.tasks.connectives.reranker import Pair, Reranker, best_pairs
from niwaki.tasks.modelfiles import load_as
from niwaki.typing import FloatArray

KIND = "connectives"
_CARD, _MARKER = "config.json", "finder.safetensors"
_ARGUMENTS = ("arg1.safetensors", "arg2.safetensors")
_PAIRS = "reranker.safetensors"


@dataclass(frozen=True)
class Settings:
    """How arguments are found, and how that is learned."""

    features: Literal["places", "paths", "all"] = key("all", "What rankers look at.")
    levels: int = key(
        1, "Rankers: of all connectives, of each type, of phrases.", least=1, most=len(LEVELS)
    )
    rerank: bool = key(True, "Weigh pairs of arguments together.")
    pairs: int = key(10, "Pairs that are weighed.", least=1, most=1000, when={"rerank": (True,)})
    gamma: float = key(0.4, "How much the rankers weigh in it.", least=0, when={"rerank": (True,)})
    folds: int = key(5, "Parts of the documents that are held out in turn.", least=2, most=100)
    ranker: RankerSettings = field(default_factory=RankerSettings)

    def __post_init__(self) -> None:
        check_values(self)
        check_values(self.ranker)


@dataclass(frozen=True)
class ConnectiveModel:
    """See the module. `card` says how it was made."""

    settings: Settings
    arguments: tuple[Mixture, Mixture]
    reranker: Reranker | None
    finder: Finder
    card: Mapping[str, Any] = field(default_factory=dict)

    def questions(self, documents: Iterable[DocumentView]) -> Questions:
        return Questions.of(documents, FEATURE_SETS[self.settings.features])

    def beliefs(self, questions: Questions) -> tuple[FloatArray, FloatArray]:
        """Probabilities of the candidates of both arguments, each for itself."""
        one, other = (
            mixture.probabilities(questions.views, data)
            for mixture, data in zip(self.arguments, questions.sets, strict=True)
        )
        return one, other

    def choose(self, questions: Questions) -> list[Pair]:
        """The pair of candidates that each connective joins."""
        if not len(questions):
            return []
        most = self.settings.pairs if self.reranker else 1
        pairs = best_pairs(questions, self.beliefs(questions), most)
        if self.reranker is None:
            return [chosen[0] for chosen in pairs]
        weights = self.reranker.log_weights(questions, pairs)
        ends = np.cumsum([len(chosen) for chosen in pairs])
        parts = np.split(weights, ends[:-1])
        return [pairs[number][int(part.argmax())] for number, part in enumerate(parts)]

    def resolve(self, documents: Iterable[Document], *, mark: bool = False) -> list[Document]:
        """The documents with the arguments of their connectives; `mark` finds these, too."""
        given = [self.finder.mark(each) if mark else each for each in documents]
        questions = self.questions(map(DocumentView, given))
        first, second = questions.candidates
        answers = (
            replace(view.connective, arg1=first[n][i].place, arg2=second[n][j].place)
            for n, (view, (i, j, _)) in enumerate(
                zip(questions.views, self.choose(questions), strict=True)
            )
        )
        return [
            replace(each, connectives=tuple(islice(answers, len(each.connectives))))
            for each in given
        ]

    # -- files ------------------------------------------------------------------------

    def save(self, path: str | os.PathLike[str]) -> None:
        card = {**self.card, "kind": KIND, "settings": asdict(self.settings)}
        parts: dict[str, Any] = {_CARD: card, "phrases.json": sorted(self.finder.phrases)}
        for name, mixture in zip(_ARGUMENTS, self.arguments, strict=True):
            parts[name] = mixture.arrays
        if self.reranker is not None:
            parts[_PAIRS] = self.reranker.ranker.arrays
        parts[_MARKER] = self.finder.ranker.arrays
        write_model_file(path, parts)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> ConnectiveModel:
        """Read a model; raises ModelError if it is another one, or damaged."""
        return load_as(
            path, KIND, cls._of, what="model of connectives", command="train-connectives"
        )

    @classmethod
    def _of(cls, file: ModelFile) -> ConnectiveModel:
        said = dict(file.config["settings"])
        settings = Settings(**{**said, "ranker": RankerSettings(**said["ranker"])})
        one, other = (Mixture.of(file.tensors(name)) for name in _ARGUMENTS)
        reranker = None
        if settings.rerank:
            reranker = Reranker(Ranker.of(file.tensors(_PAIRS)), settings.gamma)
        phrases = frozenset(str(phrase) for phrase in file.json("phrases.json"))
        finder = Finder(phrases, Ranker.of(file.tensors(_MARKER)))
        return cls(settings, (one, other), reranker, finder, file.config)
