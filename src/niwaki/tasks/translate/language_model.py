"""Language models: trained by modified Kneser-Ney, read from ARPA files, kept in mapped files."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from niwaki.data.files import Source, Target
from niwaki.data.mapped import load_arrays, save_arrays
from niwaki.errors import ModelError
from niwaki.kernel.translation import language_model as kernel
from niwaki.tasks.translate import arpa, kneser_ney
from niwaki.tasks.translate.arpa import RESERVED, NGrams, Values
from niwaki.typing import FloatArray, IntArray

_KIND = "language model"
_ADVICE = "train the system again, or give an ARPA file"
UNKNOWN = 0


@dataclass(frozen=True)
class LanguageModel:
    """Words by number, n-grams of each order from 2, and the tables that are asked for them."""

    words: tuple[str, ...]
    grams: tuple[IntArray, ...]
    unigrams: Values
    table: NDArray[np.uint64]

    @cached_property
    def kernel(self) -> kernel.LanguageModel:
        return kernel.LanguageModel(self.order, self.unigrams, self.table)

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return {word: number for number, word in enumerate(self.words)}

    @property
    def order(self) -> int:
        return len(self.grams) + 1

    def number(self, word: str) -> int:
        return self._numbers.get(word, UNKNOWN)

    def numbers(self, words: Iterable[str]) -> IntArray:
        return np.array([self._numbers.get(word, UNKNOWN) for word in words], np.int32)

    def score(self, sentence: Sequence[str]) -> FloatArray:
        """log P of each word, and of the end behind them."""
        return self.kernel.score(self.numbers(sentence), np.array([0, len(sentence)], np.int64))

    def perplexity(self, sentences: Iterable[Sequence[str]]) -> float:
        """exp of the mean -log P of words and ends of sentences, unknown words as `<unk>`."""
        total, count = 0.0, 0
        for sentence in sentences:
            scores = self.score(sentence)
            total, count = total + float(scores.sum()), count + len(scores)
        return float(np.exp(-total / count)) if count else 1.0

    @classmethod
    def of(cls, found: NGrams) -> LanguageModel:
        """The tables of n-grams; those whose parts are not listed get what backing off gives."""
        found = _closed(found)
        unigrams, table = _tables(found)
        return cls(found.words, found.grams[1:], unigrams, table)

    @property
    def ngrams(self) -> NGrams:
        every = np.arange(len(self.words), dtype=np.int32)[:, None]
        values = [kernel.lookup(self.table, grams) for grams in self.grams]
        for grams, read in zip(self.grams, values, strict=True):
            # An n-gram whose words are not known has no values, either.
            if np.isnan(read).any() or (grams < 0).any() or (grams >= len(self.words)).any():
                raise ModelError(f"a damaged {_KIND}; {_ADVICE}")
        return NGrams(self.words, (every, *self.grams), (self.unigrams, *values))

    def write_arpa(self, target: Target) -> None:
        arpa.write_arpa(self.ngrams, target)

    def save(self, path: str | os.PathLike[str]) -> None:
        text = "\n".join(self.words).encode("utf-8")
        arrays: dict[str, NDArray[Any]] = {
            "words": np.frombuffer(text, np.uint8),
            "unigrams": self.unigrams,
            "table": self.table,
            **{f"grams {k}": each for k, each in enumerate(self.grams, start=2)},
        }
        save_arrays(path, _KIND, arrays, {"order": self.order})

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> LanguageModel:
        """A model whose tables stay in the file; raises ModelError if it is none."""
        file = load_arrays(path, _KIND, _ADVICE)
        try:
            arrays, order = file.arrays, int(file.facts["order"])
            words = tuple(arrays["words"].tobytes().decode("utf-8").split("\n"))
            grams = tuple(arrays[f"grams {k}"] for k in range(2, order + 1))
            found = cls(words, grams, arrays["unigrams"], arrays["table"])
            shapes = [each.shape[1:] for each in grams] == [(k,) for k in range(2, order + 1)]
            if words[: len(RESERVED)] != RESERVED or not shapes or len(arrays) != order + 2:
                raise ValueError("its parts do not fit together")
            if found.kernel.words != len(words) or any(each.dtype != np.int32 for each in grams):
                raise ValueError("its words do not fit its tables")
        except (KeyError, TypeError, ValueError) as error:
            raise ModelError(f"{file.path}: a damaged {_KIND} ({error}); {_ADVICE}") from error
        return found


def train(
    sentences: Iterable[Sequence[str]], order: int = 5, *, prune: bool = False
) -> LanguageModel:
    """A model of tokenised sentences; see `kneser_ney.estimate`."""
    return LanguageModel.of(kneser_ney.estimate(sentences, order, prune=prune))


def read_arpa(source: Source) -> LanguageModel:
    return LanguageModel.of(arpa.read_arpa(source))


def _empty_table(entries: int) -> NDArray[np.uint64]:
    """A table that is at most two thirds full."""
    size = 1 << max(1, (entries * 3 // 2).bit_length())
    return np.zeros((size, kernel.ENTRY_WORDS), np.uint64)


def _tables(found: NGrams) -> tuple[Values, NDArray[np.uint64]]:
    """Log probabilities and backoffs; the backoff of what is no context is -0.0."""
    contexts = [each.copy() for each in found.values]
    for k, values in enumerate(contexts):
        zero = values[:, 1] == 0
        values[zero, 1] = -0.0
        if k + 1 < found.order:
            values[zero & _is_prefix(found, k), 1] = 0.0
    table = _empty_table(sum(len(each) for each in found.grams[1:]))
    for grams, values in zip(found.grams[1:], contexts[1:], strict=True):
        kernel.insert(table, np.ascontiguousarray(grams), values)
    return contexts[0], table


def _is_prefix(found: NGrams, k: int) -> NDArray[np.bool_]:
    """Which n-grams of this order (from 0) are the first words of longer ones."""
    prefixes = found.grams[k + 1][:, :-1]
    if k == 0:
        is_prefix = np.zeros(len(found.words), np.bool_)
        is_prefix[prefixes[:, 0]] = True
        return is_prefix
    return _member(found.grams[k], np.unique(prefixes, axis=0))


def _member(grams: IntArray, among: IntArray) -> NDArray[np.bool_]:
    """Which rows stand among others, which are all different."""
    table = _empty_table(len(among))
    kernel.insert(table, np.ascontiguousarray(among), np.zeros((len(among), 2), np.float32))
    return ~np.isnan(kernel.lookup(table, np.ascontiguousarray(grams))[:, 0])


def _closed(found: NGrams) -> NGrams:
    """With the first and the last words of each n-gram among those of the order below.

    What is added gets log P = backoff(its first words) + log P(its last words), and a backoff of
    0, so that the model says what it said before.
    """
    added: list[IntArray] = [each[:0] for each in found.grams]
    for k in range(found.order - 1, 1, -1):
        longer = np.concatenate([found.grams[k], added[k]])
        parts = np.concatenate([longer[:, :-1], longer[:, 1:]])
        missing = parts[~_member(parts, found.grams[k - 1])]
        added[k - 1] = np.unique(missing, axis=0) if len(missing) else missing
    if not any(len(each) for each in added):
        return found
    grams, values = [found.grams[0]], [found.values[0]]
    for k in range(1, found.order):
        before, after = (
            _values_of(added[k][:, :-1], grams, values),
            _values_of(added[k][:, 1:], grams, values),
        )
        made = np.stack([before[:, 1] + after[:, 0], np.zeros(len(before), np.float32)], axis=1)
        grams.append(np.concatenate([found.grams[k], added[k]]))
        values.append(np.concatenate([found.values[k], made]))
    return NGrams(found.words, tuple(grams), tuple(values))


def _values_of(wanted: IntArray, grams: Sequence[IntArray], values: Sequence[Values]) -> Values:
    """Log probabilities and backoffs of n-grams of the order that was completed last."""
    if wanted.shape[1] == 1:
        return values[0][wanted[:, 0]]
    table = _empty_table(len(grams[-1]))
    kernel.insert(table, np.ascontiguousarray(grams[-1]), np.ascontiguousarray(values[-1]))
    return kernel.lookup(table, np.ascontiguousarray(wanted))
