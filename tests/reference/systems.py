"""What can be reached from a state, by trying everything."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from niwaki.data.tree import Tree


def all_trees(words: int) -> Iterator[tuple[int, ...]]:
    """Every tree with one root."""
    for heads in itertools.product(range(words + 1), repeat=words):
        if any(head == word for word, head in enumerate(heads, start=1)):
            continue
        if Tree(heads, ("_",) * words).is_complete:
            yield heads


@lru_cache
def projective_trees(words: int) -> tuple[tuple[int, ...], ...]:
    return tuple(h for h in all_trees(words) if Tree(h, ("_",) * words).is_projective)


def endings(view: Any) -> Iterator[tuple[tuple[int, ...], Any]]:
    """Trees of all parses that go on from a state."""
    if not view.moves:
        yield tuple(view.heads), view
    for move in view.moves:
        yield from endings(view.move(move))


def states(view: Any) -> Iterator[Any]:
    """All states that can be reached, this one included."""
    yield view
    for move in view.moves:
        yield from states(view.move(move))
