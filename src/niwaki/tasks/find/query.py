"""Queries for trees, and what is found with them in sentences."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby, islice
from typing import NamedTuple

import numpy as np

from niwaki.data.sentence import Sentence
from niwaki.tasks.find.forest import Forest, SentenceForest
from niwaki.tasks.find.grammar import read_query
from niwaki.tasks.find.matching import NO_WORD, find_rows
from niwaki.tasks.find.relations import sentences_of
from niwaki.tasks.find.results import Match

# Sentences that are looked through together.
_BATCH = 1024


class Query:
    """A query for words of trees (docs/formats/queries.md); raises QueryError if it cannot be read.

    >>> query = Query("VERB >nsubj NOUN=x >obj *=y")
    >>> for match in query.matches(sentence):
    ...     print(match["x"].form, match["y"].lemma)
    """

    def __init__(self, text: str, name: str = "") -> None:
        self.text = text
        self.name = name
        # What is asked, and the numbers of the words that are told, by their names.
        self.pattern, self.numbers = read_query(text)

    def __repr__(self) -> str:
        return f"Query({self.text!r})"

    @property
    def names(self) -> tuple[str, ...]:
        """The names of words that are told, in the order in which they first stand."""
        return tuple(self.numbers)

    def matches(self, sentence: Sentence) -> list[Match]:
        """All matches in a sentence; for many sentences, `niwaki.find` takes less time."""
        return list(find_in_sentences([self], [sentence]))

    def match(self, sentence: Sentence, words: Sequence[int]) -> Match:
        """A match, of the words that are told; 0 are optional ones that are not there."""
        told = zip(self.numbers, words, strict=True)
        return Match(sentence, {name: word for name, word in told if word}, self.name)


class _Row(NamedTuple):
    """A match in a forest: the number of its sentence, and its words there."""

    sentence: int
    query: Query
    words: Sequence[int]


def find_in_sentences(queries: Sequence[Query], sentences: Iterable[Sentence]) -> Iterator[Match]:
    """All matches in sentences: one sentence after the other, in each one query after the other."""
    remaining = iter(sentences)
    while batch := list(islice(remaining, _BATCH)):
        yield from find_in_forest(queries, SentenceForest(batch), batch.__getitem__)


def find_in_forest(
    queries: Sequence[Query], forest: Forest, sentence: Callable[[int], Sentence]
) -> Iterator[Match]:
    """All matches in a forest whose sentences are known by number.

    Words that several queries find are told once, by the first of them.
    """
    rows = heapq.merge(*(_rows(query, forest) for query in queries), key=_number)
    for number, found in groupby(rows, key=_number):
        given, told = sentence(number), set()
        for row in found:
            match = row.query.match(given, row.words)
            words = frozenset(match.words.items())
            if words not in told:
                told.add(words)
                yield match


def _number(row: _Row) -> int:
    return row.sentence


def _rows(query: Query, forest: Forest) -> Iterator[_Row]:
    for found in find_rows(forest, query.pattern, list(query.numbers.values())):
        # Some words may not be there, but never all.
        sentences = sentences_of(forest, found.max(axis=1))
        words = found - forest.starts[sentences][:, np.newaxis] + 1
        words[found == NO_WORD] = 0
        for number, each in zip(sentences.tolist(), words.tolist(), strict=True):
            yield _Row(number, query, each)
