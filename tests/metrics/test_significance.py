"""The paired tests: bootstrap and randomization."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from niwaki.errors import NiwakiError
from niwaki.metrics.attachment import METRICS, TAG_METRICS, AttachmentEvaluation
from niwaki.metrics.base import resample
from niwaki.metrics.means import evaluate_means
from niwaki.metrics.significance import Difference, compare, compare_all

LENGTH = 10
LAS = METRICS.index("LAS")


def evaluation(right: list[int]) -> AttachmentEvaluation:
    """Sentences of ten words, of which some are right in every metric."""
    counts = np.empty((len(right), len(METRICS), 3), dtype=np.int64)
    counts[:, :, 0] = np.array(right)[:, None]
    counts[:, :, 1:] = LENGTH
    return AttachmentEvaluation(counts)


def las(
    a: list[int], b: list[int], seed: int = 1, samples: int = 2000, test: str = "bootstrap"
) -> Difference:
    return compare(evaluation(a), evaluation(b), samples, seed, test)[LAS]


def some(seed: int, size: int = 60, low: int = 3, high: int = 8) -> list[int]:
    return np.random.default_rng(seed).integers(low, high, size, endpoint=True).tolist()


@given(st.lists(st.integers(0, LENGTH), min_size=1, max_size=20))
@settings(max_examples=20)
def test_identical_systems_do_not_differ(right: list[int]) -> None:
    found = las(right, right, samples=200)
    assert (found.low, found.high, found.difference) == (0, 0, 0)
    assert not found.is_significant
    assert found.p == 1


def test_a_clearly_better_system_is_better() -> None:
    worse = some(1)
    better = [min(LENGTH, right + 1) for right in worse]
    found = las(worse, better)
    assert 0 < found.low <= found.difference <= found.high
    assert found.is_significant and found.p < 0.05
    other = las(better, worse)
    assert other.is_significant and other.high < 0
    assert (other.low, other.high) == pytest.approx((-found.high, -found.low))


def test_systems_that_differ_by_chance_do_not() -> None:
    found = las(some(1), some(2))
    assert found.low < 0 < found.high
    assert not found.is_significant and found.p > 0.05


def test_pairing_finds_small_but_steady_differences() -> None:
    """Hard and easy sentences vary far more than the systems do."""
    worse = [0, 9] * 40
    better = [1, 10] * 40
    found = las(worse, better)
    assert (found.low, found.high) == pytest.approx((10, 10))


def test_one_lucky_sentence_is_not_enough() -> None:
    worse = [5] * 40
    assert not las(worse, [10, *worse[1:]]).is_significant
    assert las(worse, [10] * 20 + worse[20:]).is_significant


def test_it_is_deterministic() -> None:
    one, other = some(1), some(2)
    assert las(one, other) == las(one, other)
    assert las(one, other, seed=2) != las(one, other)
    # Other seeds give other draws, but hardly other intervals.
    assert las(one, other, seed=2).low == pytest.approx(las(one, other).low, abs=0.5)


def test_the_interval_is_about_that_of_the_normal_distribution() -> None:
    a, b = np.array(some(3, 400)), np.array(some(4, 400))
    found = las(a.tolist(), b.tolist(), samples=10_000)
    differences = 100 * (b - a) / LENGTH
    half = 1.96 * differences.std() / np.sqrt(400)
    assert found.difference == pytest.approx(differences.mean())
    assert found.low == pytest.approx(differences.mean() - half, abs=0.1 * half)
    assert found.high == pytest.approx(differences.mean() + half, abs=0.1 * half)


def test_all_metrics_are_compared() -> None:
    found = compare(evaluation([5, 6]), evaluation([6, 6]), samples=50)
    assert tuple(each.metric for each in found) == METRICS
    assert (found[LAS].a, found[LAS].b, found[LAS].difference) == pytest.approx((55, 60, 5))


def test_test_sets_are_as_large_as_the_real_one() -> None:
    counts = np.arange(12, dtype=np.int64).reshape(4, 3)
    sums = resample(np.concatenate([counts, np.ones((4, 1), np.int64)], axis=1), 300, 1)
    assert sums.shape == (300, 4)
    assert (sums[:, 3] == 4).all()
    assert sums[:, 0].min() < counts[:, 0].sum() < sums[:, 0].max()
    assert np.allclose(sums.mean(axis=0)[:3], counts.sum(axis=0), rtol=0.1)


def test_many_sentences() -> None:
    """Samples are drawn a few at a time, and all of them are of full size."""
    counts = np.ones((1 << 20, 1), dtype=np.int64)
    assert resample(counts, 6, 1).tolist() == [[float(1 << 20)]] * 6


def test_all_pairs_are_what_each_pair_is() -> None:
    systems = [evaluation(some(seed)) for seed in (1, 2, 3)]
    found = compare_all(systems, 300, 4)
    assert list(found) == [(0, 1), (0, 2), (1, 2)]
    assert all(found[a, b] == compare(systems[a], systems[b], 300, 4) for a, b in found)
    assert compare_all(systems[:1]) == {}


def test_equal_fractions_do_not_differ_by_rounding() -> None:
    """Sums of 0.1, 0.2, 0.3 in another order have other last digits."""
    values = np.random.default_rng(1).integers(1, 10, (50, 1)) / 10
    tables = [evaluate_means(["cost"], each) for each in (values, values + 0.3, values)]
    found = compare_all(tables, 500)
    (same,) = found[0, 2]
    assert (same.low, same.high, same.p) == (0, 0, 1)
    (other,) = found[1, 2]
    assert (other.low, other.high) == pytest.approx((-0.3, -0.3))


def exact_randomization(a: list[int], b: list[int]) -> float:
    """The share of all ways to swap with a difference at least as large."""
    apart = np.array(b) - np.array(a)
    signs = np.array(list(itertools.product((-1, 1), repeat=len(a))))
    return float((np.abs(signs @ apart) >= abs(apart.sum())).mean())


@pytest.mark.parametrize(
    ("a", "b"), [([5] * 8, [6] * 8), ([5] * 8, [6] * 6 + [3] * 2), ([1, 9, 4], [2, 8, 6])]
)
def test_randomization_is_near_the_exact_test(a: list[int], b: list[int]) -> None:
    found = las(a, b, samples=20_000, test="randomization")
    assert found.p == pytest.approx(exact_randomization(a, b), abs=0.01)
    plain = las(a, b, samples=20_000)
    assert (found.low, found.high) == (plain.low, plain.high)


def test_randomization_of_the_same() -> None:
    assert las([3, 4, 5], [3, 4, 5], test="randomization").p == 1
    # Never 0: what was observed is one of the ways.
    assert las([0] * 60, [10] * 60, samples=99, test="randomization").p == pytest.approx(0.01)


def test_what_cannot_be_compared_is_refused() -> None:
    two, one = evaluation([1, 2]), evaluation([1])
    with pytest.raises(NiwakiError, match="of 2 and of 1 sentences; compare the same"):
        compare(two, one)
    with pytest.raises(NiwakiError, match="attachment and means are different metrics"):
        compare(two, evaluate_means(["cost"], [[1], [2]]))
    with pytest.raises(
        NiwakiError, match="only one of the evaluations has AllTags, BLEX, FEATS, LEM"
    ):
        compare(two, two.without(TAG_METRICS))
    with pytest.raises(NiwakiError, match="no sentences to draw from"):
        compare(evaluation([]), evaluation([]))
    with pytest.raises(NiwakiError, match="no test 'randomisation'; did you mean 'randomization'"):
        compare(two, two, test="randomisation")
