"""A trigram tagger's knowledge: how often tags followed each other, and words had them.

After Brants (2000), "TnT - a statistical part-of-speech tagger"; the search is in
`kernel/tagging/trigrams`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from niwaki.kernel.batch import Batch
from niwaki.kernel.tagging.lexicon import Lexicon, lexical_keys
from niwaki.kernel.tagging.trigrams import RARE, TrigramTagger

Counts = NDArray[np.int64]

# A way to tag a sentence that is so many times less likely than the best is not followed.
BEAM = 1000.0
# Transitions that were never seen are not impossible.
_FLOOR = 1e-8
# The table of transitions grows with the third power of the number of tags.
MAX_PAIRS = 200
# Occurrences that an ending may count as.
_MAX_SMOOTHING = 1e9


@dataclass(frozen=True)
class Trigrams:
    """Counts of trigrams of tags, of words with tags, and of endings with tags.

    With a `smoothing` of 0 a known word can only have tags that it was seen with. Above, it
    can have all: what its ending says then weighs as so many occurrences of it.
    """

    tags: int
    smoothing: float
    arrays: Mapping[str, NDArray[Any]]

    @classmethod
    def count(
        cls, batch: Batch, gold: NDArray[np.int32], tags: int, smoothing: float, lowercase: bool
    ) -> Trigrams:
        """What a corpus shows; words whose gold tag is -1 show nothing."""
        trigrams = _trigrams(batch.lengths, gold, tags)
        unique, counts = np.unique(trigrams, axis=0, return_counts=True)
        arrays: dict[str, NDArray[Any]] = {
            "trigrams": unique.astype(np.uint8),
            "trigram_counts": counts.astype(np.uint32),
            **_lexicon(lexical_keys(batch, lowercase), gold),
        }
        return cls(tags, smoothing, arrays)

    @cached_property
    def counts(self) -> Counts:
        """How often tag c followed the tags a and b; the last number is the sentence's edge."""
        side = self.tags + 1
        counts = np.zeros((side, side, side), dtype=np.int64)
        a, b, c = self.arrays["trigrams"].astype(np.int64).T
        if max(a.max(initial=0), b.max(initial=0), c.max(initial=0)) > self.tags:
            raise ValueError("a trigram has a tag that there is not")
        np.add.at(counts, (a, b, c), self.arrays["trigram_counts"].astype(np.int64))
        return counts

    @property
    def prior(self) -> NDArray[np.float64]:
        """P(t) of a word."""
        words = self.counts.sum(axis=(0, 1))[: self.tags].astype(np.float64)
        total = words.sum()
        return np.asarray(words / total if total else words)

    @property
    def theta(self) -> float:
        """How much the shorter ending weighs beside the longer: how uneven tags are."""
        return float(np.std(self.prior, ddof=1)) if self.tags > 1 else 0.0

    @property
    def transitions(self) -> NDArray[np.float32]:
        """P(c | a, b), interpolated: l1 P(c) + l2 P(c | b) + l3 P(c | a, b)."""
        three = self.counts
        two, one = three.sum(axis=0), three.sum(axis=(0, 1))
        l1, l2, l3 = interpolation_weights(three)
        mixed = l3 * _shares(three) + l2 * _shares(two)[None] + l1 * _shares(one)
        return np.asarray(np.maximum(mixed, _FLOOR), dtype=np.float32)

    def kernel(self, pairs: list[tuple[int, int]], lowercase: bool) -> TrigramTagger:
        """What tags; `pairs` are the UPOS and XPOS numbers of the tags."""
        if len(pairs) != self.tags or self.tags > MAX_PAIRS:
            raise ValueError(f"{self.tags} tags of trigrams, but {len(pairs)} tags")
        if not 0 <= self.smoothing <= _MAX_SMOOTHING:
            raise ValueError(f"a smoothing of {self.smoothing}")
        names = ("keys", "sizes", "tags", "counts")
        lexicon = Lexicon(*(self.arrays[name] for name in names))
        return TrigramTagger(
            lexicon,
            self.transitions,
            self.prior,
            pairs,
            self.theta,
            self.smoothing,
            BEAM,
            lowercase,
        )


