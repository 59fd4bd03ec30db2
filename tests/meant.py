"""Expressions for tests: any that can be made of some words, and a few sentences with theirs."""

from __future__ import annotations

import random

from hypothesis import strategies as st

from niwaki.data.expression_text import read_expression
from niwaki.data.expressions import BLANKS, BRACKETS, CONNECTIVES, Expression
from niwaki.data.meaning import Meaning
from niwaki.data.sentence import Sentence
from niwaki.tasks.meaning.encode import encode

# The example of the paper: figure 1, and table 3 with the labels of its words.
CHIRPY = (
    "In 2002 Chirpy Systems stealthily acquired two profitable companies producing pet accessories"
)
CHIRPY_EXPRESSION = (
    "[acquired/stealthily:[In, ^, 2002], Chirpy+Systems, "
    "companies.two:profitable:[producing, ^, pet+accessories]]"
)
CHIRPY_HEADS = (6, 1, 4, 6, 6, 0, 9, 9, 6, 9, 12, 10)
CHIRPY_LABELS = "[:^1-*0 -*2 *+ -*1 */ [*0 *. *: -*2 [:^1-*0 *+ -*2".split()


def made_of(words: list[int], choose: random.Random) -> Expression:
    """An expression of these words, the first of which heads it."""
    head, *rest = words
    found = Expression(head)
    while rest:
        size = choose.randint(1, len(rest))
        part, rest = made_of(rest[:size], choose), rest[size:]
        if choose.random() < 0.5:
            found = found.joining(choose.choice(CONNECTIVES), part)
            continue
        items: list[Expression | str] = [part]
        for _ in range(choose.randrange(3)):
            items.insert(choose.randint(0, len(items)), choose.choice(BLANKS))
        found = Expression(bracket=choose.choice(list(BRACKETS)), items=(found, *items))
    if choose.random() < 0.1:
        found = Expression(bracket=choose.choice(list(BRACKETS)), items=(found,))
    return found


def said(*expressions: str) -> list[Meaning]:
    """Meanings of sentences of the words that occur in expressions, in alphabetical order."""
    made = []
    for text in expressions:
        written = read_expression(text)
        forms = sorted(written.words)
        numbers = {n: 1 + forms.index(word) for n, word in enumerate(written.words, start=1)}
        expression = written.expression.renumbered(numbers)
        tree = encode(expression, len(forms))
        made.append(Meaning(Sentence.from_words(forms).with_tree(tree), expression))
    return made


@st.composite
def expressions(draw: st.DrawFn, most: int = 12) -> tuple[Expression, int]:
    """An expression of some words of a sentence, and how many words that has."""
    length = draw(st.integers(1, most))
    words = draw(st.lists(st.integers(1, length), min_size=1, unique=True))
    return made_of(words, random.Random(draw(st.integers(0, 2**32)))), length
