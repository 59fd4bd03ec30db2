"""Reordering in the kernel against its slow twin, on all small trees and random rules."""

from __future__ import annotations

import itertools
import random

import numpy as np
import pytest

from niwaki.data.sentence import Sentence
from niwaki.data.tree import Tree
from niwaki.kernel.bilingual.reorder import lift
from niwaki.tasks.reorder.reorderer import Reorderer, lifted
from niwaki.tasks.reorder.rules import Pattern, Placement, Rule, RuleSet, Turn
from tests.reference import reorder as twin

LABELS = ["a", "a:x", "b", "punct"]
TAGS = ["N", "V", "VX"]


def all_heads(words: int) -> list[tuple[int, ...]]:
    """Every tree with one root, projective or not."""
    return [
        heads
        for heads in itertools.product(range(words + 1), repeat=words)
        if heads.count(0) == 1
        and all(head != word for word, head in enumerate(heads, start=1))
        and Tree(heads, ("_",) * words).is_complete
    ]


def random_pattern(chance: random.Random, side: bool) -> Pattern:
    def some(values: list[str]) -> tuple[str, ...]:
        return tuple(chance.sample(values, chance.randint(1, 2))) if chance.random() < 0.4 else ()

    return Pattern(
        labels=some(["a", "a:x", "b", "*"]),
        upos=some(["N", "V", "V*"]),
        xpos=some(["V*", "N"]),
        feats=("F=1",) if chance.random() < 0.15 else (),
        words=some(["w", "u"]) if chance.random() < 0.3 else (),
        has=some(["a", "b"]) if chance.random() < 0.2 else (),
        lacks=some(["punct", "b"]) if chance.random() < 0.2 else (),
        children=chance.choice([None, None, None, (0, 0), (1, None), (1, 2)]),
        side=chance.choice(["", "", "before", "after"]) if side else "",
    )


def random_rules(chance: random.Random) -> RuleSet:
    rules: list[Rule] = []
    while len(rules) < 4:
        turn = {weight: chance.choice(list(Turn)) for weight in (-2.0, -1.0, 0.0, 1.5)}
        placements = [
            Placement(random_pattern(chance, True), weight, turn[weight])
            for weight in chance.choices(list(turn), k=4)
        ]
        weight = chance.choice(list(turn))
        placements.append(Placement(Pattern(), weight, turn[weight], True))
        barriers = chance.choice([(), ("punct",), ("punct", "a:x")])
        rule = Rule(str(len(rules)), random_pattern(chance, False), tuple(placements), barriers)
        if rule.contradiction() is None:
            rules.append(rule)
    return RuleSet("random", tuple(rules))


def random_sentence(chance: random.Random, heads: tuple[int, ...]) -> Sentence:
    size = len(heads)
    return Sentence.from_words(
        chance.choices(["w", "W", "u", "v"], k=size),
        upos=chance.choices(TAGS, k=size),
        xpos=chance.choices(TAGS, k=size),
        feats=chance.choices(["_", "F=1", "F=1|G=2"], k=size),
        heads=heads,
        deprels=chance.choices(LABELS, k=size),
    )


@pytest.mark.parametrize("words", [1, 2, 3, 4, 5])
def test_all_small_trees(words: int) -> None:
    chance = random.Random(words)
    trees = all_heads(words)
    assert len(trees) == words ** (words - 1)
    for _ in range({5: 2}.get(words, 12)):
        rules = random_rules(chance)
        sentences = [random_sentence(chance, heads) for heads in trees]
        for found in Reorderer(rules).reorder(sentences):
            assert list(found.order) == twin.reorder(rules, found.sentence), found.sentence
            assert sorted(found.order) == list(range(words))


@pytest.mark.parametrize("words", [1, 2, 3, 4, 5])
def test_lifting(words: int) -> None:
    trees = all_heads(words)
    assert len(trees) == words ** (words - 1)
    for heads in trees:
        found = lift(np.array(heads, dtype=np.int32))
        assert found is not None
        assert found.tolist() == twin.lift(heads)
        tree = Tree(tuple(found.tolist()), ("_",) * words)
        assert tree.is_complete and tree.is_projective
        if Tree(heads, ("_",) * words).is_projective:
            assert found.tolist() == list(heads)


def test_several_roots_unknown_heads_and_cycles() -> None:
    assert lifted(Tree((0, -1, 0), ("_",) * 3)).heads == (0, 0, 0)
    assert lift(np.array([2, 1, 0], dtype=np.int32)) is None
    with pytest.raises(ValueError, match="cycle"):
        lifted(Tree((2, 1), ("_", "_")))


def test_long_and_flat_sentences() -> None:
    """A head with thousands of children and a chain of thousands of heads."""
    size = 5000
    flat = Sentence.from_words(["w"] * size, heads=[0] + [1] * (size - 1), deprels=["a"] * size)
    chain = Sentence.from_words(["w"] * size, heads=range(size), deprels=["a"] * size)
    turn = Placement(Pattern(labels=("*",)), 0.0, Turn.REVERSE)
    own = Placement(Pattern(), 0.0, Turn.REVERSE, True)
    rules = RuleSet("reverse", (Rule("all", Pattern(), (turn, own)),))
    orders = [list(found.order) for found in Reorderer(rules).reorder([flat, chain])]
    assert orders == [list(range(size))[::-1]] * 2


def test_more_patterns_than_bits_in_a_word() -> None:
    words = [f"w{number}" for number in range(150)]
    placements = [
        Placement(Pattern(words=(word,)), float(at)) for at, word in enumerate(words, start=1)
    ]
    rules = RuleSet("many", (Rule("all", Pattern(), tuple(placements)),))
    sentence = Sentence.from_words(["head", *words], heads=[0] + [1] * 150, deprels=["a"] * 151)
    (found,) = Reorderer(rules).reorder([sentence])
    assert found.order == (*range(150, 0, -1), 0)
