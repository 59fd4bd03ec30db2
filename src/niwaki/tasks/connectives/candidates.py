"""Which words may head an argument of a connective, and the ways to them through trees.

A way goes along arcs, and from sentence to sentence over their roots; candidates are within ten
steps. The second argument stands in the connective's sentence, the first one there or before.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from niwaki.data.connectives import Connective, Document, Place
from niwaki.tasks.trees import TreeView, down, path_between, up

MOST_STEPS = 10
# In Universal Dependencies any word can be a predicate; others than these only where clauses go.
_PREDICATES = frozenset(("VERB", "NOUN", "ADJ"))
_CLAUSES = frozenset("root conj ccomp xcomp csubj advcl acl parataxis".split())
_NEVER = frozenset(("PUNCT", "SYM"))
_BOUNDARY = "SENT"


class DocumentView:
    """The trees of a document, each looked at when it is first needed."""

    def __init__(self, document: Document, trees: Mapping[int, TreeView] | None = None) -> None:
        """`trees` are looked at instead of those that sentences have."""
        self.document = document
        self._trees = dict(trees or {})
        self._possible: dict[int, list[int]] = {}

    def __getitem__(self, sentence: int) -> TreeView:
        if sentence not in self._trees:
            self._trees[sentence] = TreeView(self.document.sentences[sentence])
        return self._trees[sentence]

    def possible(self, sentence: int) -> list[int]:
        """Words of a sentence that may head an argument."""
        if sentence not in self._possible:
            tree = self[sentence]
            rows = enumerate(zip(tree.upos, tree.relations, strict=True), start=1)
            self._possible[sentence] = [
                word
                for word, (tag, relation) in rows
                if tag in _PREDICATES or (relation in _CLAUSES and tag not in _NEVER)
            ]
        return self._possible[sentence]


@dataclass(frozen=True)
class Candidate:
    """A word that may head an argument, and the way to it: arcs up, sentences, arcs down."""

    place: Place
    path: tuple[str, ...]


def anchor(view: DocumentView, connective: Connective) -> int:
    """The word of a connective from which ways go: the first that hangs outside of it."""
    heads = view[connective.sentence].heads
    outside = (word for word in connective.words if heads[word - 1] not in connective.words)
    return next(outside, connective.words[0])


def candidates(view: DocumentView, connective: Connective, argument: int) -> list[Candidate]:
    """What may head the first (0) or the second (1) argument, nearest sentence first.

    Where there is nothing, as after a lone "However", it is the connective itself.
    """
    home, start = connective.sentence, anchor(view, connective)
    found = []
    for word in view.possible(home):
        path = path_between(view[home], start, word)
        if word not in connective.words and len(path) <= MOST_STEPS:
            found.append(Candidate(Place(home, word), path))
    if argument == 0:
        found += _before(view, home, start)
    return found or [Candidate(Place(home, start), ())]


def _before(view: DocumentView, home: int, start: int) -> Iterator[Candidate]:
    """Candidates in sentences before, by way of the roots."""
    rising = up(view[home], view[home].chains[start - 1][:-2])
    for back in range(1, min(home, MOST_STEPS - len(rising)) + 1):
        before = view[home - back]
        least = len(rising) + back
        for word in view.possible(home - back):
            chain = before.chains[word - 1]
            if least + len(chain) - 2 <= MOST_STEPS:
                path = (*rising, *(_BOUNDARY,) * back, *down(before, chain[:-2]))
                yield Candidate(Place(home - back, word), path)
