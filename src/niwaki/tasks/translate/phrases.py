"""Phrase pairs of linked text, and how likely each side is to be the translation of the other."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from niwaki.data.bilingual.bitext import Links
from niwaki.errors import ConfigError, NiwakiError
from niwaki.kernel.translation.extraction import (
    AFTER,
    BEFORE,
    SOURCE_LENGTH,
    TARGET_LENGTH,
    extract,
)
from niwaki.tasks.align.corpus import Side
from niwaki.typing import IntArray

Starts = NDArray[np.int64]
Logs = NDArray[np.float64]

LONGEST_SOURCE, LONGEST_TARGET = 5, 7
_MOST = 50


@dataclass(frozen=True)
class Ngrams:
    """The sequences of words of a text up to a length, numbered.

    Of each length they are numbered in the order of their words: `keys[k]` are those of k + 1
    words, each as (number of all but its last word) << 32 | last word, sorted. `at[k]` are the
    numbers of those that begin at each place of the text, -1 where a sentence ends too soon.
    """

    keys: tuple[NDArray[np.int64], ...]
    at: tuple[IntArray, ...]

    @staticmethod
    def of(words: IntArray, starts: Starts, longest: int) -> Ngrams:
        # Words from each place to the end of its sentence.
        left = np.repeat(starts[1:], np.diff(starts)) - np.arange(len(words))
        keys, at = [], []
        numbers = np.zeros(len(words), np.int32)
        for length in range(1, longest + 1):
            places = np.flatnonzero(left >= length)
            made = numbers[places].astype(np.int64) << 32 | words[places + length - 1]
            found, inverse = np.unique(made, return_inverse=True)
            numbers = np.full(len(words), -1, np.int32)
            numbers[places] = inverse
            keys.append(found)
            at.append(numbers)
        return Ngrams(tuple(keys), tuple(at))

    @property
    def offsets(self) -> Starts:
        """Where the sequences of each length begin if all are numbered together."""
        return np.concatenate([[0], np.cumsum([len(keys) for keys in self.keys])])

    def numbers(self, begins: IntArray, lengths: NDArray[np.uint8]) -> Starts:
        """Numbers among all, of sequences at places of the text."""
        found = np.zeros(len(begins), np.int64)
        for k, offset in enumerate(self.offsets[:-1].tolist()):
            chosen = lengths == k + 1
            found[chosen] = self.at[k][begins[chosen]] + offset
        return found

    def words(self, numbers: Starts) -> tuple[IntArray, Starts]:
        """The words of some sequences, one after the other, and where each begins."""
        offsets = self.offsets
        length = np.searchsorted(offsets, numbers, side="right")
        starts = np.concatenate([[0], np.cumsum(length)])
        words = np.empty(int(starts[-1]), np.int32)
        row = numbers - offsets[length - 1]
        for k in range(len(self.keys) - 1, -1, -1):
            # What is longer than k + 1 words has become its own beginning of k + 1 words by now.
            chosen = length > k
            key = self.keys[k][row[chosen]]
            words[starts[:-1][chosen] + k] = key & 0xFFFFFFFF
            row[chosen] = key >> 32
        return words, starts


@dataclass(frozen=True)
class Occurrences:
    """Phrase pairs as they stand in a text, a row each.

    `source` and `target` are numbers of n-grams, `before` and `after` orientations, and the
    lexical weights are natural logarithms.
    """

    source_ngrams: Ngrams
    target_ngrams: Ngrams
    source: Starts
    target: Starts
    before: NDArray[np.uint8]
    after: NDArray[np.uint8]
    lexical_backward: Logs
    lexical_forward: Logs


@dataclass(frozen=True)
class PhrasePairs:
    """Different phrase pairs, sorted by source and target, with four scores each.

    `scores` are natural logarithms: of the relative frequencies p(source | target) and
    p(target | source), and of the lexical weights in the same order, each the best one of the
    pair's occurrences. `members` are the pairs of the occurrences.
    """

    source: Starts
    target: Starts
    counts: Starts
    scores: NDArray[np.float32]
    members: Starts


def linked_arrays(links: Iterable[Links]) -> tuple[IntArray, Starts]:
    """Links of sentences, one after the other, and where those of each begin."""
    rows: list[tuple[int, int]] = []
    starts = [0]
    for each in links:
        rows += sorted(each.all)
        starts.append(len(rows))
    return np.array(rows, np.int32).reshape(-1, 2), np.array(starts, np.int64)


def find_occurrences(
    source: Side,
    target: Side,
    links: tuple[IntArray, Starts],
    longest: tuple[int, int] = (LONGEST_SOURCE, LONGEST_TARGET),
) -> Occurrences:
    """All phrase pairs of linked text that no link leaves, up to a length on each side."""
    if not all(1 <= each <= _MOST for each in longest):
        raise ConfigError(f"phrases of {longest[0]} and {longest[1]} words; give 1 to {_MOST}")
    found = extract(source.starts, target.starts, *links, *longest)
    if found is None:
        raise NiwakiError("links of words that are not there; give the links of this text")
    begins, shapes = found
    if not len(begins):
        raise NiwakiError("no phrase pairs; give text whose words are linked")
    source_ngrams = Ngrams.of(source.words, source.starts, longest[0])
    target_ngrams = Ngrams.of(target.words, target.starts, longest[1])
    first = np.ascontiguousarray(begins.T)
    lengths = shapes[:, SOURCE_LENGTH], shapes[:, TARGET_LENGTH]
    backward, forward = (
        sums[begin + length] - sums[begin]
        for sums, begin, length in zip(
            _lexical_sums(source, target, *links), first, lengths, strict=True
        )
    )
    return Occurrences(
        source_ngrams,
        target_ngrams,
        source_ngrams.numbers(first[0], lengths[0]),
        target_ngrams.numbers(first[1], lengths[1]),
        shapes[:, BEFORE],
        shapes[:, AFTER],
        backward,
        forward,
    )


def _lexical_sums(source: Side, target: Side, links: IntArray, starts: Starts) -> list[Logs]:
    """For each side, running sums over its words of log of the word's lexical weight.

    The weight of a word is the mean of w(word | partner) over its links, or w(word | null), where
    w are relative frequencies of links (Koehn et al. 2003). No link leaves a phrase pair, so a
    word weighs the same in each, and a phrase weighs the difference of two sums.
    """
    counts = np.diff(starts)
    places = [
        links[:, column] + np.repeat(side.starts[:-1], counts)
        for column, side in enumerate((source, target))
    ]
    words = [side.words[at] for side, at in zip((source, target), places, strict=True)]
    pairs = words[0].astype(np.int64) << 32 | words[1]
    _, inverse, joint = np.unique(pairs, return_inverse=True, return_counts=True)
    result = []
    for column, side in enumerate((source, target)):
        other = words[1 - column]
        own = places[column]
        linked = np.bincount(own, minlength=len(side.words))
        # w(word | partner) = n(word, partner) / n(partner), counted in links.
        weight = np.zeros(len(side.words))
        partners = np.bincount(other)
        np.add.at(weight, own, joint[inverse] / partners[other])
        alone = linked == 0
        nulls = np.bincount(side.words[alone], minlength=len(side.types))
        weight[alone] = (nulls / max(1, int(nulls.sum())))[side.words[alone]]
        weight[~alone] /= linked[~alone]
        result.append(np.concatenate([[0.0], np.cumsum(np.log(weight))]))
    return result


def score_pairs(found: Occurrences) -> PhrasePairs:
    """The different pairs, with relative frequencies and the best lexical weights."""
    size = int(found.target_ngrams.offsets[-1])
    keys, members, counts = np.unique(
        found.source * size + found.target, return_inverse=True, return_counts=True
    )
    source, target = keys // size, keys % size
    scores = np.empty((len(keys), 4), np.float32)
    for column, side in enumerate((target, source)):
        scores[:, column] = np.log(counts / np.bincount(side, weights=counts)[side])
    for column, weights in ((2, found.lexical_backward), (3, found.lexical_forward)):
        best = np.full(len(keys), -np.inf)
        np.maximum.at(best, members, weights)
        scores[:, column] = best
    return PhrasePairs(source, target, counts, scores, members)


def best_options(pairs: PhrasePairs, most: int) -> Starts:
    """The pairs to keep: of each source phrase, the `most` likeliest targets, in this order."""
    order = np.lexsort((pairs.target, -pairs.scores[:, 3], -pairs.scores[:, 1], pairs.source))
    source = pairs.source[order]
    first = np.searchsorted(source, source)
    return order[np.arange(len(order)) - first < most]
