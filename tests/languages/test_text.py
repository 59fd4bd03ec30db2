"""Words of raw text in many scripts: their places are in characters, and no character changes."""

from __future__ import annotations

import json
import unicodedata

import pytest

from niwaki import cli
from niwaki.data.sentence import Sentence, parse_pairs
from tests.languages.conftest import Trained, text_of
from tests.scripts import HINDI, JAPANESE, THAI, VIETNAMESE


def spans(sentence: Sentence) -> list[tuple[int, int]]:
    """The ranges of the tokens of a sentence."""
    inside = {word for each in sentence.ranges for word in range(each.first, each.last + 1)}
    alone = [misc for word, misc in enumerate(sentence.misc, start=1) if word not in inside]
    found = []
    for misc in (*(each.misc for each in sentence.ranges), *alone):
        start, _, end = parse_pairs(misc)["TokenRange"].partition(":")
        found.append((int(start), int(end)))
    return sorted(found)


def surface(sentence: Sentence) -> str:
    return "".join(sentence.text.split())


def in_nfc(sentence: Sentence) -> tuple[object, ...]:
    """What a model says of a sentence, and its words in one form."""
    forms = (unicodedata.normalize("NFC", form) for form in sentence.forms)
    tags = (sentence.upos, sentence.feats, sentence.lemmas)
    return (*forms, tags, sentence.heads, sentence.deprels)


@pytest.mark.parametrize("form", ["NFC", "NFD"])
def test_places_are_in_characters_of_the_text_that_was_given(trained: Trained, form: str) -> None:
    text = unicodedata.normalize(form, text_of(trained.script))  # type: ignore[arg-type]
    sentences = trained.model(text)
    covered = "".join(text[start:end] for each in sentences for start, end in spans(each))
    # Words may hold spaces.
    assert "".join(covered.split()) == "".join(text.split())
    assert "".join(map(surface, sentences)) == "".join(text.split())
    for sentence in sentences:
        tokens = [text[start:end] for start, end in spans(sentence)]
        forms = [each.form for each in sentence.ranges]
        whole = {*sentence.forms, *forms}
        assert set(tokens) <= whole


def test_words_are_those_of_the_treebank(trained: Trained) -> None:
    gold = trained.script.sentences()[:3]
    found = list(trained.model(text_of(trained.script)))
    assert [sentence.text for sentence in found] == [sentence.text for sentence in gold]
    if trained.script is not VIETNAMESE:  # words that hold spaces
        assert [sentence.forms for sentence in found] == [sentence.forms for sentence in gold]
        assert [sentence.heads for sentence in found] == [sentence.heads for sentence in gold]


def test_given_words_are_parsed_as_they_are(trained: Trained) -> None:
    gold = trained.script.sentences()
    found = list(trained.model.parse(gold, retag=True))
    assert [sentence.forms for sentence in found] == [sentence.forms for sentence in gold]
    right = sum(a.heads == b.heads for a, b in zip(found, gold, strict=True))
    assert right > 0.9 * len(gold)


def test_canonically_equal_text_is_one_text(trained: Trained) -> None:
    composed = unicodedata.normalize("NFC", text_of(trained.script))
    decomposed = unicodedata.normalize("NFD", composed)
    one, other = trained.model(composed), trained.model(decomposed)
    assert "".join(map(surface, other)) == "".join(decomposed.split())
    assert [in_nfc(sentence) for sentence in other] == [in_nfc(sentence) for sentence in one]


def test_canonically_equal_words_have_one_tree(trained: Trained) -> None:
    gold = trained.script.sentences()
    composed, decomposed = (
        [unicodedata.normalize(form, str(sentence)).encode() for sentence in gold]  # type: ignore[arg-type]
        for form in ("NFC", "NFD")
    )
    one = list(trained.model.parse(map(Sentence, composed), retag=True, probabilities=True))
    other = list(trained.model.parse(map(Sentence, decomposed), retag=True, probabilities=True))
    assert [s.forms for s in other] == [Sentence(source).forms for source in decomposed]
    assert [in_nfc(sentence) for sentence in other] == [in_nfc(sentence) for sentence in one]
    assert [s.comments for s in one] == [
        tuple(unicodedata.normalize("NFC", comment) for comment in s.comments) for s in other
    ]


def test_json_holds_the_same_words(
    trained: Trained, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    assert cli.main(["parse", str(trained.text), "-m", str(trained.path), "--to", "json"]) == 0
    lines = capsysbinary.readouterr().out.decode("utf-8").splitlines()
    known = list(trained.model(text_of(trained.script)))
    assert [json.loads(line)["text"] for line in lines] == [each.text for each in known]
    assert [json.loads(line)["tokens"] for line in lines] == [list(each.forms) for each in known]


def test_the_fixtures_are_what_they_say() -> None:
    assert not unicodedata.is_normalized("NFD", text_of(VIETNAMESE))
    assert any(unicodedata.combining(char) for char in text_of(HINDI))
    for script in (JAPANESE, THAI):
        assert " " not in script.sentences()[0].text
    assert any(" " in form for form in VIETNAMESE.sentences()[0].forms)
    assert any(ord(char) > 0xFFFF for char in text_of(JAPANESE, 18))
