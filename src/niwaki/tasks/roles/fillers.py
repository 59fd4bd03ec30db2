"""Which words fill roles of a predicate, and what is looked at to tell, and to tell which role.

Candidates hang below the predicate or below a word up to three steps above it, or are one of
these: in Universal Dependencies all but one filler of a hundred.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from niwaki.learning.candidates import feature_key
from niwaki.tasks.roles.paths import Group, Path
from niwaki.tasks.trees import TreeView, path_between

_STEPS_UP = 3
_MARKERS = frozenset(("case", "mark"))
_SUBJECTS = frozenset(("nsubj", "csubj"))
_KERNEL = feature_key("kernel")


@dataclass(frozen=True, eq=False)
class Asked:
    """A word that may fill, or fills, a role of a predicate."""

    tree: TreeView
    predicate: int
    roleset: str
    word: int

    @property
    def group(self) -> Group:
        return self.roleset, self.tree.upos[self.predicate - 1]

    @cached_property
    def path(self) -> Path:
        return path_between(self.tree, self.word, self.predicate)


def candidates(tree: TreeView, predicate: int) -> list[int]:
    """Words that may fill a role, in order of position; punctuation never does."""
    chain = tree.chains[predicate - 1]
    found = [word for word in chain[1 : _STEPS_UP + 1] if word > 0]
    for above in chain[: _STEPS_UP + 1]:
        if above > 0:
            found += [word for word in tree.children[above] if word not in chain]
    return sorted(word for word in found if tree.relations[word - 1] != "punct")


def filler_features(asked: Asked) -> list[int]:
    """What tells whether a word fills a role."""
    tree, p, word = asked.tree, asked.predicate, asked.word
    path = asked.path
    way = " ".join(path)
    tag, own = tree.upos[p - 1], tree.upos[word - 1]
    side = "<" if word < p else ">"
    lemma, first = tree.lemmas[word - 1], path[0]
    mark = marker(tree, word)
    voice = _voice(tree, p)
    names = [
        "bias",
        f"path {way}",
        f"tags {way} {tag} {own}",
        f"side {way} {side} {tag}",
        f"voice {way} {voice} {tag}",
        f"predicate {way} {tree.lemmas[p - 1]} {tag}",
        f"roleset {way} {asked.roleset}",
        f"marker {first} {mark} {tag}",
        f"marked {first} {mark} {asked.roleset}",
        f"word {first} {lemma} {tag}",
        f"both {lemma} {tree.lemmas[p - 1]}",
        f"label {way} {tree.deprels[p - 1]}",
        f"steps {len(path)} {own} {tag}",
        f"near {way} {min(abs(word - p), 6)} {side}",
    ]
    return [feature_key(name) for name in names]


class Look(NamedTuple):
    """All that a ranker of roles sees of a filler; those of similar trees are mostly the same."""

    group: Group
    path: Path
    keys: tuple[int, ...]


def look_at(asked: Asked) -> Look:
    tree, p, word = asked.tree, asked.predicate, asked.word
    path, mark, tag = asked.path, marker(tree, word), tree.upos[p - 1]
    first = path[0] if path else ""
    side = "<" if word < p else ">"
    names = (
        "bias",
        f"path {' '.join(path)} {tag}",
        f"marker {first} {mark}",
        f"word {tree.lemmas[word - 1]}",
        f"tag {tree.upos[word - 1]} {first} {side}",
        f"roleset {asked.roleset}",
        f"marked {asked.roleset} {first} {mark}",
        f"voice {_voice(tree, p)} {first} {side} {tag}",
    )
    return Look(asked.group, path, tuple(map(feature_key, names)))


def role_features(
    look: Look, roles: Sequence[str], beliefs: Sequence[float]
) -> tuple[list[list[int]], list[list[float]]]:
    """Keys and values of each role of a filler; beliefs are what its path says of roles."""
    rows, values = [], []
    ones, keys = [1.0] * len(look.keys), (*look.keys, _KERNEL)
    for role, belief in zip(roles, beliefs, strict=True):
        name = role.encode()
        rows.append([*[zlib.crc32(name, key) for key in keys], _KERNEL])
        values.append([*ones, belief, belief])
    return rows, values


def marker(tree: TreeView, word: int) -> str:
    """The preposition or the like that a filler begins with."""
    found = (tree.lemmas[c - 1] for c in tree.children[word] if tree.relations[c - 1] in _MARKERS)
    return next(found, "")


def _voice(tree: TreeView, predicate: int) -> str:
    """How a predicate stands: its own subject, passive or not, and what it is to its head."""
    labels = [tree.deprels[child - 1] for child in tree.children[predicate]]
    subject = any(label.partition(":")[0] in _SUBJECTS for label in labels)
    passive = any(label.endswith(":pass") for label in labels)
    return f"{subject:d}{passive:d}{tree.relations[predicate - 1]}"


def asked_of(tree: TreeView, predicate: int, roleset: str) -> Iterator[Asked]:
    """All words that may fill a role of a predicate."""
    return (Asked(tree, predicate, roleset, word) for word in candidates(tree, predicate))
