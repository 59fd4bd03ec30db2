"""What a query says: conditions on words, and how words stand to each other."""

from __future__ import annotations

import enum
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

from niwaki.data.sentence import parse_pairs
from niwaki.tasks.reorder.rules import ANY, label_fits, tag_fits

# Conditions on one column of a word, by the column.
COLUMNS = {
    "form": "FORM",
    "words": "FORM",
    "lemma": "LEMMA",
    "upos": "UPOS",
    "xpos": "XPOS",
    "label": "DEPREL",
}
# Conditions on where a word stands in its tree.
PLACES = ("has", "lacks", "children", "side")
KEYS = (*COLUMNS, *PLACES)
# Conditions whose plain values are whole words, without stars or subtypes.
WHOLE = ("form", "words", "lemma")


class Kind(enum.Enum):
    """How a value is written: plainly, in quotes, or as a regular expression."""

    PLAIN = "plain"
    EXACT = '"'
    REGEX = "/"


@dataclass(frozen=True)
class Value:
    """A value of a condition; of a regular expression, the expression."""

    text: str
    kind: Kind = Kind.PLAIN

    @cached_property
    def _regex(self) -> re.Pattern[str]:
        return re.compile(self.text)

    def fits(self, key: str, found: str) -> bool:
        """Whether this is what was found in a word, under the key of a condition."""
        if self.kind is Kind.REGEX:
            return self._regex.fullmatch(found) is not None
        if self.kind is Kind.EXACT:
            return found == self.text
        if key in ("label", "has", "lacks"):
            return label_fits(self.text, found)
        if key in ("upos", "xpos"):
            return tag_fits(self.text, found)
        return found == self.text or (self.text == ANY and key not in COLUMNS)


def value_of(key: str, field: str) -> str | None:
    """What a column's field says under a key; None if it has no such feature."""
    if key == "words":
        return field.lower()
    return field if key in KEYS else parse_pairs(field).get(key)


@dataclass(frozen=True)
class Condition:
    """A key, and values of which one must fit; if negated, none. Other keys are features."""

    key: str
    values: tuple[Value, ...]
    negated: bool = False

    @property
    def column(self) -> str:
        """The column that it looks at; '' if it looks at the tree."""
        return COLUMNS.get(self.key, "" if self.key in PLACES else "FEATS")

    def fits(self, field: str) -> bool:
        """Whether a field of its column fits."""
        found = value_of(self.key, field)
        is_so = found is not None and any(value.fits(self.key, found) for value in self.values)
        return is_so != self.negated

    def fitting(self, fields: Sequence[str]) -> list[bool]:
        """Whether each of some fields fits; whole words, of which there are many, are looked up."""
        if self.key not in WHOLE or any(value.kind is Kind.REGEX for value in self.values):
            return list(map(self.fits, fields))
        wanted = {value.text for value in self.values}
        words = map(str.lower, fields) if self.key == "words" else fields
        return [(word in wanted) != self.negated for word in words]


class Relation(NamedTuple):
    """How B stands to A: in the tree ('' if that does not matter), in order, and with labels.

    The labels are those of the lower of the two words, whichever it is.
    """

    tree: str = ""
    order: str = ""
    labels: tuple[Value, ...] = ()

    @property
    def reversed(self) -> Relation:
        """How A stands to B."""
        flipped = self.tree.translate(str.maketrans("<>", "><"))
        return Relation(flipped, self.order.translate(str.maketrans("+-", "-+")), self.labels)

    @property
    def label(self) -> Condition | None:
        """What it asks of the lower word's label."""
        return Condition("label", self.labels) if self.labels else None


class Arrow(NamedTuple):
    """A relation between two words of a query, which are known by their numbers."""

    start: int
    relation: Relation
    end: int

    @property
    def lower(self) -> int:
        return self.start if self.relation.tree.startswith("<") else self.end

    @property
    def reversed(self) -> Arrow:
        return Arrow(self.end, self.relation.reversed, self.start)


class Comparison(NamedTuple):
    """Two words of a query whose fields must be the same; if negated, must not."""

    word: int
    key: str
    other: int
    other_key: str
    negated: bool = False


@dataclass(frozen=True)
class Pattern:
    """Words, what is asked of them, what must not be there besides, and what may be.

    `without` and `maybe` are patterns with words of their own, whose arrows may also speak of
    words of the patterns around them, and conditions of `without` too.
    """

    words: tuple[int, ...] = ()
    conditions: tuple[tuple[int, Condition], ...] = ()
    arrows: tuple[Arrow, ...] = ()
    without: tuple[Pattern, ...] = ()
    maybe: tuple[Pattern, ...] = ()
    comparisons: tuple[Comparison, ...] = ()

    def of_word(self, word: int) -> list[Condition]:
        """All that is asked of a word by itself, also by labels of arrows."""
        found = [condition for number, condition in self.conditions if number == word]
        labels = [arrow.relation.label for arrow in self.arrows if arrow.lower == word]
        return found + [condition for condition in labels if condition is not None]

    def joined(self, other: Pattern) -> Pattern:
        return replace(
            self,
            words=self.words + other.words,
            conditions=self.conditions + other.conditions,
            arrows=self.arrows + other.arrows,
            without=self.without + other.without,
            maybe=self.maybe + other.maybe,
            comparisons=self.comparisons + other.comparisons,
        )
