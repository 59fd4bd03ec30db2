"""The phrase table: source phrases, their options and scores, in one file mapped into memory."""

from __future__ import annotations

import itertools
import os
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from niwaki.data.mapped import load_arrays, save_arrays
from niwaki.errors import ModelError
from niwaki.kernel.translation.table import find_options, gather
from niwaki.tasks.translate.phrases import Ngrams, Occurrences, PhrasePairs, Starts, best_options
from niwaki.typing import IntArray

Scores = NDArray[np.float32]

SCORES = 4
MSD = 6
_KIND = "phrase table"
_ADVICE = "train the system again"


@dataclass(frozen=True)
class Options:
    """What the phrases of a sentence may become, a row an option.

    `spans` are begin and end in the sentence, `rows` those of the phrase table, -1 for a word that
    is copied since the table does not have it alone. Option o has the target words
    `words[starts[o]:starts[o + 1]]`; those that are copied are -1.
    """

    tokens: tuple[str, ...]
    spans: IntArray
    rows: NDArray[np.int64]
    words: IntArray
    starts: IntArray
    vocabulary: Sequence[str]

    def __len__(self) -> int:
        return len(self.rows)

    def target(self, option: int) -> tuple[str, ...]:
        if self.rows[option] < 0:
            return (self.tokens[self.spans[option, 0]],)
        numbers = self.words[self.starts[option] : self.starts[option + 1]].tolist()
        return tuple([self.vocabulary[number] for number in numbers])


@dataclass(frozen=True)
class PhraseTable:
    """Source n-grams as `Ngrams` has them; options of each, the likeliest first.

    `levels` are where n-grams of each length begin among the keys, `options` where the options of
    each n-gram begin, `targets` the target phrase of each option: `words[starts[t]:starts[t + 1]]`.
    """

    source_words: tuple[str, ...]
    target_words: tuple[str, ...]
    keys: NDArray[np.int64]
    levels: NDArray[np.int64]
    options: NDArray[np.int64]
    targets: IntArray
    words: IntArray
    starts: NDArray[np.int64]
    scores: Scores
    msd: Scores | None = None

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return {word: number for number, word in enumerate(self.source_words)}

    def __len__(self) -> int:
        """The number of phrase pairs."""
        return len(self.targets)

    def find(self, tokens: Sequence[str]) -> Options:
        """All options of a sentence."""
        known = self._numbers
        numbers = np.array([known.get(word, -1) for word in tokens], np.int32)
        spans, rows = find_options(self.keys, self.levels, self.options, numbers)
        words, starts = gather(self.starts, self.words, self.targets[rows])
        alone = np.zeros(len(tokens), np.bool_)
        alone[spans[spans[:, 1] - spans[:, 0] == 1, 0]] = True
        copied = np.flatnonzero(~alone).astype(np.int32)
        if len(copied):
            spans = np.concatenate([spans, np.stack([copied, copied + 1], axis=1)])
            rows = np.concatenate([rows, np.full(len(copied), -1)])
            words = np.concatenate([words, np.full(len(copied), -1, np.int32)])
            ends = starts[-1] + np.arange(1, len(copied) + 1, dtype=np.int32)
            starts = np.concatenate([starts, ends])
        return Options(tuple(tokens), spans, rows, words, starts, self.target_words)

    def save(self, path: str | os.PathLike[str]) -> None:
        arrays: dict[str, NDArray[Any]] = {
            "source words": _packed(self.source_words),
            "target words": _packed(self.target_words),
            **{name: getattr(self, name) for name in _ARRAYS},
        }
        if self.msd is not None:
            arrays["msd"] = self.msd
        save_arrays(path, _KIND, arrays, {})

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> PhraseTable:
        """A table whose arrays stay in the file; raises ModelError if it is none."""
        file = load_arrays(path, _KIND, _ADVICE)
        try:
            texts = [_unpacked(file.arrays[f"{side} words"]) for side in ("source", "target")]
            arrays = {name: file.arrays[name] for name in _ARRAYS}
            found = cls(texts[0], texts[1], **arrays, msd=file.arrays.get("msd"))
            _check(found)
        except (KeyError, TypeError, ValueError, IndexError) as error:
            raise ModelError(f"{file.path}: a damaged {_KIND} ({error}); {_ADVICE}") from error
        return found


