"""Scores of extracted answers beside the mean over all orders of ties."""

from __future__ import annotations

import itertools
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from niwaki.data.extraction import Extracted, Found, Patterns
from niwaki.errors import NiwakiError
from niwaki.metrics.extraction import evaluate_extraction, extraction_scores


@given(st.lists(st.tuples(st.integers(0, 2), st.booleans()), min_size=1, max_size=6))
def test_ties_are_means_over_all_orders(rows: list[tuple[float, bool]]) -> None:
    orders = [
        order
        for order in itertools.permutations(rows)
        if all(a[0] >= b[0] for a, b in itertools.pairwise(order))
    ]
    wanted = [0.0, 0.0, 0.0]
    for order in orders:
        places = [place for place, (_, right) in enumerate(order[:5], start=1) if right]
        if places:
            each = (places[0] == 1, 1 / places[0], 1)
            wanted = [total + x / len(orders) for total, x in zip(wanted, each, strict=True)]
    assert extraction_scores(rows) == pytest.approx(tuple(wanted))


def test_questions_without_a_right_answer_count() -> None:
    gold = [Patterns("1", (re.compile("a"),)), Patterns("2", (re.compile("z"),))]
    answers = (Found("b", 1.0), Found("a", 0.5))
    found = evaluate_extraction(gold, [Extracted("1", answers), Extracted("2", answers)])
    assert found.scores == {"top1": 0, "MRR5": 25, "top5": 50}
    with pytest.raises(NiwakiError, match="no pattern of question '3'"):
        evaluate_extraction(gold, [Extracted("3", answers)])
