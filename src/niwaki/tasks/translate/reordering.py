"""Lexicalised reordering: where the next phrase is taken from, given words.

The msd table has six probabilities of each phrase pair: monotone, swap or discontinuous, seen from
the phrase before and from the one after. The maximum entropy model (Zens and Ney 2006) asks for the
class of a jump, from the word at the new place with its two neighbours and from the last two words
of the translation.
"""

from __future__ import annotations

import math
import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from niwaki.data.bilingual.bitext import Link
from niwaki.data.mapped import load_arrays, save_arrays
from niwaki.errors import ModelError, NiwakiError
from niwaki.kernel.sparse import SparseRows
from niwaki.learning.lbfgs import LBFGS
from niwaki.tasks.translate.arpa import BEGIN, END
from niwaki.typing import FloatArray, IntArray

MONOTONE, SWAP, DISCONTINUOUS = range(3)
ORIENTATIONS = 3
# Added to each count, so that what was seen once is not certain.
_SMOOTHING = 0.5

# Classes of jumps from the last source word of a phrase to the first of the next.
NEXT, FORWARD, BACK, BACKWARD = range(4)
CLASSES = 4
# Source: at the new place, before it, behind it. Target: the last word, the one before.
SOURCE_SLOTS, TARGET_SLOTS = 3, 2
_SLOTS = SOURCE_SLOTS + TARGET_SLOTS

_KIND = "reordering model"
_ADVICE = "train the system again"
# Relative descent of the last pass below which training ends.
_FLAT = 1e-5

Scores = NDArray[np.float32]
# The class of a jump, and a word for each slot.
Event = tuple[int, str, str, str, str, str]
# The number of a word in a slot.
Named = dict[tuple[int, str], int]


def msd_table(pairs: NDArray[Any], before: NDArray[Any], after: NDArray[Any], size: int) -> Scores:
    """log P of orientations, `size` x 6: three to the phrase before, three to the one after.

    An event is the number of a phrase pair and its two orientations; smoothed by adding 0.5 to
    each count.
    """
    tables = []
    for orientations in (before, after):
        cells = pairs.astype(np.int64) * ORIENTATIONS + orientations
        counts = np.bincount(cells, minlength=size * ORIENTATIONS).reshape(size, ORIENTATIONS)
        smoothed = counts + _SMOOTHING
        tables.append(np.log(smoothed / smoothed.sum(axis=1, keepdims=True)))
    return np.concatenate(tables, axis=1).astype(np.float32)


def jump_class(before: int, first: int) -> int:
    """The class of a jump from source word `before` (-1 at the beginning) to `first`."""
    jump = first - before
    if jump > 0:
        return NEXT if jump == 1 else FORWARD
    return BACK if jump == -1 else BACKWARD


def events(source: Sequence[str], target: Sequence[str], links: Iterable[Link]) -> Iterator[Event]:
    """The jumps of a linked sentence pair.

    Words of the translation are walked through from left to right. A word jumps from the last
    source word of the linked word before it to the first of its own; one that shares a source word
    with that word does not jump, and one without links is skipped.
    """
    linked: list[set[int]] = [set() for _ in target]
    for i, j in links:
        linked[j].add(i)
    padded = (BEGIN, *source, END)
    context = (BEGIN, BEGIN, *target)
    last = {-1}
    for at, own in enumerate(linked):
        if not own:
            continue
        if not own & last:
            first = min(own)
            words = padded[first + 1], padded[first], padded[first + 2]
            yield (jump_class(max(last), first), *words, context[at + 1], context[at])
        last = own


@dataclass(frozen=True)
class MaxentReordering:
    """Weights of words by class of jump; a word that is not known weighs nothing."""

    source_words: tuple[str, ...]
    target_words: tuple[str, ...]
    source: Scores  # words x slots x classes
    target: Scores
    bias: Scores  # classes

    @cached_property
    def _source_rows(self) -> dict[str, int]:
        return {word: row for row, word in enumerate(self.source_words)}

    def source_scores(self, tokens: Sequence[str]) -> Scores:
        """What a sentence's words say about a jump to each of them: words x classes."""
        padded = (BEGIN, *tokens, END)
        known = self._source_rows
        rows = [known.get(word, len(known)) for word in padded]
        weights = _with_unknown(self.source)[rows]
        here, before, behind = weights[1:-1, 0], weights[:-2, 1], weights[2:, 2]
        return np.asarray(self.bias + here + before + behind)

    def target_scores(self, words: Iterable[str]) -> Scores:
        """What words of a translation say, as the last one and as the one before: words x 2 x 4.

        Before the first word, both are `<s>`.
        """
        known = {word: row for row, word in enumerate(self.target_words)}
        rows = [known.get(word, len(known)) for word in words]
        return _with_unknown(self.target)[rows]

    def log_probabilities(self, event: Event) -> FloatArray:
        """log P of each class, given the words of an event."""
        here, before, behind, last, second = event[1:]
        source = self.source_scores([before, here, behind])[1].astype(np.float64)
        target = self.target_scores([last, second])
        scores = source + target[0, 0] + target[1, 1]
        return np.asarray(scores - np.logaddexp.reduce(scores))

    def save(self, path: str | os.PathLike[str]) -> None:
        arrays: dict[str, NDArray[Any]] = {
            "source words": _packed(self.source_words),
            "target words": _packed(self.target_words),
            "source": self.source,
            "target": self.target,
            "bias": self.bias,
        }
        save_arrays(path, _KIND, arrays, {})

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> MaxentReordering:
        file = load_arrays(path, _KIND, _ADVICE)
        try:
            words = [_unpacked(file.arrays[f"{side} words"]) for side in ("source", "target")]
            weights = [file.arrays[name] for name in ("source", "target", "bias")]
            shapes = [
                (len(words[0]), SOURCE_SLOTS, CLASSES),
                (len(words[1]), TARGET_SLOTS, CLASSES),
            ]
            if [each.shape for each in weights] != [*shapes, (CLASSES,)]:
                raise ValueError("words and weights do not fit together")
            if not all(np.isfinite(each).all() for each in weights):
                raise ValueError("weights that are no numbers")
        except (KeyError, TypeError, ValueError) as error:
            raise ModelError(f"{file.path}: a damaged {_KIND} ({error}); {_ADVICE}") from error
        return cls(words[0], words[1], *weights)


