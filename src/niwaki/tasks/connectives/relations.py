"""Connectives with the words that they join, as records for a table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from niwaki.data.connectives import ARGUMENTS, Connective, Document, Place
from niwaki.data.sentence import Sentence


def relations_of(document: Document) -> Iterator[dict[str, Any]]:
    """A record for each connective both of whose arguments are known."""
    for each in document.connectives:
        if each.arg1 is not None and each.arg2 is not None:
            yield _relation(document, each, (each.arg1, each.arg2))


def _relation(
    document: Document, connective: Connective, pair: tuple[Place, Place]
) -> dict[str, Any]:
    arguments = []
    for role, place in zip(ARGUMENTS, pair, strict=True):
        sentence = document.sentences[place.sentence]
        words = words_of(sentence, place, connective, pair)
        arguments.append(
            {
                "role": role,
                "id": sentence.id,
                "sentence": place.sentence - connective.sentence,
                "head": place.word,
                "words": words,
                "text": " ".join(sentence.forms[word - 1] for word in words),
            }
        )
    return {
        "id": document.sentences[connective.sentence].id,
        "connective": document.phrase(connective),
        "words": list(connective.words),
        "arguments": arguments,
    }


def words_of(
    sentence: Sentence, place: Place, connective: Connective, pair: Sequence[Place]
) -> list[int]:
    """What hangs below the head of an argument, without punctuation at its ends.

    Branches in which words of the connective or the other argument stand are left out.
    """
    tree = sentence.tree
    others = {Place(connective.sentence, word) for word in connective.words} | set(pair)
    near = {each.word for each in others - {place} if each.sentence == place.sentence}
    branches = [tree.subtree(child) for child in tree.children(place.word)]
    without = {word for branch in branches if near & set(branch) for word in branch}
    words = [word for word in tree.subtree(place.word) if word not in without]
    spoken = [word for word in words if tree.deprels[word - 1] != "punct"] or words
    return [word for word in words if spoken[0] <= word <= spoken[-1]]
