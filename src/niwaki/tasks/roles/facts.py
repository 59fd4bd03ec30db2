"""Predicates with the words that fill their roles, as records for a table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from niwaki.data.roles import Predicate, Roleset, predicates_of
from niwaki.data.sentence import Sentence
from niwaki.data.tree import Tree

_OPENING = frozenset(("mark", "cc", "punct"))


def facts_of(sentence: Sentence, frames: Mapping[str, Roleset]) -> Iterator[dict[str, Any]]:
    """A record for each predicate that has a role; what rolesets and roles mean, if it is known."""
    tree = sentence.tree
    for each in predicates_of(sentence):
        if each.fillers:
            yield _fact(sentence, tree, each, frames.get(each.roleset))


def _fact(
    sentence: Sentence, tree: Tree, predicate: Predicate, frame: Roleset | None
) -> dict[str, Any]:
    fact: dict[str, Any] = {
        "id": sentence.id,
        "predicate": sentence.forms[predicate.word - 1],
        "word": predicate.word,
        "roleset": predicate.roleset,
    }
    if frame is not None:
        fact["meaning"] = frame.name
    fact["roles"] = []
    for role, head in predicate.fillers:
        words = words_of(tree, head, predicate)
        record: dict[str, Any] = {"role": role, "head": head, "words": words}
        record["text"] = " ".join(sentence.forms[word - 1] for word in words)
        if frame is not None and role in frame.roles:
            record["meaning"] = frame.roles[role]
        fact["roles"].append(record)
    return fact


def words_of(tree: Tree, head: int, predicate: Predicate) -> list[int]:
    """What hangs below the head of a filler, without punctuation at its ends.

    Where the predicate hangs below it, too, as in a relative clause or as a copula, the way to it
    is left out, and so are the predicate's other fillers and what opens the clause.
    """
    inside = tree.subtree(head)
    without: set[int] = set()
    if predicate.word in inside and predicate.word != head:
        top = predicate.word
        while tree.heads[top - 1] != head:
            top = tree.heads[top - 1]
        others = [filler.head for filler in predicate.fillers if filler.head in inside]
        opening = [c for c in tree.children(head) if tree.deprels[c - 1] in _OPENING]
        for word in (top, *others, *opening):
            without |= set(tree.subtree(word)) if word != head else set()
    words = [word for word in inside if word not in without]
    while len(words) > 1 and tree.deprels[words[-1] - 1] == "punct":
        words.pop()
    while len(words) > 1 and tree.deprels[words[0] - 1] == "punct":
        words.pop(0)
    return words