def learn_reordering(
    found: Iterable[Event],
    *,
    least_count: int = 2,
    l2: float = 1.0,
    passes: int = 60,
    watch: Callable[[int], None] = lambda total: None,
) -> MaxentReordering:
    """Fit a model to events: least `l2 |w|^2 / 2 - sum log P(class | words)`, by L-BFGS.

    A word weighs something in a slot where it stands in `least_count` events.
    """
    kept = list(found)
    if not kept:
        raise NiwakiError("no jumps to learn reordering from; give pairs with links")
    columns, named = _columns(kept, least_count)
    classes = np.array([event[0] for event in kept], np.int64)
    rows = np.arange(len(kept) + 1, dtype=np.int64) * columns.shape[1]
    width = len(named) + 2
    flat = columns.reshape(-1)
    matrix = SparseRows(rows, flat, np.ones(len(flat)), width)
    weights = _most_likely(matrix, classes, width, l2, passes, watch)
    return _model(named, weights)


def _columns(
    kept: Sequence[Event], least_count: int
) -> tuple[IntArray, dict[tuple[int, str], int]]:
    """Which weights an event has, and the number of each slot's words that have one.

    Behind these stand a weight for all that have none, which stays 0, and the bias.
    """
    words: list[tuple[str, ...]] = list(zip(*(event[1:] for event in kept), strict=True))
    counts: Counter[tuple[int, str]] = Counter()
    for slot, found in enumerate(words):
        counts.update((slot, word) for word in found)
    often = sorted(each for each, count in counts.items() if count >= least_count)
    named = {each: number for number, each in enumerate(often)}
    rare, bias = len(named), len(named) + 1
    columns = np.full((len(kept), _SLOTS + 1), bias, np.int32)
    for slot, found in enumerate(words):
        columns[:, slot] = [named.get((slot, word), rare) for word in found]
    return columns, named


def _most_likely(
    matrix: SparseRows,
    classes: NDArray[np.int64],
    width: int,
    l2: float,
    passes: int,
    watch: Callable[[int], None],
) -> FloatArray:
    right = np.zeros((len(classes), CLASSES))
    right[np.arange(len(classes)), classes] = 1
    search, before = LBFGS(np.zeros(width * CLASSES)), math.inf
    for _ in range(passes):
        weights = search.point.reshape(CLASSES, width)
        scores = np.stack([matrix.times(each) for each in weights], axis=1)
        logs = scores - np.logaddexp.reduce(scores, axis=1, keepdims=True)
        value = l2 * float(np.square(weights).sum()) / 2 - float((right * logs).sum())
        apart = np.exp(logs) - right
        slopes = [matrix.transposed_times(np.ascontiguousarray(each)) for each in apart.T]
        gradient = np.stack(slopes) + l2 * weights
        gradient[:, width - 2] = 0
        search.tell(value, gradient.reshape(-1))
        watch(passes)
        if search.value < before and before - search.value < _FLAT * abs(search.value):
            break
        before = search.value
    return search.best.reshape(CLASSES, width).T


def _model(named: Named, weights: FloatArray) -> MaxentReordering:
    sides = []
    for slots in (range(SOURCE_SLOTS), range(SOURCE_SLOTS, _SLOTS)):
        words = tuple(sorted({word for slot, word in named if slot in slots}))
        numbers = {word: row for row, word in enumerate(words)}
        table = np.zeros((len(words), len(slots), CLASSES), np.float32)
        for (slot, word), column in named.items():
            if slot in slots:
                table[numbers[word], slot - slots.start] = weights[column]
        sides.append((words, table))
    (source_words, source), (target_words, target) = sides
    bias = weights[-1].astype(np.float32)
    return MaxentReordering(source_words, target_words, source, target, bias)


def _with_unknown(weights: Scores) -> Scores:
    return np.concatenate([weights, np.zeros((1, *weights.shape[1:]), np.float32)])


def _packed(words: Sequence[str]) -> NDArray[np.uint8]:
    return np.frombuffer("\n".join(words).encode("utf-8"), np.uint8)


def _unpacked(text: NDArray[np.uint8]) -> tuple[str, ...]:
    return tuple(text.tobytes().decode("utf-8").split("\n")) if len(text) else ()
