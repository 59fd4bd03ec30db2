"""Costs of trees by how well answers are ranked with them."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import numpy as np
import pytest

from niwaki.data.answers import Question
from niwaki.data.kbest import KBest
from niwaki.data.tree import Tree
from niwaki.errors import ConfigError, CorpusError
from niwaki.objectives import load_objective
from niwaki.objectives.answers import Answers, Settings
from niwaki.tasks.answers.learning import learn_answers
from niwaki.tasks.answers.model import AnswerModel
from niwaki.tasks.answers.model import Settings as ModelSettings
from niwaki.tasks.answers.quasi_learning import QuasiSettings
from tests.asked import as_text, asked, pool

ODD = Tree((2, 0, 1, 2), ("nsubj", "root", "nmod", "punct"))
PLAIN = Tree((2, 0, 2, 2), ("nsubj", "root", "obj", "punct"))
NAMES = ("nmod", "nsubj", "obj", "punct", "root")


def odd(question: Question) -> Question:
    """Asked with an odd tree, so that the answer with the odd tree is right."""
    answers = [dataclasses.replace(each, right=each.id == "3") for each in question.answers]
    sentence = question.sentence.with_tree(ODD)
    return dataclasses.replace(question, sentence=sentence, answers=tuple(answers))


@pytest.fixture(scope="module")
def model() -> AnswerModel:
    settings = ModelSettings(
        matchers=("quasi",), wordnet=False, quasi=QuasiSettings(lexical=False, rounds=20)
    )
    return learn_answers([*pool(), *map(odd, pool())], settings)


def trees(number: int = 0) -> KBest:
    return KBest.of_trees([PLAIN, ODD], [1.0, 0.0], NAMES, number=number)


def opened(model: AnswerModel, **more: str) -> Answers:
    """Two questions with the two answers that have the right words."""
    given = [dataclasses.replace(each, answers=each.answers[1:3]) for each in pool(2)]
    objective = Answers(given, model, **more)
    objective.open(objective.sentences, NAMES)
    return objective


def test_trees_of_questions_cost(model: AnswerModel) -> None:
    """With the odd tree, the answer with the odd tree is taken for right."""
    precision, rank, smooth = (opened(model, cost=cost) for cost in ("precision", "rank", "smooth"))
    assert precision.ids == ("q0", "q1") and precision.sentences[0].forms[0] == "Who"
    assert precision.costs([trees()])[0].tolist() == [0, 0.5]
    assert rank.costs([trees()])[0].tolist() == [0, 0.5]
    one, other = smooth.costs([trees(), trees(1)])
    assert 0 < one[0] < one[1] < -np.log(1e-4) and other[0] < other[1]


def test_trees_of_answers_cost(model: AnswerModel) -> None:
    objective = opened(model, parses="candidates")
    assert objective.ids == ("q0/2", "q0/3", "q1/2", "q1/3")
    assert objective.sentences[0].forms == asked(0).answers[1].sentence.forms
    (right,) = objective.costs([trees(0)])
    assert right[0] == 0 < right[1], "the right answer should look like the question"
    (wrong,) = objective.costs([trees(1)])
    assert wrong[0] > wrong[1] == 0, "and the wrong one should not"


def test_sums_of_matchers_are_priced_too() -> None:
    model = learn_answers(
        pool(), ModelSettings(matchers=("bm25", "tree-match", "paths", "quasi"), wordnet=False)
    )
    for parses in ("question", "candidates"):
        (costs,) = opened(model, parses=parses, cost="smooth").costs([trees()])
        assert 0 < costs[0] < costs[1]


def test_it_is_read_from_files(model: AnswerModel, tmp_path: Path) -> None:
    model.save(tmp_path / "a.niwaki")
    data = tmp_path / "data.jsonl"
    settings = Settings(ranker=str(tmp_path / "a.niwaki"))
    silent = dataclasses.replace(asked(9), answers=asked(9).answers[:1])
    data.write_text(as_text([*pool(4), silent]), encoding="utf-8")
    objective = load_objective("answers", [str(data)], settings)
    assert len(objective.sentences) == 4
    assert isinstance(objective, Answers) and objective.left_out is not None
    assert str(objective.left_out).startswith(
        "1 left out: no right or no wrong answer (the first: "
    )
    data.write_text(as_text([silent]), encoding="utf-8")
    with pytest.raises(ConfigError, match="no question with right and wrong candidates"):
        load_objective("answers", [str(data)], settings)
    data.write_text(as_text(pool(1), trees=False), encoding="utf-8")
    for parses in ("question", "candidates"):
        with pytest.raises(CorpusError, match=r"data.jsonl:1:HEAD: no tree of .*; give"):
            load_objective("answers", [str(data)], dataclasses.replace(settings, parses=parses))
    with pytest.raises(ConfigError, match="ranker is missing; give a ranker of answers"):
        load_objective("answers", [str(data)], Settings())
    words = learn_answers(pool(), ModelSettings(matchers=("bm25",), wordnet=False))
    words.save(tmp_path / "a.niwaki")
    with pytest.raises(ConfigError, match="bm25 looks at no tree"):
        load_objective("answers", [str(data)], settings)
