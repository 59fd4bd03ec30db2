"""Tree edit distance beside all edits, and what it says of parses."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from niwaki.data.sentence import Sentence
from niwaki.data.tree import Tree
from niwaki.errors import CorpusError
from niwaki.metrics.tree_edit import count_edits, parse_edits, tree_edits
from tests.reference import answers as slow


def parse(words: str, heads: list[int], labels: str) -> Sentence:
    return Sentence.from_words(words.split(), heads=heads, deprels=labels.split())


@st.composite
def ordered_trees(drawn: st.DrawFn) -> Tree:
    """Up to five nodes, numbered such that each stands behind the one above it."""
    size = drawn(st.integers(1, 5))
    heads = [0, *(drawn(st.integers(1, node - 1)) for node in range(2, size + 1))]
    return Tree(tuple(heads), tuple(drawn(st.sampled_from("ab")) for _ in heads))


def slowly(one: Tree, other: Tree) -> float:
    renamed = np.ones((len(one) + 1, len(other) + 1))
    renamed[0, 0] = 0
    for i, name in enumerate(one.deprels, start=1):
        for j, rival in enumerate(other.deprels, start=1):
            renamed[i, j] = name != rival
    sizes = np.ones(len(one) + 1), np.ones(len(other) + 1)
    return slow.edit_distance(one.heads, other.heads, *sizes, renamed)


@given(ordered_trees(), ordered_trees())
def test_edits_are_the_fewest_of_all(one: Tree, other: Tree) -> None:
    found = tree_edits(one, other)
    assert found == slowly(one, other)
    assert found == tree_edits(other, one)
    assert (found == 0) == (one == other)


@given(ordered_trees(), ordered_trees(), ordered_trees())
def test_a_way_around_is_not_shorter(one: Tree, other: Tree, third: Tree) -> None:
    assert tree_edits(one, third) <= tree_edits(one, other) + tree_edits(other, third)


def test_the_example_of_zhang_and_shasha() -> None:
    # f(d(a c(b)) e) and f(c(d(a b)) e): c is removed in one place and added in another.
    one = Tree((0, 1, 2, 2, 4, 1), tuple("fdacbe"))
    other = Tree((0, 1, 2, 3, 3, 1), tuple("fcdabe"))
    assert tree_edits(one, other) == 2


def test_parses_of_the_same_words() -> None:
    gold = parse("Koi eat rice slowly", [2, 0, 2, 2], "nsubj root obj advmod")
    label = parse("Koi eat rice slowly", [2, 0, 2, 2], "nsubj root obl advmod")
    # The adverb under the noun: it is removed and added elsewhere.
    head = parse("Koi eat rice slowly", [2, 0, 2, 3], "nsubj root obj advmod")
    found = count_edits([gold] * 3, [gold, label, head])
    assert found.counts.tolist() == [[0, 4], [1, 4], [2, 4]]
    assert found.scores == {"tree_edits": pytest.approx(100 * 3 / 12)}
    assert found.costs == {"tree_edits"}
    with pytest.raises(CorpusError, match="word 1 is 'Carp', but 'Koi'"):
        count_edits([gold], [parse("Carp eat rice slowly", [2, 0, 2, 2], "a root b c")])


def test_parses_of_other_words() -> None:
    long = parse("Old koi eat rice", [2, 3, 0, 3], "amod nsubj root obj")
    short = parse("koi eat rice", [2, 0, 2], "nsubj root obj")
    assert parse_edits(long, short) == parse_edits(short, long) == 1
    assert parse_edits(short, parse("koi eat moss", [2, 0, 2], "nsubj root obj")) == 1


def test_many_roots_are_compared_and_half_trees_are_not() -> None:
    two = parse("Koi swim", [0, 0], "root root")
    assert parse_edits(two, parse("Koi swim", [2, 0], "root root")) == 2
    part = parse("Koi swim", [-1, 0], "_ root")
    with pytest.raises(CorpusError, match="no whole tree; give whole trees"):
        parse_edits(two, part)
