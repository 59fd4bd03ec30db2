"""Text in Unicode's form NFC, which models learn from, with the places of its characters in the
text as it was given.
"""

from __future__ import annotations

import sys
import unicodedata
from functools import cache

import numpy as np

from niwaki.typing import IntArray

# The vowels and the final consonants of a Hangul syllable, whose composition no table lists.
_HANGUL = (*range(0x1161, 0x1176), *range(0x11A8, 0x11C3))


def composed(text: str) -> tuple[str, IntArray | None]:
    """The text in NFC, and where each of its characters begins in `text`, and where that ends.

    None if it is the same text. Places grow with each character, so that no word becomes empty:
    where NFC is longer, as of a few letters of Hebrew and Hindi, the text stays as it is.
    """
    if unicodedata.is_normalized("NFC", text):
        return text, None
    pieces: list[str] = []
    places: list[int] = []
    for start, end in _clusters(text):
        given = text[start:end]
        piece = unicodedata.normalize("NFC", given)
        if len(piece) > len(given):
            piece = given
        pieces.append(piece)
        places += range(start, start + len(piece))
    return "".join(pieces), np.array([*places, len(text)], dtype=np.int32)


def _clusters(text: str) -> list[tuple[int, int]]:
    """From where to where nothing composes with what is outside."""
    attached = _attached()
    starts = [place for place, char in enumerate(text) if not place or char not in attached]
    return list(zip(starts, [*starts[1:], len(text)], strict=True))


@cache
def _attached() -> frozenset[str]:
    """The characters that may compose, or change places, with those before them."""
    characters = map(chr, range(sys.maxunicode + 1))
    apart = {
        char: unicodedata.normalize("NFD", char)
        for char in characters
        if unicodedata.combining(char) or unicodedata.decomposition(char)
    }
    # As they compose: U+1E67 is U+1E61 and U+0307.
    pairs = (unicodedata.decomposition(char).split() for char in apart)
    second = {chr(int(pair[1], 16)) for pair in pairs if len(pair) == 2 and pair[0][0] != "<"}
    second.update(map(chr, _HANGUL))
    moving = (c for c, parts in apart.items() if unicodedata.combining(parts[0]))
    longer = (c for c, parts in apart.items() if parts[0] in second)
    return frozenset(second).union(moving, longer)
