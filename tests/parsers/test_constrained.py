"""Constraints through the pipeline and from the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from niwaki.data.constraints import Constraints
from niwaki.data.sentence import Sentence
from niwaki.errors import ConstraintError, ModelError
from niwaki.pipeline.pipeline import Pipeline
from tests.toy import niwaki, quick_model, write


@pytest.fixture
def partial() -> Sentence:
    """The heron is the object here, whatever a parser may think."""
    return Sentence.from_words(
        ["The", "heron", "watches", "the", "pond", "."],
        heads=[-1, 3, -1, -1, -1, -1],
        deprels=["_", "obj", "_", "_", "_", "_"],
        misc=["_", "_", "_", "Subtree=place", "Forbid=3|LabelSet=odd|Subtree=place", "_"],
    )


def free(sentence: Sentence) -> Sentence:
    blank = ["_"] * len(sentence)
    return sentence.replace(heads=[-1] * len(sentence), deprels=blank, misc=blank)


@pytest.mark.parametrize("beam", [1, 4])
def test_the_parse_obeys(model: Pipeline, partial: Sentence, beam: int) -> None:
    constraints = Constraints.of(partial)
    (loose,) = model.parse([partial], beam=beam)
    assert list(constraints.broken_by(loose.tree)), "there is something to obey"
    (parsed,) = model.parse([partial], beam=beam, constrain=True)
    assert parsed.tree.is_complete
    assert not list(constraints.broken_by(parsed.tree))
    assert parsed.deprels[4] == "odd", "a label that the model does not know"
    assert parsed.misc == partial.misc
    assert model.kbest(partial, 1, beam=beam, constraints=constraints).trees == (parsed.tree,)


@pytest.mark.parametrize("beam", [1, 4])
def test_sentences_that_say_nothing_are_parsed_as_ever(
    model: Pipeline, toy: list[Sentence], partial: Sentence, beam: int
) -> None:
    bare = [free(sentence) for sentence in toy]
    expected = list(model.parse(bare, beam=beam))
    company = [*bare[:3], partial, *bare[3:]]
    found = list(model.parse(company, beam=beam, constrain=True))
    assert [*found[:3], *found[4:]] == expected
    assert list(model.parse(company, beam=beam, constrain=True, threads=2)) == found


def test_all_candidates_obey(model: Pipeline, toy: list[Sentence]) -> None:
    chosen = [each for each in toy if len(each) >= 4 and each.tree.is_projective]
    assert len(chosen) == 30
    for sentence in chosen:
        known = Constraints.make(
            len(sentence), heads={3: sentence.heads[2]}, subtrees=[sentence.tree.subtree(2)]
        )
        found = model.kbest(free(sentence), 6, constraints=known)
        assert len(set(found.trees)) == len(found)
        assert list(found.scores) == sorted(found.scores, reverse=True)
        assert sum(found.probabilities) == pytest.approx(1)
        assert len(found)
        for tree in found:
            assert tree.is_complete and not list(known.broken_by(tree))


def test_a_whole_tree_comes_back(model: Pipeline, toy: list[Sentence]) -> None:
    whole = [sentence for sentence in toy if sentence.tree.is_projective]
    for beam in (1, 4):
        parsed = list(model.parse(whole, beam=beam, constrain=True))
        assert [sentence.tree for sentence in parsed] == [sentence.tree for sentence in whole]


def test_contradictions(model: Pipeline, partial: Sentence) -> None:
    wrong = partial.replace(heads=[-1, 4, -1, -1, -1, -1])
    with pytest.raises(ConstraintError, match=r"<memory>:1: .*head of word 2 is 4.*one subtree"):
        list(model.parse([wrong], constrain=True))
    with pytest.raises(ValueError, match="of 2 words for 6"):
        model.kbest(partial, 1, constraints=Constraints.make(2, root=1))
    with pytest.raises(ModelError, match="ask for one of the two"):
        model.parse([partial], constrain=True, probabilities=True)


def test_a_nonprojective_system_obeys_with_nonprojective_trees(tmp_path: Path) -> None:
    model = quick_model(tmp_path / "m", model={"system": "arc-standard-swap"})
    nonprojective = Sentence.from_words(
        ["The", "heron", "watches", "the", "pond", "."], heads=[3, 4, -1, -1, -1, -1]
    )
    for beam in (1, 4):
        (parsed,) = model.parse([nonprojective], beam=beam, constrain=True)
        assert parsed.tree.is_complete and not parsed.tree.is_projective
        assert parsed.heads[:2] == (3, 4)
    (best,) = model.kbest(nonprojective, 1, constraints=Constraints.of(nonprojective))
    assert best.heads[:2] == (3, 4)
    circle = nonprojective.replace(heads=[2, 1, -1, -1, -1, -1])
    with pytest.raises(ConstraintError, match=r"<memory>:1: no tree obeys all of: the head of"):
        list(model.parse([circle], constrain=True))


def test_from_the_command_line(
    model: Pipeline, model_path: Path, partial: Sentence, tmp_path: Path
) -> None:
    file = write(tmp_path / "partial.conllu", [partial])
    done = niwaki("parse", file, "-m", model_path, "--constrain")
    assert done.returncode == 0, done.stderr
    assert done.stdout == "".join(map(str, model.parse([partial], constrain=True)))
    listed = niwaki("parse", file, "-m", model_path, "--constrain", "-k", "3")
    found = model.kbest(partial, 3, constraints=Constraints.of(partial))
    heads = [parse["heads"] for parse in json.loads(listed.stdout)["parses"]]
    assert heads == [list(tree.heads) for tree in found]
    write(file, [partial.replace(heads=[3, 4, -1, -1, 2, -1])])
    failed = niwaki("parse", file, "-m", model_path, "--constrain")
    assert failed.returncode == 1
    assert failed.stderr.startswith(f"niwaki: {file}:1: no projective tree obeys all of: the head")
    assert failed.stderr.count("\n") == 1
