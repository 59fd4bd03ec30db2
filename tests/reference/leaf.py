"""LEAF by its definition: every alignment of a short pair, its factors, and all seven operations.

Places count from 0 in alignments, and from 1 where the story of Fraser and Marcu (2007) has
a place before the sentence.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from niwaki.kernel.bilingual.leaf import LARGEST_CEPT, LONGEST_MOVE

DELETED, HEAD, NON_HEAD = range(3)


class Alignment(NamedTuple):
    """The head of each word (-1: none), and the target head of each source head (-1: no head)."""

    sources: tuple[int, ...]
    targets: tuple[int, ...]
    mates: tuple[int, ...]

    @property
    def turned(self) -> Alignment:
        mates = [-1] * len(self.targets)
        for i, j in enumerate(self.mates):
            if j >= 0:
                mates[j] = i
        return Alignment(self.targets, self.sources, tuple(mates))


class Direction(NamedTuple):
    """Logarithms of one direction's tables, and the classes of words on its two sides."""

    tables: Mapping[str, Any]
    entries: Mapping[tuple[int, int], int]
    x_classes: Sequence[int]
    y_classes: Sequence[int]

    def moved(self, name: str, row: tuple[int, ...], distance: int) -> float:
        clipped = max(-LONGEST_MOVE, min(LONGEST_MOVE, distance))
        return float(self.tables[name][(*row, clipped + LONGEST_MOVE)])

    def size(self, name: str, row: tuple[int, ...], size: int) -> float:
        return float(self.tables[name][(*row, min(size, LARGEST_CEPT) - 1)])

    def of_words(self, name: str, x: int, y: int) -> float:
        return float(self.tables[name][self.entries[x, y]])

    def non_head(self, x: int, y: int, kind: int) -> float:
        entry, tables = self.entries[x, y], self.tables
        for k in range(tables["seen"][entry], tables["seen"][entry + 1]):
            if tables["seen_class"][k] == kind:
                return float(tables["seen_value"][k])
        return float(tables["word"][entry]) + float(tables["unseen"][x, kind])

    def spurious(self, many: int, others: int) -> float:
        none, one = self.tables["spurious_rate"].tolist()
        return math.log(math.comb(others, many)) + (others - many) * none + many * one


def all_alignments(sources: int, targets: int) -> list[Alignment]:
    made = []
    for mates in itertools.product(range(-1, targets), repeat=sources):
        linked = [j for j in mates if j >= 0]
        if len(set(linked)) != len(linked):
            continue
        heads = [i for i, j in enumerate(mates) if j >= 0]
        choices = [[i] if i in heads else [-1, *heads] for i in range(sources)]
        others = [[j] if j in linked else [-1, *linked] for j in range(targets)]
        for one in itertools.product(*choices):
            made += [Alignment(one, other, mates) for other in itertools.product(*others)]
    return made


def direction_features(
    direction: Direction, x: Sequence[int], y: Sequence[int], alignment: Alignment
) -> list[float] | None:
    """The fifteen logarithms of Table 1; None if the alignment is impossible."""
    h = [0.0] * 15
    tables = direction.tables
    for i, head in enumerate(alignment.sources):
        kind = DELETED if head < 0 else HEAD if head == i else NON_HEAD
        h[0] += float(tables["kind"][x[i], kind])
        if kind == NON_HEAD:
            h[1] += direction.moved("choice", (direction.x_classes[x[i]],), head - i)
    last, centre = -1, 0
    for i, j in enumerate(alignment.mates):
        if j < 0:
            continue
        cept = [k for k, head in enumerate(alignment.targets) if head == j]
        others = [k for k in cept if k != j]
        many = min(2, alignment.sources.count(i)) - 1
        kind = direction.y_classes[y[j]]
        h[2] += direction.of_words("head", x[i], y[j])
        h[3] += direction.size("size", (x[i], many), len(cept))
        h[6] += sum(direction.non_head(x[i], y[k], kind) for k in others)
        row = 0 if last < 0 else 1 + direction.x_classes[x[last]]
        h[7] += direction.moved("first", (row, kind), j + 1 - centre)
        if others:
            h[8] += direction.moved("second", (kind,), others[0] - j)
        h[9] += sum(direction.moved("later", (kind,), b - a) for a, b in itertools.pairwise(others))
        h[10] += sum(direction.of_words("word", x[i], y[k]) for k in cept)
        h[11] += sum(direction.of_words("chain", x[i], y[k]) for k in cept)
        h[12] += direction.size("size_alone", (many,), len(cept))
        h[13] += direction.size("size_word", (x[i],), len(cept))
        last, centre = i, math.ceil(sum(k + 1 for k in cept) / len(cept))
    free = [y[k] for k, head in enumerate(alignment.targets) if head < 0]
    if len(free) > len(y) - len(free):
        return None
    h[4] = direction.spurious(len(free), len(y) - len(free))
    h[5] = sum(float(tables["spurious"][word]) for word in free)
    h[10] += sum(float(tables["word_null"][word]) for word in free)
    h[11] += sum(float(tables["chain_null"][word]) for word in free)
    h[14] = -float(len(free))
    return h


def features(
    directions: tuple[Direction, Direction],
    source: Sequence[int],
    target: Sequence[int],
    alignment: Alignment,
) -> list[float] | None:
    one = direction_features(directions[0], source, target, alignment)
    other = direction_features(directions[1], target, source, alignment.turned)
    return None if one is None or other is None else one + other


