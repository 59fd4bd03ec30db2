"""The rules by which trees of Universal Dependencies become expressions: a file says them.

`assets/meaning/en.toml` is the set `en`, and describes the keys.
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import cached_property
from importlib import resources
from pathlib import Path
from typing import Any

from niwaki.data.expressions import CONNECTIVES, UNCOVERED
from niwaki.data.files import read_whole
from niwaki.errors import RulesError, nearest, shown, written
from niwaki.keys import is_file_name
from niwaki.tasks.meaning.labels import LAST_PLACE

IN_THE_BOX = "en"


@dataclass(frozen=True, slots=True)
class Relation:
    """What rules say of one label of a tree, under their names."""

    silent: bool
    around: bool
    subordinator: bool
    copula: bool
    coordinator: bool
    conjunct: bool
    plain: bool
    abstracted: bool
    phrasal: bool
    between: bool
    # Subjects of a copula whose phrase is itself a clause.
    outer: bool
    # The place of an argument; 0 for what is none.
    place: int
    connective: str
    # Whether its word is joined to the head by the connective and nothing else.
    joins: bool


@dataclass(frozen=True)
class MeaningRules:
    """What each relation does; the keys of a file of rules, under the same names."""

    description: str
    silent: frozenset[str]
    around: frozenset[str]
    subordinator: frozenset[str]
    inside_upos: frozenset[str]
    copula: frozenset[str]
    coordinator: frozenset[str]
    conjunct: frozenset[str]
    predicate_upos: frozenset[str]
    plain: frozenset[str]
    abstracted: frozenset[str]
    passive_xpos: frozenset[str]
    relative: frozenset[str]
    phrasal: frozenset[str]
    between: frozenset[str]
    places: Mapping[str, int]
    connectives: Mapping[str, str]

    @cached_property
    def relations(self) -> Mapping[str, Relation]:
        """What each label is: what the rules say of it, or of the relation it is a subtype of."""
        return _Relations(self)


_KINDS = tuple(
    each.name
    for each in fields(Relation)
    if each.name in {key.name for key in fields(MeaningRules)}
)

# What words do to their heads other than to be joined to them or to be arguments.
_HOLDING = ("around", "copula", "coordinator", "conjunct")


class _Relations(dict[str, Relation]):
    """Made when a label is first asked for: there are as many as parsers have labels."""

    def __init__(self, rules: MeaningRules) -> None:
        self._rules = rules

    def __missing__(self, label: str) -> Relation:
        rules, names = self._rules, (label, label.partition(":")[0])
        kinds = {kind: any(name in getattr(rules, kind) for name in names) for kind in _KINDS}
        place = next((rules.places[name] for name in names if name in rules.places), 0)
        found = self[label] = Relation(
            **kinds,
            outer=label in {f"{name}:outer" for name in rules.places},
            place=place,
            joins=not place and not any(kinds[kind] for kind in _HOLDING),
            connective=next(
                (rules.connectives[name] for name in names if name in rules.connectives), UNCOVERED
            ),
        )
        return found


def rule_names() -> list[str]:
    """The shipped sets, found by looking for their files."""
    folder = resources.files("niwaki") / "assets" / "meaning"
    names = (path.name for path in folder.iterdir())
    return sorted(name.removesuffix(".toml") for name in names if name.endswith(".toml"))


def load_meaning_rules(name_or_path: str | os.PathLike[str] = IN_THE_BOX) -> MeaningRules:
    """Shipped rules by their name, or those of a file; raises RulesError."""
    name = os.fspath(name_or_path)
    if is_file_name(name):
        return parse_meaning_rules(read_whole(name), name)
    if name not in rule_names():
        raise RulesError(name, 0, "no such rules of meaning", nearest(name, rule_names()))
    path = Path(str(resources.files("niwaki"))) / "assets" / "meaning" / f"{name}.toml"
    return parse_meaning_rules(path.read_bytes(), path.name)


def parse_meaning_rules(text: bytes, file: str = "<rules>") -> MeaningRules:
    try:
        record = tomllib.loads(text.decode("utf-8"))
    except (ValueError, RecursionError) as error:
        raise RulesError(file, 1, f"not TOML ({error})", "correct the syntax") from error
    known = [each.name for each in fields(MeaningRules)]
    for name in record:
        if name not in known:
            raise RulesError(file, 0, f"unknown key {shown(name)}", nearest(name, known))
    for name in known:
        if name not in record:
            raise RulesError(file, 0, f"no key {name}", "take assets/meaning/en.toml as a pattern")
    values = {name: _value(file, name, record[name]) for name in known}
    return MeaningRules(**values)


def _value(file: str, name: str, given: Any) -> Any:
    if name == "description":
        good, kind = isinstance(given, str), "a text"
    elif name == "places":
        good = isinstance(given, dict) and all(
            type(place) is int and 1 <= place <= LAST_PLACE for place in given.values()
        )
        kind = f"places from 1 to {LAST_PLACE}, by relation"
    elif name == "connectives":
        good = isinstance(given, dict) and all(sign in CONNECTIVES for sign in given.values())
        kind = f"connectives ({' '.join(CONNECTIVES)}), by relation"
    else:
        good = isinstance(given, list) and all(isinstance(each, str) for each in given)
        kind = "a list of names"
    if not good:
        raise RulesError(file, 0, f"{name} is {written(given)}", f"give {kind}")
    return frozenset(given) if isinstance(given, list) else given
