"""Learns to rank answers, from questions with labelled candidates."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from niwaki.data.answers import Question
from niwaki.data.wordnet import WordNet
from niwaki.errors import NiwakiError
from niwaki.learning.candidates import CandidateSets, feature_key
from niwaki.learning.ranker import learn_ranker
from niwaki.tasks.answers.edits import TreeMatch
from niwaki.tasks.answers.lexical import BM25, Overlap, learn_bm25
from niwaki.tasks.answers.matcher import Matcher
from niwaki.tasks.answers.model import AnswerModel, Settings, standardized
from niwaki.tasks.answers.paths import PathMatch, learn_paths
from niwaki.tasks.answers.quasi import QuasiSynchronous
from niwaki.tasks.answers.quasi_learning import learn_quasi
from niwaki.tasks.answers.words import WordView
from niwaki.typing import FloatArray

# Told that another set of matchers was learned, and how many there will be.
Told = Callable[[int], None]


@dataclass(frozen=True)
class Example:
    """A question with its answers as matchers see them, and which are right."""

    question: WordView
    answers: tuple[WordView, ...]
    right: tuple[bool, ...]


def learn_answers(
    questions: Sequence[Question],
    settings: Settings | None = None,
    wordnet: WordNet | None = None,
    card: Mapping[str, Any] | None = None,
    told: Told = lambda total: None,
) -> AnswerModel:
    """A model from questions with labels; `told` is called after each set of matchers.

    Weights are learned from scores of questions that the matchers have not seen: these are held
    out in turn. With one matcher there is nothing to weigh.
    """
    settings = settings or Settings()
    examples = [_example(question, wordnet) for question in questions]
    if not any(any(example.right) for example in examples):
        raise NiwakiError("no right answer to learn from; give candidates with label 1")
    weighs = len(settings.matchers) > 1
    total = 1 + (settings.folds if weighs else 0)
    matchers = learn_matchers(examples, settings)
    told(total)
    weights: tuple[float, ...] = (1.0,)
    if weighs:
        weights = _weights(examples, settings, lambda: told(total))
    return AnswerModel(settings, matchers, weights, wordnet, card or {})


def _example(question: Question, wordnet: WordNet | None) -> Example:
    right = tuple(question.judged.right.values())
    answers = tuple(WordView(answer.sentence, wordnet) for answer in question.answers)
    return Example(WordView(question.sentence, wordnet), answers, right)


def learn_matchers(examples: Sequence[Example], settings: Settings) -> tuple[Matcher, ...]:
    pairs = [
        (example.question, answer)
        for example in examples
        for answer, right in zip(example.answers, example.right, strict=True)
        if right
    ]
    learners: dict[str, Callable[[], Matcher]] = {
        Overlap.name: Overlap,
        BM25.name: lambda: learn_bm25([answer for each in examples for answer in each.answers]),
        TreeMatch.name: TreeMatch,
        PathMatch.name: lambda: learn_paths(pairs),
        QuasiSynchronous.name: lambda: learn_quasi(pairs, settings.quasi),
    }
    return tuple(learners[name]() for name in settings.matchers)


def _weights(
    examples: Sequence[Example], settings: Settings, told: Callable[[], None]
) -> tuple[float, ...]:
    """Of the log-linear ranker of scores that were held out."""
    # Questions that have nothing to choose say nothing, and do not make up a fold.
    open_ones = [each for each in examples if any(each.right) and not all(each.right)]
    scores: dict[int, FloatArray] = {}
    for fold in range(settings.folds):
        held = list(range(fold, len(open_ones), settings.folds))
        hidden = {id(open_ones[number]) for number in held}
        others = [each for each in examples if id(each) not in hidden]
        if held and any(any(each.right) for each in others):
            matchers = learn_matchers(others, settings)
            for number in held:
                each = open_ones[number]
                rows = [matcher.scores(each.question, each.answers) for matcher in matchers]
                scores[number] = standardized(np.array(rows))
        told()
    keys = [feature_key(name) for name in settings.matchers]
    sets = (
        ([keys] * len(open_ones[number].answers), np.flatnonzero(open_ones[number].right).tolist())
        for number in scores
    )
    data = CandidateSets.of(sets, (rows.T.tolist() for rows in scores.values()))
    ranker = learn_ranker(data, settings.ranker)
    found = dict(zip(ranker.keys.tolist(), ranker.weights.tolist(), strict=True))
    return tuple(found.get(each, 0.0) for each in keys)
