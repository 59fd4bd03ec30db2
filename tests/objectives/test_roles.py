"""Costs of trees by the roles that are read off them."""

from __future__ import annotations

from pathlib import Path

import pytest

from niwaki.data.constraints import Constraints
from niwaki.data.kbest import KBest
from niwaki.data.roles import Filler, Predicate, with_predicates
from niwaki.data.sentence import Sentence
from niwaki.data.tree import Tree
from niwaki.errors import ConfigError
from niwaki.objectives import load_objective
from niwaki.objectives.roles import Roles, Settings
from niwaki.tasks.roles.learning import learn_roles
from niwaki.tasks.roles.model import RoleLabeller
from tests.labelled import active, as_text, bare, reports


@pytest.fixture(scope="module")
def labeller() -> RoleLabeller:
    return learn_roles(reports(24))


def candidates(sentence: Sentence) -> KBest:
    """The right tree of "Mori rakes gravel today .", and one where subject and object change."""
    right = sentence.tree
    labels = list(right.deprels)
    labels[0], labels[2] = labels[2], labels[0]
    return KBest.of_trees([right, Tree(right.heads, tuple(labels))], [1.0, 0.0])


def test_wrong_roles_cost(labeller: RoleLabeller) -> None:
    sentence = active(25)
    objective = Roles([sentence, bare(sentence)], labeller)
    assert objective.sentences == (sentence,)
    assert objective.left_out is not None and objective.left_out.count == 1
    asked = candidates(sentence)
    objective.open(objective.sentences, asked.names)
    (costs,) = objective.costs([asked])
    assert costs[0] == 0 and costs[1] == pytest.approx(2 / 3), "of three roles, one is right"
    one, other = objective.costs([asked, asked])
    assert one.tolist() == other.tolist() == costs.tolist()


def test_a_tree_is_searched_for_where_fillers_usually_hang(labeller: RoleLabeller) -> None:
    sentence = active(25)
    objective = Roles([sentence], labeller)
    objective.open(objective.sentences, ())
    assert objective.constraints(0) == Constraints.make(5, heads={1: 2, 3: 2, 4: 2})
    # What is a copula's hangs from something else.
    objective.open([sentence.replace(upos=["PROPN", "AUX", "NOUN", "NOUN", "PUNCT"])], ())
    assert objective.constraints(0) is None
    # A filler of two predicates may hang from either.
    one, other = (
        Predicate(2, "rake.01", (Filler("ARG0", 1), Filler("ARG1", 3))),
        Predicate(3, "rake.01", (Filler("ARG0", 1),)),
    )
    objective = Roles([with_predicates(sentence, [one, other])], labeller)
    objective.open(objective.sentences, ())
    assert objective.constraints(0) == Constraints.make(5, heads={3: 2})


def test_lacking_arcs_cost(labeller: RoleLabeller) -> None:
    sentence = active(25)
    far = Tree((2, 0, 4, 2, 2), sentence.tree.deprels)  # "gravel" hangs from "today"
    asked = KBest.of_trees([far, sentence.tree], [1.0, 0.0])
    plain, objective = (Roles([sentence], labeller, arcs=arcs) for arcs in (0.0, 3.0))
    for each in (plain, objective):
        each.open(each.sentences, asked.names)
    (before,), (costs,) = plain.costs([asked]), objective.costs([asked])
    assert before[0] > 0 and costs.tolist() == [before[0] + 3 * 1 / 3, before[1]]


def test_it_is_read_from_files(labeller: RoleLabeller, tmp_path: Path) -> None:
    labeller.save(tmp_path / "r.niwaki")
    data, table = tmp_path / "data.conllu", tmp_path / "data.tsv"
    data.write_text(as_text(reports(4)), encoding="utf-8")
    settings = Settings(labeller=str(tmp_path / "r.niwaki"))
    assert len(load_objective("roles", [str(data)], settings).sentences) == 4
    data.write_text(as_text([bare(s) for s in reports(4)]), encoding="utf-8")
    with pytest.raises(ConfigError, match=r"data\.conllu: no roles; mark some"):
        load_objective("roles", [str(data)], settings)
    table.write_text("active-3\t2\tsweep.01\tARG0:1-1\n")
    beside = Settings(labeller=settings.labeller, table=str(table))
    assert load_objective("roles", [str(data)], beside).ids == ("active-3",)
    # Nothing but data: the bundled labeller.
    data.write_text(as_text(reports(4)), encoding="utf-8")
    assert len(load_objective("roles", [str(data)]).sentences) == 4
