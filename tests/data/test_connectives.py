"""Connectives in MISC: read, written, and refused; relations as GUM has them."""

from __future__ import annotations

import pytest

from niwaki.data.connectives import Connective, Document, Place, documents
from niwaki.data.sentence import Sentence
from niwaki.errors import CorpusError, NiwakiError
from tests.connected import joined, stories


def test_marks_come_back_as_they_were() -> None:
    made = stories(3)
    again = list(documents(s for document in made for s in document.marked()))
    assert [each.connectives for each in again] == [each.connectives for each in made]
    misc = [[m for m in s.misc if m != "_"] for s in made[0].marked()]
    assert misc == [[], ["Connective=4|Arg1=2|Arg2=5"], ["Connective=1|Arg1=-1:2|Arg2=4"]]


@pytest.mark.parametrize("words", [(4,), (4, 5), (2, 5, 6), (1, 2, 5)])
def test_words_may_stand_apart(words: tuple[int, ...]) -> None:
    sentence, _ = joined(0)
    document = Document((sentence,), (Connective(0, words),))
    (again,) = documents(document.marked())
    assert again.connectives == (Connective(0, words),)
    assert again.phrase(again.connectives[0]) == " ".join(sentence.forms[w - 1] for w in words)


def test_other_notes_stay_and_old_marks_go() -> None:
    sentence, connective = joined(0)
    noted = sentence.replace(misc=["A=1", "Arg1=7|SpaceAfter=No", "_", "Arg2=1", "_", "_", "_"])
    (marked,) = Document((noted,), (connective,)).marked()
    assert marked.misc == ("A=1", "SpaceAfter=No", "_", "Connective=4|Arg1=2|Arg2=5", *"___")


@pytest.mark.parametrize(
    ("misc", "message"),
    [
        ("Connective=5", "Connective='5' of word 4"),
        ("Connective=4-9", "Connective='4-9' of word 4"),
        ("Connective=4,4", "Connective='4,4' of word 4"),
        ("Connective=4-2", "Connective='4-2' of word 4"),
        ("Connective=x", "Connective='x' of word 4"),
        ("Connective=4|Arg1=8", "Arg1='8' of word 4"),
        ("Connective=4|Arg2=-1:1", "Arg2='-1:1' of word 4"),
        ("Connective=4|Arg2=1:1", "Arg2='1:1' of word 4"),
        ("PDTB=Explicit:Sense:and:4:1-3:5-99", "PDTB='Explicit:Sense:and:4:1-3:5-99'"),
        ("PDTB=Explicit:4", "PDTB='Explicit:4'"),
    ],
)
def test_marks_that_are_wrong_are_told(misc: str, message: str) -> None:
    sentence, _ = joined(0)
    wrong = sentence.replace(misc=["_", "_", "_", misc, "_", "_", "_"])
    with pytest.raises(CorpusError) as error:
        list(documents([wrong]))
    assert str(error.value).startswith(f"<memory>:1:MISC: {message}; give ")


def gum(relations: str) -> list[Sentence]:
    """Two sentences, the second with relations at its connective; words are counted through."""
    first, _ = joined(0)
    second, _ = joined(1)
    return [first, second.replace(misc=["_", "_", "_", relations, "_", "_", "_"])]


def test_relations_are_read_and_heads_are_found() -> None:
    # Words 8 to 14 are the second sentence; "and" is word 11.
    (document,) = documents(gum("PDTB=Explicit:Sense:and:11:8-10:11-13"))
    assert document.connectives == (Connective(1, (4,), Place(1, 2), Place(1, 5)),)
    # Of a span over two sentences the first head speaks; a function word is none.
    (document,) = documents(gum("PDTB=Explicit:Sense:and:11:4,5,9:7,12"))
    assert document.connectives == (Connective(1, (4,), Place(0, 5), Place(1, 5)),)
    # Of nothing but function words the first is taken.
    (document,) = documents(gum("PDTB=Explicit:Sense:and:11:7:8"))
    assert document.connectives == (Connective(1, (4,), Place(0, 7), Place(1, 1)),)


def test_relations_without_a_connective_or_an_argument_are_passed_over() -> None:
    two = "Explicit:A:and:11:8-10:12-13;Explicit:B:and:11:8-10:12-13"
    (document,) = documents(gum(f"PDTB=Implicit:Sense:and:_:1-7:8-14;{two}"))
    assert len(document.connectives) == 2, "a connective with two senses is there twice"
    (document,) = documents(gum("PDTB=Explicit:Sense:and:11:8-10:_"))
    assert document.connectives == ()


def test_documents_begin_where_it_is_said() -> None:
    made = [s for document in stories(3) for s in document.sentences]
    assert [len(each.sentences) for each in documents(made)] == [3, 3, 3]
    assert [len(each.sentences) for each in documents(made[1:4])] == [2, 1]
    assert list(documents([])) == []


def test_trees_of_other_words_are_refused() -> None:
    one, other = stories(2)
    assert one.with_trees(one.sentences) == one
    with pytest.raises(NiwakiError, match="trees of other words"):
        one.with_trees(other.sentences)
