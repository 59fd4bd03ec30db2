"""Which word of a sentence each word of an expression is: only repeated words are in doubt.

The paper's heuristic keeps dependents near their heads and prefers projective trees. Here words
that occur less often are placed first; among all ways to place the copies of a word, that is taken
which costs least: the distances of its arcs, and much for each arc that is crossed.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

from niwaki.data.expressions import Expression
from niwaki.data.meaning import Pair
from niwaki.errors import CorpusError, shown
from niwaki.tasks.meaning.encode import encode

# What a crossing costs, in words of distance.
_CROSSING = 10
# More ways than that are not tried: each copy then takes the place that is best for it.
_MOST_WAYS = 720


def aligned(pair: Pair) -> Expression:
    """The expression of a pair with the numbers of the sentence's words."""
    places = _Aligner(pair).place()
    return pair.written.expression.renumbered(dict(enumerate(places, start=1)))


class _Aligner:
    def __init__(self, pair: Pair) -> None:
        words, given = pair.written.words, pair.written.places
        self._pair = pair
        # Arcs between occurrences in the expression, these counted from 0.
        heads = encode(pair.written.expression, len(words)).heads
        self._arcs = [(word, head - 1) for word, head in enumerate(heads) if head > 0]
        self._of: dict[int, list[tuple[int, int]]] = {at: [] for at in range(len(words))}
        for arc in self._arcs:
            for end in arc:
                self._of[end].append(arc)
        self._places = list(given)  # 0 where nothing is known yet
        self._check_given()

    def place(self) -> list[int]:
        kinds = self._kinds()
        ambiguous = []
        for copies, free in kinds:
            if len(copies) == len(free) == 1:
                self._places[copies[0]] = free[0]
            else:
                ambiguous.append((copies, free))
        # The first time not all neighbours are placed yet, the second time they are.
        for copies, free in [*ambiguous, *ambiguous]:
            self._place(copies, free)
        return self._places

    def _check_given(self) -> None:
        forms = self._pair.sentence.forms
        for word, place in zip(self._pair.written.words, self._places, strict=True):
            if place > len(forms) or (place and not _same(forms[place - 1], word)):
                raise self._error(f"{word}#{place} in {len(forms)} words", "number them from 1")

    def _kinds(self) -> list[tuple[list[int], list[int]]]:
        """Copies in the expression and the places they can have, the fewest first."""
        taken = set(self._places)
        free: dict[str, list[int]] = {}
        for place, form in enumerate(self._pair.sentence.forms, start=1):
            if place not in taken:
                free.setdefault(form.lower(), []).append(place)
        copies: dict[str, list[int]] = {}
        for at, word in enumerate(self._pair.written.words):
            if not self._places[at]:
                copies.setdefault(word.lower(), []).append(at)
        for word, found in copies.items():
            if len(found) > len(free.get(word, ())):
                raise self._error(
                    f"{shown(word)} is more often in the expression than in the sentence",
                    "name each word of the sentence once",
                )
        return sorted(((found, free[word]) for word, found in copies.items()), key=_ways)

    def _place(self, copies: list[int], free: Sequence[int]) -> None:
        if _ways((copies, free)) <= _MOST_WAYS:
            ways = itertools.permutations(free, len(copies))
            self._set(copies, min(ways, key=lambda way: self._cost(copies, way)))
            return
        left = list(free)
        self._set(copies, [0] * len(copies))
        for at in copies:
            best = min(left, key=lambda place: self._cost([at], [place]))
            left.remove(best)
            self._places[at] = best

    def _set(self, copies: Sequence[int], places: Sequence[int]) -> None:
        for at, place in zip(copies, places, strict=True):
            self._places[at] = place

    def _cost(self, copies: Sequence[int], places: Sequence[int]) -> int:
        """Distances and crossings of the arcs of some copies, as far as both ends are placed."""
        before = [self._places[at] for at in copies]
        self._set(copies, places)
        mine = {arc for at in copies for arc in self._of[at]}
        placed = [self._span(arc) for arc in mine if all(self._places[end] for end in arc)]
        others = [
            self._span(arc)
            for arc in self._arcs
            if arc not in mine and all(self._places[end] for end in arc)
        ]
        self._set(copies, before)
        crossings = sum(_cross(a, b) for a in placed for b in others)
        crossings += sum(_cross(a, b) for a, b in itertools.combinations(placed, 2))
        return sum(right - left for left, right in placed) + _CROSSING * crossings

    def _span(self, arc: tuple[int, int]) -> tuple[int, int]:
        one, other = (self._places[end] for end in arc)
        return (one, other) if one < other else (other, one)

    def _error(self, found: str, advice: str) -> CorpusError:
        sentence = self._pair.sentence
        return CorpusError(sentence.file, sentence.line, "EXPRESSION", found, advice)


def _ways(kind: tuple[list[int], Sequence[int]]) -> int:
    copies, free = kind
    return math.perm(len(free), len(copies))


def _cross(one: tuple[int, int], other: tuple[int, int]) -> bool:
    return one[0] < other[0] < one[1] < other[1] or other[0] < one[0] < other[1] < one[1]


def _same(form: str, word: str) -> bool:
    return form.lower() == word.lower()
