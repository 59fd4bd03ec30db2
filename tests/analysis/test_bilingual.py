"""Shifts, reductions and first mistakes by contiguity, on sentences to be followed by hand."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from niwaki.analysis.bilingual import KINDS, NO_CHOICE, Walk, decide, first_mistakes
from niwaki.data.bilingual.links import with_links
from niwaki.data.sentence import Sentence
from niwaki.errors import CorpusError
from niwaki.kernel.transition.contiguity import Contiguity
from tests.conftest import ROOT
from tests.reference.contiguity import contiguous, right_contiguous
from tests.reference.features import Symbolic
from tests.reference.systems import SlowStandard, projective_trees
from tests.toy import niwaki

LABELS = ("nsubj", "root", "obj", "case", "nmod")
# We saw herons with lanterns: herons that have lanterns.
NOUN = Sentence.from_words(["w"] * 5, heads=(2, 0, 2, 5, 3), deprels=LABELS)
# The canonical ways to it, and to the tree in which we have them.
WAY = "shift shift left shift shift shift left right right root".split()
OTHER = "shift shift left shift right shift shift left right root".split()
LINKS = [(0, 0), (1, 1), (2, 4), (3, 2), (4, 3)]


def test_decisions_of_a_sentence() -> None:
    """(we) (saw): +- ; (saw) (herons) with: -+ ; (herons) (with) lanterns: -+."""
    found = decide([with_links(NOUN, LINKS)])
    assert found.sentences == 1
    assert dict(found.counts) == {
        (NO_CHOICE, "shift"): 3,
        ("++", "reduce"): 1,
        ("-+", "shift"): 2,
        (NO_CHOICE, "reduce"): 3,
    }


def test_first_mistakes() -> None:
    sentence = with_links(NOUN, LINKS)
    for genuine in (False, True):
        assert first_mistakes([sentence], [WAY], genuine=genuine).total == 0
        wrong = first_mistakes([sentence], [OTHER], genuine=genuine)
        assert dict(wrong.counts) == {(KINDS[0], "-+"): 1}
        assert wrong.advised() == (1, 0)
        assert wrong.of_kind(KINDS[0]) == 1


def test_a_later_reduction_is_no_genuine_mistake() -> None:
    late = "shift shift shift shift shift left right right left root".split()
    sentence = with_links(NOUN, LINKS)
    assert first_mistakes([sentence], [late], genuine=True).total == 0
    counts = first_mistakes([sentence], [late], genuine=False).counts
    assert dict(counts) == {(KINDS[1], "++"): 1}


def test_the_wrong_direction_is_a_kind_of_its_own() -> None:
    turned = "shift shift right shift shift shift left right right root".split()
    counts = first_mistakes([with_links(NOUN, LINKS)], [turned], genuine=True).counts
    assert dict(counts) == {(KINDS[2], "++"): 1}


def test_signs_are_those_of_the_definition_in_all_states() -> None:
    some = [{(1, 2), (2, 1), (2, 4), (4, 3)}, {(1, 1), (2, 2), (3, 3), (4, 4)}, {(1, 3), (3, 2)}]
    seen = set()
    todo = [(links, Walk.start(4), SlowStandard.start(4)) for links in some]
    while todo:
        links, walk, slow = todo.pop()
        if len(slow.stack) > 2 and slow.buffer:
            tree = Symbolic(slow, {}, {}).subtree
            words = tree(slow.stack[-2]) | tree(slow.stack[-1])
            right = tree(slow.stack[-1]) | {slow.buffer[0]}
            expected = "-+"[contiguous(words, links)] + "-+"[right_contiguous(right, links, 4)]
        else:
            expected = NO_CHOICE
        assert walk.signs(Contiguity(4, links)) == expected
        seen.add(expected)
        todo += [(links, walk.after(move), after) for move, after in slow.moves().items()]
    assert len(seen) > 3


def test_genuine_mistakes_are_those_after_which_the_tree_cannot_be_had() -> None:
    """All ways through all trees of three words."""

    def reaches(slow: SlowStandard, heads: tuple[int, ...]) -> bool:
        if not slow.moves():
            return slow.heads() == heads
        return any(reaches(after, heads) for after in slow.moves().values())  # type: ignore[arg-type]

    def ways(slow: SlowStandard, so_far: list[str]) -> list[list[str]]:
        if not slow.moves():
            return [so_far]
        return [w for m, x in slow.moves().items() for w in ways(x, [*so_far, m])]  # type: ignore[arg-type]

    start = SlowStandard.start(3)
    assert len(projective_trees(3)) == 7
    for heads in projective_trees(3):
        sentence = Sentence.from_words(["w"] * 3, heads=heads, deprels=["x"] * 3)
        for way in ways(start, []):  # type: ignore[arg-type]
            slow = start
            for move in way:
                slow = slow.moves()[move]
            found = first_mistakes([sentence], [way], genuine=True)
            assert found.total == (slow.heads() != heads)
            assert reaches(start, heads)  # type: ignore[arg-type]


def test_partial_trees_are_refused() -> None:
    with pytest.raises(CorpusError, match="not a whole tree"):
        decide([NOUN.replace(heads=(2, 0, -1, 5, 3))])


def test_command(tmp_path: Path) -> None:
    files = [ROOT / "examples" / f"lanterns.{kind}" for kind in ("conllu", "align")]
    done = niwaki("analyze", "bilingual", files[0], "--links", files[1], "-m", "en")
    assert done.returncode == 0
    assert "Gold decisions by contiguity (32 sentences)" in done.stdout
    assert "First mistakes, genuine" in done.stdout
    done = niwaki("analyze", "bilingual", files[0], "--links", files[1], "-m", "en", "--json")
    record = json.loads(done.stdout)
    assert record["decisions"]["-+"] == {"shift": 48, "reduce": 16}
    for found in record["first_mistakes"].values():
        assert found["sentences_with_one"] == sum(found[kind] for kind in KINDS)
        for kind in KINDS:
            assert sum(found["by_contiguity"][kind].values()) == found[kind]
    assert "first_mistakes" in record
