"""Boosted trees: what they can tell apart, what they keep, and what they refuse."""

from __future__ import annotations

import numpy as np
import pytest

from niwaki.errors import NiwakiError
from niwaki.learning.boosting import Boosted, BoostingSettings, learn_boosted


def checkers(count: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Two numbers of which the product decides, and one that says nothing."""
    rows = np.random.default_rng(seed).normal(size=(count, 3))
    return rows, rows[:, 0] * rows[:, 1] > 0


def test_what_no_single_number_tells_is_learned() -> None:
    rows, right = checkers(1500, 1)
    new, wanted = checkers(500, 2)
    deep = learn_boosted(rows, right, BoostingSettings(rounds=100, depth=2))
    assert ((deep.log_odds(new) > 0) == wanted).mean() > 0.9
    stumps = learn_boosted(rows, right, BoostingSettings(rounds=100, depth=1))
    assert ((stumps.log_odds(new) > 0) == wanted).mean() < 0.65, "a sum of single numbers cannot"
    assert (np.bincount(deep.features.ravel(), minlength=3)[:2] > 50).all()


def test_log_odds_are_those_of_the_classes() -> None:
    # Of rows with 0 one in four is right, of rows with 1 three in four.
    rows = np.repeat([[0.0], [1.0]], 400, axis=0)
    right = np.concatenate([np.arange(400) % 4 == 0, np.arange(400) % 4 != 0])
    found = learn_boosted(rows, right, BoostingSettings(rounds=300, depth=1, share=1.0))
    assert found.log_odds(np.array([[0.0], [1.0]])) == pytest.approx(
        [-np.log(3), np.log(3)], abs=0.05
    )


def test_weights_are_as_many_examples() -> None:
    rows, right = np.zeros((400, 1)), np.arange(400) % 4 == 0
    settings = BoostingSettings(rounds=300, depth=1, share=1.0)
    found = learn_boosted(rows, right, settings, weights=np.where(right, 3.0, 1.0))
    assert found.log_odds(rows[:1]) == pytest.approx([0.0], abs=0.05)


def test_pairs_are_told_apart_by_what_differs_in_them() -> None:
    """What two rows of a pair share hides what tells them apart, but for those who see the pair."""
    shared = 3 * np.random.default_rng(5).normal(size=600)
    rows = np.stack([shared + 0.5, shared - 0.5], axis=1).reshape(-1, 1)
    right, pairs = np.arange(1200) % 2 == 0, np.arange(1200).reshape(600, 2)
    wins = []
    for weight in (0.0, 3.0):
        settings = BoostingSettings(rounds=100, depth=1, bins=64, pairs=weight)
        found = learn_boosted(rows, right, settings, pairs).log_odds(rows)
        wins.append(float((found[0::2] > found[1::2]).mean()))
    assert wins[0] < 0.85 and wins[1] > 0.92


def test_the_same_seed_makes_the_same_trees() -> None:
    rows, right = checkers(300, 3)
    one, same, other = (
        learn_boosted(rows, right, BoostingSettings(rounds=5, seed=seed)) for seed in (1, 1, 2)
    )
    assert (one.leaves == same.leaves).all() and (one.leaves != other.leaves).any()
    again = Boosted.of(one.arrays, 3)
    assert (again.log_odds(rows) == one.log_odds(rows)).all()
    assert one.log_odds(rows[:0]).shape == (0,)


def test_what_makes_no_trees_is_refused() -> None:
    rows, right = checkers(60, 4)
    with pytest.raises(NiwakiError, match="all examples are of one class; give examples of both"):
        learn_boosted(rows, np.ones(60, dtype=np.bool_))
    arrays = learn_boosted(rows, right, BoostingSettings(rounds=2)).arrays
    with pytest.raises(ValueError, match="other numbers than 1"):
        Boosted.of(arrays, 1)
    with pytest.raises(ValueError, match="do not fit together"):
        Boosted.of({**arrays, "leaves": arrays["leaves"][1:]}, 3)
    with pytest.raises(ValueError, match="not full"):
        Boosted.of({**arrays, "leaves": arrays["leaves"][:, 1:]}, 3)
    with pytest.raises(ValueError, match="no number"):
        Boosted.of({**arrays, "leaves": arrays["leaves"] * np.nan}, 3)
