"""Words that hold a document together: centres, lexical chains, pronouns.

Entities are nouns, known by their lemmas. Those of a sentence are ranked: subjects, objects,
others, from left to right. The backward-looking centre of a sentence is the highest ranked entity
of the one before that occurs in it. A lexical chain is a set of nouns that WordNet links
(synonyms, one step up or down; senses are not told apart) and that stand in several sentences.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from niwaki.data.wordnet import HYPERNYM, HYPONYM, SYNONYM, WordNet
from niwaki.tasks.trees import TreeView

_NOUNS = ("NOUN", "PROPN")
_RANKS = {"nsubj": 0, "csubj": 0, "obj": 1, "iobj": 1}
_LOWEST = 2
_LINKS = frozenset((SYNONYM, HYPERNYM, HYPONYM))


def entities(tree: TreeView) -> list[str]:
    """Each entity of a sentence once, highest ranked first."""
    places = sorted(
        (_RANKS.get(tree.relations[word], _LOWEST), word)
        for word, tag in enumerate(tree.upos)
        if tag in _NOUNS
    )
    return list(dict.fromkeys(tree.lemmas[word] for _, word in places))


def centres(trees: Sequence[TreeView]) -> list[str | None]:
    """The backward-looking centre of each sentence of a document, if it has one."""
    ranked = [entities(tree) for tree in trees]
    found: list[str | None] = [None] if trees else []
    for before, here in itertools.pairwise(ranked):
        found.append(next((entity for entity in before if entity in here), None))
    return found


def chains(trees: Sequence[TreeView], wordnet: WordNet | None) -> list[set[str]]:
    """Sets of linked nouns that stand in as many sentences as the mean chain, and in two at least.

    Without WordNet, a noun is linked with itself alone.
    """
    sentences: dict[str, set[int]] = {}
    for number, tree in enumerate(trees):
        for noun in entities(tree):
            sentences.setdefault(noun, set()).add(number)
    groups = _linked(sorted(sentences), wordnet)
    scores = [len(set().union(*(sentences[noun] for noun in group))) for group in groups]
    long = [(score, group) for score, group in zip(scores, groups, strict=True) if score > 1]
    mean = sum(score for score, _ in long) / max(1, len(long))
    return [group for score, group in long if score >= mean]


def _linked(nouns: Sequence[str], wordnet: WordNet | None) -> list[set[str]]:
    """Connected components."""
    group_of = {noun: {noun} for noun in nouns}
    for noun in nouns if wordnet is not None else ():
        assert wordnet is not None
        for other, kinds in wordnet.related(noun).items():
            if other in group_of and kinds & _LINKS and group_of[other] is not group_of[noun]:
                group_of[noun] |= group_of[other]
                for each in group_of[other]:
                    group_of[each] = group_of[noun]
    return list({id(group): group for group in group_of.values()}.values())


def needed_words(trees: Sequence[TreeView], wordnet: WordNet | None) -> list[list[int]]:
    """Words (from 1) of each sentence that must stay: those of its centre and of the next one's; or
    else of chains; or else personal pronouns. All at once would keep too much.
    """
    found = []
    looking_back = centres(trees)
    in_chains = set().union(*chains(trees, wordnet)) if trees else set()
    for number, tree in enumerate(trees):
        here = {each for each in looking_back[number : number + 2] if each is not None}
        nouns = [(word, tree.lemmas[word - 1]) for word in nouns_of(tree)]
        centred = [word for word, lemma in nouns if lemma in here]
        chained = [word for word, lemma in nouns if lemma in in_chains]
        found.append(centred or chained or _pronouns(tree))
    return found


def nouns_of(tree: TreeView) -> list[int]:
    """The words (from 1) that can be entities."""
    return [word for word, tag in enumerate(tree.upos, start=1) if tag in _NOUNS]


def _pronouns(tree: TreeView) -> list[int]:
    return [
        word
        for word, (tag, lemma) in enumerate(zip(tree.upos, tree.lemmas, strict=True), start=1)
        if tag == "PRON" and lemma in _PERSONAL
    ]


_PERSONAL = frozenset("i you he she it we they me him her us them".split())
