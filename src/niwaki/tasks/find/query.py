"""Queries for trees, and what is found with them in sentences."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

import numpy as np

from niwaki.data.sentence import Sentence
from niwaki.tasks.find.forest import Forest, SentenceForest
from niwaki.tasks.find.grammar import read_query
from niwaki.tasks.find.matching import find_rows
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
        """All matches in a sentence; for many sentences, `find` takes less time."""
        return list(self.find([sentence]))

    def find(self, sentences: Iterable[Sentence]) -> Iterator[Match]:
        """All matches in sentences, in their order."""
        remaining = iter(sentences)
        while batch := list(islice(remaining, _BATCH)):
            for number, words in self.rows(SentenceForest(batch)):
                yield self.match(batch[number], words)

    def rows(self, forest: Forest) -> Iterator[tuple[int, Sequence[int]]]:
        """For each match in a forest, the number of the sentence, and the words that are told."""
        for found in find_rows(forest, self.pattern, list(self.numbers.values())):
            sentences = sentences_of(forest, found[:, 0])
            words = found - forest.starts[sentences][:, np.newaxis] + 1
            yield from zip(sentences.tolist(), words.tolist(), strict=True)

    def match(self, sentence: Sentence, words: Sequence[int]) -> Match:
        return Match(sentence, dict(zip(self.numbers, words, strict=True)), self.name)