_ARRAYS = {
    "keys": np.int64,
    "levels": np.int64,
    "options": np.int64,
    "targets": np.int32,
    "words": np.int32,
    "starts": np.int64,
    "scores": np.float32,
}


def _check(table: PhraseTable) -> None:
    """The kernel trusts the table; ValueError for one that it must not trust."""
    for name, dtype in _ARRAYS.items():
        if getattr(table, name).dtype != dtype:
            raise ValueError(f"{name} of another type")
    for starts, size in (
        (table.levels, len(table.keys)),
        (table.options, len(table.targets)),
        (table.starts, len(table.words)),
    ):
        if starts.ndim != 1 or starts[0] != 0 or starts[-1] != size or (np.diff(starts) < 0).any():
            raise ValueError("places that do not rise")
    if len(table.options) != len(table.keys) + 1 or table.scores.shape != (len(table), SCORES):
        raise ValueError("parts of different lengths")
    for numbers, size in (
        (table.targets, len(table.starts) - 1),
        (table.words, len(table.target_words)),
    ):
        if numbers.ndim != 1 or (len(numbers) and not 0 <= numbers.min() <= numbers.max() < size):
            raise ValueError("numbers out of range")
    for scores in (table.scores, table.msd):
        if scores is not None and not np.isfinite(scores).all():
            raise ValueError("scores that are no numbers")
    if table.msd is not None and (
        table.msd.shape != (len(table), MSD) or table.msd.dtype != np.float32
    ):
        raise ValueError("orientations that do not fit")


def make_table(
    found: Occurrences,
    pairs: PhrasePairs,
    vocabularies: tuple[Sequence[str], Sequence[str]],
    most: int,
    msd: Scores | None = None,
) -> PhraseTable:
    """The table of phrase pairs, with the `most` likeliest options of each source phrase.

    `msd` are six logarithms of each pair.
    """
    kept = best_options(pairs, most)
    keys, levels, options = _tree(found.source_ngrams, pairs.source[kept])
    phrases, targets = np.unique(pairs.target[kept], return_inverse=True)
    words, starts = found.target_ngrams.words(phrases)
    return PhraseTable(
        tuple(vocabularies[0]),
        tuple(vocabularies[1]),
        keys,
        levels,
        options,
        targets.astype(np.int32),
        words,
        starts,
        np.ascontiguousarray(pairs.scores[kept]),
        None if msd is None else np.ascontiguousarray(msd[kept]),
    )


def _tree(ngrams: Ngrams, phrases: Starts) -> tuple[Starts, Starts, Starts]:
    """The n-grams that phrases (sorted, one for each option) need, with places of options.

    With an n-gram, its beginnings are kept; their order stays, so keys stay sorted.
    """
    offsets = ngrams.offsets
    counts = np.bincount(phrases, minlength=int(offsets[-1]))
    needed: list[NDArray[np.bool_]] = [
        counts[first:last] > 0 for first, last in itertools.pairwise(offsets.tolist())
    ]
    for k in range(len(needed) - 1, 0, -1):
        needed[k - 1][ngrams.keys[k][needed[k]] >> 32] = True
    keys = [ngrams.keys[0][needed[0]]]
    for k in range(1, len(needed)):
        new = np.cumsum(needed[k - 1]) - 1
        kept = ngrams.keys[k][needed[k]]
        keys.append(new[kept >> 32] << 32 | kept & 0xFFFFFFFF)
    levels = np.concatenate([[0], np.cumsum([len(each) for each in keys])])
    options = np.concatenate([[0], np.cumsum(counts[np.concatenate(needed)])])
    return np.concatenate(keys), levels, options


def _packed(words: Sequence[str]) -> NDArray[np.uint8]:
    return np.frombuffer("\n".join(words).encode("utf-8"), np.uint8)


def _unpacked(text: NDArray[np.uint8]) -> tuple[str, ...]:
    return tuple(text.tobytes().decode("utf-8").split("\n")) if len(text) else ()
