"""Who did what to whom: PropBank roles in MISC or in a table beside the trees, and rolesets.

`Roleset=give.01|Roles=ARG0:1,ARG1:4-6` at word 2 says that it is a predicate of the roleset
give.01 whose ARG0 is headed by word 1 and whose ARG1 is the words 4 to 6, headed by the one of
them that hangs outside. Heads are what is kept and written. A table has tabs between sent_id,
word, roleset and roles, `ARG0:1-1 ARG1:4-6`, as the PropBank release is aligned to treebanks.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from niwaki.data.files import Input, Source
from niwaki.data.jsonlines import objects
from niwaki.data.sentence import Sentence
from niwaki.data.tree import UNKNOWN
from niwaki.errors import CorpusError, NiwakiError, shown

ROLESET, ROLES = "Roleset", "Roles"
_ROLESET = re.compile(r"[^\s|=,:]+\.[0-9A-Z]{1,6}")
_FILLER = re.compile(r"([A-Z][A-Z0-9-]{0,30}):([1-9][0-9]{0,5})(?:-([1-9][0-9]{0,5}))?")
# Words that hang outside of a filler and yet do not head it.
_NO_HEADS = frozenset("punct cc case mark det".split())


class Filler(NamedTuple):
    """What fills a role: its label, such as ARG0, and the head word (from 1)."""

    role: str
    head: int


@dataclass(frozen=True)
class Predicate:
    """A word (from 1) that stands for an event or a state, and who takes part in it."""

    word: int
    roleset: str
    fillers: tuple[Filler, ...] = ()


# -- in MISC -------------------------------------------------------------------------------


def predicates_of(sentence: Sentence) -> tuple[Predicate, ...]:
    """The predicates that are marked; raises CorpusError for a filler outside the sentence."""
    found: list[Predicate] = []
    if ROLES.encode() not in sentence.source:
        return ()  # no mark of either kind: the name of one begins with that of the other
    for word, notes in enumerate(sentence.notes, start=1):
        if ROLESET in notes:
            place = _Place(sentence.file, sentence.line, "MISC")
            parts = [part for part in notes.get(ROLES, "").split(",") if part]
            found.append(_predicate(place, sentence, word, notes[ROLESET], parts))
        elif ROLES in notes:
            raise CorpusError(
                sentence.file,
                sentence.line,
                "MISC",
                f"{ROLES}={shown(notes[ROLES])} of word {word} without {ROLESET}=",
                "name the roleset, such as give.01",
            )
    return tuple(found)


def with_predicates(sentence: Sentence, predicates: Iterable[Predicate]) -> Sentence:
    """The sentence with these predicates in MISC instead of those that stood there."""
    by_word = {each.word: each for each in predicates}
    rows = enumerate(sentence.misc, start=1)
    return sentence.replace(misc=[_noted(misc, by_word.get(word)) for word, misc in rows])


def _noted(misc: str, found: Predicate | None) -> str:
    own = (ROLESET, ROLES)
    kept = [x for x in misc.split("|") if x != "_" and x.partition("=")[0] not in own]
    if found is not None:
        kept.append(f"{ROLESET}={found.roleset}")
        if found.fillers:
            roles = ",".join(f"{role}:{head}" for role, head in found.fillers)
            kept.append(f"{ROLES}={roles}")
    return "|".join(kept) or "_"


# -- in a table ----------------------------------------------------------------------------


class _Place(NamedTuple):
    """Where something was read: what a CorpusError begins with."""

    file: str
    line: int
    column: str


class _Row(NamedTuple):
    line: int
    word: str
    roleset: str
    roles: list[str]


def with_table(sentences: Iterable[Sentence], table: Source) -> Iterator[Sentence]:
    """Sentences with the predicates that a table has for their sent_id, and no others.

    Rows of other sentences are passed over; raises NiwakiError if all of them are.
    """
    name, rows = _read_table(table)
    met = False
    for sentence in sentences:
        found = []
        for row in rows.get(sentence.id, ()):
            met = True
            if not row.word.isdecimal() or not 1 <= int(row.word) <= len(sentence):
                raise CorpusError(
                    *_Place(name, row.line, "WORD"),
                    f"{shown(row.word)} in a sentence of {len(sentence)} words",
                    "give the number of one of them, from 1",
                )
            place = _Place(name, row.line, "ROLES")
            found.append(_predicate(place, sentence, int(row.word), row.roleset, row.roles))
        yield with_predicates(sentence, found)
    if rows and not met:
        raise NiwakiError(
            f"{name}: no sent_id of the table is one of the trees; give the trees that it is of"
        )


def _read_table(source: Source) -> tuple[str, Mapping[str, Sequence[_Row]]]:
    rows: dict[str, list[_Row]] = {}
    with Input(source) as stream:
        for number, line in stream.lines():
            if not line.strip():
                continue
            cells = line.split("\t")
            if len(cells) != 4:
                raise CorpusError(
                    *_Place(stream.name, number, "LINE"),
                    f"{len(cells)} columns",
                    "give sent_id, word, roleset and roles, with tabs between them",
                )
            row = _Row(number, cells[1], cells[2], cells[3].split())
            rows.setdefault(cells[0], []).append(row)
    return stream.name, rows


# -- both ----------------------------------------------------------------------------------


def _predicate(
    place: _Place, sentence: Sentence, word: int, roleset: str, parts: Sequence[str]
) -> Predicate:
    if not is_roleset(roleset):
        raise CorpusError(
            *place, f"roleset {shown(roleset)} of word {word}", "give one such as give.01"
        )
    return Predicate(word, roleset, tuple(_filler(place, sentence, word, x) for x in parts))


def _filler(place: _Place, sentence: Sentence, word: int, text: str) -> Filler:
    found = _FILLER.fullmatch(text)
    if found is None:
        raise CorpusError(
            *place, f"role {shown(text)} of word {word}", "give roles such as ARG0:1 or ARG1:4-6"
        )
    first = int(found[2])
    last = int(found[3] or first)
    if not first <= last <= len(sentence):
        raise CorpusError(
            *place,
            f"role {shown(text)} of word {word} outside of a sentence of {len(sentence)} words",
            "give words of the sentence, the first one first",
        )
    if first < last and UNKNOWN in sentence.heads[first - 1 : last]:
        raise CorpusError(
            *place,
            f"role {shown(text)} of word {word} without a tree that tells its head",
            "give trees, or the head alone, such as ARG1:5",
        )
    return Filler(found[1], head_of(sentence, first, last))


def is_roleset(name: str) -> bool:
    """Whether it can name a roleset in MISC: a lemma, a dot, and a number or LV."""
    return _ROLESET.fullmatch(name) is not None


def head_of(sentence: Sentence, first: int, last: int) -> int:
    """The first word that hangs outside of a span and is no function word, if there is one."""
    if first == last:
        return first
    heads, labels = sentence.heads[first - 1 : last], sentence.deprels[first - 1 : last]
    tops = [
        (first + number, label.partition(":")[0])
        for number, (head, label) in enumerate(zip(heads, labels, strict=True))
        if not first <= head <= last
    ]
    content = (word for word, label in tops if label not in _NO_HEADS)
    return next(content, tops[0][0] if tops else first)


# -- rolesets ------------------------------------------------------------------------------


@dataclass(frozen=True)
class Roleset:
    """A sense of a word in PropBank's frames, and what its numbered roles mean."""

    id: str
    name: str
    lemmas: tuple[tuple[str, str], ...]  # (v, give), (n, gift): the words that can have it
    roles: Mapping[str, str]  # ARG0: giver
    # Frames of FrameNet and classes of VerbNet that it belongs to, and what its roles are there.
    frames: Mapping[str, Mapping[str, str]] = field(default_factory=dict)


