"""Trees: structure, projectivity, what is refused."""

from __future__ import annotations

import itertools

import pytest

from niwaki import Tree


def make(*heads: int) -> Tree:
    return Tree(heads, ("x",) * len(heads))


def test_structure() -> None:
    tree = make(2, 0, 4, 2)
    assert tree.root == 2
    assert tree.children(2) == (1, 4)
    assert tree.children(0) == (2,)
    assert tree.subtree(4) == (3, 4)
    assert tree.is_complete
    assert len(tree) == 4


def test_postorder() -> None:
    order, first = make(2, 0, 4, 2).postorder()
    assert order == [1, 3, 4, 2, 0]
    assert [order[at] for at in first] == [1, 3, 3, 1, 1]
    # What does not hang below 0 is not there.
    assert make(0, 3, 2).postorder() == ([1, 0], [0, 0])


def test_incomplete() -> None:
    assert not make(2, -1).is_complete
    assert not make(2, 1).is_complete
    assert not make(0, 0).is_complete
    assert make(-1).root is None


@pytest.mark.parametrize("heads", [(1,), (3, 0), (-2, 0)])
def test_refused(heads: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match="cannot have the head"):
        make(*heads)
    with pytest.raises(ValueError, match="labels"):
        Tree((0,), ())


def all_trees(words: int) -> list[Tree]:
    """Every tree with one root."""
    heads = itertools.product(range(words + 1), repeat=words)
    loopless = (each for each in heads if all(h != d for d, h in enumerate(each, start=1)))
    return [tree for tree in (make(*each) for each in loopless) if tree.is_complete]


def test_projective_means_that_no_two_arcs_cross() -> None:
    """The definition by descent equals the one by crossing lines, with the root at position 0."""
    for words in range(1, 6):
        trees = all_trees(words)
        assert len(trees) == words ** (words - 1)
        for tree in trees:
            spans = [tuple(sorted((h, d))) for d, h in enumerate(tree.heads, start=1)]
            crosses = any(a < c < b < d for (a, b), (c, d) in itertools.permutations(spans, 2))
            assert tree.is_projective == (not crosses), tree.heads


def test_lifting_makes_projective_and_leaves_projective_trees_alone() -> None:
    for words in range(1, 6):
        trees = all_trees(words)
        assert len(trees) == words ** (words - 1)
        for tree in trees:
            lifted = tree.lifted()
            assert lifted.is_projective and lifted.is_complete
            assert (lifted == tree) == tree.is_projective


def test_crossing_arcs_are_named() -> None:
    assert list(make(2, 4, 4, 0, 7, 7, 2, 4).crossing_arcs()) == [7]
