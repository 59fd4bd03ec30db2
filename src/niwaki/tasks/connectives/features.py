"""What a ranker looks at: features A to Y of Wellner and Pustejovsky (2007), and those of pairs.

Letters are the paper's. H to L are about constituents and have no counterpart. What all
candidates of a connective share says nothing in a ranker, so A, C, D, R and S go with the side.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from niwaki.data.connectives import Connective, Place
from niwaki.learning.candidates import feature_key
from niwaki.tasks.connectives.candidates import Candidate, DocumentView, anchor
from niwaki.tasks.connectives.lexicon import reports, type_of
from niwaki.tasks.trees import TreeView, path_between

# How many of the features a set has: A-G; A-G and M-Q; all.
FEATURE_SETS = {"places": 7, "paths": 12, "all": 20}
_COMPLEMENTS = frozenset(("ccomp", "xcomp", "csubj"))
_SUBJECTS, _OBJECTS = frozenset(("nsubj", "csubj")), frozenset(("obj", "iobj"))


class ConnectiveView:
    """A connective, with what its features need over and over."""

    def __init__(self, view: DocumentView, connective: Connective) -> None:
        self.view, self.connective = view, connective
        self.tree = view[connective.sentence]
        self.anchor = anchor(view, connective)
        self.phrase = view.document.phrase(connective)
        self.lower = self.phrase.lower()
        self.type = type_of(self.lower)
        self.at = self._place()
        head = self.tree.heads[self.anchor - 1]
        self.first_head = self.tree.lemmas[head - 1] if head else "root"

    def _place(self) -> str:
        """Whether it begins or ends its sentence, punctuation aside."""
        spoken = [w for w, tag in enumerate(self.tree.upos, start=1) if tag != "PUNCT"]
        words = self.connective.words
        if not spoken or words[0] <= spoken[0]:
            return "beginning"
        return "end" if words[-1] >= spoken[-1] else "middle"


def argument_features(about: ConnectiveView, candidate: Candidate, size: int) -> list[int]:
    """The keys of a candidate's features, the first `size` of them."""
    place, path = candidate.place, candidate.path
    tree, home = about.view[place.sentence], about.connective.sentence
    same = place.sentence == home
    side = "after" if same and place.word > about.connective.words[0] else "before"
    way = " ".join(path)
    names = [
        f"A {about.at} {side}",
        f"B {same}",
        f"C {about.phrase} {side}",
        f"D {about.lower} {side}",
        f"E {tree.lemmas[place.word - 1]}",
        f"F {side}",
        f"G {about.at} {same}",
    ]
    if size > len(names):
        names += [
            f"M {way}",
            f"N {way} {about.first_head}",
            f"O {' '.join(step for step in path if not step.startswith('conj'))}",
            f"P {' '.join(step for step, _ in itertools.groupby(path))}",
            f"Q {about.lower} {way}",
        ]
    if size > len(names):
        names += _more_features(about, tree, place.word, side, way)
    return [feature_key(name) for name in names]


def _more_features(
    about: ConnectiveView, tree: TreeView, word: int, side: str, way: str
) -> list[str]:
    """R to Y: types of connectives, and attribution."""
    attributes = reports(tree.lemmas[word - 1])
    governs = any(tree.relations[child - 1] in _COMPLEMENTS for child in tree.children[word])
    head = tree.heads[word - 1]
    governed = bool(head) and tree.relations[word - 1] in _COMPLEMENTS
    return [
        f"R {about.type} {side}",
        f"S {about.at} {about.type} {side}",
        f"T {about.type} {way}",
        f"U {attributes}",
        f"V {governs}",
        f"W {attributes} {governs}",
        f"X {governed}",
        f"Y {governed} {governed and reports(tree.lemmas[head - 1])}",
    ]


def pair_features(about: ConnectiveView, first: Place, second: Place) -> list[int]:
    """What two arguments are to each other."""
    one, other = about.view[first.sentence], about.view[second.sentence]
    a, b = one.lemmas[first.word - 1], other.lemmas[second.word - 1]
    order = _order(about.connective, first, second)
    names = [
        f"predicate {a == b}",
        f"report {reports(a)} {reports(b)}",
        f"subject {_same(one, first.word, other, second.word, _SUBJECTS)}",
        f"object {_same(one, first.word, other, second.word, _OBJECTS)}",
        f"relations {one.relations[first.word - 1]} {other.relations[second.word - 1]}",
        f"tags {one.upos[first.word - 1]} {other.upos[second.word - 1]}",
        f"order {order}",
        f"way {_way(about, first, second)}",
    ]
    names += [f"{name} {about.lower}" for name in names] + [f"{n} {about.type}" for n in names]
    return [feature_key(name) for name in names]


def _order(connective: Connective, first: Place, second: Place) -> str:
    """In which order connective and arguments stand, with the sentence of the first."""
    places = {
        "CONN": Place(connective.sentence, connective.words[0]),
        "ARG1": first,
        "ARG2": second,
    }
    order = "_".join(sorted(places, key=places.__getitem__))
    away = connective.sentence - first.sentence
    return order if not away else f"{'PREV' if away == 1 else 'FAR'}-{order}"


def _way(about: ConnectiveView, first: Place, second: Place) -> str:
    if first.sentence != second.sentence:
        return "apart"
    return " ".join(path_between(about.view[first.sentence], second.word, first.word))


def _same(one: TreeView, word: int, other: TreeView, another: int, kind: frozenset[str]) -> str:
    """Whether two words have the same subject or object, or who lacks one."""
    found = [
        next((tree.lemmas[c - 1] for c in tree.children[w] if tree.relations[c - 1] in kind), "")
        for tree, w in ((one, word), (other, another))
    ]
    return str(found[0] == found[1]) if all(found) else f"{bool(found[0])}{bool(found[1])}"


def right_candidate(found: Sequence[Candidate], wanted: Place | None) -> int | None:
    """The number of the candidate at a place, if it is one of them."""
    return next((n for n, each in enumerate(found) if each.place == wanted), None)