def neighbours(a: Alignment) -> set[Alignment]:
    """All alignments that one of the seven operations makes."""
    made = {each.turned for each in _moves_and_swaps(a.turned)} | set(_moves_and_swaps(a))
    heads = [i for i, j in enumerate(a.mates) if j >= 0]
    for one, other in itertools.combinations(heads, 2):
        mates = list(a.mates)
        mates[one], mates[other] = mates[other], mates[one]
        made.add(a._replace(mates=tuple(mates)))
    for i, j in itertools.product(range(len(a.sources)), range(len(a.targets))):
        made |= set(_linked(a, i, j)) | {each.turned for each in _linked(a.turned, j, i)}
    for i in heads:
        made.add(
            Alignment(
                tuple(-1 if head == i else head for head in a.sources),
                tuple(-1 if head == a.mates[i] else head for head in a.targets),
                tuple(-1 if k == i else j for k, j in enumerate(a.mates)),
            )
        )
    return made


def _moves_and_swaps(a: Alignment) -> Iterator[Alignment]:
    """Of source words that are no heads."""
    heads = [i for i, j in enumerate(a.mates) if j >= 0]
    others = [i for i, j in enumerate(a.mates) if j < 0]
    for i in others:
        for head in [-1, *heads]:
            if head != a.sources[i]:
                yield a._replace(sources=_put(a.sources, i, head))
    for one, other in itertools.combinations(others, 2):
        if a.sources[one] != a.sources[other]:
            swapped = _put(_put(a.sources, one, a.sources[other]), other, a.sources[one])
            yield a._replace(sources=swapped)


def _linked(a: Alignment, i: int, j: int) -> Iterator[Alignment]:
    """Two words that are no heads linked, or a target word made the head of the cept it is in."""
    is_target_head = j in a.mates
    if a.mates[i] < 0 and not is_target_head:
        yield Alignment(_put(a.sources, i, i), _put(a.targets, j, j), _put(a.mates, i, j))
    elif a.mates[i] >= 0 and not is_target_head and a.targets[j] == a.mates[i]:
        old = a.mates[i]
        targets = tuple(j if head == old else head for head in a.targets)
        yield Alignment(a.sources, targets, _put(a.mates, i, j))


def _put(numbers: tuple[int, ...], at: int, number: int) -> tuple[int, ...]:
    return (*numbers[:at], number, *numbers[at + 1 :])


def story_probability(direction: Direction, x: Sequence[int], y: Sequence[int]) -> float:
    """p(y | x) by walking through the nine steps of the story and dropping what fails."""
    total = 0.0
    for kinds in itertools.product((DELETED, HEAD, NON_HEAD), repeat=len(x)):
        chosen = math.exp(
            sum(
                float(direction.tables["kind"][word, kind])
                for word, kind in zip(x, kinds, strict=True)
            )
        )
        heads = [i for i, kind in enumerate(kinds) if kind == HEAD]
        others = [i for i, kind in enumerate(kinds) if kind == NON_HEAD]
        # To choose a word that is no head fails, so that only heads are walked through.
        for picks in itertools.product(heads, repeat=len(others)):
            linked = chosen * math.exp(
                sum(
                    direction.moved("choice", (direction.x_classes[x[i]],), pick - i)
                    for i, pick in zip(others, picks, strict=True)
                )
            )
            for sizes in itertools.product(range(1, len(y) + 1), repeat=len(heads)):
                if len(y) / 2 <= sum(sizes) <= len(y):
                    counts = [1 + picks.count(i) for i in heads]
                    total += linked * _placed(direction, x, y, heads, counts, sizes)
    return total


def _placed(
    direction: Direction,
    x: Sequence[int],
    y: Sequence[int],
    heads: Sequence[int],
    counts: Sequence[int],
    sizes: Sequence[int],
) -> float:
    """Sum over all places of the words of the cepts; the rest of the sentence is spurious.

    Non-heads are put down from left to right: another order fails.
    """
    total, rows = 0.0, [(i, k) for i, size in zip(heads, sizes, strict=True) for k in range(size)]
    for places in itertools.permutations(range(len(y)), len(rows)):
        score = direction.spurious(len(y) - len(rows), len(rows))
        score += sum(
            float(direction.tables["spurious"][y[j]]) for j in range(len(y)) if j not in places
        )
        cepts = {i: [p for (h, _), p in zip(rows, places, strict=True) if h == i] for i in heads}
        if any(cept[1:] != sorted(cept[1:]) for cept in cepts.values()):
            continue
        last, centre = -1, 0
        for i, count, size in zip(heads, counts, sizes, strict=True):
            head, *others = cepts[i]
            kind = direction.y_classes[y[head]]
            score += direction.size("size", (x[i], min(2, count) - 1), size)
            score += direction.of_words("head", x[i], y[head])
            score += sum(direction.non_head(x[i], y[k], kind) for k in others)
            row = 0 if last < 0 else 1 + direction.x_classes[x[last]]
            score += direction.moved("first", (row, kind), head + 1 - centre)
            if others:
                score += direction.moved("second", (kind,), others[0] - head)
            score += sum(
                direction.moved("later", (kind,), b - a) for a, b in itertools.pairwise(others)
            )
            last, centre = i, math.ceil(sum(k + 1 for k in cepts[i]) / size)
        total += math.exp(score)
    return total