def interpolation_weights(trigrams: Counts) -> tuple[float, float, float]:
    """Weights of P(c), P(c | b) and P(c | a, b) by deleted interpolation.

    Each trigram votes, as often as it occurred, for the estimate that predicts it best when
    one occurrence of it is taken away. Estimates that are equally good share its votes.
    """
    a, b, c = np.nonzero(trigrams)
    found = trigrams[a, b, c].astype(np.float64)
    two, one = trigrams.sum(axis=0), trigrams.sum(axis=(0, 1))

    def left(counts: Counts, contexts: Counts | np.int64) -> NDArray[np.float64]:
        """(count - 1) / (context - 1), and 0 where nothing is left of the context."""
        rest = np.asarray(contexts, dtype=np.float64) - 1
        return np.divide(counts - 1, rest, out=np.zeros(len(found)), where=rest > 0)

    estimates = np.stack(
        [
            left(one[c], np.broadcast_to(one.sum(), found.shape)),
            left(two[b, c], two.sum(axis=1)[b]),
            left(trigrams[a, b, c], trigrams.sum(axis=2)[a, b]),
        ]
    )
    best = estimates == estimates.max(axis=0)
    votes = (best / best.sum(axis=0) * found).sum(axis=1)
    total = votes.sum()
    if not total:
        return 1.0, 0.0, 0.0
    l1, l2, l3 = (votes / total).tolist()
    return l1, l2, l3


def _shares(counts: Counts) -> NDArray[np.float64]:
    """Counts over their sum along the last axis; 0 where there are none."""
    totals = counts.sum(axis=-1, keepdims=True)
    shares = np.divide(counts, totals, out=np.zeros(counts.shape), where=totals > 0)
    return np.asarray(shares)


def _trigrams(lengths: list[int], gold: NDArray[np.int32], edge: int) -> NDArray[np.int32]:
    """All trigrams of tags, with two edges before a sentence and one after it."""
    sizes = np.asarray(lengths, dtype=np.int64)
    # Each sentence as: edge, edge, tags. The first edge of the next one ends it.
    sequence = np.full(len(gold) + 2 * len(sizes) + 1, edge, dtype=np.int32)
    word = np.arange(len(gold)) + 2 * (np.repeat(np.arange(len(sizes)), sizes) + 1)
    sequence[word] = gold
    ends = np.cumsum(sizes) + 2 * np.arange(1, len(sizes) + 1)
    last = np.sort(np.concatenate([word, ends]))
    trigrams = np.stack([sequence[last - 2], sequence[last - 1], sequence[last]], axis=1)
    return trigrams[(trigrams >= 0).all(axis=1)]


def _lexicon(keys: NDArray[np.uint64], gold: NDArray[np.int32]) -> dict[str, NDArray[Any]]:
    """Tags of words (the first key of a row) and of the endings of rare words (the others)."""
    keys, gold = keys[gold >= 0], gold[gold >= 0]
    _, type_of, occurrences = np.unique(keys[:, 0], return_inverse=True, return_counts=True)
    # Endings are learned from words that are as rare as unknown ones are.
    rare = occurrences[type_of] <= RARE
    endings = keys[rare, 1:]
    ending_tags = np.repeat(gold[rare], endings.shape[1])
    all_keys = np.concatenate([keys[:, 0], endings.ravel()])
    all_tags = np.concatenate([gold, ending_tags])
    present = all_keys != 0
    all_keys, all_tags = all_keys[present], all_tags[present]
    order = np.lexsort((all_tags, all_keys))
    all_keys, all_tags = all_keys[order], all_tags[order]
    # A new entry begins where key or tag differ from the one before.
    differs = np.ones(len(all_keys), dtype=bool)
    differs[1:] = (all_keys[1:] != all_keys[:-1]) | (all_tags[1:] != all_tags[:-1])
    starts = np.flatnonzero(differs)
    unique, sizes = np.unique(all_keys[starts], return_counts=True)
    return {
        "keys": unique,
        "sizes": sizes.astype(np.uint16),
        "tags": all_tags[starts].astype(np.uint8),
        "counts": np.diff(np.append(starts, len(all_keys))).astype(np.uint32),
    }
