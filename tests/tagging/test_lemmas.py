"""Lemma rules."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from niwaki.tagging.lemmas import apply_rule, find_rule

words = st.text(st.characters(codec="utf-8"), min_size=1, max_size=12)


@given(words, words)
def test_a_rule_makes_the_lemma_from_the_form(form: str, lemma: str) -> None:
    assert apply_rule(form.encode(), find_rule(form, lemma)) == lemma.encode()


@given(st.text("abAB", min_size=1, max_size=6), st.text("abAB", min_size=1, max_size=6))
def test_near_words_too(form: str, lemma: str) -> None:
    assert apply_rule(form.encode(), find_rule(form, lemma)) == lemma.encode()


@given(words, words, words)
def test_a_rule_never_makes_an_empty_lemma(form: str, lemma: str, other: str) -> None:
    assert apply_rule(other.encode(), find_rule(form, lemma))


def test_the_form_stands_in_for_a_lemma_of_nothing() -> None:
    assert apply_rule(b"ox", find_rule("oxen", "ox")) == b"ox"
    assert apply_rule(b"as", find_rule("trees", "t")) == b"as"


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
    assert find_rule(form, lemma) == rule


def test_words_of_one_kind_share_a_rule() -> None:
    pairs = [("walked", "walk"), ("Talked", "talk"), ("LEANED", "lean")]
    assert len({find_rule(form, lemma) for form, lemma in pairs}) == 1
    assert apply_rule(b"Planted", find_rule("walked", "walk")) == b"plant"
