"""What trees obey constraints, by looking at every tree."""

from __future__ import annotations

from collections.abc import Iterator

from niwaki.data.constraints import Constraints, FixedHead, ForbiddenHead, Labels, Subtree
from tests.reference.systems import reachable_trees


def below(heads: tuple[int, ...], top: int) -> set[int]:
    """A word and all whose way up passes it."""
    found = set()
    for word in range(1, len(heads) + 1):
        way = [word]
        while way[-1]:
            way.append(heads[way[-1] - 1])
        if top in way:
            found.add(word)
    return found


def obeys(heads: tuple[int, ...], constraints: Constraints) -> bool:
    for one in constraints.statements:
        if isinstance(one, FixedHead) and heads[one.word - 1] != one.head:
            return False
        if isinstance(one, ForbiddenHead) and heads[one.word - 1] == one.head:
            return False
        if isinstance(one, Subtree) and all(
            below(heads, top) != set(one.words) for top in range(1, len(heads) + 1)
        ):
            return False
    return True


def label_choices(constraints: Constraints, word: int, labels: set[str]) -> set[str]:
    left = set(labels)
    for one in constraints.statements:
        if isinstance(one, Labels):
            left |= set(one.labels)
    for one in constraints.statements:
        if isinstance(one, Labels) and one.word == word:
            left &= set(one.labels)
    return left


def obeying_trees(
    constraints: Constraints, system: str = "arc-standard"
) -> Iterator[tuple[int, ...]]:
    """Heads of every tree of a system that obeys; none if a word has no label left."""
    words = range(1, constraints.words + 1)
    if all(label_choices(constraints, word, {"any"}) for word in words):
        for heads in reachable_trees(system, constraints.words):
            if obeys(heads, constraints):
                yield heads
