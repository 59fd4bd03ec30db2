"""Marks connectives: a classifier of the places where a phrase that can be one stands."""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from niwaki.data.connectives import Connective, Document
from niwaki.errors import NiwakiError
from niwaki.learning.candidates import CandidateSets, Right, Rows, feature_key
from niwaki.learning.ranker import Ranker, RankerSettings, learn_ranker
from niwaki.tasks.connectives.candidates import DocumentView
from niwaki.tasks.trees import TreeView

_SUBJECTS = frozenset(("nsubj", "csubj"))
# A sentence, and words of it that stand side by side.
Span = tuple[int, tuple[int, ...]]


@dataclass(frozen=True)
class Finder:
    """Phrases that were seen as connectives, and a ranker of "it is one" over "it is none"."""

    phrases: frozenset[str]
    ranker: Ranker

    def mark(self, document: Document) -> Document:
        """The document with the connectives that are found in it, and no others.

        Of places that overlap, the surest is taken.
        """
        spans, view = list(_spans(document, self.phrases)), DocumentView(document)
        for number in range(len(document.sentences)):
            _ = view[number]  # a text without trees is told of, whatever its words
        data = CandidateSets.of(_choice(view[s], words, None) for s, words in spans)
        scores = self.ranker.scores(data)[::2].tolist()
        taken: dict[tuple[int, int], Connective] = {}
        for score, (s, words) in sorted(zip(scores, spans, strict=True), key=lambda x: -x[0]):
            if score > 0 and not any((s, word) in taken for word in words):
                taken |= dict.fromkeys([(s, word) for word in words], Connective(s, words))
        found = dict.fromkeys(taken[place] for place in sorted(taken))
        return Document(document.sentences, tuple(found))


def learn_finder(documents: Sequence[Document], settings: RankerSettings) -> Finder:
    """Learn from all places of phrases that are a connective somewhere in these documents."""
    marked = [{(c.sentence, _run(c.words)) for c in each.connectives} for each in documents]
    phrases = frozenset(
        _phrase(document, span)
        for document, found in zip(documents, marked, strict=True)
        for span in found
    )
    if not phrases:
        raise NiwakiError("no connectives are marked; give documents with Connective= in MISC")
    choices = (
        _choice(view[span[0]], span[1], int(span not in found))
        for document, found in zip(documents, marked, strict=True)
        for view in [DocumentView(document)]
        for span in _spans(document, phrases)
    )
    return Finder(phrases, learn_ranker(CandidateSets.of(choices), settings))


def _run(words: Sequence[int]) -> tuple[int, ...]:
    """The first words that stand side by side: of "if ... then", the "if"."""
    return tuple(word for number, word in enumerate(words) if word == words[0] + number)


def _phrase(document: Document, span: Span) -> str:
    forms = document.sentences[span[0]].forms
    return " ".join(forms[word - 1] for word in span[1]).lower()


def _spans(document: Document, phrases: Collection[str]) -> Iterator[Span]:
    longest = max((phrase.count(" ") + 1 for phrase in phrases), default=0)
    for number, sentence in enumerate(document.sentences):
        forms = [form.lower() for form in sentence.forms]
        for start, size in itertools.product(range(len(forms)), range(1, longest + 1)):
            if start + size <= len(forms) and " ".join(forms[start : start + size]) in phrases:
                yield number, tuple(range(start + 1, start + size + 1))


def _choice(tree: TreeView, words: Sequence[int], right: Right) -> tuple[Rows, Right]:
    """Two candidates: it is one, with all features, or it is none, with nothing."""
    return [_features(tree, words), []], right


def _features(tree: TreeView, words: Sequence[int]) -> list[int]:
    first, last = words[0], words[-1]
    head = next((w for w in words if tree.heads[w - 1] not in words), first)
    above = tree.heads[head - 1]
    phrase = " ".join(tree.forms[word - 1] for word in words).lower()
    parent = f"{tree.upos[above - 1]} {tree.relations[above - 1]}" if above else "root"
    over = tree.heads[above - 1] if above else 0
    names = [
        "bias",
        f"label {tree.deprels[head - 1]}",
        f"tag {tree.upos[head - 1]}",
        f"parent {parent}",
        f"both {tree.deprels[head - 1]} {parent}",
        f"over {tree.upos[over - 1] if over else 'root'} {parent}",
        f"before {tree.lemmas[first - 2] if first > 1 else ''}",
        f"after {tree.lemmas[last] if last < len(tree.lemmas) else ''}",
        f"tag before {tree.upos[first - 2] if first > 1 else ''}",
        f"tag after {tree.upos[last] if last < len(tree.upos) else ''}",
        f"children {len(tree.children[head])}",
        f"begins {first == 1}",
        f"clause {above and any(tree.relations[c - 1] in _SUBJECTS for c in tree.children[above])}",
    ]
    return [feature_key(name) for name in names + [f"{phrase} {name}" for name in names]]
