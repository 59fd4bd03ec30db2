"""Parallel text as numbers: what the aligner keeps of the sentences it learns from."""

from __future__ import annotations

from array import array
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from niwaki.errors import NiwakiError
from niwaki.tasks.align.settings import Settings

# The HMM needs time by the cube and memory by the square of a sentence's length.
LONGEST = 1000


class Side:
    """The words of one language, numbered in the order of their first occurrence."""

    def __init__(self, lower: bool, prefix: int | None) -> None:
        self._lower, self._prefix = lower, prefix
        self.types: dict[str, int] = {}
        self._numbers: dict[str, int] = {}  # of words as written, so that each is folded once
        self._words = array("i")
        self._starts = array("q", [0])

    def add(self, words: Sequence[str]) -> None:
        known = self._numbers
        for word in words:
            number = known.get(word)
            if number is None:
                number = known[word] = self.types.setdefault(self._fold(word), len(self.types))
            self._words.append(number)
        self._starts.append(len(self._words))

    def _fold(self, word: str) -> str:
        folded = word.lower() if self._lower else word
        return folded[: self._prefix]

    @property
    def words(self) -> NDArray[np.int32]:
        return np.frombuffer(self._words, np.int32) if self._words else np.zeros(0, np.int32)

    @property
    def starts(self) -> NDArray[np.int64]:
        return np.frombuffer(self._starts, np.int64)


class Corpus:
    """Sentence pairs to learn from. A pair with an empty side is kept in mind, but not used."""

    def __init__(self, settings: Settings) -> None:
        self.source = Side(settings.lower, settings.source_prefix)
        self.target = Side(settings.lower, settings.target_prefix)
        # The lengths of pairs with an empty side, by the number of the pair.
        self.empty: dict[int, tuple[int, int]] = {}
        self.size = 0

    def add(self, source: Sequence[str], target: Sequence[str]) -> None:
        if max(len(source), len(target)) > LONGEST:
            raise NiwakiError(
                f"pair {self.size + 1} has {len(source)} and {len(target)} words; "
                f"split sentences of more than {LONGEST}"
            )
        if source and target:
            self.source.add(source)
            self.target.add(target)
        else:
            self.empty[self.size] = len(source), len(target)
        self.size += 1

    def used_number(self, pair: int) -> int:
        """The number of a pair among those that have words on both sides."""
        return pair - sum(empty < pair for empty in self.empty)
