"""Expressions: every operator is read and written, faults are told with their place."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from niwaki.data.expression_text import format_expression, read_expression
from niwaki.data.expressions import DEEPEST, Expression, Fact, facts_of
from niwaki.data.meaning import Meaning, read_pairs
from niwaki.data.sentence import Sentence
from niwaki.errors import CorpusError
from tests.meant import CHIRPY_EXPRESSION, expressions, made_of

# Table 1 of the paper, and what is added here: quotes, numbers of words and round brackets.
WRITTEN = [
    "[sold, Chirpy, Growler]",
    "company:profitable",
    "companies.two",
    "[in, ^, 2005]",
    "[eating, _, apples]",
    "and{Chirpy, Growler}",
    "acquired/stealthily",
    "Chirpy+Systems",
    "meeting@yesterday",
    "[rains] & [snows]",
    "|Dublin, Paris, Bonn|",
    "met%as",
    "[are, analysts.other, pessimistic%nearly%as]",
    '"U.S."+economy',
    '[costs, "_", "^", "a b", "\\"", \\]',
    "companies:(profitable/very)",
    "(old:very)+[new, _]",
    "(and/perhaps){A, |B, |C||}",
    "and{}",
    CHIRPY_EXPRESSION,
]


@pytest.mark.parametrize("text", WRITTEN)
def test_what_is_written_is_read_and_written_again(text: str) -> None:
    found = read_expression(text)
    assert found.expression.words == tuple(range(1, len(found.words) + 1))
    assert set(found.places) == {0}
    assert format_expression(found.expression, found.words) == text


@given(expressions(), st.integers(0, 99))
def test_any_expression_is_read_as_it_was_written(made: tuple[Expression, int], seed: int) -> None:
    expression, length = made
    odd = ["a", "b", "U.S.", "_", "^", '"', "x y", "\\", "'s", "#", "-", "木"]
    forms = random.Random(seed).choices(odd, k=length)
    text = format_expression(expression, forms, numbered=True)
    found = read_expression(text)
    assert found.expression.renumbered(dict(enumerate(found.places, start=1))) == expression
    assert [forms[place - 1] for place in found.places] == list(found.words)


def test_what_is_joined_has_no_order() -> None:
    one, other = (
        read_expression(text, "f", 1) for text in ("a#1:b#2.c#3:d#4", "(a#1:d#4):b#2.c#3")
    )
    numbers = [dict(enumerate(each.places, start=1)) for each in (one, other)]
    assert one.expression.renumbered(numbers[0]) == other.expression.renumbered(numbers[1])
    # The last part of a compound is its head, and what follows hangs on that.
    compound = read_expression("a+b+c:d").expression
    assert compound.head == 3
    assert [(name, each.head) for name, each in compound.joined] == [("+", 1), ("+", 2), (":", 4)]


def test_facts_are_all_that_is_said() -> None:
    found = read_expression("[gave:[in, ^, May], Mori, _, pond+gardener.the]").expression
    assert facts_of(found) == {
        Fact(1, "[0", 1),
        Fact(1, "[1", 4),
        Fact(1, "[2", "_"),
        Fact(1, "[3", 6),
        Fact(1, ":", 2),
        Fact(2, "[0", 2),
        Fact(2, "[1", "^"),
        Fact(2, "[2", 3),
        Fact(6, "+", 5),
        Fact(6, ".", 7),
    }
    assert Meaning(Sentence.from_words(["!"]), None).facts == frozenset()


@given(expressions(), st.integers(0, 2**32))
def test_other_expressions_say_other_things(made: tuple[Expression, int], seed: int) -> None:
    expression, _ = made
    other = made_of(list(expression.words), random.Random(seed))
    same_head = expression.head == other.head
    assert (facts_of(expression) == facts_of(other) and same_head) == (expression == other)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "at character 1: found the end; give a word or a bracket"),
        ("[a, b", "at character 6: found the end; give a connective, a comma or ]"),
        ("a b", "at character 3: found 'b'; give a connective between two expressions"),
        ("[^, a]", "at character 1: [^ without a word; give its predicate first"),
        ("a:_", "at character 3: found '_'; give a word or a bracket"),
        ("a:", "at character 3: found the end"),
        ('a:"b', "at character 3: found '\"b'; close the quotes"),
        ("a#x", "at character 3: found 'x'; give the number of a word, from 1"),
        ("a#1:b#1", "word 1 twice; name each word once"),
        ("(" * (DEEPEST + 2), f"nested deeper than {DEEPEST}; give a flatter expression"),
    ],
)
def test_what_is_no_expression_is_told_with_its_place(text: str, message: str) -> None:
    with pytest.raises(CorpusError) as found:
        read_expression(text, "pairs.tsv", 7)
    assert str(found.value).startswith("pairs.tsv:7:EXPRESSION: ")
    assert message in str(found.value)


@pytest.mark.parametrize(
    "wrong",
    [
        {},
        {"word": 1, "bracket": "["},
        {"bracket": "[", "items": ("^",)},
        {"bracket": "[", "items": (Expression(1), "x")},
    ],
)
def test_what_can_be_no_expression_is_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(ValueError, match="expression"):
        Expression(**wrong)  # type: ignore[arg-type]


def test_pairs_are_read(tmp_path: Path) -> None:
    file = tmp_path / "pairs.tsv"
    file.write_text("Mori rests .\t[rests, Mori]\n\nGo !\t[Go, _]\n", encoding="utf-8")
    one, other = read_pairs(file)
    assert one.sentence.forms == ("Mori", "rests", ".") and one.written.words == ("rests", "Mori")
    assert (other.sentence.line, other.written.expression.items[1]) == (3, "_")
    file.write_text("Mori rests .\n", encoding="utf-8")
    with pytest.raises(CorpusError, match="give words, a tab and their expression"):
        list(read_pairs(file))
