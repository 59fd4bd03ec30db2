"""SemMatch: candidates that fill the role of what is asked for (Shen and Lapata 2007).

The question's predicate is looked for in the sentences, by its rolesets or by rolesets of the same
frame. The roles of words are soft: an edge cover of words and roles by scores of their ways to the
predicate, the edges of a word summing up to 1. Words that are the same, and the candidate with what
is asked for, are alike by 1 / (1 + |s - s'|), summed up over the roles that both have.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from niwaki.data.roles import Roleset
from niwaki.tasks.answers.words import SAME
from niwaki.tasks.extraction.phrases import Asked, Candidate, Mention, Text
from niwaki.tasks.extraction.syntax import key_words
from niwaki.tasks.roles.assign import edge_cover
from niwaki.tasks.roles.fillers import Asked as AskedRole
from niwaki.tasks.roles.model import RoleLabeller
from niwaki.tasks.trees import TreeView

# What roles of one roleset are called in another.
Names = Mapping[str, str]
# The roles of a word, with their shares.
Soft = Mapping[str, float]
# Why SemMatch has nothing to say of a question, or that it has ("rest").
Coverage = Literal["no frame", "no annotation", "no match", "rest"]
_LIGHT = frozenset(("be", "do", "have"))
_MODIFIER = "ARGM"


@dataclass(frozen=True)
class Predicate:
    """A word (from 1) and the rolesets that it may have; which of them it has is left open."""

    word: int
    rolesets: tuple[str, ...]


@dataclass(frozen=True)
class Match:
    """A predicate of a sentence for that of the question, with a roleset each.

    `names` is None where both are the same.
    """

    word: int
    asked: str
    given: str
    names: Names | None


class SemMatch:
    """See the module. `frames` are PropBank's rolesets with their links to FrameNet and VerbNet;
    without them predicates must have a roleset in common.
    """

    def __init__(self, labeller: RoleLabeller, frames: Mapping[str, Roleset] | None = None) -> None:
        self._labeller, self._frames = labeller, frames or {}

    def scores(self, asked: Asked, candidates: Sequence[Candidate]) -> list[float]:
        """As much as the best mention of each is worth; 0 where no predicate matches."""
        predicate = self.predicate(asked.question.tree)
        phrase = asked.phrase
        if predicate is None or phrase is None:
            return [0.0] * len(candidates)
        keys = [word for word in key_words(asked) if word != predicate.word]
        fillers = {word: word for word in (phrase, *keys)}
        wanted = {
            name: self._soft(asked.question.tree, predicate.word, name, fillers)
            for name in predicate.rolesets
        }
        met = [self._met(asked.question, text, predicate, keys) for text in asked.sentences]

        def worth(mention: Mention) -> float:
            matches, places = met[mention.sentence]
            tree = asked.sentences[mention.sentence].tree
            given = {**places, phrase: mention.head}
            return max(
                (
                    alike(wanted[m.asked], self._soft(tree, m.word, m.given, given), m.names)
                    for m in matches
                    if m.word != mention.head
                ),
                default=0.0,
            )

        return [max(map(worth, each.mentions)) for each in candidates]

    def coverage(self, asked: Asked, right: Sequence[bool]) -> Coverage:
        """Whether the question's predicate is known, and is found in a sentence that is right."""
        tree = asked.question.tree
        predicate = self.predicate(tree)
        if predicate is None or asked.phrase is None:
            return "no frame"
        tag = tree.upos[predicate.word - 1]
        if not any((name, tag) in self._labeller.kernel.seen for name in predicate.rolesets):
            return "no annotation"
        answers = [text for text, is_right in zip(asked.sentences, right, strict=True) if is_right]
        found = any(True for text in answers for _ in self._matches(predicate, text.tree))
        return "rest" if found else "no match"

    def predicate(self, tree: TreeView) -> Predicate | None:
        """The verb of a question that stands highest in its tree, or else the noun."""
        for tags in (("VERB",), ("NOUN", "ADJ")):
            words = [w for w in range(1, len(tree.forms) + 1) if tree.upos[w - 1] in tags]
            for word in sorted(words, key=lambda w: len(tree.chains[w - 1])):
                rolesets = self._rolesets(tree, word)
                if rolesets:
                    return Predicate(word, rolesets)
        return None

    def _rolesets(self, tree: TreeView, word: int) -> tuple[str, ...]:
        if tree.lemmas[word - 1] in _LIGHT:
            return ()
        found = self._labeller.finder.lexicon.rolesets(tree, word)
        return tuple(name for name in found if name and self._labeller.knows(name))

    def _matches(self, predicate: Predicate, tree: TreeView) -> Iterator[Match]:
        for word in range(1, len(tree.forms) + 1):
            for given in self._rolesets(tree, word):
                for asked in predicate.rolesets:
                    names = None if asked == given else self._names(asked, given)
                    if names is None or names:
                        yield Match(word, asked, given, names)

    def _names(self, asked: str, given: str) -> Names:
        """What the roles of the question's roleset are in another; empty if no frame joins them."""
        one, other = self._frames.get(asked), self._frames.get(given)
        found: dict[str, str] = {}
        if one is not None and other is not None:
            for frame in sorted(one.frames.keys() & other.frames.keys()):
                of_element = {element: role for role, element in other.frames[frame].items()}
                for role, element in one.frames[frame].items():
                    if element in of_element:
                        found.setdefault(role, of_element[element])
        return found

    def _met(
        self, question: Text, text: Text, predicate: Predicate, keys: Sequence[int]
    ) -> tuple[list[Match], dict[int, int]]:
        """Predicates that match, and where the question's other words stand first."""
        same = question.words.relations(text.words) & SAME
        places = {key: np.flatnonzero(same[key - 1]) for key in keys}
        return list(self._matches(predicate, text.tree)), {
            key: int(found[0]) + 1 for key, found in places.items() if len(found)
        }

    def _soft(
        self, tree: TreeView, predicate: int, roleset: str, fillers: Mapping[int, int]
    ) -> dict[int, Soft]:
        """The roles of words, with their shares, by what the words are to the question."""
        kept = {name: word for name, word in fillers.items() if word != predicate}
        asked = [AskedRole(tree, predicate, roleset, word) for word in kept.values()]
        if not asked:
            return {}
        beliefs = np.array([self._labeller.beliefs(each) for each in asked])
        names = self._labeller.kernel.roles(asked[0].group)
        # Roles that nobody could fill would have to be covered by somebody.
        columns = np.flatnonzero(beliefs.max(axis=0) > 0)
        table = beliefs[:, columns]
        found: dict[int, dict[str, float]] = {name: {} for name in kept}
        for i, j in edge_cover((table.max(initial=0.0) - table).tolist()):
            if table[i, j] > 0:
                found[list(kept)[i]][names[columns[j]]] = float(table[i, j])
        return {name: _shares(roles) for name, roles in found.items()}


def _shares(roles: Soft) -> Soft:
    total = sum(roles.values())
    return {role: score / total for role, score in roles.items()}


def alike(asked: Mapping[int, Soft], given: Mapping[int, Soft], names: Names | None) -> float:
    """The sum over words of both, and roles that they have in both."""
    total = 0.0
    for word, roles in asked.items():
        others = given.get(word, {})
        for role, share in roles.items():
            # Modifiers are called the same everywhere.
            name = role if names is None or role.startswith(_MODIFIER) else names.get(role, "")
            if name in others:
                total += 1 / (1 + abs(share - others[name]))
    return total
