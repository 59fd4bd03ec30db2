"""Constrained parsing against looking at every tree, in all systems."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from niwaki.data.constraints import Constraints
from niwaki.data.sentence import Sentence
from niwaki.data.tree import Tree
from niwaki.errors import ConstraintError
from niwaki.kernel.batch import Batch
from niwaki.kernel.linear import SparseWeights
from niwaki.kernel.transition.constraints import Chart, Limits
from niwaki.kernel.transition.systems import load_system, system_names
from niwaki.parsers.transition.model import TransitionModel, make_transition_spec
from niwaki.parsers.transition.search import constrained_kbest
from niwaki.tagging.tagger import Tags
from tests.reference.constraints import obeying_trees, obeys
from tests.reference.systems import projective_trees, reachable_trees
from tests.strategies import constraint_sets

LABELS = ("one", "two", "three")
SYSTEMS = system_names()
FEATURES = "s0.form\ns1.form + s0.form\ns0.form + b0.form\ndistance(s0,b0)"


@cache
def parser_of(system: str, rare: bool) -> TransitionModel:
    """A parser with random weights; with `rare`, most labels share one move."""
    random = np.random.default_rng(7)
    trees = [
        Sentence.from_words(["w"] * 4, upos=["X"] * 4).replace(
            heads=heads, deprels=random.choice([*LABELS, "root"], 4).tolist()
        )
        for heads in projective_trees(4)
    ]
    spec = make_transition_spec(trees, system, FEATURES, max_classes=6 if rare else 64)
    learner = SparseWeights(len(spec.classes))
    parser = TransitionModel(spec, learner)
    batch = Batch([sentence(5).source])
    values = parser.attribute_values(batch, Tags.none(batch))
    for _ in range(60):
        _, _, _, moves = parser.kernel.kbest(batch, 0, values, 8, 8)
        row = moves[random.integers(len(moves))]
        _, keys = parser.kernel.follow(batch, 0, values, row[: random.integers(len(row))].copy())
        learner.add(keys, int(random.integers(learner.classes)), int(random.integers(1, 9)))
    return parser


def sentence(words: int) -> Sentence:
    return Sentence.from_words([f"w{word % 3}" for word in range(words)])


@pytest.mark.parametrize("system", SYSTEMS)
@pytest.mark.parametrize("width", [1, 4])
@settings(max_examples=100, deadline=None)
@given(data=st.data())
def test_a_tree_that_obeys_exactly_if_there_is_one(
    data: st.DataObject, system: str, width: int
) -> None:
    words = data.draw(st.integers(1, 5))
    constraints = data.draw(constraint_sets(words, LABELS))
    k = data.draw(st.sampled_from([1, 3]))
    parser = parser_of(system, data.draw(st.booleans()))
    batch = Batch([sentence(words).source])
    values = parser.attribute_values(batch, Tags.none(batch))
    expected = set(obeying_trees(constraints, system))
    if not expected:
        with pytest.raises(ConstraintError, match=r"no (projective )?tree obeys all of"):
            constrained_kbest(parser, batch, 0, values, constraints, k, width)
        return
    found = constrained_kbest(parser, batch, 0, values, constraints, k, width)
    assert 1 <= len(found) <= k
    assert len(set(found)) == len(found)
    scores = found.scores.tolist()
    assert scores == sorted(scores, reverse=True)
    for each, expected_score, moves in zip(found, scores, found.histories, strict=True):
        assert each.heads in expected
        assert not list(constraints.broken_by(each))
        score, _ = parser.kernel.follow(batch, 0, values, moves)
        assert score == pytest.approx(expected_score, abs=1e-3)


@pytest.mark.parametrize("system", SYSTEMS)
def test_a_wide_beam_finds_all_trees_that_obey(system: str) -> None:
    parser = parser_of(system, False)
    batch = Batch([sentence(4).source])
    values = parser.attribute_values(batch, Tags.none(batch))
    some = [
        Constraints.make(4, heads={2: 3}, labels=dict.fromkeys(range(1, 5), "one")),
        Constraints.make(4, subtrees=[[2, 3]], labels=dict.fromkeys(range(1, 5), "two")),
        Constraints.make(4, forbidden={1: [2], 4: [0, 1]}, labels=dict.fromkeys((1, 2), "one")),
    ]
    for constraints in some:
        found = constrained_kbest(parser, batch, 0, values, constraints, 5000, 5000)
        assert {each.heads for each in found} == set(obeying_trees(constraints, system))


@pytest.mark.parametrize("system", SYSTEMS)
@pytest.mark.parametrize("width", [1, 3])
def test_what_says_nothing_new_changes_nothing(system: str, width: int) -> None:
    """Constraints that the free parse obeys anyway give it back."""
    parser = parser_of(system, False)
    batch = Batch([sentence(5).source])
    values = parser.attribute_values(batch, Tags.none(batch))
    heads, labels, scores, moves = parser.kernel.kbest(batch, 0, values, 1, width)
    names = [parser.labels.names[label] for label in labels[0]]
    empty = constrained_kbest(parser, batch, 0, values, Constraints(5), 1, width)
    assert empty[0] == Tree(tuple(heads[0].tolist()), tuple(names))
    assert empty.scores[0] == scores[0]
    assert np.array_equal(empty.histories[0], moves[0])
    whole = Constraints.make(
        5,
        heads=dict(enumerate(heads[0].tolist(), start=1)),
        labels=dict(enumerate(names, start=1)),
    )
    assert constrained_kbest(parser, batch, 0, values, whole, 1, width)[0] == empty[0]


@pytest.mark.parametrize("system", ["arc-standard", "arc-standard-swap"])
@settings(max_examples=200, deadline=None)
@given(data=st.data())
def test_the_nearest_tree_has_the_most_heads(data: st.DataObject, system: str) -> None:
    words = data.draw(st.integers(1, 5))
    constraints = data.draw(constraint_sets(words, LABELS))
    guide = data.draw(st.sampled_from(reachable_trees(system, words)))
    expected = list(obeying_trees(constraints, system))
    assume(expected)
    crosses = load_system(system).nonprojective
    tables = constraints.nonprojective_tables if crosses else constraints.tables
    nearest = tables.nearest(guide)
    assert nearest is not None and obeys(nearest, constraints)

    def value(heads: tuple[int, ...]) -> tuple[int, int]:
        same = sum(a == b for a, b in zip(heads, guide, strict=True))
        return same, -sum(abs(word - head) for word, head in enumerate(heads, 1) if head)

    assert value(nearest) == max(map(value, expected))


def test_long_sentences() -> None:
    """Far beyond what can be enumerated, and beyond where costs are exact."""
    for system in SYSTEMS:
        parser = parser_of(system, False)
        for words in (60, 300):
            batch = Batch([sentence(words).source])
            values = parser.attribute_values(batch, Tags.none(batch))
            constraints = Constraints.make(
                words,
                heads={5: 2, 30: 40, 41: 40, words: 1},
                forbidden={7: range(8, 20)},
                subtrees=[range(10, 15), range(10, 30)],
                labels={3: "two"},
            )
            for width in (1, 4):
                (found,) = constrained_kbest(parser, batch, 0, values, constraints, 1, width)
                assert found.is_complete
                assert found.is_projective or load_system(system).nonprojective
                assert not list(constraints.broken_by(found))


@pytest.mark.parametrize("system", [x for x in system_names() if load_system(x).nonprojective])
def test_nonprojective_trees_are_built_by_the_systems_own_moves(system: str) -> None:
    """Every tree of four words comes back if it is asked for, and so do arcs that cross."""
    parser = parser_of(system, False)
    batch = Batch([sentence(4).source])
    values = parser.attribute_values(batch, Tags.none(batch))
    for heads in reachable_trees(system, 4):
        whole = Constraints.make(4, heads=dict(enumerate(heads, start=1)))
        some = Constraints.make(4, heads={1: heads[0], 2: heads[1]}, forbidden={4: [heads[2]]})
        for width in (1, 4):
            (found,) = constrained_kbest(parser, batch, 0, values, whole, 1, width)
            assert found.heads == heads
        if any(obeying_trees(some, system)):
            (found,) = constrained_kbest(parser, batch, 0, values, some, 1, 4)
            assert not list(some.broken_by(found))
    gap = Constraints.make(4, subtrees=[[1, 3]])
    (found,) = constrained_kbest(parser, batch, 0, values, gap, 1, 4)
    assert not found.is_projective and not list(gap.broken_by(found))


@pytest.mark.parametrize("system", [x for x in system_names() if load_system(x).nonprojective])
def test_more_nonprojective_than_can_be_swapped(system: str) -> None:
    """Swaps are bounded by the number of words, and what they do not reach is refused."""
    words = 80
    half = words // 2
    parser = parser_of(system, False)
    batch = Batch([sentence(words).source])
    values = parser.attribute_values(batch, Tags.none(batch))
    heads = {word: word + half for word in range(1, half + 1)}
    heads |= {word: word + 1 for word in range(half + 1, words)}
    with pytest.raises(ConstraintError, match=f"cross more often than {system} can swap 80 words"):
        constrained_kbest(parser, batch, 0, values, Constraints.make(words, heads=heads), 1, 1)


def test_refusals() -> None:
    square = np.ones((4, 4), dtype=np.uint8)
    edges = np.zeros((4, 4), dtype=np.int32)
    weights = np.zeros((4, 4), dtype=np.int64)
    with pytest.raises(ValueError, match="squares of one size"):
        Chart(square, edges[:3], edges, weights)
    with pytest.raises(ValueError, match="1 to 1000 words"):
        Chart(square[:1, :1].copy(), edges, edges, weights)
    classes = np.ones((4, 2), dtype=np.uint8)
    heads = np.full(3, -1, dtype=np.int32)
    subtrees = np.zeros((0, 4), dtype=np.uint8)
    with pytest.raises(ValueError, match="squares of one size"):
        Limits(square, edges, edges[:2], classes, heads, subtrees)
    with pytest.raises(ValueError, match="do not fit the number of words"):
        Limits(square, edges, edges, classes, heads[:1], subtrees)
    with pytest.raises(ValueError, match="head 9 is out of range"):
        Limits(square, edges, edges, classes, heads + 10, subtrees)
    with pytest.raises(ValueError, match="do not fit the subtrees"):
        Limits(square, edges, edges, classes, heads, np.zeros((1, 3), dtype=np.uint8))
    limits = Limits(square, edges, edges, classes, heads, subtrees)
    kernel = parser_of("arc-hybrid", False).kernel
    batch = Batch([sentence(3).source, sentence(2).source])
    values = parser_of("arc-hybrid", False).attribute_values(batch, Tags.none(batch))
    with pytest.raises(ValueError, match="do not fit the labelled moves"):
        limits.kbest(kernel, batch, 0, values, 1, 1)
    with pytest.raises(ValueError, match="do not fit the sentence"):
        limits.kbest(kernel, batch, 1, values, 1, 1)
    with pytest.raises(ValueError, match="no sentence 2"):
        limits.kbest(kernel, batch, 2, values, 1, 1)
    with pytest.raises(ValueError, match="at least 1"):
        limits.kbest(kernel, batch, 0, values, 0, 1)
