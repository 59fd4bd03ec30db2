"""Queries in FunQL (GeoQuery) as trees with labels of their productions, and back.

Each word of a question stands for a production, `city(<0>)` or `'virginia'`. The last word of a
production is its node and hangs on the node of the production around it; its label names the place
there and the production: `0:city(<0>)`. Productions without words go into the label of the first
word inside them, or of what is around: `0:stateid('*')`, where * are the words themselves. The
other words of a production hang on its node (=), and words of none say nothing (~).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from niwaki.data.tree import Tree
from niwaki.tasks.meaning.encode import with_silent
from niwaki.tasks.meaning.labels import SILENT

SAME = "="
WORDS = "'*'"

_LABEL = re.compile(r"(?:([0-9]):)?(.+)")
_TOKEN = re.compile(r"\s*('[^']*'|<[0-9]>|[^\s(),<>]+|[(),])")
_HOLE = re.compile(r"<([0-9])>")
_RIGHT_SIDE = re.compile(r"-> \(\{ (.*) \}\)\Z")
_NONTERMINAL = re.compile(r"\*n:\w+")
# A term that is deeper is none: who walks through terms calls himself.
_DEEPEST = 60


@dataclass(frozen=True)
class Term:
    """A query or a part of one: a name, or a constant in quotes, or a hole; and its arguments."""

    name: str
    arguments: tuple[Term, ...] = ()

    def __str__(self) -> str:
        if not self.arguments:
            return self.name
        return f"{self.name}({', '.join(map(str, self.arguments))})"

    def filled(self, parts: dict[str, Term]) -> Term:
        """The same with terms in the place of holes, or of whatever has such a name."""
        if self.name in parts:
            return parts[self.name]
        return Term(self.name, tuple(each.filled(parts) for each in self.arguments))


def facts_of_term(term: Term) -> Counter[tuple[str, int, str]]:
    """What stands where in what: (answer, 0, city), with how often it does."""
    found: Counter[tuple[str, int, str]] = Counter({("", 0, term.name): 1})
    todo = [term]
    while todo:
        each = todo.pop()
        found.update((each.name, place, part.name) for place, part in enumerate(each.arguments))
        todo += each.arguments
    return found


@lru_cache(maxsize=4096)
def read_term(text: str) -> Term | None:
    """A term from its text; None for what is none."""
    tokens = _TOKEN.findall(text)
    if "".join(tokens) != re.sub(r"\s+(?=(?:[^']*'[^']*')*[^']*$)", "", text):
        return None
    found, rest = _term(tokens, 0, 0)
    return found if rest == len(tokens) else None


def _term(tokens: Sequence[str], at: int, depth: int) -> tuple[Term | None, int]:
    if at >= len(tokens) or tokens[at] in "()," or depth > _DEEPEST:
        return None, -1
    name, at = tokens[at], at + 1
    if at >= len(tokens) or tokens[at] != "(":
        return Term(name), at
    arguments: list[Term] = []
    while tokens[at] in ("(", ","):
        found, at = _term(tokens, at + 1, depth + 1)
        if found is None or at >= len(tokens):
            return None, -1
        arguments.append(found)
    return (Term(name, tuple(arguments)), at + 1) if tokens[at] == ")" else (None, -1)


# -- from productions to trees -------------------------------------------------------------


class Node(NamedTuple):
    """A production of a query: its term with holes, the productions in them, and its words."""

    term: Term
    below: tuple[int, ...]
    words: tuple[int, ...]  # from 1


def nodes_of(productions: Sequence[str], linked: Sequence[int | None]) -> list[Node] | None:
    """Productions in preorder, with the words that stand for them; None if they are no query."""
    terms: list[Term] = []
    for text in productions:
        right = _RIGHT_SIDE.search(text)
        first, *parts = _NONTERMINAL.split(right[1] if right else "")
        body = first + "".join(f"<{place}>{part}" for place, part in enumerate(parts))
        term = read_term(re.sub(r"' (.*?) '", r"'\1'", body))
        if term is None:
            return None
        terms.append(term)
    below: list[tuple[int, ...]] = [()] * len(terms)
    # The last production of a query has all its parts behind it.
    free: list[int] = []
    for number in reversed(range(len(terms))):
        wanted = len(_HOLE.findall(str(terms[number])))
        if wanted > len(free):
            return None
        below[number] = tuple(free.pop() for _ in range(wanted))
        free.append(number)
    if len(free) != 1:
        return None
    words = [
        tuple(word for word, node in enumerate(linked, start=1) if node == number)
        for number in range(len(terms))
    ]
    return [Node(*each) for each in zip(terms, below, words, strict=True)]


def encode_query(nodes: Sequence[Node], forms: Sequence[str]) -> Tree | None:
    """The tree of a question; None if none of its words stands for anything."""
    heads, labels = [-1] * len(forms), [SILENT] * len(forms)
    said = _with_words(nodes)
    if not said[0]:
        return None
    todo: list[tuple[int, int, str]] = [(0, 0, "")]
    while todo:
        number, head, slot = todo.pop()
        carrier, term, below = _carried(nodes, said, number, forms)
        *rest, word = nodes[carrier].words
        heads[word - 1], labels[word - 1] = head, _label(slot, term)
        for other in rest:
            heads[other - 1], labels[other - 1] = word, SAME
        todo += [(each, word, f"{place}:") for place, each in enumerate(below)]
    return Tree(tuple(with_silent(heads)), tuple(labels))


def _with_words(nodes: Sequence[Node]) -> list[bool]:
    """Whether a production, or one inside of it, has words."""
    said = [bool(node.words) for node in nodes]
    for number in reversed(range(len(nodes))):
        said[number] |= any(said[below] for below in nodes[number].below)
    return said


def _carried(
    nodes: Sequence[Node], said: Sequence[bool], number: int, forms: Sequence[str]
) -> tuple[int, Term, list[int]]:
    """The production whose words carry this one, the term of both, and what is in its holes.

    A production without words is carried by the first one inside of it that has some, and one
    without any words inside stands in the term itself.
    """
    node = nodes[number]
    is_said = node.term.name == _said(node.words, forms)
    carrier, parts = (number, {}) if node.words else (-1, dict[str, Term]())
    below: list[int] = []
    for place, part in enumerate(node.below):
        if not said[part]:
            parts[f"<{place}>"] = _whole(nodes, part)
        elif carrier < 0:
            carrier, inner, below = _carried(nodes, said, part, forms)
            parts[f"<{place}>"] = inner
        else:
            parts[f"<{place}>"] = Term(f"<{len(below)}>")
            below.append(part)
    return carrier, Term(WORDS) if is_said else node.term.filled(parts), below


def _whole(nodes: Sequence[Node], number: int) -> Term:
    node = nodes[number]
    parts = {f"<{place}>": _whole(nodes, part) for place, part in enumerate(node.below)}
    return node.term.filled(parts)


def _label(slot: str, term: Term) -> str:
    """Labels have no spaces."""
    return f"{slot}{term}".replace(", ", ",").replace(" ", "_")


def _said(words: Sequence[int], forms: Sequence[str]) -> str:
    """Words as a constant."""
    return "'" + " ".join(forms[word - 1].lower() for word in sorted(words)) + "'"


# -- from trees to queries -----------------------------------------------------------------


class Query(NamedTuple):
    """A query, with holes where nothing was said, and how often the tree contradicts itself."""

    term: Term | None
    conflicts: int


def decode_query(tree: Tree, forms: Sequence[str]) -> Query:
    """The query of a whole tree."""
    made: dict[int, Term] = {}
    conflicts = 0
    order, todo = [], [(word, 0) for word in tree.children(0)]
    while todo:
        word, depth = todo.pop()
        order.append(word)
        conflicts += depth == _DEEPEST
        if depth < _DEEPEST:
            todo += [(child, depth + 1) for child in tree.children(word)]
    for word in reversed(order):
        label = tree.deprels[word - 1]
        below = tree.children(word)
        if label in (SAME, SILENT):
            conflicts += sum(child in made for child in below)
            continue
        same = [child for child in below if tree.deprels[child - 1] == SAME]
        found, clashes = _filled(label, _said([*same, word], forms), _slots(tree, below, made))
        conflicts += clashes
        if found is not None:
            made[word] = found
    tops = [made[word] for word in tree.children(0) if word in made]
    for word in tree.children(0):
        conflicts += ":" in tree.deprels[word - 1]
    return Query(tops[0] if tops else None, conflicts + abs(len(tops) - 1))


def _slots(
    tree: Tree, below: Sequence[int], made: dict[int, Term]
) -> list[tuple[str | None, Term]]:
    found = []
    for child in below:
        if child in made:
            label = _LABEL.fullmatch(tree.deprels[child - 1])
            found.append((label[1] if label else None, made[child]))
    return found


def _filled(
    label: str, said: str, slots: Sequence[tuple[str | None, Term]]
) -> tuple[Term | None, int]:
    """A production with what hangs on it in its holes; a hole takes the first that comes."""
    named = _LABEL.fullmatch(label)
    term = read_term(named[2]) if named else None
    if term is None:
        return None, 1
    holes = _HOLE.findall(str(term))
    parts: dict[str, Term] = {WORDS: Term(said)}
    conflicts = 0
    for slot, part in slots:
        if slot in holes and f"<{slot}>" not in parts:
            parts[f"<{slot}>"] = part
        else:
            conflicts += 1
    conflicts += sum(f"<{hole}>" not in parts for hole in holes)
    return _spaced(term).filled(parts), conflicts


def _spaced(term: Term) -> Term:
    """The term of a label with spaces in constants of several words."""
    name = term.name.replace("_", " ") if term.name.startswith("'") else term.name
    return Term(name, tuple(map(_spaced, term.arguments)))
