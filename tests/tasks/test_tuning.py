"""Tuning: line searches against a slow twin, and all three ways on a system whose best is known."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from niwaki.data.bilingual import overlap
from niwaki.errors import ConfigError, NiwakiError
from niwaki.kernel.translation.envelope import envelopes
from niwaki.tasks.translate.nbest import Hypothesis, NBestList
from niwaki.tasks.translate.optimisers import OPTIMISERS, by_slope, line_search, normalised
from niwaki.tasks.translate.pool import Pool
from niwaki.tasks.translate.tuning import TuningSettings, tune
from niwaki.typing import FloatArray

WORDS = "moss pine heron snow lake rain".split()


def references(count: int, seed: int = 1) -> list[list[str]]:
    random = np.random.default_rng(seed)
    return [random.choice(WORDS, size=random.integers(5, 9)).tolist() for _ in range(count)]


def lists(
    right: list[list[str]], size: int, features: int, seed: int = 2, *, known: bool = False
) -> list[NBestList]:
    """Corrupted references; if `known`, feature 0 tells how many words are right and the others
    are noise.
    """
    random = np.random.default_rng(seed)
    found = []
    for index, tokens in enumerate(right):
        made = []
        for _ in range(size):
            wrong = random.random(len(tokens)) < random.random()
            words = [
                str(random.choice(WORDS)) if bad else word
                for word, bad in zip(tokens, wrong, strict=True)
            ]
            values = random.normal(size=features)
            if known:
                same = sum(a == b for a, b in zip(words, tokens, strict=True))
                values[0] = same / 2 + 0.1 * values[0]
            made.append(Hypothesis(tuple(words), values.astype(np.float32), 0.0))
        found.append(NBestList(index, tuple(made)))
    return found


def pool_of(count: int, size: int, features: int, seed: int) -> Pool:
    right = references(count, seed)
    pool = Pool(right, features)
    pool.add(lists(right, size, features, seed))
    return pool


def slow_line_search(pool: Pool, weights: FloatArray, direction: FloatArray) -> float:
    """BLEU between all places where any two lines of a sentence meet."""
    at, slope = pool.features @ weights, pool.features @ direction
    places = []
    for first, last in itertools.pairwise(pool.starts.tolist()):
        for a, b in itertools.combinations(range(first, last), 2):
            if slope[a] != slope[b]:
                places.append((at[b] - at[a]) / (slope[a] - slope[b]))
    places = sorted(places)
    steps = [places[0] - 1, *((a + b) / 2 for a, b in itertools.pairwise(places)), places[-1] + 1]
    return max(pool.bleu(weights + step * direction) for step in steps)


@pytest.mark.parametrize("seed", range(8))
def test_the_line_search_finds_the_best_of_all_steps(seed: int) -> None:
    random = np.random.default_rng(seed)
    pool = pool_of(4, 6, 3, seed)
    weights, direction = random.normal(size=3), random.normal(size=3)
    step, score = line_search(pool, weights, direction, by_slope(pool, direction))
    assert score == pytest.approx(slow_line_search(pool, weights, direction))
    assert pool.bleu(weights + step * direction) == pytest.approx(score)


def test_envelopes_of_lines_that_meet_in_one_place() -> None:
    # Three lines through (0, 0), a copy of one, and one that is always below.
    intercepts, slopes = np.array([0.0, 0.0, 0.0, 0.0, -5.0]), np.array([-1.0, 0.0, 1.0, 1.0, 0.0])
    order = np.argsort(slopes, kind="stable")
    winners, begins = envelopes(intercepts, slopes, order, np.array([0, 5]))
    assert slopes[winners].tolist() == [-1, 1]
    assert begins.tolist() == [-np.inf, 0]
    with pytest.raises(ValueError, match="fit"):
        envelopes(intercepts, slopes, order, np.array([0, 4]))
    with pytest.raises(ValueError, match="order"):
        envelopes(intercepts, slopes, order + 1, np.array([0, 5]))


def test_a_direction_without_slopes_leaves_all_as_it_is() -> None:
    pool = pool_of(3, 5, 2, 1)
    weights = np.array([0.3, -0.7])
    still = np.zeros(2)
    found = line_search(pool, weights, still, by_slope(pool, still))
    assert found == (0.0, pytest.approx(pool.bleu(weights)))


@pytest.mark.parametrize("by", sorted(OPTIMISERS))
def test_each_way_finds_the_feature_that_tells(by: str) -> None:
    right = references(30)
    pool = Pool(right, 4)
    pool.add(lists(right, 12, 4, known=True))
    begin = normalised(np.array([-0.2, 0.5, 0.5, -0.5]))
    weights = OPTIMISERS[by](pool, begin, np.random.default_rng(1))
    if by == "pro":
        # Half of what it was is kept in each round.
        for _ in range(6):
            weights = OPTIMISERS[by](pool, weights, np.random.default_rng(1))
    assert pool.bleu(weights) > pool.bleu(begin) + 10
    best = pool.bleu(np.array([1.0, 0, 0, 0]))
    assert pool.bleu(weights) > best - 5
    assert int(np.argmax(np.abs(weights))) == 0


class System:
    """Decodes by choosing the best of many fixed hypotheses, and shows some of them."""

    def __init__(self) -> None:
        self.right = references(12)
        self.all = lists(self.right, 40, 3, known=True)
        self.calls = 0

    def decode(self, weights: FloatArray) -> list[NBestList]:
        self.calls += 1
        shown = []
        for each in self.all:
            ranked = sorted(each.hypotheses, key=lambda h: -float(h.features @ weights))
            shown.append(NBestList(each.index, tuple(ranked[:6])))
        return shown


@pytest.mark.parametrize("by", sorted(OPTIMISERS))
def test_tuning_accumulates_until_nothing_is_new(by: str) -> None:
    system = System()
    settings = TuningSettings(by=by, rounds=25, patience=25)
    begin = np.array([-1.0, 0.5, 0.5])
    tuned = tune(system.decode, system.right, begin, settings)
    assert tuned.best.bleu > tuned.rounds[0].bleu + 20
    assert tuned.rounds[0].weights == pytest.approx(normalised(begin))
    assert all(each.new for each in tuned.rounds[:-1])
    assert tuned.rounds[-1].new == 0 or len(tuned.rounds) == 25
    again = tune(System().decode, system.right, begin, settings)
    assert again.best.weights.tolist() == tuned.best.weights.tolist()


def test_tuning_ends_when_bleu_does_not_rise() -> None:
    system = System()
    fresh = iter(range(1000))

    def decode(weights: FloatArray) -> list[NBestList]:
        """Always new hypotheses, never better ones."""
        seed = next(fresh)
        return lists([["never"] * 6] * 12, 3, 3, seed)

    tuned = tune(decode, system.right, np.ones(3), TuningSettings(patience=2, rounds=50))
    best = max(range(len(tuned.rounds)), key=lambda at: tuned.rounds[at].bleu)
    assert len(tuned.rounds) == best + 3


def test_the_pool_keeps_each_hypothesis_once() -> None:
    right = references(2)
    pool = Pool(right, 2)
    given = lists(right, 4, 2)
    assert pool.add(given) == 8
    assert pool.add(given) == 0
    same_words = Hypothesis(given[0].hypotheses[0].tokens, np.array([9.0, 9.0], np.float32), 0.0)
    assert pool.add([NBestList(0, (same_words,))]) == 1
    assert pool.starts.tolist() == [0, 5, 9]
    assert pool.counts.shape == (9, overlap.WIDTH)
    with pytest.raises(ValueError, match="features"):
        pool.add([NBestList(0, (Hypothesis(("a",), np.zeros(3, np.float32), 0.0),))])


def test_what_cannot_be_tuned() -> None:
    with pytest.raises(NiwakiError, match="no sentences"):
        Pool([], 2)
    with pytest.raises(ConfigError, match="did you mean 'mert'"):
        tune(System().decode, references(12), np.ones(3), TuningSettings(by="mertt"))
