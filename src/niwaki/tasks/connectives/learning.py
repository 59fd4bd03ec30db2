"""Learns to find what connectives join, from documents in which both arguments are marked."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import compress
from typing import Any

import numpy as np
from numpy.typing import NDArray

from niwaki.data.connectives import Document
from niwaki.errors import NiwakiError
from niwaki.tasks.connectives.candidates import DocumentView
from niwaki.tasks.connectives.features import FEATURE_SETS
from niwaki.tasks.connectives.finder import learn_finder
from niwaki.tasks.connectives.mixture import (
    LEVELS,
    Mixture,
    learn_rankers,
    likeliest_shares,
    mixed,
)
from niwaki.tasks.connectives.model import ConnectiveModel, Settings
from niwaki.tasks.connectives.questions import Questions
from niwaki.tasks.connectives.reranker import Reranker, best_pairs, learn_reranker
from niwaki.typing import FloatArray

# Told that another set of rankers was learned, and how many there will be.
Told = Callable[[int], None]


def learn_connectives(
    documents: Sequence[Document],
    settings: Settings | None = None,
    card: Mapping[str, Any] | None = None,
    told: Told = lambda total: None,
) -> ConnectiveModel:
    """A model from documents with trees; `told` is called after each of its parts.

    Shares of rankers and the reranker are learned from connectives that rankers have not seen:
    documents are held out in turn.
    """
    settings = settings or Settings()
    questions = Questions.of(map(DocumentView, documents), FEATURE_SETS[settings.features])
    if not len(questions) or not all(data.decided.any() for data in questions.sets):
        raise NiwakiError("no connective has both arguments; give Connective=, Arg1= and Arg2=")
    holds_out = settings.rerank or settings.levels > 1
    folds = _folds(questions, settings) if holds_out else []
    total = 2 * (len(folds) + 1) + 1 + settings.rerank
    mixtures, beliefs = [], []
    for argument in (0, 1):
        mixture = learn_rankers(
            questions.views, questions.sets[argument], settings.ranker, settings.levels
        )
        told(total)
        if holds_out:
            parts = _held_out(questions, argument, folds, settings, lambda: told(total))
            right = questions.sets[argument].shares > 0
            mixture = Mixture(mixture.rankers, likeliest_shares(parts[:, right]))
            beliefs.append(mixed(parts, mixture.shares))
        mixtures.append(mixture)
    reranker: Reranker | None = None
    if settings.rerank:
        pairs = best_pairs(questions, (beliefs[0], beliefs[1]), settings.pairs)
        reranker = learn_reranker(questions, pairs, settings.ranker, settings.gamma)
        told(total)
    finder = learn_finder(documents, settings.ranker)
    told(total)
    return ConnectiveModel(settings, (mixtures[0], mixtures[1]), reranker, finder, card or {})


def _folds(questions: Questions, settings: Settings) -> list[NDArray[np.bool_]]:
    """Which connectives are held out in turn: those of some documents, or, if there are too few,
    every so-many-th.
    """
    enough = len(np.unique(questions.documents)) >= settings.folds
    of = questions.documents if enough else np.arange(len(questions))
    folds = [of % settings.folds == fold for fold in range(settings.folds)]
    return [fold for fold in folds if fold.any() and not fold.all()]


def _held_out(
    questions: Questions,
    argument: int,
    folds: Sequence[NDArray[np.bool_]],
    settings: Settings,
    told: Callable[[], None],
) -> FloatArray:
    """What rankers of each level say of candidates that they have not learned from."""
    data = questions.sets[argument]
    parts = np.full((len(LEVELS), len(data.shares)), -1.0)
    for fold in folds:
        others, held = (list(compress(questions.views, which)) for which in (~fold, fold))
        rest = learn_rankers(others, data.only(~fold), settings.ranker, settings.levels)
        rows = np.repeat(fold, np.diff(data.sets))
        parts[:, rows] = rest.parts(held, data.only(fold))
        told()
    return parts
