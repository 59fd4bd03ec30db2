"""Text in NFC and the places of its characters, beside all of Unicode."""

from __future__ import annotations

import sys
from unicodedata import decomposition, normalize

from hypothesis import given
from hypothesis import strategies as st

from niwaki.segmenting.composing import composed

CHARACTERS = [chr(code) for code in range(sys.maxunicode + 1)]
# Letters with marks, marks, and letters of Hangul, which meet seldom in random text.
MEETING = [char for char in CHARACTERS if decomposition(char)] + [
    *("e", "ơ", "\u0301", "\u0323", "\u031b", "が", "か", "\u3099"),
    *("\u1100", "\u1161", "\u11a8", "가", "\u0f71", "\u0f72", "\u0344"),
]
TEXT = st.text(st.one_of(st.sampled_from(MEETING), st.characters()), max_size=12)


@given(TEXT)
def test_a_text_is_in_nfc_but_for_letters_that_would_be_more(text: str) -> None:
    found, places = composed(text)
    assert normalize("NFC", found) == normalize("NFC", text)
    assert len(found) <= len(text)
    if places is None:
        assert found == text
        return
    assert places[0] == 0 and places[-1] == len(text)
    assert len(places) == len(found) + 1
    assert (places[1:] > places[:-1]).all()
    # A place between two characters that do not compose parts what belongs to either.
    for at, place in enumerate(places.tolist()):
        parts = text[:place], text[place:]
        if "".join(normalize("NFC", part) for part in parts) == normalize("NFC", text):
            assert normalize("NFC", found[:at]) == normalize("NFC", parts[0])


def test_places_of_letters_and_syllables() -> None:
    found, places = composed("pe\u0301 \u1112\u1161\u11ab")
    assert found == "pé 한"
    assert places is not None and places.tolist() == [0, 1, 3, 4, 7]


def test_every_character_alone() -> None:
    for char in CHARACTERS:
        found, _ = composed(char)
        whole = normalize("NFC", char)
        assert found == (whole if len(whole) == 1 else char)
