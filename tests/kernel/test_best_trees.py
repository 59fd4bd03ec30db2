"""Best trees against all trees, and what must hold for any scores."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from niwaki.data.tree import Tree
from niwaki.errors import ScoresError
from niwaki.parsers.decoding import Scores, decode
from tests.kernel.graph_inputs import draw_scores, each_root, each_shape, kinds, lengths, seeds
from tests.reference.trees import all_trees, reaches_root, siblings_score, tree_scores


def is_tree(heads: np.ndarray, single_root: bool, projective: bool) -> bool:
    tree = Tree(tuple(heads.tolist()), ("_",) * len(heads))
    one_root = tree.heads.count(0) == 1 or not single_root
    return one_root and reaches_root(tree.heads) and (not projective or tree.is_projective)


@each_root
@each_shape
@given(n=lengths, kind=kinds, seed=seeds)
def test_no_tree_is_better(
    single_root: bool, projective: bool, n: int, kind: str, seed: int
) -> None:
    arcs = draw_scores(seed, kind, n + 1, n)
    best = tree_scores(arcs, all_trees(n, single_root, projective)).max()
    if best == -np.inf:
        with pytest.raises(ScoresError, match="sentence 0: no tree"):
            decode(Scores.of([arcs]), projective=projective, single_root=single_root)
        return
    found = decode(Scores.of([arcs]), projective=projective, single_root=single_root)
    assert is_tree(found.heads, single_root, projective)
    assert found.scores[0] == pytest.approx(tree_scores(arcs, found.heads[None])[0], rel=1e-12)
    assert found.scores[0] == pytest.approx(best, rel=1e-9, abs=1e-9)


@each_root
@each_shape
def test_six_words(single_root: bool, projective: bool) -> None:
    trees = all_trees(6, single_root, projective)
    arcs = [draw_scores(seed, "smooth", 7, 6) for seed in range(40)]
    found = decode(Scores.of(arcs), projective=projective, single_root=single_root)
    best = [tree_scores(one, trees).max() for one in arcs]
    assert np.allclose(found.scores, best)


@each_root
@each_shape
@given(n=st.integers(1, 7), data=st.data())
def test_any_finite_scores_give_one_tree(
    single_root: bool, projective: bool, n: int, data: st.DataObject
) -> None:
    finite = st.floats(allow_nan=False, allow_infinity=False)
    arcs = data.draw(st.lists(finite, min_size=n * (n + 1), max_size=n * (n + 1)))
    scores = Scores.of([np.reshape(arcs, (n + 1, n))])
    found = decode(scores, projective=projective, single_root=single_root)
    assert is_tree(found.heads, single_root, projective)


@each_root
@each_shape
def test_long_sentences_and_batches(single_root: bool, projective: bool) -> None:
    random = np.random.default_rng(5)
    arcs = [random.normal(size=(n + 1, n)) for n in (300, 1, 17, 40, 2)]
    together = decode(Scores.of(arcs), projective=projective, single_root=single_root)
    for one, heads, score in zip(arcs, together, together.scores, strict=True):
        alone = decode(Scores.of([one]), projective=projective, single_root=single_root)
        assert is_tree(heads, single_root, projective)
        assert np.array_equal(alone.heads, heads) and alone.scores[0] == score
    assert len(together) == 5


@each_root
@each_shape
def test_ties_are_broken_the_same_way(single_root: bool, projective: bool) -> None:
    flat = Scores.of([np.zeros((5, 4))] * 3)
    first, *others = decode(flat, projective=projective, single_root=single_root)
    assert [other.tolist() for other in others] == [first.tolist()] * 2


def test_a_nonprojective_tree_is_found_only_if_allowed() -> None:
    nonprojective = Tree((3, 4, 0, 3), ("_",) * 4)
    arcs = np.full((5, 4), -10.0)
    for word, head in enumerate(nonprojective.heads, start=1):
        arcs[head, word - 1] = 1
    assert decode(Scores.of([arcs])).heads.tolist() == list(nonprojective.heads)
    assert not np.array_equal(decode(Scores.of([arcs]), projective=True).heads, nonprojective.heads)


# -- labels and siblings --------------------------------------------------------


@each_root
@each_shape
@given(n=lengths, seed=seeds)
def test_labels_are_the_best_of_their_arcs(
    single_root: bool, projective: bool, n: int, seed: int
) -> None:
    labelled = draw_scores(seed, "smooth", n + 1, n, 3)
    found = decode(Scores.of([labelled]), projective=projective, single_root=single_root)
    plain = decode(
        Scores.of([labelled.max(axis=2)]), projective=projective, single_root=single_root
    )
    assert np.array_equal(found.heads, plain.heads) and found.scores == plain.scores
    assert found.labels is not None and plain.labels is None
    assert np.array_equal(found.labels, labelled[found.heads, np.arange(n)].argmax(axis=1))


@each_root
@given(n=lengths, kind=kinds, seed=seeds)
def test_siblings_no_projective_tree_is_better(
    single_root: bool, n: int, kind: str, seed: int
) -> None:
    arcs = draw_scores(seed, "smooth", n + 1, n)
    siblings = draw_scores(seed + 1, kind, n + 1, n, n + 1)
    trees = all_trees(n, single_root, projective=True)
    best = max(siblings_score(arcs, siblings, heads) for heads in trees)
    scores = Scores.of([arcs], [siblings])
    if best == -np.inf:
        with pytest.raises(ScoresError, match="no tree"):
            decode(scores, projective=True, single_root=single_root)
        return
    found = decode(scores, projective=True, single_root=single_root)
    assert is_tree(found.heads, single_root, projective=True)
    assert found.scores[0] == pytest.approx(siblings_score(arcs, siblings, found.heads), rel=1e-9)
    assert found.scores[0] == pytest.approx(best, rel=1e-9, abs=1e-9)


@each_root
@given(n=lengths, seed=seeds)
def test_siblings_of_nonprojective_trees_climb(single_root: bool, n: int, seed: int) -> None:
    """No worse than the projective tree, and no change of one head makes it better."""
    arcs = draw_scores(seed, "smooth", n + 1, n)
    siblings = draw_scores(seed + 1, "smooth", n + 1, n, n + 1)
    scores = Scores.of([arcs], [siblings])
    start = decode(scores, projective=True, single_root=single_root)
    found = decode(scores, single_root=single_root)
    assert is_tree(found.heads, single_root, projective=False)
    assert found.scores[0] == pytest.approx(siblings_score(arcs, siblings, found.heads), rel=1e-9)
    assert found.scores[0] >= start.scores[0] - 1e-9
    for heads in all_trees(n, single_root):
        changed = np.flatnonzero(heads != found.heads)
        swapped = single_root and len(changed) == 2 and is_root_swap(found.heads, heads)
        if len(changed) == 1 or swapped:
            assert siblings_score(arcs, siblings, heads) <= found.scores[0] + 1e-9


def is_root_swap(old: np.ndarray, new: np.ndarray) -> bool:
    root, taker = int(np.flatnonzero(old == 0)[0]) + 1, int(np.flatnonzero(new == 0)[0]) + 1
    return root != taker and new[root - 1] == taker


def test_siblings_without_influence_are_arcs() -> None:
    arcs = draw_scores(3, "smooth", 41, 40)
    scores = Scores.of([arcs], [np.zeros((41, 40, 41))])
    plain = decode(Scores.of([arcs]), projective=True)
    assert np.array_equal(decode(scores, projective=True).heads, plain.heads)


# -- what is refused -------------------------------------------------------------


def test_long_sentences_are_refused_or_parsed_otherwise() -> None:
    arcs = [draw_scores(seed, "smooth", n + 1, n) for seed, n in enumerate((6, 9, 4, 8))]
    scores = Scores.of(arcs)
    with pytest.raises(ScoresError, match=r"sentence 1: 9 words are too many .* \(at most 7\)"):
        decode(scores, projective=True, max_length=7)
    found = decode(scores, projective=True, max_length=7, too_long="spanning")
    for number, heads in enumerate(found):
        alone = decode(scores.take([number]), projective=len(heads) <= 7)
        assert np.array_equal(alone.heads, heads)
    assert len(decode(scores, max_length=7)) == 4, "spanning trees have no such limit"


def test_long_sentences_with_siblings() -> None:
    arcs = [draw_scores(seed, "smooth", 7, 6) for seed in range(2)]
    siblings = [draw_scores(seed, "smooth", 7, 6, 7) for seed in range(2, 4)]
    scores = Scores.of(arcs, siblings)
    with pytest.raises(ScoresError, match="too many"):
        decode(scores, max_length=5)
    for heads in decode(scores, max_length=5, too_long="spanning"):
        assert is_tree(heads, single_root=True, projective=False)


@pytest.mark.parametrize(
    ("sentences", "message"),
    [
        ([np.full((3, 2), np.nan)], "a score is nan"),
        ([np.full((3, 2), np.inf)], "a score is inf"),
        ([np.zeros((2, 2))], r"shape \(2, 2\)"),
        ([np.zeros((1, 0))], "without words"),
        ([np.zeros((2, 1, 2)), np.zeros((2, 1, 3))], "sentence 1: scores for"),
        ([np.zeros((2, 1, 0))], "a table of shape"),
    ],
)
def test_scores_that_are_refused(sentences: list[np.ndarray], message: str) -> None:
    with pytest.raises(ScoresError, match=message):
        Scores.of(sentences)


def test_tables_that_do_not_fit() -> None:
    two = np.array([2], dtype=np.int32)
    with pytest.raises(ScoresError, match="scores of 5 arcs; the sentences have 6"):
        Scores(np.zeros(5), two)
    with pytest.raises(ScoresError, match="siblings do not fit"):
        Scores(np.zeros(6), two, np.zeros(17))
    with pytest.raises(ScoresError, match=r"must be \(3, 2, 3\)"):
        Scores.of([np.zeros((3, 2))], [np.zeros((3, 2, 2))])
    with pytest.raises(ScoresError, match="a score is nan"):
        Scores.of([np.zeros((3, 2))], [np.full((3, 2, 3), np.nan)])
    assert Scores.of([np.zeros((3, 2), dtype=np.float32)]).table.dtype == np.float64
    assert len(decode(Scores.of([]))) == 0
