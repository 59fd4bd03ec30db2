"""Trees of sentences in many scripts as text and pictures."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET

import pytest

from niwaki import draw
from niwaki.data.sentence import Sentence
from niwaki.draw.layout import is_right_to_left, text_width
from tests.languages.conftest import Trained
from tests.scripts import ARABIC, RIGHT_TO_LEFT, SCRIPTS, Script

SVG = "{http://www.w3.org/2000/svg}"


@pytest.mark.parametrize(
    ("text", "cells"),
    [
        ("pine", 4),
        ("लड़की", 4),  # a nukta stands below its letter, a vowel sign beside it
        ("น้ำ", 2),
        ("القطُّ", 4),
        ("猫が", 4),
        ("é", 1),
        ("e\u0301", 1),
        ("한", 2),
        ("\u1112\u1161\u11ab", 2),  # the same, letter by letter
        ("🌲", 2),
        ("👩‍🌾", 2),
        ("क्‍ष", 2),  # a joiner between letters that both stay
        ("𐍃𐌿𐌽", 3),
        ("", 0),
    ],
)
def test_how_wide_a_text_is(text: str, cells: int) -> None:
    assert text_width(text) == cells


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.code)
def test_which_way_a_sentence_is_written(script: Script) -> None:
    assert is_right_to_left(script.sentences()[0].forms) == (script in RIGHT_TO_LEFT)


def test_a_few_foreign_words_do_not_turn_a_sentence_around() -> None:
    assert not is_right_to_left(["He", "said", "سلام", "twice"])
    assert is_right_to_left(["قال", "hi", "مرتين"])
    assert not is_right_to_left(["1", "2", "."])
    assert not is_right_to_left([])


def places(sentence: Sentence) -> list[float]:
    """Where words are drawn, in their order."""
    texts = list(ET.fromstring(draw.svg(sentence)).iter(f"{SVG}text"))
    words = [float(x.attrib["x"]) for x in texts if x.attrib["class"] == "w"]
    assert len(words) == len(sentence)
    return words


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.code)
def test_words_stand_in_the_order_of_reading(script: Script) -> None:
    found = [places(sentence) for sentence in script.sentences()[:3]]
    assert len(found) == 3
    assert found == [sorted(each, reverse=script in RIGHT_TO_LEFT) for each in found]
    assert min(map(min, found)) > 0


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.code)
def test_arcs_end_at_their_words(script: Script) -> None:
    sentence = script.sentences()[0]
    centres = [f"{x:.1f}" for x in places(sentence)]
    picture = ET.fromstring(draw.svg(sentence))
    arrows = [x.attrib["d"] for x in picture.iter(f"{SVG}path") if x.attrib["class"] == "h"]
    ends = {re.match(r"M([\d.]+) ", arrow)[1] for arrow in arrows}  # type: ignore[index]
    assert ends == set(centres)
    width = float(picture.attrib["width"])
    drawn = "".join(x.attrib["d"] for x in picture.iter(f"{SVG}path"))
    assert all(0 <= float(x) <= width for x in re.findall(r"[MHQ](-?[\d.]+)", drawn))


def test_a_word_keeps_its_direction_and_a_picture_begins_where_it_is_read_from() -> None:
    assert "unicode-bidi:plaintext" in draw.svg(ARABIC.sentences()[0])
    pages = {script.code: draw.html(script.sentences()[:2]) for script in SCRIPTS}
    assert [code for code, page in pages.items() if '<div dir="rtl">' in page] == ["ar"]
    assert 'dir="rtl"' in draw.fragment(ARABIC.sentences()[0])


def test_columns_of_a_terminal_are_straight(trained: Trained) -> None:
    starts = []
    for sentence in trained.script.sentences()[:5]:
        lines = zip(draw.arcs(sentence).splitlines(), sentence.upos, strict=True)
        starts.append({text_width(line[: line.index(tag)]) for line, tag in lines})
    assert [len(each) for each in starts] == [1] * 5
