"""Rankers that see words alone: how many of the question's an answer has, and BM25."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from niwaki.learning.candidates import feature_key
from niwaki.tasks.answers.matcher import Matcher
from niwaki.tasks.answers.words import WordView
from niwaki.typing import FloatArray

# How soon more of the same word adds nothing, and how much long answers are discounted.
_K1, _B = 1.2, 0.75


def terms(view: WordView) -> list[str]:
    """The words that count, in one base form each."""
    rows = zip(view.bases, view.content, strict=True)
    return [min(bases) for bases, counts in rows if counts]


@dataclass(frozen=True)
class Overlap(Matcher):
    """The share of the question's words that an answer has."""

    name: ClassVar = "overlap"
    uses_trees: ClassVar = False

    def scores(self, question: WordView, answers: Sequence[WordView]) -> FloatArray:
        asked = set(terms(question))
        shared = [len(asked.intersection(terms(answer))) for answer in answers]
        return np.array(shared, dtype=np.float64) / max(len(asked), 1)


@dataclass(frozen=True)
class BM25(Matcher):
    """Okapi BM25; sentences in which words stand are counted once, in the data learned from.

    Words are kept as numbers, so that a model holds no text.
    """

    counts: Mapping[int, int] = field(repr=False)
    sentences: int
    mean_length: float

    name: ClassVar = "bm25"
    uses_trees: ClassVar = False

    def scores(self, question: WordView, answers: Sequence[WordView]) -> FloatArray:
        asked = {word: self._rarity(word) for word in sorted(set(terms(question)))}
        found = []
        for answer in answers:
            words = Counter(terms(answer))
            longer = 1 - _B + _B * words.total() / self.mean_length
            found.append(
                sum(
                    rarity * words[word] * (_K1 + 1) / (words[word] + _K1 * longer)
                    for word, rarity in asked.items()
                )
            )
        return np.array(found, dtype=np.float64)

    def _rarity(self, word: str) -> float:
        seen = self.counts.get(feature_key(word), 0)
        return float(np.log(1 + (self.sentences - seen + 0.5) / (seen + 0.5)))

    @property
    def arrays(self) -> dict[str, NDArray[Any]]:
        keys = sorted(self.counts)
        return {
            "keys": np.array(keys, dtype=np.uint32),
            "counts": np.array([self.counts[key] for key in keys], dtype=np.int32),
            "sentences": np.array([self.sentences], dtype=np.int64),
            "mean_length": np.array([self.mean_length]),
        }

    @classmethod
    def of(cls, arrays: Mapping[str, NDArray[Any]]) -> Self:
        counts = zip(arrays["keys"].tolist(), arrays["counts"].tolist(), strict=True)
        return cls(dict(counts), int(arrays["sentences"][0]), float(arrays["mean_length"][0]))


def learn_bm25(answers: Sequence[WordView]) -> BM25:
    lists = [terms(answer) for answer in answers]
    counts = Counter(feature_key(word) for words in lists for word in set(words))
    mean = sum(map(len, lists)) / max(len(lists), 1)
    return BM25(dict(counts), len(lists), max(mean, 1.0))
