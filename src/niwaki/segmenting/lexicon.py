"""The words that a segmenter knows from its training data."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from niwaki.kernel.segmenting.lexicon import LONGEST_WORD, Lexicon, hash_of


@dataclass(frozen=True)
class KnownWords:
    """Hashes of words, in order; while a model learns, also the one piece of the training data in
    which each occurs (from 1; 0: several)."""

    words: NDArray[np.uint64]
    pieces: NDArray[np.int32] | None = None

    @classmethod
    def of(cls, pieces: Iterable[Iterable[str]]) -> KnownWords:
        """The words of the pieces of a text."""
        found: dict[int, int] = {}
        for number, forms in enumerate(pieces, start=1):
            for form in set(forms):
                if len(form) <= LONGEST_WORD:
                    word = hash_of(np.array([ord(char) for char in form], dtype=np.uint32))
                    found[word] = number if found.get(word, number) == number else 0
        words = sorted(found)
        return cls(
            np.array(words, dtype=np.uint64),
            np.array([found[word] for word in words], dtype=np.int32),
        )

    @property
    def kernel(self) -> Lexicon:
        return Lexicon(self.words, self.pieces)

    def finished(self) -> KnownWords:
        """All of them, wherever they occur."""
        return KnownWords(self.words)
