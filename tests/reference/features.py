"""Feature templates read as text, on the slow states: symbols instead of keys."""

from __future__ import annotations

import re
from collections.abc import Collection

from tests.reference.contiguity import Link, contiguous, right_contiguous
from tests.reference.systems import Slow

Labels = dict[int, int]


def distance_bucket(distance: int) -> int:
    return next(place for place, most in enumerate((1, 2, 3, 4, 6, 10, 10**9)) if distance <= most)


class Symbolic:
    """What a template line says about a state; links count words from 1."""

    def __init__(
        self, slow: Slow, labels: Labels, words: dict[str, list[str]], links: Collection[Link] = ()
    ) -> None:
        self.slow, self.labels, self.words, self.links = slow, labels, words, links

    def place(self, name: str) -> int | None:
        """The word at a place such as `s0.left2`; None if there is none."""
        base, *path = name.split(".")
        line = self.slow.stack[::-1] if base[0] == "s" else self.slow.buffer
        number = int(base[1:])
        word = line[number] if number < len(line) else None
        for step in path:
            if word is None:
                return None
            if step.startswith("head"):
                for _ in range(2 if step == "head2" else 1):
                    word = self.slow.head(word) if word is not None else None
            else:
                word = self.child(word, step)
        return word

    def child(self, word: int, step: str) -> int | None:
        side = [c for c in self.known_children(word) if (c < word) == step.startswith("left")]
        if step.startswith("right"):
            side.reverse()
        number = 1 if step.endswith("2") else 0
        return side[number] if number < len(side) else None

    def known_children(self, word: int) -> list[int]:
        """All children but, in arc-eager, those that still lie on the stack."""
        return [c for c in self.slow.children(word) if c not in self.slow.stack]

    def subtree(self, word: int) -> set[int]:
        """The word with all its dependents but, in arc-eager, those that still lie on the stack."""
        return {word}.union(*(self.subtree(child) for child in self.known_children(word)))

    def contiguity(self, what: str, names: list[str]) -> bool | None:
        places = [self.place(name) for name in names]
        if not self.links or None in places or 0 in places:
            return None
        words = self.subtree(places[0]) | self.subtree(places[1])  # type: ignore[arg-type]
        if what == "contiguous":
            return contiguous(words, self.links)
        return right_contiguous(words, self.links, self.slow.n)

    def atom(self, part: str) -> object:
        linked = re.fullmatch(r"((?:right-)?contiguous)\((.*),(.*)\)", part)
        if linked:
            return self.contiguity(linked[1], [linked[2], linked[3]])
        distance = re.fullmatch(r"distance\((.*),(.*)\)", part)
        if distance:
            places = [self.place(name) for name in distance.groups()]
            if None in places:
                return None
            return distance_bucket(abs(places[0] - places[1]))  # type: ignore[operator]
        name, _, what = part.rpartition(".")
        word = self.place(name)
        if what == "label":
            return self.labels.get(word) if word else None
        if what in ("lefts", "rights", "left-labels", "right-labels"):
            if word is None:
                return None
            side = [c for c in self.known_children(word) if (c < word) == what.startswith("left")]
            if what.endswith("labels"):
                return frozenset(self.labels[c] for c in side)
            return min(len(side), 5)
        return "none" if word is None else "root" if word == 0 else self.words[what][word - 1]

    def feature(self, line: str) -> tuple[object, ...]:
        return tuple(self.atom(part) for part in line.split(" + "))
