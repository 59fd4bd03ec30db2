"""Finds predicates: looks up which rolesets a word can have, and ranks them and "none"."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from niwaki.data.roles import Predicate, is_roleset
from niwaki.learning.candidates import CandidateSets, feature_key
from niwaki.learning.ranker import Ranker, best_of
from niwaki.tasks.trees import TreeView

# A lemma and its tag.
Entry = tuple[str, str]
NONE = ""


@dataclass(frozen=True)
class Lexicon:
    """The rolesets that words had, most frequent first; of verbs that had none, their first."""

    seen: Mapping[Entry, tuple[str, ...]]
    verbs: Mapping[str, str]

    @cached_property
    def known(self) -> frozenset[str]:
        """All rolesets that were seen."""
        return frozenset(name for found in self.seen.values() for name in found)

    def rolesets(self, tree: TreeView, word: int) -> tuple[str, ...]:
        """What a word can be; "" is no predicate, and is a choice where words have been seen."""
        lemma, tag = tree.lemmas[word - 1], tree.upos[word - 1]
        found = self.seen.get((lemma, tag), ())
        if found:
            return (*found, NONE)
        name = self.verbs.get(lemma, f"{lemma}.01")
        return (name,) if tag == "VERB" and is_roleset(name) else ()


@dataclass(frozen=True)
class PredicateFinder:
    """A lexicon, and a ranker of what each word of it is."""

    lexicon: Lexicon
    ranker: Ranker

    def find(self, trees: Sequence[TreeView]) -> list[list[Predicate]]:
        """The predicates of each tree, without roles."""
        found: list[list[Predicate]] = [[] for _ in trees]
        asked = [
            (number, word, choices)
            for number, tree in enumerate(trees)
            for word in range(1, len(tree.heads) + 1)
            if (choices := self.lexicon.rolesets(tree, word))
        ]
        if not asked:
            return found
        data = CandidateSets.of(
            (roleset_features(trees[number], word, choices), None)
            for number, word, choices in asked
        )
        best = best_of(self.ranker.scores(data), data).tolist()
        for (number, word, choices), chosen in zip(asked, best, strict=True):
            if choices[chosen] != NONE:
                found[number].append(Predicate(word, choices[chosen]))
        return found


def make_lexicon(
    given: Iterable[tuple[TreeView, Sequence[Predicate]]], verbs: Mapping[str, str]
) -> Lexicon:
    counts: dict[Entry, dict[str, int]] = {}
    for tree, predicates in given:
        for each in predicates:
            entry = tree.lemmas[each.word - 1], tree.upos[each.word - 1]
            mine = counts.setdefault(entry, {})
            mine[each.roleset] = mine.get(each.roleset, 0) + 1
    seen = {
        entry: tuple(sorted(found, key=lambda name: (-found[name], name)))
        for entry, found in sorted(counts.items())
    }
    return Lexicon(seen, verbs)


def roleset_features(tree: TreeView, word: int, choices: Sequence[str]) -> list[list[int]]:
    """A row for each roleset that a word can have; the first of them is the most frequent."""
    tag, label = tree.upos[word - 1], tree.deprels[word - 1]
    above = tree.heads[word - 1]
    below = [(tree.relations[c - 1], tree.lemmas[c - 1]) for c in tree.children[word]]
    names = [
        "bias",
        f"label {label}",
        f"tag {tag} {label}",
        f"form {tree.forms[word - 1].lower()}",
        f"head {tree.lemmas[above - 1] if above else ''}",
        f"head {tree.upos[above - 1] if above else ''} {label}",
        f"before {tree.lemmas[word - 2] if word > 1 else ''}",
        f"after {tree.lemmas[word] if word < len(tree.lemmas) else ''}",
        *(f"has {relation}" for relation in sorted({relation for relation, _ in below})),
        *(f"below {relation} {lemma}" for relation, lemma in below if relation != "punct"),
    ]
    entry = f"{tree.lemmas[word - 1]} {tag}"
    rows = []
    for number, roleset in enumerate(choices):
        # What "none" is like is learned of all words of a tag, and of each by itself.
        general = [f"none {tag} {name}" for name in names] if roleset == NONE else []
        own = [f"{entry} {roleset} {name}" for name in names]
        rows.append([feature_key(name) for name in (f"rank {min(number, 3)}", *general, *own)])
    return rows


def right_ones(
    tree: TreeView, predicates: Sequence[Predicate], lexicon: Lexicon
) -> list[tuple[list[list[int]], int]]:
    """What there is to learn of a tree: the choices of each word, and the right one."""
    marked = {each.word: each.roleset for each in predicates}
    found = []
    for word in range(1, len(tree.heads) + 1):
        choices = lexicon.rolesets(tree, word)
        roleset = marked.get(word, NONE)
        if len(choices) > 1 and roleset in choices:
            found.append((roleset_features(tree, word, choices), choices.index(roleset)))
    return found
