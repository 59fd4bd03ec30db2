"""Counts of words, pairs and triples of words, and the probability of a word after two others.

Contexts are smoothed by Witten and Bell: P(w | h) = (c(hw) + t(h) P(w | h')) / (c(h) + t(h)), where
t(h) counts the different words after h, and h' is h without its first word; at the end of it all
words are equally likely. Words are in small letters.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from niwaki.learning.ranker import places_of
from niwaki.typing import FloatArray

Ids = NDArray[np.int64]
Keys = NDArray[np.uint64]

# Behind the known words: the place before a sentence, its end, and all other words.
START, END, UNKNOWN, _OTHERS = 0, 1, 2, 3


@dataclass(frozen=True)
class NGrams:
    """Words in order, and sorted keys of pairs and triples with their counts.

    The key of a pair is `first x size + second`, of a triple `place of its pair x size + third`.
    """

    words: tuple[str, ...]
    singles: Ids
    pairs: Keys
    pair_counts: Ids
    triples: Keys
    triple_counts: Ids

    @property
    def size(self) -> int:
        return len(self.words) + _OTHERS

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return {word: number for number, word in enumerate(self.words, start=_OTHERS)}

    def ids(self, forms: Iterable[str]) -> Ids:
        numbers = self._numbers
        return np.array([numbers.get(form.lower(), UNKNOWN) for form in forms], dtype=np.int64)

    def count(self, form: str) -> int:
        """How often a word was seen, and once more."""
        number = self._numbers.get(form.lower())
        return 1 if number is None else int(self.singles[number]) + 1

    @property
    def total(self) -> int:
        return int(self.singles[UNKNOWN:].sum()) + 1

    @cached_property
    def _after_one(self) -> tuple[FloatArray, FloatArray]:
        """How often each word was the first of a pair, and before how many different words."""
        first = (self.pairs // np.uint64(self.size)).astype(np.int64)
        return _tally(first, self.pair_counts, self.size)

    @cached_property
    def _after_two(self) -> tuple[FloatArray, FloatArray]:
        first = (self.triples // np.uint64(self.size)).astype(np.int64)
        return _tally(first, self.triple_counts, len(self.pairs) + 1)

    def probabilities(self, first: Ids, second: Ids, third: Ids) -> FloatArray:
        """P(third | first, second), of arrays of equal shape."""
        size, wide = np.uint64(self.size), self.size
        kinds = float((self.singles > 0).sum())
        total = float(self.singles.sum())
        alone = np.asarray((self.singles[third] + kinds / wide) / (total + kinds), np.float64)
        pair = _counts(self.pairs, self.pair_counts, second.astype(np.uint64) * size, third)
        often, different = (table[second] for table in self._after_one)
        one = _mixed(pair, often, different, alone)
        place = places_of(self.pairs, _key(first.astype(np.uint64) * size, second))
        triple = _counts(self.triples, self.triple_counts, place.astype(np.uint64) * size, third)
        often, different = (table[place] for table in self._after_two)
        return _mixed(triple, often, different, one)

    @property
    def arrays(self) -> dict[str, NDArray[Any]]:
        """What a model file keeps of it beside the words."""
        return {
            "singles": self.singles,
            "pairs": self.pairs,
            "pair_counts": self.pair_counts,
            "triples": self.triples,
            "triple_counts": self.triple_counts,
        }

    @classmethod
    def of(cls, words: Sequence[str], arrays: Mapping[str, NDArray[Any]]) -> NGrams:
        """Counts of such arrays; raises ValueError if they do not fit together."""
        made = cls(tuple(map(str, words)), **arrays)
        sound = len(made.singles) == made.size and all(
            len(keys) == len(counts) and (keys[1:] > keys[:-1]).all() and (counts > 0).all()
            for keys, counts in (
                (made.pairs, made.pair_counts),
                (made.triples, made.triple_counts),
            )
        )
        bounds = ((made.pairs, made.size), (made.triples, len(made.pairs)))
        if not sound or any(len(keys) and keys[-1] >= made.size * most for keys, most in bounds):
            raise ValueError("counts of words that do not fit together")
        return made


def count_ngrams(sentences: Iterable[Sequence[str]], least_count: int = 2) -> NGrams:
    """Counts of sentences; rarer words are one word, which stands for those to come."""
    given = [[form.lower() for form in forms] for forms in sentences]
    seen, often = np.unique([form for forms in given for form in forms], return_counts=True)
    words = tuple(map(str, seen[often >= least_count]))
    numbers = {word: number for number, word in enumerate(words, start=_OTHERS)}
    size = len(words) + _OTHERS
    text = np.array(
        [
            number
            for forms in given
            for number in (START, START, *(numbers.get(form, UNKNOWN) for form in forms), END)
        ],
        dtype=np.int64,
    )
    singles = np.bincount(text, minlength=size)
    singles[START] = 0
    wide = np.uint64(size)
    keys = _key(text[:-1].astype(np.uint64) * wide, text[1:])
    # No pair goes from one sentence to the next.
    keys = keys[text[:-1] != END]
    pairs, pair_counts = np.unique(keys, return_counts=True)
    inside = (text[:-2] != END) & (text[1:-1] != END)
    first = _key(text[:-2].astype(np.uint64) * wide, text[1:-1])[inside]
    places = np.searchsorted(pairs, first).astype(np.uint64)
    triples, triple_counts = np.unique(_key(places * wide, text[2:][inside]), return_counts=True)
    return NGrams(words, singles, pairs, pair_counts, triples, triple_counts)


def _tally(first: Ids, counts: Ids, size: int) -> tuple[FloatArray, FloatArray]:
    often = np.bincount(first, counts, minlength=size).astype(np.float64)
    return often, np.bincount(first, minlength=size).astype(np.float64)


def _key(scaled: Keys, last: Ids) -> Keys:
    return np.asarray(scaled + last.astype(np.uint64))


def _counts(keys: Keys, counts: Ids, scaled: Keys, last: Ids) -> FloatArray:
    places = places_of(keys, _key(scaled, last))
    return np.append(counts, 0)[places].astype(np.float64)


def _mixed(
    count: FloatArray, often: FloatArray, different: FloatArray, shorter: FloatArray
) -> FloatArray:
    """A context that was never seen leaves all to the shorter one."""
    whole = often + different
    seen = (count + different * shorter) / np.maximum(whole, 1)
    return np.asarray(np.where(whole > 0, seen, shorter))