def read_rolesets(source: Source) -> dict[str, Roleset]:
    """Rolesets by id, from JSON Lines as propbank-frames is packed."""
    found: dict[str, Roleset] = {}
    with Input(source) as stream:
        for number, record in objects(stream):
            try:
                each = _roleset(record)
            except (KeyError, TypeError, ValueError) as error:
                raise CorpusError(
                    *_Place(stream.name, number, "LINE"),
                    f"no roleset ({type(error).__name__}: {error})",
                    "give id, name, aliases [pos, lemma] and roles with n, f and descr",
                ) from None
            found[each.id] = each
    return found


def _roleset(record: Mapping[str, Any]) -> Roleset:
    lemmas = tuple((str(pos), str(lemma)) for pos, lemma in record["aliases"])
    roles = {_label(str(role["n"]), str(role["f"])): str(role["descr"]) for role in record["roles"]}
    frames: dict[str, dict[str, str]] = {}
    for kind in ("framenet", "verbnet"):
        for name in record.get(kind, ()):
            frames[str(name)] = {}
        for role in record["roles"]:
            for name, element in role.get(kind, ()):
                own = frames.setdefault(str(name), {})
                own[_label(str(role["n"]), str(role["f"]))] = str(element)
    return Roleset(str(record["id"]), str(record["name"]), lemmas, roles, frames)


def _label(number: str, function: str) -> str:
    """Number 0 is ARG0; a modifier is known by its function."""
    return f"ARGM-{function.upper()}" if number.upper() == "M" else f"ARG{number}"
