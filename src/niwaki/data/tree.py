"""A dependency tree, whole or partly known: heads and labels of the words of one sentence."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from niwaki.data.faults import find_cycles

ROOT = 0
UNKNOWN = -1


@dataclass(frozen=True)
class Tree:
    """`heads[i]` is the head of word i+1: a word's number, 0 for the root, -1 if unknown.

    >>> tree = Tree((2, 0, 2), ("det", "root", "punct"))
    >>> tree.root, tree.children(2)
    (2, (1, 3))
    """

    heads: tuple[int, ...]
    deprels: tuple[str, ...]

    def __post_init__(self) -> None:
        if len(self.heads) != len(self.deprels):
            raise ValueError(f"{len(self.heads)} heads but {len(self.deprels)} labels")
        for word, head in enumerate(self.heads, start=1):
            if not UNKNOWN <= head <= len(self.heads) or head == word:
                raise ValueError(f"word {word} cannot have the head {head}")

    def __len__(self) -> int:
        return len(self.heads)

    @property
    def root(self) -> int | None:
        """The first word whose head is 0."""
        return self.heads.index(ROOT) + 1 if ROOT in self.heads else None

    @property
    def is_complete(self) -> bool:
        """One root, every head known, no cycle."""
        return (
            UNKNOWN not in self.heads
            and self.heads.count(ROOT) == 1
            and not find_cycles(list(self.heads))
        )

    def children(self, word: int) -> tuple[int, ...]:
        """The dependents of a word (of the whole for 0), from left to right."""
        return self._children[word]

    @cached_property
    def _children(self) -> tuple[tuple[int, ...], ...]:
        children: list[list[int]] = [[] for _ in range(len(self.heads) + 1)]
        for word, head in enumerate(self.heads, start=1):
            if head != UNKNOWN:
                children[head].append(word)
        return tuple(map(tuple, children))

    def subtree(self, word: int) -> tuple[int, ...]:
        """A word and all that hangs below it, in order of position."""
        found, todo = {word}, [word]
        while todo:
            below = [child for child in self.children(todo.pop()) if child not in found]
            found.update(below)
            todo.extend(below)
        return tuple(sorted(found - {ROOT}))

    def postorder(self) -> tuple[list[int], list[int]]:
        """Words (0 is above all of them) behind what hangs below them, from left to right; and
        where in that order the first of what hangs below each stands.
        """
        order, todo = [], [ROOT]
        while todo:
            word = todo.pop()
            order.append(word)
            todo += self.children(word)
        order.reverse()
        place = {word: at for at, word in enumerate(order)}
        first: list[int] = []
        for at, word in enumerate(order):
            below = self.children(word)
            first.append(first[place[below[0]]] if below else at)
        return order, first

    def crossing_arcs(self) -> Iterator[int]:
        """Words whose arc spans a word that does not descend from the arc's head.

        Such arcs are called non-projective. The root arc counts from position 0,
        so it never spans anything foreign: everything descends from 0.
        """
        for word, head in enumerate(self.heads, start=1):
            if head > 0:
                below = set(self.subtree(head))
                between = range(min(word, head) + 1, max(word, head))
                if any(other not in below for other in between):
                    yield word

    @property
    def is_projective(self) -> bool:
        """Whether the words below each word, itself included, stand together."""
        if UNKNOWN in self.heads or find_cycles(list(self.heads)):
            return next(self.crossing_arcs(), None) is None
        size = [1] * (len(self.heads) + 1)
        left = list(range(len(self.heads) + 1))
        right = list(left)
        for word in self._bottom_up():
            head = self.heads[word - 1]
            if right[word] - left[word] + 1 != size[word]:
                return False
            if head != ROOT:
                size[head] += size[word]
                left[head] = min(left[head], left[word])
                right[head] = max(right[head], right[word])
        return True

    def _bottom_up(self) -> list[int]:
        """The words of a complete tree, each after all that hang below it."""
        order, todo = [], list(self.children(ROOT))
        while todo:
            word = todo.pop()
            order.append(word)
            todo.extend(self.children(word))
        return order[::-1]

    def lifted(self) -> Tree:
        """The nearest projective tree: crossing arcs are moved up, the shortest first.

        Each arc from h to d that crosses others is replaced by one from the head of h.
        """
        tree = self
        while True:
            crossing = min(
                tree.crossing_arcs(), key=lambda word: abs(word - tree.heads[word - 1]), default=0
            )
            if not crossing:
                return tree
            heads = list(tree.heads)
            heads[crossing - 1] = heads[heads[crossing - 1] - 1]
            tree = Tree(tuple(heads), self.deprels)
