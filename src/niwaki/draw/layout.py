"""Where the arcs of a tree go: a level for each, so that arcs can be told apart."""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

from niwaki.data.tree import Tree


class Arc(NamedTuple):
    """An arc between two words (1-based), drawn at `level` (1 is nearest to the words)."""

    head: int
    dependent: int
    label: str
    level: int

    @property
    def left(self) -> int:
        return min(self.head, self.dependent)

    @property
    def right(self) -> int:
        return max(self.head, self.dependent)


def place_arcs(tree: Tree) -> list[Arc]:
    """Give each arc the lowest level on which it meets no other; short arcs come first.

    Root arcs and unknown heads are left out.
    """
    arcs = [
        (abs(head - word), word, head) for word, head in enumerate(tree.heads, start=1) if head > 0
    ]
    levels: list[list[Arc]] = []
    placed = []
    for _, word, head in sorted(arcs):
        arc = Arc(head, word, tree.deprels[word - 1], 0)
        # An arc must lie above the arcs that it spans, or its ends would cut them.
        lowest = max(
            (i for i, row in enumerate(levels) if any(_meet(arc, o) for o in row)), default=-1
        )
        arc = arc._replace(level=lowest + 2)
        if lowest + 1 == len(levels):
            levels.append([])
        levels[lowest + 1].append(arc)
        placed.append(arc)
    return placed


def _meet(one: Arc, other: Arc) -> bool:
    """Whether two arcs on one level could be mistaken for each other.

    They may touch only at a common head; where one ends at a word that the other
    starts from, the line would seem to go on.
    """
    if one.right < other.left or other.right < one.left:
        return False
    if one.right == other.left or other.right == one.left:
        return one.head != other.head
    return True


def text_width(text: str) -> int:
    """Terminal cells that a printable text takes: wide characters two, combining ones none.

    Emoji that a joiner makes one picture take the cells of the first of them.
    """
    before = ("", *text)
    return sum(
        _char_width(char)
        for char, last in zip(text, before, strict=False)
        if not (last == _JOINER and _char_width(char) == 2)
    )


_JOINER = "\u200d"
# Vowels and final consonants of Hangul that is written letter by letter (NFD): they stand in the
# cells of the consonant before them.
_INSIDE_HANGUL = (range(0x1160, 0x1200), range(0xD7B0, 0xD7FC))


def _char_width(char: str) -> int:
    if unicodedata.combining(char) or unicodedata.category(char) in ("Mn", "Me", "Cf"):
        return 0
    if any(ord(char) in block for block in _INSIDE_HANGUL):
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1


def is_right_to_left(forms: Iterable[str]) -> bool:
    """Whether more letters of a sentence are written from right to left than otherwise."""
    sides = Counter(unicodedata.bidirectional(char) for form in forms for char in form)
    return sides["R"] + sides["AL"] > sides["L"]
