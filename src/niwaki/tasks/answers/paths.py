"""The matcher of Cui et al. (2005): are words of the question joined in the answer by like paths?

Words of the question are aligned with the same or related words of the answer. For each two
aligned words, the labels on the way between them in the answer are compared with those in the
question: p(way | question's) is the product over the answer's labels of the mean, over the
question's labels, of p(label | label), to the power of one over its length. These
probabilities are learned from right answers: labels that stand on ways between the same words.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from math import exp, log
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from niwaki.learning.candidates import feature_key
from niwaki.tasks.answers.matcher import Matcher
from niwaki.tasks.answers.words import RELATED, SAME, WordView
from niwaki.typing import FloatArray

_SMOOTHING = 0.1
Way = tuple[str, ...]


@dataclass(frozen=True)
class PathMatch(Matcher):
    """How often labels meet; labels are kept as numbers."""

    together: Mapping[tuple[int, int], float] = field(repr=False)
    alone: Mapping[int, float] = field(repr=False)

    name: ClassVar = "paths"
    uses_trees: ClassVar = True

    def scores(self, question: WordView, answers: Sequence[WordView]) -> FloatArray:
        found = [
            sum(self._likeness(*pair) for pair in pairs_of_ways(question, answer))
            for answer in answers
        ]
        return np.array(found, dtype=np.float64)

    def _likeness(self, asked: Way, given: Way) -> float:
        means = [sum(self._likely(a, b) for a in asked) / len(asked) for b in given]
        return exp(sum(map(log, means)) / len(means))

    def _likely(self, asked: str, given: str) -> float:
        """p(the answer's label | the question's)."""
        key, other = feature_key(asked), feature_key(given)
        total = self.alone.get(key, 0.0) + _SMOOTHING * (len(self.alone) + 1)
        return (self.together.get((key, other), 0.0) + _SMOOTHING) / total

    @property
    def arrays(self) -> dict[str, NDArray[Any]]:
        pairs = sorted(self.together)
        return {
            "labels": np.array(pairs, dtype=np.uint32).reshape(len(pairs), 2),
            "together": np.array([self.together[pair] for pair in pairs]),
        }

    @classmethod
    def of(cls, arrays: Mapping[str, NDArray[Any]]) -> Self:
        rows = zip(arrays["labels"].tolist(), arrays["together"].tolist(), strict=True)
        return cls.counted((one, other, share) for (one, other), share in rows)

    @classmethod
    def counted(cls, counts: Iterable[tuple[int, int, float]]) -> Self:
        """Of shares of a count, each of a label of a question and one of an answer."""
        together: dict[tuple[int, int], float] = {}
        alone: dict[int, float] = {}
        for one, other, share in counts:
            together[one, other] = together.get((one, other), 0.0) + share
            alone[one] = alone.get(one, 0.0) + share
        return cls(together, alone)


def learn_paths(pairs: Iterable[tuple[WordView, WordView]]) -> PathMatch:
    """From questions and right answers; each two ways share out one count among their labels."""
    return PathMatch.counted(
        (feature_key(one), feature_key(other), 1 / (len(asked) * len(given)))
        for question, answer in pairs
        for asked, given in pairs_of_ways(question, answer)
        for one in asked
        for other in given
    )


def pairs_of_ways(question: WordView, answer: WordView) -> Iterator[tuple[Way, Way]]:
    """Ways between each two aligned words, in the question and in the answer."""
    aligned = list(_aligned(question, answer))
    for (one, first), (other, second) in combinations(aligned, 2):
        asked, given = _way(question, one, other), _way(answer, first, second)
        if asked and given:
            yield asked, given


def _aligned(question: WordView, answer: WordView) -> Iterator[tuple[int, int]]:
    """For each content word of the question the first word of the answer that is the same, or else
    related.
    """
    relations = question.relations(answer)
    for word, counts in enumerate(question.content):
        if counts:
            for kind in (SAME, RELATED):
                (places,) = np.nonzero(relations[word] & kind)
                if len(places):
                    yield word + 1, int(places[0]) + 1
                    break


def _way(view: WordView, one: int, other: int) -> Way:
    """Labels of the arcs from one word to another."""
    ups, downs = _chain(view, one), _chain(view, other)
    while ups and downs and ups[-1] == downs[-1]:
        ups, downs = ups[:-1], downs[:-1]
    return tuple(view.tree.deprels[word - 1] for word in (*ups, *reversed(downs)))


def _chain(view: WordView, word: int) -> list[int]:
    chain = []
    while word:
        chain.append(word)
        word = view.tree.heads[word - 1]
    return chain
