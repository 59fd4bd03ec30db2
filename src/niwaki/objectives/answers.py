"""What a tree makes of the ranking of a question's answers, as a cost.

A ranker, which stays as it is, ranks the answers of a question. An example is a question whose
trees are priced while those of its answers stay as they are in the data; or, with `parses =
"candidates"`, an answer, while the question and the other answers stay. The cost is 1 - average
precision, 1 - the reciprocal rank of the first right answer, or -log of the share of right ones in
exp(score).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from niwaki.data.answers import Question, read_questions
from niwaki.data.constraints import Constraints
from niwaki.data.kbest import KBest
from niwaki.data.sentence import Sentence
from niwaki.errors import ConfigError
from niwaki.keys import key
from niwaki.metrics.ranking import ranking_scores
from niwaki.objectives import Costs, LeftOut
from niwaki.tasks.answers.model import AnswerModel
from niwaki.tasks.answers.words import WordView
from niwaki.typing import FloatArray

# What right answers have at least, so that a hopeless question does not outweigh all others.
_LEAST = 1e-4


@dataclass(frozen=True)
class Settings:
    """Who ranks answers, whose trees are priced, and what mistakes cost."""

    ranker: str = key(
        "", "A model of `niwaki train-ranker`.", path="file", needed="a ranker of answers"
    )
    wordnet: str = key("", "Where WordNet is, if it is not installed.", path="folder")
    parses: Literal["question", "candidates"] = key("question", "Whose trees are priced.")
    cost: Literal["precision", "rank", "smooth"] = key(
        "precision",
        "1 - average precision, 1 - reciprocal rank, or -log of the share of right answers.",
    )


@dataclass
class _Example:
    """A question, and which of its sentences has trees that are priced: 0 is itself."""

    question: Question
    place: int
    views: list[WordView]
    # What matchers say of all answers with the trees that these have, if those are priced.
    parts: FloatArray | None = None

    @property
    def id(self) -> str:
        if not self.place:
            return self.question.id
        return f"{self.question.id}/{self.question.answers[self.place - 1].id}"

    @property
    def sentence(self) -> Sentence:
        return self.question.sentences[self.place]


class Answers:
    """Questions with right and wrong answers; others are left out."""

    def __init__(
        self,
        questions: Sequence[Question],
        model: AnswerModel,
        *,
        parses: str = "question",
        cost: str = "precision",
    ) -> None:
        self._model, self._cost = model, cost
        self._examples = [
            example
            for question in questions
            if len(set(question.judged.right.values())) == 2
            for example in _examples(question, model, parses)
        ]
        self.ids = tuple(example.id for example in self._examples)
        self.sentences = tuple(example.sentence for example in self._examples)
        silent = [each for each in questions if len(set(each.judged.right.values())) < 2]
        self.left_out = LeftOut.of(silent, "no right or no wrong answer")

    def open(self, tagged: Sequence[Sentence], labels: Sequence[str]) -> None:
        for example, sentence in zip(self._examples, tagged, strict=True):
            example.views[example.place] = self._model.view(sentence)

    def costs(self, candidates: Sequence[KBest]) -> list[Costs]:
        return [self._costs(self._examples[each.number], each) for each in candidates]

    def _costs(self, example: _Example, candidates: KBest) -> Costs:
        question, *answers = example.views
        trees = [example.views[example.place].with_tree(tree) for tree in candidates]
        if example.parts is None:
            scores = self._model.scores_of_trees(trees, answers)
        else:
            place = example.place - 1
            scores = self._model.scores_with_trees(question, example.parts, place, trees)
        right = np.array([answer.right for answer in example.question.answers], dtype=np.bool_)
        return np.array([self._mistakes(row, right) for row in scores], dtype=np.float64)

    def _mistakes(self, scores: FloatArray, right: NDArray[np.bool_]) -> float:
        if self._cost == "smooth":
            weights = np.exp(scores - scores.max())
            return float(-np.log(max(weights[right].sum() / weights.sum(), _LEAST)))
        precision, reciprocal, _ = ranking_scores(scores, right, int(right.sum()))
        return 1 - (precision if self._cost == "precision" else reciprocal)

    def constraints(self, number: int) -> Constraints | None:
        return None  # many trees cost nothing, and no statement says which


def _examples(question: Question, model: AnswerModel, parses: str) -> Iterator[_Example]:
    views = [model.view(sentence) for sentence in question.sentences]
    if parses == "question":
        for view in views[1:]:
            assert view.tree  # or say where a tree is missing, before anything is trained
        yield _Example(question, 0, views)
        return
    parts = model.parts(views[0], views[1:])
    for place in range(1, len(views)):
        yield _Example(question, place, list(views), parts)


def load(files: Sequence[str], settings: Settings) -> Answers:
    model = AnswerModel.load(settings.ranker, settings.wordnet or None)
    if not model.uses_trees:
        names = ", ".join(model.settings.matchers)
        raise ConfigError(
            f"{settings.ranker}: {names} looks at no tree, so that all trees cost the same; "
            "train a ranker with quasi, paths or tree-match"
        )
    questions = [question for file in files for question in read_questions(file)]
    objective = Answers(questions, model, parses=settings.parses, cost=settings.cost)
    if not objective.sentences:
        raise ConfigError(
            f"{', '.join(files)}: no question with right and wrong candidates; label some 1 and 0"
        )
    return objective
