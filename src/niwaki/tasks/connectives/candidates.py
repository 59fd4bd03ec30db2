"""Which words may head an argument of a connective, and the ways to them through trees.

A way goes along arcs, and from sentence to sentence over their roots; candidates are within ten
steps. The second argument stands in the connective's sentence, the first one there or before.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from niwaki.data.connectives import Connective, Document, Place
from niwaki.data.sentence import Sentence
from niwaki.data.tree import Tree
from niwaki.errors import CorpusError

MOST_STEPS = 10
# In Universal Dependencies any word can be a predicate; others than these only where clauses go.
_PREDICATES = frozenset(("VERB", "NOUN", "ADJ"))
_CLAUSES = frozenset("root conj ccomp xcomp csubj advcl acl parataxis".split())
_NEVER = frozenset(("PUNCT", "SYM"))
_BOUNDARY = "SENT"


class TreeView:
    """The words of a sentence in its tree, and the ways from each up to the root."""

    def __init__(self, sentence: Sentence, tree: Tree | None = None) -> None:
        """`tree` is another one than that of the sentence."""
        self.forms, self.upos = sentence.forms, sentence.upos
        self.heads, self.deprels = (
            (sentence.heads, sentence.deprels) if tree is None else (tree.heads, tree.deprels)
        )
        self.lemmas = tuple(
            (form if lemma == "_" else lemma).lower()
            for form, lemma in zip(sentence.forms, sentence.lemmas, strict=True)
        )
        self.relations = tuple(label.partition(":")[0] for label in self.deprels)
        self._name = sentence.file, sentence.line
        # A word, its head, and so on to the root's place, which is 0.
        self.chains = [self._chain(word) for word in range(1, len(self.heads) + 1)]

    def _chain(self, word: int) -> tuple[int, ...]:
        chain = [word]
        while chain[-1] > 0 and len(chain) <= len(self.heads):
            chain.append(self.heads[chain[-1] - 1])
        if chain[-1] != 0:
            raise CorpusError(
                *self._name, "HEAD", f"no tree above word {word}", "give whole trees, or parse them"
            )
        return tuple(chain)

    @cached_property
    def children(self) -> list[list[int]]:
        """The words below each word, itself counted from 1; 0 is the root's place."""
        below: list[list[int]] = [[] for _ in range(len(self.heads) + 1)]
        for word, head in enumerate(self.heads, start=1):
            below[head].append(word)
        return below

    @cached_property
    def possible(self) -> list[int]:
        """Words that may head an argument."""
        rows = enumerate(zip(self.upos, self.relations, strict=True), start=1)
        return [
            word
            for word, (tag, relation) in rows
            if tag in _PREDICATES or (relation in _CLAUSES and tag not in _NEVER)
        ]


class DocumentView:
    """The trees of a document, each looked at when it is first needed."""

    def __init__(self, document: Document, trees: Mapping[int, TreeView] | None = None) -> None:
        """`trees` are looked at instead of those that sentences have."""
        self.document = document
        self._trees = dict(trees or {})

    def __getitem__(self, sentence: int) -> TreeView:
        if sentence not in self._trees:
            self._trees[sentence] = TreeView(self.document.sentences[sentence])
        return self._trees[sentence]


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
    for word in view[home].possible:
        path = path_between(view[home], start, word)
        if word not in connective.words and len(path) <= MOST_STEPS:
            found.append(Candidate(Place(home, word), path))
    if argument == 0:
        found += _before(view, home, start)
    return found or [Candidate(Place(home, start), ())]


def _before(view: DocumentView, home: int, start: int) -> Iterator[Candidate]:
    """Candidates in sentences before, by way of the roots."""
    up = _up(view[home], view[home].chains[start - 1][:-2])
    for back in range(1, min(home, MOST_STEPS - len(up)) + 1):
        before = view[home - back]
        least = len(up) + back
        for word in before.possible:
            chain = before.chains[word - 1]
            if least + len(chain) - 2 <= MOST_STEPS:
                path = (*up, *(_BOUNDARY,) * back, *_down(before, chain[:-2]))
                yield Candidate(Place(home - back, word), path)


def path_between(tree: TreeView, start: int, end: int) -> tuple[str, ...]:
    """Labels of the arcs from one word to another, with the direction of each."""
    ups, downs = tree.chains[start - 1], tree.chains[end - 1]
    above = set(downs)
    meeting = next(number for number, word in enumerate(ups) if word in above)
    return (
        *_up(tree, ups[:meeting]),
        *_down(tree, downs[: downs.index(ups[meeting])]),
    )


def _up(tree: TreeView, words: Sequence[int]) -> tuple[str, ...]:
    return tuple(f"{tree.deprels[word - 1]}^" for word in words)


def _down(tree: TreeView, words: Sequence[int]) -> tuple[str, ...]:
    return tuple(f"{tree.deprels[word - 1]}v" for word in reversed(words))
