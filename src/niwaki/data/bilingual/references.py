"""Reference word orders: which source word should stand where, as JSON Lines."""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from niwaki.data.files import Input, Source, Target, open_output
from niwaki.data.jsonlines import objects
from niwaki.data.sentence import Sentence
from niwaki.errors import CorpusError, NiwakiError, nearest, shown

# Half of a pair can be read from JSON, but cannot be written.
_SURROGATE = re.compile("[\ud800-\udfff]")
# What no field of CoNLL-U can hold.
_NO_FIELD = re.compile(f"[\t\n\r\0]|{_SURROGATE.pattern}")
_KEYS = ("id", "tokens", "order", "groups", "linked")


@dataclass(frozen=True)
class Reference:
    """The order that a sentence should be given.

    `order[p]` is the source position (0-based) of the token placed at p. The
    members of a group may fill the places that the group holds in any order.
    `linked` are the source positions that have a link; None means all.
    """

    id: str
    tokens: tuple[str, ...]
    order: tuple[int, ...]
    groups: tuple[tuple[int, ...], ...] = ()
    linked: tuple[int, ...] | None = None

    def __post_init__(self) -> None:
        if fault := self._fault():
            raise ValueError("{}: {}; {}".format(*fault))

    def _fault(self) -> tuple[str, str, str] | None:
        positions = range(len(self.tokens))
        if sorted(self.order) != list(positions):
            return "order", f"not a permutation of {len(positions)} positions", "use each once"
        members = [position for group in self.groups for position in group]
        if len(set(members)) != len(members) or not set(members) <= set(positions):
            return "groups", "positions out of range or repeated", "use each at most once"
        if self.linked is not None and (
            len(set(self.linked)) != len(self.linked) or not set(self.linked) <= set(positions)
        ):
            return "linked", "positions out of range or repeated", "use each at most once"
        return None

    def to_json(self) -> str:
        record: dict[str, Any] = {
            "id": self.id,
            "tokens": self.tokens,
            "order": self.order,
            "groups": self.groups,
        }
        if self.linked is not None:
            record["linked"] = self.linked
        return json.dumps(record, ensure_ascii=False)


def read_references(source: Source) -> Iterator[Reference]:
    """Yield the reference orders of a JSON Lines file; raises CorpusError with the line."""
    return _read_references(Input(source))


def _read_references(stream: Input) -> Iterator[Reference]:
    with stream:
        for number, record in objects(stream):
            yield _reference(stream.name, number, record)


def _reference(file: str, number: int, record: dict[str, Any]) -> Reference:
    def refuse(key: str, found: str, advice: str) -> CorpusError:
        return CorpusError(file, number, key, found, advice)

    for key in record:
        if key not in _KEYS:
            raise refuse("LINE", f"unknown key {shown(key)}", nearest(key, _KEYS))

    def items(key: str, default: list[object] | None = None) -> list[Any]:
        value = record.get(key, default)
        if not isinstance(value, list):
            raise refuse(key, f"found {shown(json.dumps(value))}", "give a list")
        return value

    def positions(key: str, values: list[Any]) -> tuple[int, ...]:
        # bool is an int in Python but not a position.
        if not all(type(value) is int for value in values):
            raise refuse(key, f"found {shown(json.dumps(values))}", "give whole numbers")
        return tuple(values)

    tokens = items("tokens")
    if not all(isinstance(token, str) for token in tokens):
        raise refuse("tokens", f"found {shown(json.dumps(tokens))}", "give strings")
    if wrong := [token for token in tokens if not token or _NO_FIELD.search(token)]:
        raise refuse("tokens", f"found {shown(wrong[0])}", "give words as CoNLL-U has them")
    name = str(record.get("id", number))
    if _SURROGATE.search(name):
        raise refuse("id", f"found {shown(name)}", "give Unicode text")
    groups = items("groups", [])
    if not all(isinstance(group, list) for group in groups):
        raise refuse("groups", f"found {shown(json.dumps(groups))}", "give lists of positions")
    try:
        return Reference(
            id=name,
            tokens=tuple(tokens),
            order=positions("order", items("order")),
            groups=tuple(positions("groups", group) for group in groups),
            linked=positions("linked", items("linked")) if "linked" in record else None,
        )
    except ValueError as error:
        key, _, message = str(error).partition(": ")
        found, _, advice = message.partition("; ")
        raise refuse(key, found, advice) from error


def write_references(references: Iterable[Reference], target: Target) -> None:
    with open_output(target) as out:
        for reference in references:
            out.write(f"{reference.to_json()}\n".encode())


def check_references(references: Sequence[Reference], file: str) -> None:
    """Raises NiwakiError unless there are references, and words in each."""
    if not references:
        raise NiwakiError(f"{file}: no references; make some with `niwaki references`")
    for number, reference in enumerate(references, start=1):
        if not reference.tokens:
            raise NiwakiError(f"{file}: reference {number} ({reference.id!r}) has no words")


def check_same_sentences(references: Sequence[Reference], sentences: Sequence[Sentence]) -> None:
    """Trees must be of the sentences of the references, in the same order."""
    for reference, sentence in itertools.zip_longest(references, sentences):
        if sentence is None:
            last = sentences[-1] if sentences else None
            raise CorpusError(
                last.file if last else "<trees>",
                last.line if last else 0,
                "FILE",
                f"{len(sentences)} trees for {len(references)} references",
                "give one tree a reference",
            )
        if reference is None or reference.tokens != sentence.forms:
            raise CorpusError(
                sentence.file,
                sentence.line,
                "SENTENCE",
                f"a tree without a reference: there are {len(references)}"
                if reference is None
                else f"words that are not those of reference {reference.id!r}",
                "give trees of the same sentences in the same order",
            )
