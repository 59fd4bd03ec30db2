"""Texts that a model knows the words of, and texts of other languages."""

from __future__ import annotations

from dataclasses import replace

import niwaki
from niwaki.data.sentence import Sentence
from niwaki.pipeline.familiarity import SHORTEST, Familiarity, familiarity

ENGLISH = "The old gardener shapes the pines by the pond and rests in the shade."
OTHERS = {
    "German": "Der alte Gärtner schneidet die Kiefern am Teich und ruht sich im Schatten aus.",
    "French": "Le vieux jardinier taille les pins au bord de l'étang et se repose à l'ombre.",
    "Turkish": "Yaşlı bahçıvan göletin kenarındaki çamları budar ve gölgede dinlenir.",
    "Russian": "Старый садовник подстригает сосны у пруда и отдыхает в тени.",
    "Japanese": "年老いた庭師は池のそばの松を刈り込み、日陰で休む。",
    "Hebrew": "הגנן הזקן גוזם את האורנים ליד הבריכה ונח בצל.",
}


def test_other_languages_are_foreign_to_the_english_model() -> None:
    model = niwaki.load("en")
    found = familiarity(model, list(model.read(ENGLISH)))
    assert found is not None and not found.is_foreign
    assert found.known > 0.8 * found.words
    for text in OTHERS.values():
        other = familiarity(model, list(model.read(text)))
        assert other is not None and other.is_foreign, text


def test_a_lexicon_tells_where_there_are_no_clusters() -> None:
    model = replace(niwaki.load("en"), clusters=None)
    found = familiarity(model, list(model.read(ENGLISH)))
    assert found is not None and not found.is_foreign
    for text in OTHERS.values():
        other = familiarity(model, list(model.read(text)))
        assert other is not None and other.is_foreign, text


def test_little_text_and_no_words_say_nothing() -> None:
    model = niwaki.load("en")
    names = Sentence.from_words(["Zyx", "Qwv", ",", "1984", "."])
    assert familiarity(model, [names]) == Familiarity(2, 0)
    assert not Familiarity(SHORTEST - 1, 0).is_foreign
    assert Familiarity(SHORTEST, 0).is_foreign
    without = replace(model, clusters=None, morphology=None)
    assert familiarity(without, [names]) is None
