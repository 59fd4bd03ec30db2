"""Sentences and what is kept of them: JSON Lines, marks in CoNLL-U, texts."""

from __future__ import annotations

import io
import json

import pytest

from niwaki.data.compressions import (
    Compression,
    kept_of,
    marked,
    read_compressions,
    shortened,
    shortened_text,
)
from niwaki.data.documents import cut_at_documents
from niwaki.data.sentence import Sentence
from niwaki.errors import CorpusError
from tests.shorter import as_conllu, as_json, choice, pairs


def read(text: str) -> list[Compression]:
    return list(read_compressions(io.StringIO(text)))


def test_json_and_conllu_hold_the_same() -> None:
    given = pairs(3)
    of_json, of_conllu = read(as_json(given)), read(as_conllu(given))
    for one, other, wanted in zip(of_json, of_conllu, given, strict=True):
        assert one.references == other.references == wanted.references
        assert one.sentence.forms == other.sentence.forms == wanted.sentence.forms
        assert one.sentence.comments == other.sentence.comments == wanted.sentence.comments
    blocks = list(cut_at_documents(each.sentence for each in of_json))
    assert [len(block) for block in blocks] == [2, 2, 2]
    assert read("") == []


def test_several_people_and_none() -> None:
    line = {"tokens": ["Go", "now", "."], "keep": ["101", "111"]}
    (both,) = read(json.dumps(line))
    assert both.references == (choice("101"), choice("111"))
    (none,) = read(json.dumps({"tokens": ["Go"]}))
    assert none.references == () and none.sentence.comments == ("newdoc id = ",)


@pytest.mark.parametrize(
    ("record", "message"),
    [
        ({"keep": ["1"]}, r":1:tokens: found 'null'; give a list of words"),
        ({"tokens": []}, r":1:tokens: a sentence has at least one word"),
        ({"tokens": ["a\tb"]}, r":1:tokens: .* cannot stand in a field"),
        ({"tokens": ["a"], "keep": ["10"]}, r":1:keep: .* strings of 1 0s and 1s, not all 0"),
        ({"tokens": ["a"], "keep": ["0"]}, r":1:keep: "),
        ({"tokens": ["a"], "keep": "1"}, r":1:keep: "),
        ({"tokens": ["a"], "keep": ["x"]}, r":1:keep: "),
    ],
)
def test_what_is_wrong_is_told_with_its_line(record: object, message: str) -> None:
    with pytest.raises(CorpusError, match=message):
        read(json.dumps(record))


def test_marks_come_and_go() -> None:
    sentence = Sentence.from_words(["a", "b", "c"], misc=["Keep=0", "X=1|Keep=0", "SpaceAfter=No"])
    assert kept_of(sentence) == choice("001")
    again = marked(sentence, choice("101"))
    assert again.misc == ("_", "X=1|Keep=0", "SpaceAfter=No")
    assert kept_of(again) == choice("101")
    with pytest.raises(CorpusError, match=r"MISC: Keep='maybe' of word 1; give 0"):
        kept_of(Sentence.from_words(["a"], misc=["Keep=maybe"]))


def test_texts_have_spaces_where_they_should() -> None:
    glue = "SpaceAfter=No"
    sentence = Sentence.from_words(
        ["Moss", ",", "which", "grows", ",", "is", "green", "."],
        misc=[glue, "_", "_", glue, "_", "_", glue, "_"],
    )
    assert shortened_text(sentence, choice("11111111")) == "Moss, which grows, is green."
    assert shortened_text(sentence, choice("10000111")) == "Moss is green."
    # The full stop stays at the last word.
    assert shortened_text(sentence, choice("10000001")) == "Moss."
    assert shortened_text(sentence, choice("10100101")) == "Moss which is."
    bracket = Sentence.from_words(
        ["It", "(", "still", "grows", ")"], misc=["_", glue, "_", glue, "_"]
    )
    assert shortened_text(bracket, choice("11011")) == "It (grows)"
    assert shortened_text(bracket, choice("11101")) == "It (still)"
    short = shortened(sentence, choice("10000111"))
    assert short.forms == ("Moss", "is", "green", ".") and short.text == "Moss is green."


def test_words_that_are_written_together() -> None:
    lines = ["1-2\tdon't\t" + "\t".join("_" * 8)]
    lines += [f"{n}\t{form}\t" + "\t".join("_" * 8) for n, form in enumerate(["do", "n't"], 1)]
    lines += ["3\tgo\t" + "\t".join("_" * 8), "", ""]
    sentence = Sentence.from_conllu("\n".join(lines))
    assert shortened_text(sentence, choice("111")) == "don't go"
    assert shortened_text(sentence, choice("101")) == "do go"
