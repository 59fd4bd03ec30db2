"""Predicates with the words that fill their roles, as records for a table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from niwaki.data.roles import Predicate, Roleset, predicates_of
from niwaki.data.sentence import Sentence
from niwaki.data.tree import Tree


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
        words = words_of(tree, head, predicate.word)
        record: dict[str, Any] = {"role": role, "head": head, "words": words}
        record["text"] = " ".join(sentence.forms[word - 1] for word in words)
        if frame is not None and role in frame.roles:
            record["meaning"] = frame.roles[role]
        fact["roles"].append(record)
    return fact


def words_of(tree: Tree, head: int, predicate: int) -> list[int]:
    """What hangs below the head of a filler, without punctuation at its ends.

    Where the predicate hangs below it, as in a relative clause, the clause is left out.
    """
    without: set[int] = set()
    inside = tree.subtree(head)
    if predicate in inside and predicate != head:
        top = predicate
        while tree.heads[top - 1] != head:
            top = tree.heads[top - 1]
        without = set(tree.subtree(top))
    words = [word for word in inside if word not in without]
    while len(words) > 1 and tree.deprels[words[-1] - 1] == "punct":
        words.pop()
    while len(words) > 1 and tree.deprels[words[0] - 1] == "punct":
        words.pop(0)
    return words
