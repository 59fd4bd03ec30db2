"""Texts, words and sentences as Python programs have them, and what is refused in one line."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

import niwaki
from niwaki.data.given import only_sentence, sentence_of_words, sentences_given
from niwaki.data.sentence import Sentence

WANTED = "give a text, a list of texts, a list of lists of words, or Sentences"


def read(text: str, name: str) -> Iterator[Sentence]:
    """A stand-in for a segmenter: sentences end at full stops."""
    for number, part in enumerate(text.rstrip(".").split("."), start=1):
        yield Sentence.from_words(part.split(), comments=[f"sent_id = {name}/{number}"])


def forms(given: Any) -> list[str]:
    return [" ".join(each.forms) for each in sentences_given(given, read)]


def refused(given: Any) -> str:
    with pytest.raises(niwaki.NiwakiError) as found:
        forms(given)
    assert "\n" not in str(found.value)
    return str(found.value)


def test_what_can_be_given() -> None:
    one, two = Sentence.from_words(["a"]), Sentence.from_words(["b", "c"])
    assert forms("We saw. He too.") == ["We saw", "He too"]
    assert forms(["We saw.", "He. Too."]) == ["We saw", "He", "Too"]
    assert forms(["Yes", "I do"]) == ["Yes", "I do"]
    assert forms(["Yes"]) == ["Yes"]
    assert forms([["We", "saw"], ("He",)]) == ["We saw", "He"]
    assert forms(one) == ["a"]
    assert forms([one, two]) == forms(iter([one, two])) == ["a", "b c"]
    assert forms([]) == []


def test_sentences_of_several_texts_have_ids_of_their_own() -> None:
    found = sentences_given(["We saw. He too.", "Yes"], read)
    assert [each.id for each in found] == ["1/1", "1/2", "2/1"]


def test_texts_are_read_as_a_stream() -> None:
    taken = []

    def texts() -> Iterator[str]:
        for text in ("Yes", "we do", "never read"):
            taken.append(text)
            yield text

    found = sentences_given(texts(), read)
    assert taken == [], "nothing is read before it is asked for"
    assert next(found).forms == ("Yes",)
    assert taken == ["Yes", "we do"]


def test_words_or_texts_is_not_guessed() -> None:
    assert refused(["We", "saw"]) == (
        "a list of 2 strings without spaces, which may be words or texts; "
        "give [['We', ...]] for the words of a sentence, or texts one by one"
    )


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (None, f"found None; {WANTED}"),
        (b"We saw", f"found a bytes; {WANTED}"),
        ({"a b": 1}, f"found a dict; {WANTED}"),
        ([3], f"item 1 is a int; {WANTED}"),
        (["We saw", ["He"]], f"item 2 is a list; {WANTED}, all of one kind"),
        ([["We"], "saw"], f"item 2 is a str; {WANTED}"),
        ([["We", 3]], "word 2 is a int; give words as strings"),
        ([["We saw"]], "word 1 is 'We saw'; words have no white space"),
        ([[]], "a list of no words; a sentence has at least one"),
    ],
)
def test_anything_else_is_refused_in_one_line(given: Any, message: str) -> None:
    assert refused(given) == message


def test_where_trees_are_wanted_a_text_is_refused() -> None:
    with pytest.raises(niwaki.NiwakiError, match="found the text 'We saw'; give Sentences"):
        list(niwaki.draw_trees(["We saw"]))
    with pytest.raises(niwaki.NiwakiError, match="found the text"):
        niwaki.evaluate(["We saw"], [Sentence.from_words(["a"])])


def test_one_sentence() -> None:
    made = sentence_of_words(["We", "saw"])
    assert made.text == "We saw"
    assert only_sentence(made, read) is made
    assert only_sentence(["We", "saw"], read) == made
    assert only_sentence([["We", "saw"]], read) == made  # type: ignore[list-item]
    assert only_sentence("We saw.", read).forms == ("We", "saw")
    with pytest.raises(niwaki.NiwakiError, match="a text of 2 sentences; give one, or its words"):
        only_sentence("We saw. He too.", read)
    with pytest.raises(niwaki.NiwakiError, match="2 sentences; give one at a time"):
        only_sentence([made, made], read)  # type: ignore[list-item]


# -- through a model --------------------------------------------------------------------------


def test_a_model_takes_them_all() -> None:
    nlp = niwaki.load()
    text = "We saw it. So did he."
    (first, second) = nlp(text)
    assert (first.id, second.id) == ("1", "2")
    assert [each.id for each in nlp([text, "Trees grow."])] == ["1-1", "1-2", "2-1"]
    (words,) = nlp([["Trees", "grow", "."]])
    assert words.forms == ("Trees", "grow", ".") and 0 in words.heads
    assert nlp(words) == nlp([words])
    assert nlp.kbest("Trees grow.", 2).trees == nlp.kbest(["Trees", "grow", "."], 2).trees
    assert list(niwaki.parse([text])) == list(niwaki.parse([text], nlp, tags="keep"))
    assert [each.sentence.forms for each in niwaki.kbest([text], 2)] == [first.forms, second.forms]


def test_a_text_is_not_the_name_of_a_file() -> None:
    with pytest.raises(
        niwaki.NiwakiError, match=r"no file 'We saw it\.'; a text comes from a file"
    ):
        list(niwaki.parse("We saw it."))
    with pytest.raises(FileNotFoundError):
        list(niwaki.parse("missing.conllu"))


def test_texts_are_aligned_by_words() -> None:
    pairs = [("the house", "das haus"), ("the book", "das buch"), ("a book", "ein buch")] * 3
    as_words = [(one.split(), other.split()) for one, other in pairs]
    found = niwaki.align(pairs)
    assert found == niwaki.align(as_words)
    assert (1, 1) in found[0].sure
    for wrong in (["the house"], [("a", "b", "c")]):
        with pytest.raises(niwaki.NiwakiError, match="pair 1 is none; give"):
            niwaki.align(wrong)  # type: ignore[arg-type]
