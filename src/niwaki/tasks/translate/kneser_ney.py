"""Interpolated modified Kneser-Ney smoothing (Chen and Goodman 1999), estimated from text.

    P(w | h) = (a(hw) - D(a(hw))) / a(h.) + backoff(h) P(w | h without its first word)

The counts a(hw) are those of the text for the longest n-grams and for those that begin with
`<s>`, and else the numbers of different words to the left. D is one of three discounts of the
order, for a = 1, a = 2 and a >= 3. Single words are interpolated with a uniform distribution
over all words that can follow, `<unk>` among them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from niwaki.errors import ConfigError
from niwaki.kernel.translation.language_model import MAX_ORDER
from niwaki.tasks.translate.arpa import RESERVED, NGrams
from niwaki.typing import FloatArray, IntArray

_UNKNOWN, _BEGIN, _END = range(3)
# For a = 1, 2 and 3 or more, where counts of counts do not give them.
FALLBACK = (0.5, 1.0, 1.5)
# log P of <s>, which is never predicted.
_NEVER = -99 * np.log(10)
# From this order on, what was seen once may be left out.
_PRUNED_FROM = 3

Counts = NDArray[np.int64]


@dataclass(frozen=True)
class _Order:
    """The different n-grams of one order: numbers of words, what they consist of, counts."""

    grams: IntArray
    prefix: Counts  # which n-gram of the order below its first words are
    suffix: Counts  # and its last ones
    seen: Counts  # how often it stands in the text


def estimate(sentences: Iterable[Sequence[str]], order: int, *, prune: bool = False) -> NGrams:
    """A model of n-grams of up to `order` words; with `prune`, n-grams of three and more words
    that were seen once are left out and what they would have got goes to their backoffs.
    """
    if not 1 <= order <= MAX_ORDER:
        raise ConfigError(f"a language model of order {order}; give 1 to {MAX_ORDER}")
    words, text, starts = _numbered(sentences)
    if not len(text):
        raise ConfigError("a language model of no sentences; give some")
    orders = _orders(text, starts, order, len(words))
    probabilities, backoffs, kept = _probabilities(orders, len(words), prune)
    values = []
    for k, logs in enumerate(probabilities):
        below = backoffs[k] if k < order - 1 else np.zeros(len(logs))
        values.append(np.stack([logs, below], axis=1)[kept[k]].astype(np.float32))
    grams = [each.grams[keep] for each, keep in zip(orders, kept, strict=True)]
    return NGrams(tuple(words), tuple(grams), tuple(values))


def _numbered(sentences: Iterable[Sequence[str]]) -> tuple[list[str], IntArray, Counts]:
    """Words by number, and the text as numbers, each sentence between `<s>` and `</s>`.

    What is written like a reserved word is an unknown one.
    """
    numbers = {word: number for number, word in enumerate(RESERVED)}
    text: list[int] = []
    starts: list[int] = []
    for sentence in sentences:
        starts.append(len(text))
        text.append(_BEGIN)
        for word in sentence:
            number = numbers.setdefault(word, len(numbers))
            text.append(number if number > _END else _UNKNOWN)
        text.append(_END)
    return list(numbers), np.array(text, np.int32), np.array(starts, np.int64)


def _orders(text: IntArray, starts: Counts, order: int, size: int) -> list[_Order]:
    """All n-grams; of one that ends at a place, the first words end one place before."""
    begin = np.repeat(starts, np.diff([*starts.tolist(), len(text)]))
    place = np.arange(len(text))
    every = np.arange(size, dtype=np.int64)
    ids = text.astype(np.int64)  # which n-gram of the order below ends at each place
    found = [
        _Order(every[:, None].astype(np.int32), every, every, np.bincount(ids, minlength=size))
    ]
    for k in range(2, order + 1):
        ends = place[place - begin >= k - 1]
        keys = ids[ends - 1] * size + text[ends]
        different, first, inverse, seen = np.unique(
            keys, return_index=True, return_inverse=True, return_counts=True
        )
        prefix, suffix = different // size, ids[ends[first]]
        last = (different % size).astype(np.int32)
        grams = np.concatenate([found[-1].grams[prefix], last[:, None]], axis=1)
        found.append(_Order(grams, prefix, suffix, seen))
        ids = np.full(len(text), -1, np.int64)
        ids[ends] = inverse
    return found


def adjusted_counts(orders: Sequence[_Order]) -> list[Counts]:
    """a(hw) of every n-gram; `<s>` alone is predicted by nothing."""
    found = []
    for k, each in enumerate(orders):
        counts = each.seen
        if k + 1 < len(orders):
            left = np.bincount(orders[k + 1].suffix, minlength=len(each.seen))
            counts = np.where(each.grams[:, 0] == _BEGIN, each.seen, left)
        if k == 0:
            counts = np.where(np.arange(len(counts)) == _BEGIN, 0, counts)
        found.append(counts)
    return found


def discounts(counts: Counts) -> FloatArray:
    """D of a = 0, 1, 2 and of all greater: a - (a + 1) Y n(a + 1) / n(a), Y = n1 / (n1 + 2 n2)."""
    of = np.bincount(np.minimum(counts, 5), minlength=6)[:5].astype(np.float64)
    found = np.array([0.0, *FALLBACK])
    if (of[1:4] > 0).all():
        share = of[1] / (of[1] + 2 * of[2])
        numbers = np.arange(1, 4)
        exact = numbers - (numbers + 1) * share * of[2:5] / of[1:4]
        # A discount may neither add to a count nor take all of it.
        if ((exact > 0) & (exact < numbers)).all():
            found[1:] = exact
    return found


def _probabilities(
    orders: Sequence[_Order], size: int, prune: bool
) -> tuple[list[FloatArray], list[FloatArray], list[NDArray[np.bool_]]]:
    """log P of all n-grams, log backoffs of all contexts, and which n-grams are kept."""
    backoffs: list[FloatArray] = []
    kept: list[NDArray[np.bool_]] = []
    below = np.full(1, 1 / (size - 1))  # uniform: every word but <s>
    found: list[FloatArray] = []
    for k, (each, counts) in enumerate(zip(orders, adjusted_counts(orders), strict=True)):
        keep = (each.seen > 1) | (not prune or k + 1 < _PRUNED_FROM)
        contexts = len(orders[k - 1].seen) if k else 1
        prefix = each.prefix if k else np.zeros(size, np.int64)
        suffix = each.suffix if k else prefix
        total = np.bincount(prefix, counts, contexts)
        mass = (counts - discounts(counts)[np.minimum(counts, 3)]) * keep
        divided = total[prefix]
        own = np.divide(mass, divided, out=np.zeros(len(mass)), where=divided > 0)
        # What discounts, and n-grams that are left out, leave to the shorter context.
        rest = 1 - np.bincount(prefix, own, contexts)
        rest = np.where(total > 0, np.maximum(rest, 1e-12), 1.0)
        below = own + rest[prefix] * below[suffix]
        found.append(np.log(below))
        kept.append(keep)
        if k:
            backoffs.append(np.log(rest))
    found[0][_BEGIN] = _NEVER
    return found, backoffs, kept
