"""A word of a sentence, as a light view: columns are read off the sentence when asked for."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from niwaki.data.probabilities import NOTES, TREE_COMMENT

if TYPE_CHECKING:
    from niwaki.data.sentence import Sentence

# Where a word stands in the text, from and to; unknown where form and text do not agree.
Place = tuple[int, int] | None
# Words first..last that are written together, as what, and what is noted of that.
Written = tuple[int, int, str, Mapping[str, str]]


@dataclass(frozen=True, slots=True)
class Token:
    """One word; `index` counts from 1, as heads do.

    >>> for token in sentence:
    ...     print(token.form, token.deprel, token.head.form if token.head else "-")
    """

    sentence: Sentence
    index: int

    @property
    def form(self) -> str:
        return self.sentence.forms[self.index - 1]

    @property
    def lemma(self) -> str:
        return self.sentence.lemmas[self.index - 1]

    @property
    def upos(self) -> str:
        return self.sentence.upos[self.index - 1]

    @property
    def xpos(self) -> str:
        return self.sentence.xpos[self.index - 1]

    @property
    def feats(self) -> Mapping[str, str]:
        """FEATS as a mapping."""
        return self.sentence.features[self.index - 1]

    @property
    def misc(self) -> Mapping[str, str]:
        """MISC as a mapping."""
        return self.sentence.notes[self.index - 1]

    @property
    def head(self) -> Token | None:
        """Its head; None for a root, and where the head is unknown (see `Sentence.heads`)."""
        number = self.sentence.heads[self.index - 1]
        return Token(self.sentence, number) if number > 0 else None

    @property
    def deprel(self) -> str:
        return self.sentence.deprels[self.index - 1]

    @property
    def children(self) -> tuple[Token, ...]:
        """The words whose head it is, from left to right."""
        heads = enumerate(self.sentence.heads, start=1)
        return tuple(Token(self.sentence, word) for word, head in heads if head == self.index)

    @property
    def start(self) -> int | None:
        """Where it begins in the sentence's text; words of a multiword token have its place."""
        place = self.sentence.places[self.index - 1]
        return None if place is None else place[0]

    @property
    def end(self) -> int | None:
        """Where it ends in the sentence's text: the place behind its last character."""
        place = self.sentence.places[self.index - 1]
        return None if place is None else place[1]

    @property
    def prob(self) -> float | None:
        """The probability of its arc, if the sentence was parsed with probabilities."""
        return _number(self.misc.get(NOTES["arc"]))

    def __str__(self) -> str:
        return self.form

    def __repr__(self) -> str:
        return f"<Token {self.index}: {self.form}>"


def places(tokens: Sequence[Written], text: str) -> tuple[Place, ...]:
    """Where the words of a sentence stand in its text.

    The tokens' own places (MISC `TokenRange`, of the whole document) are taken if all tokens
    have them and they span the text; else tokens are looked for one after the other. From the
    first that is not where it should be, places are unknown.
    """
    found = _own_places(tokens, len(text)) or _searched(tokens, text)
    return tuple(
        place
        for (first, last, _, _), place in zip(tokens, found, strict=True)
        for _ in range(first, last + 1)
    )


def _own_places(tokens: Sequence[Written], length: int) -> list[Place] | None:
    found: list[tuple[int, int]] = []
    for _, _, _, notes in tokens:
        start, colon, end = notes.get("TokenRange", "").partition(":")
        if not (colon and start.isdecimal() and end.isdecimal()):
            return None
        if len(start) > 18 or len(end) > 18 or int(start) > int(end):
            return None
        if found and int(start) < found[-1][1]:
            return None
        found.append((int(start), int(end)))
    base = found[0][0]
    if found[-1][1] - base != length:
        return None
    return [(start - base, end - base) for start, end in found]


def _searched(tokens: Sequence[Written], text: str) -> list[Place]:
    found: list[Place] = []
    at = 0
    for _, _, form, _ in tokens:
        while at < len(text) and text[at].isspace() and not text.startswith(form, at):
            at += 1
        if not text.startswith(form, at):
            break
        found.append((at, at + len(form)))
        at += len(form)
    return [*found, *[None] * (len(tokens) - len(found))]


# -- records ------------------------------------------------------------------------------


def record(sentence: Sentence) -> dict[str, Any]:
    """All of a sentence, ready for JSON; see `Sentence.to_dict`."""
    found: dict[str, Any] = {
        "id": sentence.id,
        "text": sentence.text,
        "tokens": list(sentence.forms),
        "offsets": [None if place is None else list(place) for place in sentence.places],
        "lemmas": list(sentence.lemmas),
        "upos": list(sentence.upos),
        "xpos": list(sentence.xpos),
        "feats": list(sentence.feats),
        "heads": list(sentence.heads),
        "deprels": list(sentence.deprels),
        "deps": list(sentence.deps),
        "misc": list(sentence.misc),
        "multiword_tokens": [each._asdict() for each in sentence.ranges],
        "empty_nodes": [
            {"id": each.id, "fields": list(each.fields)} for each in sentence.empty_nodes
        ],
        "comments": list(sentence.comments),
    }
    probabilities = known_probabilities(sentence)
    if probabilities:
        found["probabilities"] = probabilities
    return found


def known_probabilities(sentence: Sentence) -> dict[str, Any]:
    """Those that are known: of each word's tag, arc and label, and of the tree."""
    found: dict[str, Any] = {}
    for kind, note in NOTES.items():
        numbers = [_number(notes.get(note)) for notes in sentence.notes]
        if any(number is not None for number in numbers):
            found[kind] = numbers
    tree = _number(sentence.metadata.get(TREE_COMMENT))
    if tree is not None:
        found["tree"] = tree
    return found


def _number(text: str | None) -> float | None:
    """A probability as it is written; None for what is none."""
    try:
        value = float(text) if text else math.nan
    except ValueError:
        return None
    return value if 0 <= value <= 1 else None
