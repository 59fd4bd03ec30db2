"""Sums over trees against sums over a list of all trees."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from niwaki.errors import ScoresError
from niwaki.parsers.decoding import Scores, decode, decode_mbr, expected_cost, sample, sum_trees
from tests.kernel.graph_inputs import draw_scores, each_root, each_shape, kinds, lengths, seeds
from tests.reference.trees import all_trees, arc_marginals, distribution, tree_scores


@each_root
@each_shape
@given(n=lengths, kind=kinds, seed=seeds)
def test_all_sums(single_root: bool, projective: bool, n: int, kind: str, seed: int) -> None:
    arcs = draw_scores(seed, kind, n + 1, n)
    costs = draw_scores(seed + 1, "smooth", n + 1, n)
    trees = all_trees(n, single_root, projective)
    scores = Scores.of([arcs])
    if tree_scores(arcs, trees).max() == -np.inf:
        with pytest.raises(ScoresError, match="sentence 0: no tree"):
            sum_trees(scores, projective=projective, single_root=single_root)
        return
    log_sum, probabilities = distribution(arcs, trees)
    sums = sum_trees(scores, projective=projective, single_root=single_root)
    assert sums.log_sums[0] == pytest.approx(log_sum, rel=1e-12, abs=1e-11)
    marginals = arc_marginals(probabilities, trees)
    assert np.allclose(sums.marginals, marginals.ravel(), atol=1e-10)
    present = probabilities[probabilities > 0]
    assert sums.entropies[0] == pytest.approx(-(present * np.log(present)).sum(), abs=1e-6)
    # The gradient of an expected cost is its covariance with each arc.
    expected, gradient = expected_cost(
        scores, costs.ravel(), projective=projective, single_root=single_root
    )
    prices = tree_scores(costs, trees)
    mean = probabilities @ prices
    assert expected[0] == pytest.approx(mean, abs=1e-9)
    covariance = arc_marginals(probabilities * (prices - mean), trees)
    assert np.allclose(gradient, covariance.ravel(), atol=1e-8)


@each_root
@each_shape
def test_six_words(single_root: bool, projective: bool) -> None:
    trees = all_trees(6, single_root, projective)
    arcs = draw_scores(1, "smooth", 7, 6)
    log_sum, probabilities = distribution(arcs, trees)
    sums = sum_trees(Scores.of([arcs]), projective=projective, single_root=single_root)
    assert sums.log_sums[0] == pytest.approx(log_sum, rel=1e-13)
    assert np.allclose(sums.marginals, arc_marginals(probabilities, trees).ravel(), atol=1e-13)
    count = sum_trees(Scores.of([arcs * 0]), projective=projective, single_root=single_root)
    assert round(math.exp(count.log_sums[0])) == len(trees)


@each_root
@each_shape
def test_gradients_by_finite_differences(single_root: bool, projective: bool) -> None:
    n, step = 7, 1e-5
    arcs, costs = draw_scores(2, "smooth", n + 1, n), draw_scores(3, "smooth", n + 1, n).ravel()
    kind = {"projective": projective, "single_root": single_root}
    sums = sum_trees(Scores.of([arcs]), **kind)
    _, gradient = expected_cost(Scores.of([arcs]), costs, **kind)
    assert arcs.size == 56
    for arc in range(arcs.size):
        ends = []
        for sign in (1, -1):
            moved = arcs.copy()
            moved.flat[arc] += sign * step
            scores = Scores.of([moved])
            ends.append(
                (sum_trees(scores, **kind).log_sums[0], expected_cost(scores, costs, **kind)[0][0])
            )
        slopes = (np.array(ends[0]) - ends[1]) / (2 * step)
        assert sums.marginals[arc] == pytest.approx(slopes[0], abs=1e-8)
        assert gradient[arc] == pytest.approx(slopes[1], abs=1e-8)


@each_root
@each_shape
@given(n=st.integers(1, 3), seed=seeds)
@settings(max_examples=30)
def test_labels(single_root: bool, projective: bool, n: int, seed: int) -> None:
    labelled = draw_scores(seed, "smooth", n + 1, n, 2)
    costs = draw_scores(seed + 1, "smooth", n + 1, n, 2)
    labelled[0, 0, 1] = -np.inf
    kind = {"projective": projective, "single_root": single_root}
    choices = [
        (heads, np.array(labels))
        for heads in all_trees(n, single_root, projective)
        for labels in product(range(2), repeat=n)
    ]
    words = np.arange(n)
    totals = np.array([labelled[heads, words, labels].sum() for heads, labels in choices])
    prices = np.array([costs[heads, words, labels].sum() for heads, labels in choices])
    log_sum = math.log(np.exp(totals).sum())
    probabilities = np.exp(totals - log_sum)
    mean = probabilities @ prices
    marginals, covariance = np.zeros(labelled.shape), np.zeros(labelled.shape)
    for (heads, labels), probability, price in zip(choices, probabilities, prices, strict=True):
        marginals[heads, words, labels] += probability
        covariance[heads, words, labels] += probability * (price - mean)
    scores = Scores.of([labelled])
    sums = sum_trees(scores, **kind)
    assert sums.log_sums[0] == pytest.approx(log_sum)
    assert np.allclose(sums.marginals, marginals.reshape(-1, 2))
    present = probabilities[probabilities > 0]
    assert sums.entropies[0] == pytest.approx(-(present * np.log(present)).sum())
    expected, gradient = expected_cost(scores, costs.reshape(-1, 2), **kind)
    assert expected[0] == pytest.approx(mean)
    assert np.allclose(gradient, covariance.reshape(-1, 2))


# -- numbers that are hard to add -------------------------------------------------


@each_root
@each_shape
@pytest.mark.parametrize("gap", [40.0, 400.0, 4000.0])
def test_words_that_cling_to_each_other(single_root: bool, projective: bool, gap: float) -> None:
    """Two words want each other as heads, far more than any other word or the root."""
    n = 4
    arcs = draw_scores(4, "smooth", n + 1, n)
    arcs[2, 2] += gap
    arcs[3, 1] += gap
    trees = all_trees(n, single_root, projective)
    log_sum, probabilities = distribution(arcs, trees)
    kind = {"projective": projective, "single_root": single_root}
    sums = sum_trees(Scores.of([arcs]), **kind)
    assert sums.log_sums[0] == pytest.approx(log_sum, rel=1e-12)
    marginals = arc_marginals(probabilities, trees).ravel()
    assert np.allclose(sums.marginals, marginals, atol=1e-9)
    # Adding the same to all arcs into one word changes no probability.
    shifted = sum_trees(Scores.of([arcs + np.array([1e3, -1e3, 0, 7])]), **kind)
    assert np.allclose(shifted.marginals, marginals, atol=1e-9)


@each_root
@each_shape
def test_long_sentences(single_root: bool, projective: bool) -> None:
    """Also where the sum, divided by the shares of each word, is far below 1e-308."""
    n = 300
    kind = {"projective": projective, "single_root": single_root}
    arcs = [np.zeros((n + 1, n)), draw_scores(8, "smooth", n + 1, n) * 9]
    sums = sum_trees(Scores.of(arcs), **kind)
    for marginals in sums.marginals.reshape(2, n + 1, n):
        assert np.allclose(marginals.sum(axis=0), 1)
        assert marginals.min() >= 0
        assert not single_root or marginals[0].sum() == pytest.approx(1)
    if not projective:
        # Cayley: n^(n-1) trees with one root, (n+1)^(n-1) trees with any number.
        count = (n - 1) * math.log(n if single_root else n + 1)
        assert sums.log_sums[0] == pytest.approx(count, rel=1e-12)
    assert sums.entropies[0] == pytest.approx(sums.log_sums[0], rel=1e-9)
    best = decode(Scores.of(arcs), **kind)
    assert (best.scores <= sums.log_sums).all()


# -- samples and least expected error -----------------------------------------------


@each_root
@each_shape
@pytest.mark.parametrize("gap", [0.0, 900.0])
def test_samples_follow_the_distribution(single_root: bool, projective: bool, gap: float) -> None:
    """A chi-square test, also where weights must be logarithms (with the large gap)."""
    n, count = 4, 20000
    arcs = draw_scores(11, "smooth", n + 1, n)
    arcs[1, 1] += gap
    arcs[2, 0] += gap
    arcs[:, 3] -= gap
    trees = all_trees(n, single_root, projective)
    _, probabilities = distribution(arcs, trees)
    kind = {"projective": projective, "single_root": single_root}
    (drawn,) = sample(Scores.of([arcs]), count, np.random.default_rng(1), **kind)
    numbers = {tuple(heads): number for number, heads in enumerate(trees.tolist())}
    seen = np.bincount([numbers[tuple(h)] for h in drawn.heads.tolist()], minlength=len(trees))
    assert np.allclose(drawn.scores, tree_scores(arcs, drawn.heads))
    frequent = count * probabilities >= 5
    expected = np.append(
        (count * probabilities)[frequent], (count * probabilities)[~frequent].sum()
    )
    observed = np.append(seen[frequent], seen[~frequent].sum())
    used = expected > 1e-6
    assert observed[~used].sum() == 0
    statistic = ((observed - expected)[used] ** 2 / expected[used]).sum()
    freedom = used.sum() - 1
    # Wilson and Hilferty: the cube root of chi-square / freedom is nearly normal.
    spread = 2 / (9 * freedom)
    assert ((statistic / freedom) ** (1 / 3) - (1 - spread)) / math.sqrt(spread) < 4


@each_root
@each_shape
def test_samples_of_long_sentences_are_trees(single_root: bool, projective: bool) -> None:
    arcs = [draw_scores(n, "smooth", n + 1, n, 2) for n in (60, 3)]
    kind = {"projective": projective, "single_root": single_root}
    for one, drawn in zip(
        arcs, sample(Scores.of(arcs), 4, np.random.default_rng(2), **kind), strict=True
    ):
        assert drawn.labels is not None
        words = np.arange(one.shape[1])
        for heads, labels, score in zip(drawn.heads, drawn.labels, drawn.scores, strict=True):
            forced = np.full((len(heads) + 1, len(heads)), -np.inf)
            forced[heads, words] = 0
            found = decode(Scores.of([forced]), **kind)
            assert np.array_equal(found.heads, heads), "a tree of the right kind"
            assert one[heads, words, labels].sum() == pytest.approx(score)


def test_sampled_labels_follow_the_distribution() -> None:
    labelled = np.zeros((2, 1, 3))
    labelled[0, 0] = np.log([0.5, 0.3, 0.2])
    (drawn,) = sample(Scores.of([labelled]), 20000, np.random.default_rng(3))
    assert drawn.labels is not None
    shares = np.bincount(drawn.labels[:, 0], minlength=3) / 20000
    assert np.allclose(shares, [0.5, 0.3, 0.2], atol=0.02)


@each_root
@each_shape
@given(n=lengths, seed=seeds)
@settings(max_examples=40)
def test_least_expected_error(single_root: bool, projective: bool, n: int, seed: int) -> None:
    arcs = draw_scores(seed, "smooth", n + 1, n)
    trees = all_trees(n, single_root, projective)
    _, probabilities = distribution(arcs, trees)
    right = [(probabilities * (trees == heads).sum(axis=1)).sum() for heads in trees]
    found = decode_mbr(Scores.of([arcs]), projective=projective, single_root=single_root)
    assert found.scores[0] == pytest.approx(max(right))
    assert any((trees == found.heads).all(axis=1))


def test_forbidden_arcs_stay_forbidden() -> None:
    arcs = np.full((4, 3), -np.inf)
    arcs[0, 1] = arcs[2, 0] = arcs[1, 2] = arcs[2, 2] = 0
    arcs[1, 2] = -900
    for projective in (True, False):
        assert decode_mbr(Scores.of([arcs]), projective=projective).heads.tolist() == [2, 0, 2]


def test_what_is_refused() -> None:
    arcs = np.zeros((3, 2))
    with pytest.raises(ScoresError, match="siblings"):
        sum_trees(Scores.of([arcs], [np.zeros((3, 2, 3))]))
    with pytest.raises(ScoresError, match="too large"):
        sum_trees(Scores.of([arcs + 1e300]))
    with pytest.raises(ScoresError, match="costs of shape"):
        expected_cost(Scores.of([arcs]), np.zeros(5))
    with pytest.raises(ScoresError, match="not a finite number"):
        expected_cost(Scores.of([arcs]), np.full(6, np.inf))
    with pytest.raises(ScoresError, match="too many"):
        sum_trees(Scores.of([arcs]), projective=True, max_length=1)
    scores = Scores.of([arcs, np.zeros((2, 1)), arcs])
    fallen = sum_trees(scores, projective=True, max_length=1, too_long="spanning")
    assert np.allclose(fallen.marginals, sum_trees(scores).marginals)
