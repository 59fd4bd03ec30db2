"""Costs of trees by what connectives join on them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from niwaki.data.connectives import Connective, Document, Place
from niwaki.data.constraints import Constraints
from niwaki.data.kbest import KBest
from niwaki.data.tree import Tree
from niwaki.errors import ConfigError
from niwaki.learning.ranker import RankerSettings
from niwaki.objectives import load_objective
from niwaki.objectives.connectives import Connectives, Settings
from niwaki.tasks.connectives.learning import learn_connectives
from niwaki.tasks.connectives.model import ConnectiveModel
from niwaki.tasks.connectives.model import Settings as ModelSettings
from tests.connected import as_text, stories


@pytest.fixture(scope="module")
def model() -> ConnectiveModel:
    return learn_connectives(stories(), ModelSettings(rerank=False, ranker=RankerSettings(l2=0.05)))


def candidates(document: Document) -> KBest:
    """The right tree of "Mori rakes gravel and waters moss .", and one that joins things."""
    right = document.sentences[1].tree
    heads, labels = list(right.heads), list(right.deprels)
    # "gravel and waters": the verb is a conjunct of the noun.
    heads[4] = 3
    wrong = Tree(tuple(heads), tuple(labels))
    return KBest.of_trees([right, wrong], [1.0, 0.0], sorted(set(labels)))


def test_wrong_arguments_cost(model: ConnectiveModel) -> None:
    document = stories(1)[0]
    asked = candidates(document)
    hard, smooth = (Connectives([document], model, smooth=smooth) for smooth in (False, True))
    for objective in (hard, smooth):
        # Of the story, one sentence has a connective with both arguments in it.
        assert objective.sentences == document.sentences[1:2]
        assert objective.left_out is not None and objective.left_out.count == 2
        objective.open(objective.sentences, asked.names)
    (costs,) = hard.costs([asked])
    assert costs.tolist() == [0, 0.5], "the first argument is wrong, the second is not"
    (surprise,) = smooth.costs([asked])
    assert 0 < surprise[0] < 0.2 < surprise[1] < -np.log(1e-4)
    one, other = hard.costs([asked, asked])
    assert one.tolist() == other.tolist() == costs.tolist()


def test_a_tree_is_searched_for_where_arguments_usually_hang(model: ConnectiveModel) -> None:
    document = stories(1)[0]
    usual = Connectives([document], model).constraints(0)
    assert usual is not None
    # "and" hangs from "waters", "waters" from "rakes".
    assert usual == Constraints.make(7, heads={4: 5, 5: 2})
    right, wrong = candidates(document)
    assert not list(usual.broken_by(right)) and list(usual.broken_by(wrong))


@pytest.mark.parametrize(
    ("more", "heads"),
    [
        # The same argument hangs from two words: which of them is not known.
        (Connective(1, (6,), Place(1, 3), Place(1, 5)), {4: 5, 6: 5}),
        # Each argument would hang from the other.
        (Connective(1, (6,), Place(1, 5), Place(1, 2)), None),
        # A connective that is its own argument says nothing.
        (Connective(1, (6,), Place(1, 5), Place(1, 6)), {4: 5, 5: 2}),
    ],
)
def test_what_contradicts_is_not_searched_for(
    model: ConnectiveModel, more: Connective, heads: dict[int, int] | None
) -> None:
    (story,) = stories(1)
    document = replace(story, connectives=(*story.connectives, more))
    usual = Connectives([document], model).constraints(0)
    assert usual == (None if heads is None else Constraints.make(7, heads=heads))


def test_lacking_arcs_cost(model: ConnectiveModel) -> None:
    document = stories(1)[0]
    asked = candidates(document)
    objective = Connectives([document], model, arcs=2.0)
    objective.open(objective.sentences, asked.names)
    (costs,) = objective.costs([asked])
    assert costs.tolist() == [0, 0.5 + 2 * 1 / 2], "of two usual arcs, the wrong tree has one"


def test_it_is_read_from_files(model: ConnectiveModel, tmp_path: Path) -> None:
    model.save(tmp_path / "c.niwaki")
    data = tmp_path / "data.conllu"
    data.write_text(as_text(stories(4)), encoding="utf-8")
    objective = load_objective(
        "connectives", [str(data)], Settings(connectives=str(tmp_path / "c.niwaki"))
    )
    assert len(objective.sentences) == 4
    data.write_text("".join(str(s) for s in stories(1)[0].sentences), encoding="utf-8")
    with pytest.raises(ConfigError, match="no connective with both arguments"):
        load_objective("connectives", [str(data)], Settings(connectives=str(tmp_path / "c.niwaki")))
    with pytest.raises(ConfigError, match="connectives is missing; give a model"):
        load_objective("connectives", [str(data)], Settings())
