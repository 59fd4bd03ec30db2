"""Text in NFC and the places of its characters, beside all of Unicode."""

from __future__ import annotations

import sys
from unicodedata import decomposition, normalize

from hypothesis import given
from hypothesis import strategies as st

from niwaki.data.sentence import Sentence
from niwaki.learning.corpus import Corpus
from niwaki.segmenting.composing import composed
from niwaki.segmenting.config import SegmenterConfig
from niwaki.segmenting.trainer import train_segmenter

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


def test_words_that_do_not_stand_in_a_text_are_written_as_it_is() -> None:
    """French *au* is *à le*."""
    lines = [
        *("1\t{}\t_\tNOUN\t_\t_\t2\tnsubj\t_\t_", "2\tva\t_\tVERB\t_\t_\t0\troot\t_\t_"),
        *("3-4\tau\t_\t_\t_\t_\t_\t_\t_\t_", "3\tà\t_\tADP\t_\t_\t5\tcase\t_\t_"),
        *("4\tle\t_\tDET\t_\t_\t5\tdet\t_\t_", "5\tpré\t_\tNOUN\t_\t_\t2\tobl\t_\tSpaceAfter=No"),
        *("6\t.\t_\tPUNCT\t_\t_\t2\tpunct\t_\t_", "", ""),
    ]
    names = ("Été", "Zoé", "Noé", "Léo")
    made = tuple(Sentence.from_conllu("\n".join(lines).format(name)) for name in names)
    config = SegmenterConfig(epochs=15, min_updates=1)
    segmenter = train_segmenter(Corpus(("meadow",), made), config, 1, lambda count: None)
    for form in ("NFC", "NFD"):
        text = normalize(form, "Noé va au pré. Zoé va au pré.")  # type: ignore[arg-type]
        for sentence, name in zip(segmenter.segment(text), ("Noé", "Zoé"), strict=True):
            words = (name, "va", "à", "le", "pré", ".")
            assert sentence.forms == tuple(normalize(form, word) for word in words)  # type: ignore[arg-type]
