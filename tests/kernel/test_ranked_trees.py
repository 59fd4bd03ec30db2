"""The k best trees against all trees in order."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from niwaki.data.kbest import KBest
from niwaki.errors import ScoresError
from niwaki.parsers.decoding import Scores, decode, kbest
from tests.kernel.graph_inputs import draw_scores, each_root, each_shape, kinds, lengths, seeds
from tests.reference.trees import all_trees, siblings_score, tree_scores


def in_order(totals: np.ndarray) -> np.ndarray:
    totals = np.sort(totals)[::-1]
    return totals[totals > -np.inf]


def check_list(found: KBest, expected: np.ndarray, k: int) -> None:
    """As many as there are, the right scores, falling, no two alike."""
    assert len(found) == min(k, len(expected))
    assert np.allclose(found.scores, expected[:k], rtol=1e-9, atol=1e-9)
    assert (np.diff(found.scores) <= 0).all()
    rows = found.heads if found.labels is None else np.hstack([found.heads, found.labels])
    assert len(np.unique(rows, axis=0)) == len(found)


@each_root
@each_shape
@given(n=lengths, kind=kinds, seed=seeds, k=st.sampled_from([1, 2, 7, 40, 3000]))
@settings(max_examples=60)
def test_the_best_of_all(
    single_root: bool, projective: bool, n: int, kind: str, seed: int, k: int
) -> None:
    arcs = draw_scores(seed, kind, n + 1, n)
    trees = all_trees(n, single_root, projective)
    expected = in_order(tree_scores(arcs, trees))
    scores = Scores.of([arcs])
    if not len(expected):
        with pytest.raises(ScoresError, match="sentence 0: no tree"):
            kbest(scores, k, projective=projective, single_root=single_root)
        return
    (found,) = kbest(scores, k, projective=projective, single_root=single_root)
    check_list(found, expected, k)
    assert np.allclose(tree_scores(arcs, found.heads), found.scores, rtol=1e-9, atol=1e-9)
    known = {tuple(heads) for heads in trees.tolist()}
    assert all(tuple(heads) in known for heads in found.heads.tolist())


@each_root
@each_shape
def test_six_words(single_root: bool, projective: bool) -> None:
    trees = all_trees(6, single_root, projective)
    for seed, kind in enumerate(["smooth", "ties", "tenths"]):
        arcs = draw_scores(seed, kind, 7, 6)
        (found,) = kbest(Scores.of([arcs]), 20000, projective=projective, single_root=single_root)
        check_list(found, in_order(tree_scores(arcs, trees)), 20000)


@each_root
@each_shape
@given(n=st.integers(1, 8), kind=kinds, seed=seeds, k=st.integers(1, 30))
@settings(max_examples=40)
def test_a_shorter_list_begins_a_longer_one(
    single_root: bool, projective: bool, n: int, kind: str, seed: int, k: int
) -> None:
    labelled = draw_scores(seed, kind if kind != "sparse" else "ties", n + 1, n, 2)
    for scores in (Scores.of([labelled.max(axis=2)]), Scores.of([labelled])):
        (short,) = kbest(scores, k, projective=projective, single_root=single_root)
        (long,) = kbest(scores, k + 1, projective=projective, single_root=single_root)
        assert np.array_equal(short.heads, long.heads[:k])
        assert np.array_equal(short.scores, long.scores[:k])
        if short.labels is not None and long.labels is not None:
            assert np.array_equal(short.labels, long.labels[:k])
        best = decode(scores, projective=projective, single_root=single_root)
        assert short.scores[0] == pytest.approx(best.scores[0], rel=1e-9, abs=1e-9)


@each_root
@given(n=lengths, kind=kinds, seed=seeds, k=st.sampled_from([1, 5, 300]))
@settings(max_examples=40)
def test_siblings(single_root: bool, n: int, kind: str, seed: int, k: int) -> None:
    arcs = draw_scores(seed, "smooth", n + 1, n)
    siblings = draw_scores(seed + 1, kind if kind != "sparse" else "ties", n + 1, n, n + 1)
    trees = all_trees(n, single_root, projective=True)
    expected = in_order(np.array([siblings_score(arcs, siblings, heads) for heads in trees]))
    scores = Scores.of([arcs], [siblings])
    (found,) = kbest(scores, k, projective=True, single_root=single_root)
    check_list(found, expected, k)
    for heads, score in zip(found.heads, found.scores, strict=True):
        assert siblings_score(arcs, siblings, heads) == pytest.approx(score, rel=1e-9, abs=1e-9)


@each_root
@each_shape
@given(n=st.integers(1, 3), kind=kinds, seed=seeds, k=st.sampled_from([1, 4, 50, 2000]))
@settings(max_examples=40)
def test_labels(single_root: bool, projective: bool, n: int, kind: str, seed: int, k: int) -> None:
    labelled = draw_scores(seed, kind, n + 1, n, 3)
    trees = all_trees(n, single_root, projective)
    expected = in_order(
        np.array(
            [
                labelled[heads, np.arange(n), labels].sum()
                for heads in trees
                for labels in product(range(3), repeat=n)
            ]
        )
    )
    if not len(expected):
        return
    (found,) = kbest(Scores.of([labelled]), k, projective=projective, single_root=single_root)
    check_list(found, expected, k)
    assert found.labels is not None
    for heads, labels, score in zip(found.heads, found.labels, found.scores, strict=True):
        total = labelled[heads, np.arange(n), labels].sum()
        assert total == pytest.approx(score, rel=1e-9, abs=1e-9)


@each_root
@each_shape
def test_long_sentences(single_root: bool, projective: bool) -> None:
    arcs = [draw_scores(n, "smooth", n + 1, n) for n in (120, 30)]
    for one, found in zip(
        arcs,
        kbest(Scores.of(arcs), 25, projective=projective, single_root=single_root),
        strict=True,
    ):
        check_list(found, found.scores, 25)
        assert np.allclose(tree_scores(one, found.heads), found.scores)
        assert not single_root or ((found.heads == 0).sum(axis=1) == 1).all()


def test_what_is_refused() -> None:
    arcs, siblings = np.zeros((4, 3)), np.zeros((4, 3, 4))
    with pytest.raises(ScoresError, match="ask for one at least"):
        kbest(Scores.of([arcs]), 0)
    with pytest.raises(ScoresError, match="no exact k-best"):
        kbest(Scores.of([arcs], [siblings]), 2)
    with pytest.raises(ScoresError, match="too many"):
        kbest(Scores.of([arcs]), 2, projective=True, max_length=2)
    assert len(kbest(Scores.of([arcs]), 99, projective=True)[0]) == len(all_trees(3, True, True))
    fallen_back = kbest(Scores.of([arcs]), 99, projective=True, max_length=2, too_long="spanning")
    assert len(fallen_back[0]) == len(all_trees(3))
