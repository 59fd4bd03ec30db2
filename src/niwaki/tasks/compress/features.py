"""What is looked at when a word may be dropped: the word, its place, its subtree and its head."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from niwaki.learning.candidates import feature_key
from niwaki.tasks.trees import TreeView

# Children that say what kind of phrase a word heads.
_MARKERS = ("case", "mark", "cc", "cop", "aux", "det")
_OUTSIDE = "-"
EACH_WORD = "1"


def word_features(tree: TreeView) -> list[NDArray[np.uint32]]:
    """The keys of the features of each word."""
    look = _Look(tree)
    return [
        np.array([feature_key(name) for name in look.of(word)], dtype=np.uint32)
        for word in range(1, len(tree.heads) + 1)
    ]


class _Look:
    """What the features of all words of a tree share."""

    def __init__(self, tree: TreeView) -> None:
        self._tree, n = tree, len(tree.heads)
        self._forms = [_OUTSIDE, _OUTSIDE, *(form.lower() for form in tree.forms)]
        self._forms += [_OUTSIDE, _OUTSIDE]
        self._tags = [_OUTSIDE, _OUTSIDE, *tree.upos, _OUTSIDE, _OUTSIDE]
        self._sizes, self._first, self._last = [1] * (n + 1), [*range(n + 1)], [*range(n + 1)]
        for word in range(1, n + 1):
            for above in tree.chains[word - 1][1:-1]:
                self._sizes[above] += 1
                self._first[above] = min(self._first[above], word)
                self._last[above] = max(self._last[above], word)
        self._inside = _inside_brackets(tree)

    def of(self, word: int) -> Iterator[str]:
        yield EACH_WORD
        yield from self._words(word)
        yield from self._arcs(word)
        yield from self._places(word)
        yield from self._phrase(word)

    def _words(self, word: int) -> Iterator[str]:
        tree, at = self._tree, word + 1
        forms, tags = self._forms, self._tags
        lemma, tag, label = tree.lemmas[word - 1], tree.upos[word - 1], tree.deprels[word - 1]
        yield f"w {forms[at]}"
        yield f"l {lemma} {label}"
        yield f"t {tag} {tags[at - 1]}"
        yield f"t+ {tag} {tags[at + 1]}"
        yield f"t3 {tags[at - 1]} {tag} {tags[at + 1]}"
        yield f"t-2 {tags[at - 2]} {tags[at - 1]} {tag}"
        yield f"t+2 {tag} {tags[at + 1]} {tags[at + 2]}"
        yield f"w- {forms[at - 1]}"
        yield f"w+ {forms[at + 1]}"
        yield f"w-t {forms[at - 1]} {tag}"
        yield f"w+t {forms[at + 1]} {tag}"
        form = tree.forms[word - 1]
        shape = "d" if any(c.isdigit() for c in form) else "A" if form[:1].isupper() else "a"
        yield f"s {shape} {tag} {label}"
        yield f"end {form[-3:].lower()} {tag}"

    def _arcs(self, word: int) -> Iterator[str]:
        tree, head = self._tree, self._tree.heads[word - 1]
        tag, label = tree.upos[word - 1], tree.deprels[word - 1]
        above, over, lemma = (
            (tree.upos[head - 1], tree.deprels[head - 1], tree.lemmas[head - 1])
            if head
            else (_OUTSIDE, _OUTSIDE, _OUTSIDE)
        )
        side = "<" if word < head else ">"
        yield f"r {label}"
        yield f"rt {label} {tag}"
        yield f"rh {label} {above} {side}"
        yield f"rth {label} {tag} {above}"
        yield f"rr {label} {over}"
        yield f"rrt {label} {over} {tag}"
        yield f"hl {lemma} {label}"
        yield f"hs {label} {side} {_bin(abs(word - head))}"
        chain = tree.chains[word - 1]
        path = [tree.relations[each - 1] for each in chain[:-1]]
        yield f"p {' '.join(path[:3])}"
        yield f"d {min(len(chain), 9)} {label}"
        # Whether a clause that may be dropped stands above.
        loose = [each for each in path[1:] if each in _LOOSE]
        yield f"in {' '.join(loose[:2])} {tag}"

    def _places(self, word: int) -> Iterator[str]:
        n, label = len(self._tree.heads), self._tree.deprels[word - 1]
        yield f"at {min(word, 4)} {label}"
        yield f"to {min(n - word, 3)} {self._forms[word + 1]}"
        yield f"part {10 * (word - 1) // n}"
        yield f"part {3 * (word - 1) // n} {label}"
        yield f"long {_bin(n)}"
        yield f"br {self._inside[word - 1]} {label}"

    def _phrase(self, word: int) -> Iterator[str]:
        tree = self._tree
        label, size = tree.deprels[word - 1], self._sizes[word]
        children = tree.children[word]
        yield f"size {_bin(size)} {label}"
        yield f"share {10 * size // len(tree.heads)} {tree.relations[word - 1]}"
        yield f"kids {min(len(children), 5)} {label}"
        for child in children:
            relation = tree.relations[child - 1]
            if relation in _MARKERS:
                yield f"m {relation} {tree.lemmas[child - 1]} {label}"
            yield f"k {relation} {label}"
        first, last = self._first[word], self._last[word]
        # Commas around or at the ends of a phrase.
        edges = self._forms[first], self._forms[first + 1], self._forms[last + 1]
        yield f"e {' '.join(_mark(each) for each in (*edges, self._forms[last + 2]))} {label}"
        head = tree.heads[word - 1]
        beside = [tree.relations[each - 1] for each in tree.children[head] if each != word]
        for relation in {each for each in beside if each != "punct"}:
            yield f"sib {relation} {label}"


_LOOSE = frozenset("acl advcl appos parataxis conj nmod obl ccomp xcomp".split())


def _mark(form: str) -> str:
    return form if not form.isalnum() and len(form) < 4 else "w"


def _bin(number: int) -> int:
    """1, 2, 3, 4, then ever wider."""
    return number if number <= 4 else 3 + int(np.log2(number) * 1.0)


def _inside_brackets(tree: TreeView) -> list[str]:
    """Whether words stand in brackets, between dashes or in quotation marks."""
    opened, found = "", []
    for form in tree.forms:
        if form in _CLOSING.get(opened, ()):
            found.append(opened)
            opened = ""
            continue
        if not opened and form in _CLOSING:
            opened = form
        found.append(opened)
    return found


_CLOSING = {
    "(": (")",),
    "-LRB-": ("-RRB-",),
    "[": ("]",),
    "--": ("--",),
    "---": ("---",),
    "``": ("''",),
    '"': ('"',),
}
