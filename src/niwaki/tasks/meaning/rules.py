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

    def place(self, label: str) -> int:
        """The place of an argument; 0 for what is none."""
        return self.places.get(label) or self.places.get(_relation(label), 0)

    def connective(self, label: str) -> str:
        known = self.connectives
        return known.get(label) or known.get(_relation(label), UNCOVERED)

    def is_a(self, kind: frozenset[str], label: str) -> bool:
        return label in kind or _relation(label) in kind

    @cached_property
    def outer(self) -> frozenset[str]:
        """Subjects of a copula whose phrase is itself a clause."""
        return frozenset(f"{name}:outer" for name in self.places)


def _relation(label: str) -> str:
    return label.partition(":")[0]


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
