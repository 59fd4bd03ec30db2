"""Transition systems on plain lists, and what can be reached with them by trying everything."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, lru_cache

from niwaki.data.tree import Tree

Arc = tuple[int, int]


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


@dataclass(frozen=True)
class Slow:
    """A state as lists: nothing shared, nothing clever."""

    n: int
    stack: tuple[int, ...]
    buffer: tuple[int, ...]
    arcs: frozenset[Arc] = frozenset()

    def head(self, word: int) -> int | None:
        return next((h for h, d in self.arcs if d == word), None)

    def children(self, word: int) -> list[int]:
        return sorted(d for h, d in self.arcs if h == word)

    def make(self, stack: tuple[int, ...], buffer: tuple[int, ...], arc: Arc | None = None) -> Slow:
        arcs = self.arcs | {arc} if arc else self.arcs
        return type(self)(self.n, stack, buffer, arcs)

    @classmethod
    def start(cls, n: int) -> Slow:
        return cls(n, (0,), tuple(range(1, n + 1)))

    def moves(self) -> dict[str, Slow]:
        raise NotImplementedError

    def heads(self) -> tuple[int, ...]:
        found = [self.head(word) for word in range(1, self.n + 1)]
        return tuple(0 if head is None else head for head in found)


class SlowHybrid(Slow):
    def moves(self) -> dict[str, Slow]:
        made = {}
        stack, buffer = self.stack, self.buffer
        if buffer:
            made["shift"] = self.make((*stack, buffer[0]), buffer[1:])
        if len(stack) > 1:
            if buffer:
                made["left"] = self.make(stack[:-1], buffer, (buffer[0], stack[-1]))
            if len(stack) > 2:
                made["right"] = self.make(stack[:-1], buffer, (stack[-2], stack[-1]))
            elif not buffer:
                made["root"] = self.make(stack[:-1], buffer, (0, stack[-1]))
        return made


class SlowStandard(Slow):
    def moves(self) -> dict[str, Slow]:
        made = {}
        stack, buffer = self.stack, self.buffer
        if buffer:
            made["shift"] = self.make((*stack, buffer[0]), buffer[1:])
        if len(stack) > 2:
            made["left"] = self.make((*stack[:-2], stack[-1]), buffer, (stack[-1], stack[-2]))
            made["right"] = self.make(stack[:-1], buffer, (stack[-2], stack[-1]))
        elif len(stack) == 2 and not buffer:
            made["root"] = self.make(stack[:-1], buffer, (0, stack[-1]))
        return made


class SlowSwap(SlowStandard):
    """Words that are in the order of the sentence may change places."""

    def moves(self) -> dict[str, Slow]:
        made = super().moves()
        stack = self.stack
        if len(stack) > 2 and stack[-2] < stack[-1]:
            made["swap"] = self.make((*stack[:-2], stack[-1]), (stack[-2], *self.buffer))
        return made


class SlowEager(Slow):
    """With `one_root`, the last word may only be pushed if one word then stays headless."""

    one_root = True

    @classmethod
    def start(cls, n: int) -> Slow:
        return cls(n, (), tuple(range(1, n + 1)))

    def moves(self) -> dict[str, Slow]:
        made = {}
        stack, buffer = self.stack, self.buffer
        headless = [word for word in stack if self.head(word) is None]
        last = self.one_root and len(buffer) == 1
        if buffer and (not last or not stack):
            made["shift"] = self.make((*stack, buffer[0]), buffer[1:])
        if stack and self.head(stack[-1]) is not None:
            made["reduce"] = self.make(stack[:-1], buffer)
        if buffer and stack:
            if self.head(stack[-1]) is None:
                made["left"] = self.make(stack[:-1], buffer, (buffer[0], stack[-1]))
            if not last or len(headless) == 1:
                made["right"] = self.make((*stack, buffer[0]), buffer[1:], (stack[-1], buffer[0]))
        if not buffer and len(stack) == 1 and headless:
            made["root"] = self.make((), buffer, (0, stack[-1]))
        return made


class FreeEager(SlowEager):
    """Goldberg and Nivre's: several words may stay headless, and then all are roots."""

    one_root = False


SLOW = {
    "arc-hybrid": SlowHybrid,
    "arc-standard": SlowStandard,
    "arc-standard-swap": SlowSwap,
    "arc-eager": SlowEager,
}
# The systems in which costs are exact.
COSTS = {
    "arc-hybrid": SlowHybrid,
    "arc-standard": SlowStandard,
    "arc-eager": FreeEager,
}


def endings(start: Slow) -> set[tuple[int, ...]]:
    """Trees of all parses that go on from a state."""
    seen, todo, trees = {start}, [start], set()
    while todo:
        after = todo.pop().moves()
        for state in after.values():
            if not state.moves():
                trees.add(state.heads())
            elif state not in seen:
                seen.add(state)
                todo.append(state)
    return trees


@lru_cache
def reachable_trees(system: str, words: int) -> tuple[tuple[int, ...], ...]:
    """The trees that a system is made for."""
    return tuple(all_trees(words)) if system == "arc-standard-swap" else projective_trees(words)


@cache
def most_right(state: Slow, gold: tuple[int, ...]) -> int:
    """The most words that can still get their gold head, over all parses from here."""
    moves = state.moves()
    if not moves:
        return sum(a == b for a, b in zip(state.heads(), gold, strict=True))
    return max(most_right(after, gold) for after in moves.values())


def in_order(tree: tuple[int, ...]) -> list[int]:
    """The words in an order in which a tree does not cross: heads between their dependents,
    subtrees where their first words are."""

    def below(head: int) -> list[int]:
        children = [below(word) for word, its in enumerate(tree, start=1) if its == head]
        children.sort(key=min)
        before = [words for words in children if min(words) < head]
        behind = [words for words in children if min(words) > head]
        return [*itertools.chain(*before), *([head] if head else []), *itertools.chain(*behind)]

    return below(0)


def after_swaps(state: Slow, tree: tuple[int, ...]) -> Slow:
    """The state of arc-standard that counts for one with swaps still to come.

    Words of the stack that have to make way for a later word are in the buffer, and that is
    in the order of the tree. If the top has to, the next word takes its place.
    """
    order = in_order(tree)
    stack: list[int] = []
    behind = list(state.buffer)
    for word in reversed(state.stack[1:]):
        others = [*stack, *behind]
        if any(other > word and order.index(other) < order.index(word) for other in others):
            behind.append(word)
        else:
            stack.append(word)
    buffer = sorted(behind, key=order.index)
    if len(state.stack) > 1 and state.stack[-1] not in stack:
        stack.insert(0, buffer.pop(0))
    return SlowStandard(state.n, (0, *reversed(stack)), tuple(buffer), state.arcs)
