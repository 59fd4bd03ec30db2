"""Scores of rankings beside the mean over all orders of ties; what cannot be scored."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from niwaki.data.answers import Judged, Ranked
from niwaki.errors import NiwakiError
from niwaki.metrics.ranking import evaluate_ranking, ranking_scores
from tests.reference.answers import mean_over_orders


@given(st.lists(st.tuples(st.integers(0, 2), st.booleans()), min_size=1, max_size=6))
def test_ties_are_means_over_all_orders(rows: list[tuple[int, bool]]) -> None:
    scores, right = [float(score) for score, _ in rows], [each for _, each in rows]
    found = ranking_scores(np.array(scores), np.array(right), sum(right))
    assert found == pytest.approx(mean_over_orders(scores, right))


def test_a_file_with_right_answers_first_gains_nothing() -> None:
    gold = [Judged("q", {"a": True, "b": False})]
    tied = evaluate_ranking(gold, [Ranked("q", {"a": 1.0, "b": 1.0})])
    assert tied.scores == {"MAP": 75, "MRR": 75, "P@1": 50}


def test_right_answers_that_were_not_ranked_are_never_found() -> None:
    gold = [Judged("q", {"a": True, "b": False, "c": True})]
    found = evaluate_ranking(gold, [Ranked("q", {"b": 2.0, "a": 1.0})])
    assert found.scores == {"MAP": 25, "MRR": 50, "P@1": 0}
    nothing = evaluate_ranking(gold, [Ranked("q", {})])
    assert nothing.scores == {"MAP": 0, "MRR": 0, "P@1": 0}


def test_questions_that_say_nothing_are_left_out() -> None:
    gold = [Judged("1", {"a": True}), Judged("2", {"a": False})]
    gold.append(Judged("3", {"a": True, "b": False}))
    system = [Ranked(name, {"a": 1.0, "b": 0.0} if name == "3" else {"a": 1.0}) for name in "123"]
    found = evaluate_ranking(gold, system)
    assert found.sentences == 1 and found.scores["MAP"] == 100
    assert "ties=averaged|sentences=1|pairs=2" in found.signature
    assert evaluate_ranking(gold[:2], system).scores == {"MAP": 0, "MRR": 0, "P@1": 0}


def test_judgments_name_questions_or_number_them() -> None:
    system = [Ranked("x", {"0": 1.0, "1": 0.0}), Ranked("y", {"0": 0.0, "1": 1.0})]
    labels = {"0": False, "1": True}
    assert evaluate_ranking([Judged("2", labels)], system).scores["MAP"] == 100
    assert evaluate_ranking([Judged("x", labels)], system).scores["MAP"] == 50
    for gold, message in (
        ([Judged("x", labels), Judged("z", labels)], "no ranking of question 'z'"),
        ([Judged("3", labels)], "no ranking of question '3'"),
        ([Judged("x", {"0": True, "2": False})], "candidate '1' was not judged"),
    ):
        with pytest.raises(NiwakiError, match=message):
            evaluate_ranking(gold, system)
