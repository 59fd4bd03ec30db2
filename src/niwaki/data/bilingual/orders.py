"""Word orders that a system gives: lines of source positions, or of words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from niwaki.data.bilingual.references import Reference
from niwaki.data.files import Input, Source
from niwaki.errors import CorpusError, shown


def read_orders(source: Source, references: Sequence[Reference]) -> Iterator[tuple[int, ...]]:
    """Yield an order for each reference: its source positions (from 0), spaces between.

    A line that is not a permutation, and a file of another length, raise CorpusError.
    """
    for number, line, reference, name in _lines(source, references):
        words = line.split()
        if not all(word.isdecimal() and word.isascii() and len(word) < 10 for word in words):
            raise CorpusError(
                name, number, "LINE", f"found {shown(line)}", "write positions, counted from 0"
            )
        order = tuple(map(int, words))
        if sorted(order) != list(range(len(reference.tokens))):
            raise CorpusError(
                name,
                number,
                "LINE",
                f"not a permutation of {len(reference.tokens)} positions",
                f"use each once, from 0 (reference {reference.id!r})",
            )
        yield order


def read_texts(source: Source, references: Sequence[Reference]) -> Iterator[tuple[str, ...]]:
    """Yield the words of each line, one line a reference."""
    for _, line, _, _ in _lines(source, references):
        yield tuple(line.split())


def _lines(
    source: Source, references: Sequence[Reference]
) -> Iterator[tuple[int, str, Reference, str]]:
    number = 0
    with Input(source) as stream:
        for number, line in stream.lines():
            if number > len(references):
                raise CorpusError(
                    stream.name,
                    number,
                    "LINE",
                    f"a line without a reference: there are {len(references)}",
                    "give one line a reference",
                )
            yield number, line, references[number - 1], stream.name
        if number < len(references):
            raise CorpusError(
                stream.name,
                number,
                "LINE",
                f"the file ends, but there are {len(references)} references",
                "give one line a reference",
            )


def read_ratings(source: Source, references: Sequence[Reference]) -> list[float]:
    """A rating of each sentence: one number a line."""
    ratings = []
    for number, line, _, name in _lines(source, references):
        try:
            ratings.append(float(line))
        except ValueError as error:
            raise CorpusError(
                name, number, "LINE", f"found {shown(line)}", "write one number a line"
            ) from error
    return ratings
