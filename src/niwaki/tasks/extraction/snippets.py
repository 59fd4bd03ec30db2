"""What is seen of a candidate in a sentence beside a question (Wu et al. 2007).

A snippet is a mention of a candidate in a sentence with at least one of the question's content
words. It is described by five numbers from 0 to 1 (content words matched and missed, pairs of
neighbours matched, related words, the mean distance between candidate and matched words), by eight
yes or no (entities of five kinds matched; the question's verb; a neighbour of the candidate that is
one of what is asked for; the type), and by the words within five of the candidate.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from niwaki.data.answers import NO_ENTITY
from niwaki.tasks.answers.words import RELATED, SAME, WordView
from niwaki.tasks.extraction.phrases import Asked, Candidate
from niwaki.tasks.extraction.types import ANY

_NEAR = 5
# Kinds of entities, by the first letters of their types.
_KINDS = (("PER",), ("GPE", "LOC", "FAC"), ("ORG",), ("DATE", "TIME"), ("CARD", "MONEY", "QUANT"))


@dataclass(frozen=True, eq=False)
class Snippet:
    """The words of a sentence, and where in it a candidate stands (from 0, the end behind it)."""

    words: WordView
    start: int
    end: int

    @cached_property
    def near(self) -> frozenset[str]:
        """Content words beside the candidate, in one base form each."""
        return frozenset(
            min(self.words.bases[place])
            for place in self._places(_NEAR)
            if self.words.content[place]
        )

    def _places(self, most: int) -> Iterator[int]:
        for place in range(max(self.start - most, 0), min(self.end + most, len(self.words))):
            if not self.start <= place < self.end:
                yield place

    @cached_property
    def neighbours(self) -> frozenset[str]:
        return frozenset(base for place in self._places(1) for base in self.words.bases[place])


class Features:
    """Looks at snippets beside a question."""

    def __init__(self, asked: Asked) -> None:
        view, tree = asked.question.words, asked.question.tree
        self.view, self._types = view, asked.types
        self.keys = [place for place, counts in enumerate(view.content) if counts]
        place = (asked.phrase or 1) - 1
        self.question = Snippet(view, place, place + 1)
        verbs = [w for w in range(1, len(tree.forms) + 1) if tree.upos[w - 1] == "VERB"]
        highest = min(verbs, key=lambda w: len(tree.chains[w - 1]), default=None)
        self._verb = None if highest is None else highest - 1
        self._entities = [
            [
                p
                for p, entity in enumerate(view.entities)
                if entity != NO_ENTITY and entity.startswith(kind)
            ]
            for kind in _KINDS
        ]

    def keeps(self, snippet: Snippet) -> bool:
        """Whether it has one of the question's words."""
        return self._share(snippet.words, SAME) > 0

    def _related(self, words: WordView, kinds: int) -> NDArray[np.bool_]:
        """Which words of a sentence are something of these kinds to each of the question's."""
        return np.asarray((self.view.relations(words) & kinds) > 0)

    def _share(self, words: WordView, kinds: int) -> float:
        """The share of the question's content words that have such a word."""
        matched = np.any(self._related(words, kinds)[self.keys], axis=1)
        return float(np.sum(matched)) / max(len(self.keys), 1)

    def numbers(self, snippet: Snippet, kind: str) -> list[float]:
        """The five numbers and the eight yes or no; `kind` is the type of the candidate."""
        same = self._related(snippet.words, SAME)
        matched: list[bool] = [bool(row.any()) for row in same]
        share = self._share(snippet.words, SAME)
        entities = [bool(places) and all(matched[p] for p in places) for places in self._entities]
        verb = self._verb is not None and matched[self._verb]
        beside = bool(snippet.neighbours & self.question.neighbours)
        typed = self._types == ANY or kind == "" or kind in self._types
        return [
            share,
            1 - share,
            self._pairs(same),
            self._share(snippet.words, SAME | RELATED),
            self.distance(snippet) / len(snippet.words),
            *map(float, (*entities, verb, beside, typed)),
        ]

    def _pairs(self, same: NDArray[np.bool_]) -> float:
        """The share of the question's pairs of content words that follow each other in both."""
        pairs = [(a, b) for a, b in pairwise(self.keys) if b == a + 1]
        found = [bool((same[a, :-1] & same[b, 1:]).any()) for a, b in pairs]
        return sum(found) / len(found) if found else 0.0

    def distance(self, snippet: Snippet) -> float:
        """The mean way from a candidate to the nearest of each of the question's words; to those
        that are missing it is the length of the sentence.
        """
        same = self._related(snippet.words, SAME)
        places = np.arange(len(snippet.words))
        away = np.maximum(np.maximum(snippet.start - places, places - snippet.end + 1), 0)
        ways = [
            float(away[same[key]].min()) if same[key].any() else float(len(places))
            for key in self.keys
        ]
        return sum(ways) / len(ways) if ways else 0.0


def snippets_of(asked: Asked, candidate: Candidate) -> list[Snippet]:
    return [
        Snippet(asked.sentences[m.sentence].words, m.first - 1, m.last) for m in candidate.mentions
    ]


def word_weights(clusters: Sequence[Sequence[Snippet]]) -> list[Mapping[str, float]]:
    """ISF of each word near candidates, for each cluster: snippets of it that have the word, over
    snippets of all that have it and a half.
    """
    inside = [_counts(cluster) for cluster in clusters]
    total: dict[str, int] = {}
    for counts in inside:
        for word, n in counts.items():
            total[word] = total.get(word, 0) + n
    return [{w: n / (total[w] + 0.5) for w, n in counts.items()} for counts in inside]


def _counts(snippets: Sequence[Snippet]) -> dict[str, int]:
    found: dict[str, int] = {}
    for each in snippets:
        for word in each.near:
            found[word] = found.get(word, 0) + 1
    return found
