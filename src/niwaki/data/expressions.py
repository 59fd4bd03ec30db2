"""Expressions of Natural Logical Form (Alshawi et al. 2011): what they are, and the facts in them.

An expression is made of the words of a sentence, each of them once, and of a few operators; there
are no variables. `[acquired/stealthily, Chirpy+Systems, companies.two:profitable]` is a tuple whose
predicate stands first. What connectives join to a word or a bracket has no order.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import NamedTuple

# Brackets by how they open: a predication tuple, a collection (`and{A, B}`), a sequence.
TUPLE, COLLECTION, SEQUENCE = "[", "{", "|"
BRACKETS = {TUPLE: "]", COLLECTION: "}", SEQUENCE: "|"}
# Connectives in the order in which they are written: quantification, type-preserving operator,
# intersection, temporal restriction, what is not covered, conjunction. The implicit relation
# stands in front, because the last part of a compound is its head.
IMPLICIT = "+"
UNCOVERED = "%"
CONNECTIVES = (IMPLICIT, ".", "/", ":", "@", UNCOVERED, "&")
# Arguments without a word: abstracted ([p, ^, a] is \x.p(x, a)) and unspecified.
ABSTRACTED, UNSPECIFIED = "^", "_"
BLANKS = (ABSTRACTED, UNSPECIFIED)
# Expressions are nested so deep at most: who walks through them calls himself.
DEEPEST = 150

_RANKS = {name: rank for rank, name in enumerate(CONNECTIVES)}


class Joined(NamedTuple):
    """What hangs on an expression by a connective."""

    connective: str
    expression: Expression


@dataclass(frozen=True)
class Expression:
    """A word, or a bracket of items, the first of which has the head; and what is joined to it.

    >>> chirpy = Expression(2).joining("+", Expression(1))
    >>> chirpy.head, [each.connective for each in chirpy.joined]
    (2, ['+'])
    """

    word: int = 0  # from 1; 0 for a bracket
    bracket: str = ""
    items: tuple[Expression | str, ...] = ()
    joined: tuple[Joined, ...] = ()
    head: int = field(init=False, repr=False, compare=False)  # the word g(e) that stands for it

    def __init__(
        self,
        word: int = 0,
        bracket: str = "",
        items: tuple[Expression | str, ...] = (),
        joined: tuple[Joined, ...] = (),
    ) -> None:
        if not (word > 0) ^ (bracket in BRACKETS):
            raise ValueError("an expression is a word or a bracket")
        head = word
        if bracket:
            if not (items and isinstance(items[0], Expression)):
                raise ValueError("the first item of a bracket is an expression")
            head = items[0].head
        for item in items:
            if not isinstance(item, Expression) and item not in BLANKS:
                raise ValueError("an item is an expression, ^ or _")
        if len(joined) > 1:
            joined = tuple(sorted(joined, key=_rank_and_head))
        # Written out because the __init__ of a frozen dataclass takes three times as long.
        attributes = self.__dict__
        attributes["word"] = word
        attributes["bracket"] = bracket
        attributes["items"] = items
        attributes["joined"] = joined
        attributes["head"] = head

    @property
    def is_symbol(self) -> bool:
        """Whether it is a word to which nothing is joined, as most are."""
        return self.word > 0 and not self.joined

    @property
    def spine(self) -> list[Expression]:
        """All that has the same head, from this expression down to the head word."""
        found = [self]
        while found[-1].bracket:
            inner = found[-1].items[0]
            assert isinstance(inner, Expression)
            found.append(inner)
        return found

    def joining(self, connective: str, other: Expression) -> Expression:
        return Expression(
            self.word, self.bracket, self.items, (*self.joined, Joined(connective, other))
        )

    def parts(self) -> Iterator[tuple[str, Expression]]:
        """What it is made of one level below, with how: a connective, or bracket and position."""
        for place, item in enumerate(self.items):
            if isinstance(item, Expression):
                yield f"{self.bracket}{place}", item
        yield from self.joined

    def nodes(self) -> Iterator[Expression]:
        """It and all that it is made of."""
        todo = [self]
        while todo:
            node = todo.pop()
            yield node
            todo += [part for _, part in node.parts()]

    @property
    def depth(self) -> int:
        """How many expressions are inside of each other, at most."""
        depth, level = 0, [self]
        while level:
            depth += 1
            level = [part for node in level if not node.is_symbol for _, part in node.parts()]
        return depth

    @property
    def words(self) -> tuple[int, ...]:
        """The words in it, in order of position."""
        return tuple(sorted(node.word for node in self.nodes() if node.word))

    @property
    def is_covered(self) -> bool:
        """Whether nothing in it is joined by %."""
        return all(each[0] != UNCOVERED for node in self.nodes() for each in node.joined)

    def renumbered(self, words: Mapping[int, int]) -> Expression:
        """The same of other words."""
        return Expression(
            words[self.word] if self.word else 0,
            self.bracket,
            tuple(x if isinstance(x, str) else x.renumbered(words) for x in self.items),
            tuple(Joined(name, each.renumbered(words)) for name, each in self.joined),
        )


def _rank_and_head(joined: Joined) -> tuple[int, int]:
    connective, expression = joined
    return _RANKS[connective], expression.head


@lru_cache(maxsize=1024)
def symbol(word: int) -> Expression:
    """A word to which nothing is joined, as most are."""
    return Expression(word)


class Fact(NamedTuple):
    """What an expression says of a word: `[2` has the item at place 2 of its tuple, `:` the word
    that intersects it. The item is the head of an expression, or ^ or _.
    """

    word: int
    relation: str
    item: int | str


def facts_of(expression: Expression) -> frozenset[Fact]:
    """All that an expression says; equal ones say the same."""
    return frozenset(
        Fact(node.head, relation, item)
        for node in expression.nodes()
        for relation, item in _relations(node)
    )


def _relations(node: Expression) -> Iterator[tuple[str, int | str]]:
    for place, item in enumerate(node.items):
        yield f"{node.bracket}{place}", item if isinstance(item, str) else item.head
    for connective, other in node.joined:
        yield connective, other.head
