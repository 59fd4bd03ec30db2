"""Rankers beside their slow twin: probabilities, gradients, what they learn, what they refuse."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from niwaki.errors import NiwakiError
from niwaki.learning.candidates import CandidateSets, feature_key
from niwaki.learning.ranker import (
    Ranker,
    RankerSettings,
    best_of,
    learn_ranker,
    log_softmax,
    loss,
    matrix_of,
)
from tests.reference import ranking

Sets = list[tuple[list[dict[int, float]], int]]


def random_sets(seed: int, count: int = 6, keys: int = 7) -> Sets:
    random = np.random.default_rng(seed)
    made: Sets = []
    for _ in range(count):
        rows = []
        for _ in range(int(random.integers(1, 5))):
            chosen = random.permutation(keys)[: int(random.integers(0, 4))]
            rows.append({int(k) + 100: float(random.normal()) for k in chosen})
        made.append((rows, int(random.integers(len(rows)))))
    return made


def packed(sets: Sets) -> CandidateSets:
    return CandidateSets.of(
        [([list(row) for row in rows], right) for rows, right in sets],
        [[list(row.values()) for row in rows] for rows, _ in sets],
    )


@given(st.integers(0, 2**32 - 1))
def test_probabilities_are_those_of_the_twin(seed: int) -> None:
    sets, random = random_sets(seed), np.random.default_rng(seed)
    # Some features have no weight.
    weights = {key: float(np.float32(random.normal())) for key in range(100, 105)}
    ranker = Ranker(
        np.array(list(weights), dtype=np.uint32), np.array(list(weights.values()), np.float32)
    )
    found = np.exp(ranker.log_probabilities(packed(sets)))
    wanted = [p for rows, _ in sets for p in ranking.probabilities(rows, weights)]
    assert np.allclose(found, wanted)


@given(st.integers(0, 2**32 - 1))
def test_the_gradient_is_that_of_the_loss(seed: int) -> None:
    sets, random = random_sets(seed), np.random.default_rng(seed)
    data = packed(sets)
    keys = np.unique(data.keys)
    at = random.normal(size=len(keys))
    value, gradient = loss(data, matrix_of(keys, data), at, 0.3)
    named = dict(zip(keys.tolist(), at.tolist(), strict=True))
    assert value == pytest.approx(ranking.loss(sets, named, 0.3))
    for number, key in enumerate(keys.tolist()):
        ends = [
            ranking.loss(sets, {**named, key: named[key] + step}, 0.3) for step in (1e-5, -1e-5)
        ]
        assert gradient[number] == pytest.approx((ends[0] - ends[1]) / 2e-5, abs=1e-6)


def test_learning_ends_where_the_gradient_is_nothing() -> None:
    sets = random_sets(3, count=20)
    data = packed(sets)
    ranker = learn_ranker(data, RankerSettings(l2=0.2, passes=300))
    matrix = matrix_of(ranker.keys, data)
    _, gradient = loss(data, matrix, ranker.weights.astype(np.float64), 0.2)
    assert np.abs(gradient).max() < 0.05
    named = dict(zip(ranker.keys.tolist(), ranker.weights.tolist(), strict=True))
    assert ranking.loss(sets, named, 0.2) < ranking.loss(sets, {}, 0.2)


def separable() -> CandidateSets:
    """What is right has feature 1, whatever else it has, at a place that changes."""
    made = []
    for number in range(30):
        rows = [[2, 10 + (number + c) % 5] for c in range(4)]
        rows[number % 4].append(1)
        made.append((rows, number % 4))
    return CandidateSets.of(made)


@pytest.mark.parametrize("learner", ["likelihood", "perceptron"])
def test_both_learners_find_what_is_right(learner: Any) -> None:
    data = separable()
    ranker = learn_ranker(data, RankerSettings(learner=learner))
    assert best_of(ranker.scores(data), data).tolist() == [n % 4 for n in range(30)]
    assert ranker.keys[ranker.weights.argmax()] == 1
    again = learn_ranker(data, RankerSettings(learner=learner))
    assert again.weights.tolist() == ranker.weights.tolist()


def test_a_perceptron_is_the_mean_of_its_weights() -> None:
    # One mistake, at the first set: after it, and so in all means but the first, weights are 1.
    data = CandidateSets.of([([[5], [6]], 1)] * 4)
    ranker = learn_ranker(data, RankerSettings(learner="perceptron", passes=1))
    assert dict(zip(ranker.keys.tolist(), ranker.weights.tolist(), strict=True)) == {5: -1, 6: 1}


def test_several_may_be_right_and_rare_features_are_left_out() -> None:
    data = CandidateSets.of([([[1], [1], [2]], (0, 1)), ([[3], [2]], None), ([[1], [2]], 0)])
    assert data.shares.tolist() == [0.5, 0.5, 0, 0, 0, 1, 0]
    assert data.decided.tolist() == [True, False, True]
    ranker = learn_ranker(data, RankerSettings(least_count=2))
    assert ranker.keys.tolist() == [1, 2], "3 is seen where nothing is right, and only once"
    probabilities = np.exp(ranker.log_probabilities(data))
    assert probabilities[0] == probabilities[1] > probabilities[2]


@given(st.integers(0, 2**32 - 1))
def test_a_part_of_the_sets_is_the_sets_by_themselves(seed: int) -> None:
    sets = random_sets(seed)
    chosen = np.random.default_rng(seed).random(len(sets)) < 0.5
    part = packed(sets).only(chosen)
    alone = packed([each for each, taken in zip(sets, chosen, strict=True) if taken])
    for name in ("keys", "values", "rows", "sets", "shares"):
        assert getattr(part, name).tolist() == getattr(alone, name).tolist()


def test_large_scores_have_probabilities() -> None:
    data = CandidateSets.of([([[1], [2]], 0)])
    assert np.exp(log_softmax(np.array([1e4, -1e4]), data)).tolist() == [1, 0]


def test_a_ranker_comes_back_from_its_arrays() -> None:
    ranker = learn_ranker(separable())
    again = Ranker.of(ranker.arrays)
    assert again.keys.tolist() == ranker.keys.tolist()
    for arrays in (
        {"keys": ranker.keys[1:], "weights": ranker.weights},
        {"keys": ranker.keys[::-1], "weights": ranker.weights},
        {"keys": ranker.keys, "weights": ranker.weights * np.float32(np.nan)},
    ):
        with pytest.raises(ValueError, match="a ranker w"):
            Ranker.of(arrays)


def test_what_cannot_be_learned_from_is_refused() -> None:
    with pytest.raises(NiwakiError, match="set 2 has no candidates"):
        CandidateSets.of([([[1]], 0), ([], None)])
    with pytest.raises(NiwakiError, match="set 1: candidate 2 is right, but they are 0 to 1"):
        CandidateSets.of([([[1], [2]], 2)])
    with pytest.raises(NiwakiError, match="1 values for 2 features"):
        CandidateSets.of([([[1], [2]], 0)], [[[1.0]]])
    for nothing in (CandidateSets.of([]), CandidateSets.of([([[1]], None)])):
        with pytest.raises(NiwakiError, match="no set has a right candidate"):
            learn_ranker(nothing)


def test_keys_are_the_same_everywhere() -> None:
    assert feature_key("a") == 0xE8B7BE43
    assert feature_key("a") != feature_key("b")
