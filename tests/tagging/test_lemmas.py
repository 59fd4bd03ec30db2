"""Lemma rules."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from niwaki.data.sentence import Sentence
from niwaki.tagging.lemmas import (
    NO_BEGINNING,
    apply_rule,
    check_beginning,
    check_ending,
    find_beginnings,
    find_rule,
    parts_of_rule,
    rules_of,
    whole_rule,
)

words = st.text(st.characters(codec="utf-8"), min_size=1, max_size=12)
# Of mutations, infixes, particles and doubled words.
BEGINNINGS = ("1-1+", "0-1+p", "1-2+", "0-2+", "=0-0+", "=0-2+", "4-2+", "0-0+g")
beginnings = st.lists(st.sampled_from(BEGINNINGS), unique=True).map(tuple)


def lemma_of(form: str, rule: tuple[str, str]) -> str:
    beginning, ending = rule
    return apply_rule(form.encode(), ending, beginning).decode()


@given(words, words, beginnings)
def test_a_rule_makes_the_lemma_from_the_form(form: str, lemma: str, known: tuple[str]) -> None:
    assert lemma_of(form, find_rule(form, lemma, known)) == lemma


@given(
    st.text("abABİ-", min_size=1, max_size=8), st.text("abAB-", min_size=1, max_size=6), beginnings
)
def test_near_words_too(form: str, lemma: str, known: tuple[str]) -> None:
    assert lemma_of(form, find_rule(form, lemma, known)) == lemma


@given(words, words, words, beginnings)
def test_a_rule_never_makes_an_empty_lemma(
    form: str, lemma: str, other: str, known: tuple[str]
) -> None:
    assert lemma_of(other, find_rule(form, lemma, known))


def test_the_form_stands_in_for_a_lemma_of_nothing() -> None:
    assert lemma_of("ox", find_rule("oxen", "ox")) == "ox"
    assert lemma_of("as", find_rule("trees", "t")) == "as"


@pytest.mark.parametrize(
    ("form", "lemma", "rule"),
    [
        ("tries", "try", "lower-3+y"),
        ("Trees", "tree", "lower-1+"),
        ("the", "the", "lower-0+"),
        ("Kyoto", "Kyoto", "keep-0+"),
        ("KYOTO", "Kyoto", "title-0+"),
        ("NATO", "NATO", "keep-0+"),
        ("went", "go", "lower-4+go"),
        ("+", "-", "lower-1+-"),
        ("-", "+", "lower-1++"),
    ],
)
def test_what_rules_look_like(form: str, lemma: str, rule: str) -> None:
    assert find_rule(form, lemma) == (NO_BEGINNING, rule)


def test_words_of_one_kind_share_a_rule() -> None:
    pairs = [("walked", "walk"), ("Talked", "talk"), ("LEANED", "lean")]
    assert len({find_rule(form, lemma) for form, lemma in pairs}) == 1
    assert lemma_of("Planted", find_rule("walked", "walk")) == "plant"


# Initial mutations of Irish and Welsh, an infix of Tagalog, a particle of Afrikaans, doubled words
# of Indonesian: pairs, a new form and its lemma.
LANGUAGES = {
    "1-1+": (
        "bhean bean, mhór mór, chat cat, dhoras doras, fhear fear, gheata geata, pháirc páirc, "
        "theach teach",
        *("shúil", "súil"),
    ),
    "0-1+p": (
        "bobl pobl, ben pen, bont pont, beth peth, bapur papur, blant plant, bysgod pysgod, "
        "bobi pobi",
        *("barc", "parc"),
    ),
    "1-2+": (
        "kumain kain, sumulat sulat, tumakbo takbo, pumunta punta, bumili bili, lumakad lakad, "
        "gumawa gawa, dumating dating",
        *("kumuha", "kuha"),
    ),
    "4-2+": (
        "deurgeloop deurloop, voorgelees voorlees, saamgewerk saamwerk, deurgekyk deurkyk, "
        "voorgestel voorstel, saamgestel saamstel, deurgebring deurbring, saamgeloop saamloop",
        *("saamgevoeg", "saamvoeg"),
    ),
    "=0-0+": (
        "anak-anak anak, rumah-rumah rumah, buku-buku buku, orang-orang orang, mata-mata mata, "
        "kupu-kupu kupu, jalan-jalan jalan, laki-laki laki",
        *("teman-teman", "teman"),
    ),
}


def pairs(text: str) -> list[tuple[str, str]]:
    return [tuple(pair.split()) for pair in text.split(", ")]  # type: ignore[misc]


@pytest.mark.parametrize("beginning", LANGUAGES)
def test_what_happens_at_the_beginning_of_many_words(beginning: str) -> None:
    text, form, lemma = LANGUAGES[beginning]
    known = find_beginnings(pairs(text))
    assert known[0] == beginning
    assert find_rule(form, lemma, known)[0] == beginning
    assert find_rule(form.upper(), lemma, known)[0] == beginning
    # Words on which nothing happens have no beginning.
    assert find_rule(lemma, lemma, known) == (NO_BEGINNING, "lower-0+")
    # What few lemmas have is not among the beginnings.
    assert find_beginnings(pairs(text)[:5]) == ()


def test_case_comes_after_a_beginning() -> None:
    assert find_rule("Gymru", "Cymru", ("0-1+c",)) == ("0-1+c", "title-0+")
    assert lemma_of("GYMRU", ("0-1+c", "title-0+")) == "Cymru"
    # A form that is too short is left to the ending.
    assert lemma_of("a", ("1-2+", "lower-0+")) == "a"


def test_a_beginning_and_an_ending_need_not_be_seen_together() -> None:
    known = ("1-1+",)
    assert find_rule("mhná", "mná", known) == ("1-1+", "lower-0+")
    assert find_rule("bhróga", "bróg", known) == ("1-1+", "lower-1+")


def test_the_rules_of_sentences() -> None:
    words = [pair for text, *_ in LANGUAGES.values() for pair in pairs(text)]
    words += [("trees", "tree"), ("x", "_")]
    sentence = Sentence.from_words([x for x, _ in words], lemmas=[x for _, x in words])
    *found, nothing = rules_of([sentence])
    assert nothing is None
    assert {beginning for beginning, _ in filter(None, found)} == {*LANGUAGES, NO_BEGINNING}
    for (form, lemma), rule in zip(words, found, strict=False):
        assert rule is not None and lemma_of(form, rule) == lemma
    assert {rule[0] for rule in rules_of([sentence], ()) if rule} == {NO_BEGINNING}


@given(st.sampled_from([NO_BEGINNING, *BEGINNINGS, "1-1+|l", "0-0+||"]), words)
def test_a_whole_rule_is_one_text(beginning: str, letters: str) -> None:
    ending = f"keep-1+{letters}"
    assert parts_of_rule(whole_rule(beginning, ending)) == (beginning, ending)


def test_what_is_no_rule() -> None:
    for text in ("", "upper-0+", "lower-x+", "1-1+", "lower", "1-1+|upper-0+"):
        with pytest.raises(ValueError, match=r"not a lemma rule|invalid literal"):
            parts_of_rule(text)
    for text in ("", "lower-0+", "1-1", "1-1+abc", "==0-0+"):
        with pytest.raises(ValueError, match="not the beginning"):
            check_beginning(text)
    with pytest.raises(ValueError, match="not a lemma rule"):
        check_ending("upper-0+")
