"""What sentences mean: trees with formal labels beside expressions, and pairs of both as text.

A file of pairs has a line for each sentence: its words with spaces between them, a tab, and the
expression. Words that the expression leaves out, as punctuation, say nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from niwaki.data.expression_text import Written, format_expression, read_expression
from niwaki.data.expressions import Expression, Fact, facts_of
from niwaki.data.files import Input, Source
from niwaki.data.sentence import Sentence
from niwaki.errors import CorpusError, shown


@dataclass(frozen=True)
class Meaning:
    """A sentence, its tree with formal labels, and the expression that these labels say.

    None is the expression of a sentence of which nothing is said, as of a lone full stop.
    `repairs` are the places where the labels contradict each other and the decoder decided.
    """

    sentence: Sentence
    expression: Expression | None
    repairs: int = 0

    def __str__(self) -> str:
        if self.expression is None:
            return ""
        return format_expression(self.expression, self.sentence.forms)

    @property
    def facts(self) -> frozenset[Fact]:
        return frozenset() if self.expression is None else facts_of(self.expression)


class Pair(NamedTuple):
    """Words and an expression of them, which does not say which of several equal words it means."""

    sentence: Sentence
    written: Written


def read_pairs(source: Source) -> Iterator[Pair]:
    """Pairs of a file, a line each; blank lines are passed over."""
    with Input(source) as stream:
        for number, line in stream.lines():
            if not line.strip():
                continue
            words, tab, expression = line.partition("\t")
            if not tab or not words.split():
                raise CorpusError(
                    stream.name,
                    number,
                    "LINE",
                    f"found {shown(line)}",
                    "give words, a tab and their expression",
                )
            made = Sentence.from_words(words.split())
            written = read_expression(expression, stream.name, number)
            yield Pair(Sentence(made.source, stream.name, number), written)
