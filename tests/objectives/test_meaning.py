"""Costs of what trees say: facts, the whole, contradictions; expressions and queries."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from niwaki.data.kbest import KBest
from niwaki.data.sentence import Sentence
from niwaki.data.tree import Tree
from niwaki.errors import ConfigError
from niwaki.objectives import load_objective
from niwaki.objectives.meaning import Meanings, Settings
from tests.meant import said
from tests.toy import write

GOLD = said("[a, b, c]")[0].sentence
TREES = [
    GOLD.tree,
    Tree((0, 1, 1), ("[*0", "-*1", "*:")),  # one of three facts
    Tree((0, 1, 1), ("[*0", "-*2", "-*1")),  # the other way round
    Tree((0, 1, 1), ("[*0", "-*1", "-*1")),  # the second takes the next place: the same
    Tree((0, 1, 2), ("*", "-*1", "-*1")),
]


def costs(trees: list[Tree], gold: Sentence, **settings: Any) -> list[float]:
    objective = Meanings([gold], Settings(**settings))
    names = sorted({name for tree in trees for name in tree.deprels})
    kbest = KBest.of_trees(trees, [0.0] * len(trees), names, number=0)
    (found,) = objective.costs([kbest])
    return [float(cost) for cost in found]


def test_trees_cost_what_they_say_wrongly() -> None:
    assert costs(TREES, GOLD) == pytest.approx([0, 1 / 3, 2 / 3, 0, 1])
    assert costs(TREES, GOLD, cost="expression") == [0, 1, 1, 0, 1]


def test_contradictions_need_no_gold_tree() -> None:
    bare = Sentence.from_words(["a", "b", "c"])
    assert costs(TREES, bare, cost="conflicts") == pytest.approx([0, 0, 0, 1 / 3, 2 / 3])


def test_trees_of_universal_dependencies_are_converted() -> None:
    gold = Sentence.from_words(
        ["Mori", "sold", "lamps"],
        upos=["PROPN", "VERB", "NOUN"],
        heads=[2, 0, 2],
        deprels=["nsubj", "root", "obj"],
    )
    other = Tree((2, 0, 2), ("nsubj", "root", "obl"))
    # An object or a passive subject: places are the same, and so is what they say.
    same = Tree((2, 0, 2), ("nsubj", "root", "nsubj:pass"))
    assert costs([gold.tree, other, same], gold) == pytest.approx([0, 1 / 3, 0])
    assert costs([gold.tree, other, same], gold, cost="expression") == [0, 1, 0]


def test_queries_are_priced_too() -> None:
    forms = ["Which", "rivers", "cross", "Texas"]
    labels = ["=", "answer(river(<0>))", "0:traverse_2(<0>)", "0:stateid('*')"]
    gold = Sentence.from_words(forms, heads=[2, 0, 2, 3], deprels=labels)
    trees = [
        gold.tree,
        Tree((2, 0, 2, 3), ("=", "answer(city(<0>))", *labels[2:])),
        Tree((2, 0, 2, 2), tuple(labels)),  # a place that is taken, and a hole
    ]
    found = costs(trees, gold, language="funql")
    # Of five facts two differ; of what is left of the last query three of four are right.
    assert found == pytest.approx([0, 1 - 6 / 10, 1 - 2 * 3 / 9])
    assert costs(trees, gold, language="funql", cost="expression") == [0, 1, 1]
    assert costs(trees, gold, language="funql", cost="conflicts") == [0, 0, 2 / 4]


def test_what_says_nothing_is_left_out(tmp_path: Path) -> None:
    silent = Sentence.from_words(["!"], heads=[0], deprels=["~"])
    unknown = Sentence.from_words(["Go"])
    file = str(write(tmp_path / "m.conllu", [silent, GOLD, unknown]))
    objective = load_objective("meaning", [file])
    assert isinstance(objective, Meanings)
    assert objective.sentences == (GOLD,) and objective.left_out
    assert objective.left_out.count == 2
    with pytest.raises(ConfigError, match="no tree that says anything"):
        load_objective("meaning", [str(write(tmp_path / "u.conllu", [unknown]))])
