"""What is said to be known: read, merged, checked."""

from __future__ import annotations

import pickle

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from niwaki.data.constraints import (
    Constraints,
    FixedHead,
    ForbiddenHead,
    Labels,
    Subtree,
)
from niwaki.data.sentence import Sentence
from niwaki.data.tree import Tree
from niwaki.errors import ConstraintError
from tests.conftest import ROOT
from tests.reference.constraints import obeying_trees
from tests.strategies import constraint_sets


def test_read_from_a_partial_tree() -> None:
    sentence = Sentence.from_conllu((ROOT / "tests" / "fixtures" / "partial.conllu").read_bytes())
    assert Constraints.of(sentence).statements == (
        FixedHead(1, 0),
        Labels(1, ("root",)),
        FixedHead(3, 4),
        Labels(3, ("amod",)),
        Labels(4, ("obj",)),
        FixedHead(6, 1),
        Labels(6, ("punct",)),
    )
    assert not Constraints.of(Sentence.from_words(["no", "idea"]))


def test_read_from_misc() -> None:
    misc = ["Forbid=2,0|SpaceAfter=No", "Subtree=A", "Subtree=A,B|LabelSet=obj,obl", "_"]
    sentence = Sentence.from_words(["w"] * 4, misc=misc)
    assert Constraints.of(sentence).statements == (
        ForbiddenHead(1, 2),
        ForbiddenHead(1, 0),
        Labels(3, ("obj", "obl")),
        Subtree((2, 3)),
        Subtree((3,)),
    )


def test_made_in_python() -> None:
    made = Constraints.make(
        4, heads={1: 2}, root=2, forbidden={4: [3]}, labels={1: "det", 4: ["obj", "obl"]},
        subtrees=[{4, 3}],
    )  # fmt: skip
    assert list(map(str, made.statements)) == [
        "the head of word 1 is 2",
        "word 2 is the root",
        "the head of word 4 is not 3",
        "the label of word 1 is det",
        "the label of word 4 is obj or obl",
        "words 3-4 are one subtree",
    ]
    assert pickle.loads(pickle.dumps(made)) == made
    both = made & Constraints.make(4, labels={4: ["obl", "nmod"]})
    assert both.labels_of(4) == ("obl",)
    assert both.labels_of(2) is None
    with pytest.raises(ValueError, match="of 4 and of 5 words"):
        made & Constraints(5)


@pytest.mark.parametrize(
    ("made", "reasons"),
    [
        ({"heads": {1: 2}, "root": 1}, "the head of word 1 is 2; word 1 is the root"),
        ({"heads": {1: 0, 2: 0}}, "word 1 is the root; word 2 is the root"),
        (
            {"heads": {5: 3, 1: 2, 2: 1, 4: 3}},
            "the head of word 1 is 2; the head of word 2 is 1",
        ),
        (
            {"heads": {1: 2}, "forbidden": {1: [2], 3: [4]}},
            "the head of word 1 is 2; the head of word 1 is not 2",
        ),
        ({"heads": {1: 3, 2: 4}}, "the head of word 1 is 3; the head of word 2 is 4"),
        ({"labels": {1: []}, "root": 2}, "the label of word 1 is none at all"),
        ({"subtrees": [[1, 3]]}, "words 1, 3 are one subtree"),
        (
            {"subtrees": [[1, 2], [2, 3], [4]]},
            "words 1-2 are one subtree; words 2-3 are one subtree",
        ),
        (
            {"subtrees": [[2, 3]], "heads": {2: 1, 3: 1}},
            "the head of word 2 is 1; the head of word 3 is 1; words 2-3 are one subtree",
        ),
        (
            {"subtrees": [[2, 3]], "root": 2},
            "word 2 is the root; words 2-3 are one subtree",
        ),
        (
            {"forbidden": {word: [0] for word in range(1, 6)}},
            "; ".join(f"word {word} is not the root" for word in range(1, 6)),
        ),
    ],
)
def test_contradictions_are_named(made: dict[str, object], reasons: str) -> None:
    constraints = Constraints.make(5, **made)  # type: ignore[arg-type]
    with pytest.raises(ConstraintError) as caught:
        constraints.check(Sentence.from_words(["w"] * 5))
    assert str(caught.value) == (
        f"<memory>:1: no projective tree obeys all of: {reasons}; give up one"
    )


@pytest.mark.parametrize("system", ["arc-standard", "arc-standard-swap"])
@settings(max_examples=200, deadline=None)
@given(data=st.data())
def test_contradictions_are_as_small_as_can_be(data: st.DataObject, system: str) -> None:
    constraints = data.draw(constraint_sets(data.draw(st.integers(1, 4)), ("one", "two")))
    possible = any(obeying_trees(constraints, system))
    try:
        _ = constraints.tables if system == "arc-standard" else constraints.nonprojective_tables
        assert possible
        return
    except ConstraintError as error:
        assert not possible
        message = str(error)
    kind = "projective tree" if system == "arc-standard" else "tree"
    named = message.removeprefix(f"no {kind} obeys all of: ").split("; ")[:-1]
    chosen = [next(s for s in constraints.statements if str(s) == name) for name in named]
    assert not any(obeying_trees(Constraints(constraints.words, tuple(chosen)), system))
    for left_out in range(len(chosen)):
        rest = tuple(chosen[:left_out] + chosen[left_out + 1 :])
        assert any(obeying_trees(Constraints(constraints.words, rest), system))


def test_what_a_tree_breaks() -> None:
    tree = Tree((2, 0, 2), ("det", "root", "obj"))
    constraints = Constraints.make(
        3, heads={1: 2, 3: 1}, forbidden={3: [2]}, labels={1: "det", 3: ["obl"]},
        subtrees=[[1, 2], [3], [1, 2, 3]],
    )  # fmt: skip
    assert list(map(str, constraints.broken_by(tree))) == [
        "the head of word 3 is 1",
        "the head of word 3 is not 2",
        "the label of word 3 is obl",
        "words 1-2 are one subtree",
    ]


def test_refusals() -> None:
    with pytest.raises(
        ConstraintError, match="the head of word 7 is 1: there are the words 1 to 3"
    ):
        Constraints.make(3, heads={7: 1})
    with pytest.raises(ConstraintError, match="words 1 to 3"):
        Constraints.make(3, forbidden={1: [-1]})
    with pytest.raises(ConstraintError, match="words 1 to 3"):
        Constraints.make(3, subtrees=[[]])
    with pytest.raises(ConstraintError, match="<memory>:1: Forbid='x' of word 2"):
        Constraints.of(Sentence.from_words(["a", "b"], misc=["_", "Forbid=1,x"]))
    with pytest.raises(ConstraintError, match="<memory>:1: the head of word 2 is not 5"):
        Constraints.of(Sentence.from_words(["a", "b"], misc=["_", "Forbid=5"]))
    with pytest.raises(ConstraintError, match="up to 1000"):
        _ = Constraints.make(1001, root=1).tables
    with pytest.raises(ValueError, match="of 3 words for 2"):
        Constraints(3).check(Sentence.from_words(["a", "b"]))
