"""Reads configurations: TOML or JSON files, with changes from the command line, or mappings."""

from __future__ import annotations

import copy
import json
import os
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, NoReturn

from niwaki.data.files import read_whole
from niwaki.data.toml import Way, key_lines
from niwaki.errors import ConfigError, nearest, written
from niwaki.keys import GIVEN, Former, Key, WrongKeyError, is_file_name, keys_of, printable_key
from niwaki.objectives import settings_class
from niwaki.parsers.base import family_names, load_family
from niwaki.training.config import (
    OWNERS,
    Config,
    CostConfig,
    ModelConfig,
    ObjectiveConfig,
    Place,
    TreebankConfig,
    check_owner,
    family_places,
    named_whole,
    objective_keys,
    objective_owners,
    places,
)

Values = dict[str, Any]


def read_config(path: str, overrides: Sequence[str] = (), *, only_costs: bool = False) -> Config:
    """Read a TOML file, or a `.json` one, with overrides such as `model.beam=16`.

    What the file says that says nothing beside an override is left out. With `only_costs`, files
    that are for training alone need not be there.
    """
    is_json = path.endswith(".json")
    try:
        text = read_whole(path).decode("utf-8").replace("\r\n", "\n")
        record: Any = json.loads(text) if is_json else tomllib.loads(text)
        lines: dict[Way, int] = {} if is_json else key_lines(text)
    except (ValueError, RecursionError) as error:
        raise ConfigError(f"{path}: not {'JSON' if is_json else 'TOML'}: {error}") from error
    if not isinstance(record, dict):
        raise ConfigError(f"{path}: {written(record)}; make it an object of tables")
    changed = frozenset([_override(record, override) for override in overrides])
    lines |= dict.fromkeys(changed, 0)
    return _Reader(path, Path(path).parent, lines, changed, only_costs).read(record)


def make_config(
    record: Mapping[str, Any],
    name: str = "config",
    folder: Path = Path(),
    *,
    overrides: Sequence[str] = (),
    only_costs: bool = False,
) -> Config:
    """A checked configuration from a nested mapping; paths are relative to `folder`."""
    if not overrides:
        return _Reader(name, folder, only_costs=only_costs).read(record)
    own = copy.deepcopy(dict(record))
    changed = frozenset([_override(own, override) for override in overrides])
    return _Reader(name, folder, dict.fromkeys(changed, 0), changed, only_costs).read(own)


def _override(record: Values, override: str) -> Way:
    """Change a value; returns the way to it."""
    key, equals, value = override.partition("=")
    if not equals:
        raise ConfigError(f"--set {override}: write key=value, for instance model.beam=16")
    try:
        parsed = tomllib.loads(f"value = {value}")["value"]
    except (ValueError, RecursionError):
        parsed = value  # a bare word is a string
    *tables, last = key.strip().split(".")
    place: Any = record
    way: Way = ()
    for table in tables:
        if isinstance(place, list):
            if not table.isdecimal() or len(table) > 9 or int(table) >= len(place):
                raise ConfigError(f"--set {override}: no entry {table!r}")
            place = place[int(table)]
            way = (*way, int(table))
        elif isinstance(place, dict):
            place = place.setdefault(table, {})
            way = (*way, table)
    if not isinstance(place, dict):
        raise ConfigError(f"--set {override}: {key!r} is not a key")
    place[last] = parsed
    return (*way, last)


class _Reader:
    """Reads one configuration; knows where what it reads was written."""

    def __init__(
        self,
        name: str,
        folder: Path,
        lines: Mapping[Way, int] | None = None,
        changed: frozenset[Way] = frozenset(),
        only_costs: bool = False,
    ) -> None:
        self._name, self._folder, self._only_costs = name, folder, only_costs
        self._lines, self._changed = lines or {}, changed
        self._given: set[str] = set()
        # All families, because keys of the others are refused in other words than unknown ones.
        self._families = {name: list(family_places(name)) for name in family_names()}

    def read(self, record: Mapping[str, Any]) -> Config:
        kind = self._kind(record)
        if ("model", "kind") in self._changed:
            record = self._without_other_families(record, kind)
        tables: dict[str, dict[str, Place]] = {name: {} for name in OWNERS}
        for place in places(kind):
            tables.setdefault(place.table, {})[place.key.name] = place
        found: dict[str, Values] = {owner: {} for owner in ("family", *OWNERS)}
        for table, values in record.items():
            if table == "objective":
                continue
            if table not in tables:
                self._refuse_table(table, [*tables, "objective"])
            known = {name: place.key for name, place in tables[table].items()}
            others = [
                (f'model.kind = "{family}"', place.key)
                for family, own in self._families.items()
                for place in own
                if place.table == table
            ]
            for key, value in self._values((table,), values, known, others).items():
                found[tables[table][key].owner][key] = value
        config = Config(
            family=load_family(kind).config(**found.pop("family")),
            objective=self._objectives(record.get("objective", [])),
            **{owner: OWNERS[owner](**values) for owner, values in found.items()},
        )
        config = replace(config, given=frozenset(self._given - self._silenced(config)))
        try:
            check(config)
        except WrongKeyError as error:
            self._refuse(_way(error.key), error.fault, error.key)
        except ConfigError as error:
            raise ConfigError(f"{self._name}: {error}") from None
        return self._with_paths(config)

    def _kind(self, record: Mapping[str, Any]) -> str:
        """The family first: it brings keys of its own."""
        table = self._table(("model",), record.get("model", {}))
        (key,) = (each for each in keys_of(ModelConfig) if each.name == "kind")
        kind: str = self._value(("model",), key, table.get("kind", key.default))
        with self._placed(("model",)):
            key.check(kind)
        return kind

    def _objectives(self, records: Any) -> tuple[ObjectiveConfig, ...]:
        if not isinstance(records, list | tuple):
            self._refuse(("objective",), f"is {written(records)}; give a list")
        return tuple(self._objective(("objective", i), each) for i, each in enumerate(records))

    def _objective(self, way: Way, record: Any) -> ObjectiveConfig:
        record = self._table(way, record)
        kind = record.get("kind", "treebank")
        if kind == "treebank":
            known = {each.name: each for each in keys_of(TreebankConfig)}
            return TreebankConfig(**self._values(way, record, known, _objective_relatives()))
        if not isinstance(kind, str):
            self._refuse((*way, "kind"), f"is {written(kind)}; give a text")
        try:
            settings = settings_class(kind, self._folder)
        except ConfigError as error:
            where = (*way, "kind")
            raise ConfigError(f"{self._where(where)}: {_whole(where)}: {error}") from None
        own = {each.name: each for each in keys_of(settings)}
        known = {each.name: each for each in keys_of(CostConfig)} | own
        found = self._values(way, record, known, _objective_relatives())
        said = {name: found.pop(name) for name in own if name in found}
        return CostConfig(**found, settings=settings(**said))

    def _values(
        self, way: Way, record: Any, known: Mapping[str, Key], others: Sequence[tuple[str, Key]]
    ) -> Values:
        """The values of a table; `others` are keys that such tables have beside other keys."""
        found = {}
        for name, value in self._table(way, record).items():
            if name not in known:
                self._refuse_key((*way, name), value, known, others)
            found[name] = self._value(way, known[name], value)
            self._given.add(_whole((*way, name)))
        return found

    def _table(self, way: Way, record: Any) -> Mapping[str, Any]:
        if not isinstance(record, Mapping):
            self._refuse(way, f"is {written(record)}; make it a table")
        return record

    def _value(self, way: Way, key: Key, value: Any) -> Any:
        with self._placed(way):
            return key.convert(value)

    # -- what an override makes pointless -------------------------------------------

    def _without_other_families(self, record: Mapping[str, Any], kind: str) -> Values:
        own = {(place.table, place.key.name) for place in places(kind)}
        every = (place for found in self._families.values() for place in found)
        others = {(place.table, place.key.name) for place in every} - own - self._changed
        found: Values = {}
        for table, values in record.items():
            if isinstance(values, Mapping):
                kept = {name: x for name, x in values.items() if (table, name) not in others}
                if kept or not values:
                    found[table] = kept
            else:
                found[table] = values
        return found

    def _silenced(self, config: Config) -> set[str]:
        """Keys of the file that say nothing only because of an override."""
        said = list(places(config.model.kind))
        ways = {(each.owner, each.key.name): (each.table, each.key.name) for each in said}
        pairs: list[tuple[Way, Way | None]] = []
        for each in said:
            other = each.key.unmet(vars(getattr(config, each.owner)))
            pairs.append((ways[each.owner, each.key.name], ways.get((each.owner, other or ""))))
        for number, objective in enumerate(config.objective):
            values = {key.name: value for key, value in objective_keys(objective)}
            for key, _ in objective_keys(objective):
                way, other = ("objective", number), key.unmet(values)
                pairs.append(((*way, key.name), (*way, other) if other else None))
        return {
            _whole(way)
            for way, other in pairs
            if other in self._changed and way not in self._changed
        }

    # -- paths --------------------------------------------------------------------

    def _with_paths(self, config: Config) -> Config:
        """Paths made relative to where the command runs; all must exist."""
        parts = {}
        if not self._only_costs:
            tables: dict[str, Way] = {owner: (owner,) for owner in OWNERS}
            tables["family"] = (config.model.kind,)
            parts = {x: self._with_paths_of(getattr(config, x), way) for x, way in tables.items()}
        objectives = []
        for number, each in enumerate(config.objective):
            way: Way = ("objective", number)
            if self._only_costs and not isinstance(each, CostConfig):
                objectives.append(each)
                continue
            found = self._with_paths_of(each, way)
            if isinstance(found, CostConfig):
                found = replace(found, settings=self._with_paths_of(found.settings, way))
            objectives.append(found)
        return replace(config, objective=tuple(objectives), **parts)

    def _with_paths_of(self, owner: Any, table: Way) -> Any:
        found: Values = {}
        for key in keys_of(type(owner)):
            if key.path in ("file", "named", "folder"):
                way: Way = (*((key.table,) if key.table else table), key.name)
                value = getattr(owner, key.name)
                is_list = isinstance(value, tuple)
                paths = [self._path(way, key, each) for each in (value if is_list else [value])]
                found[key.name] = tuple(paths) if is_list else paths[0]
        return replace(owner, **found)

    def _path(self, way: Way, key: Key, path: str) -> str:
        if not path or (key.path == "named" and not is_file_name(path)):
            return path
        file = self._folder / path
        if key.path == "folder":
            return str(file) if os.path.exists(file) else path
        try:
            is_there = file.is_file()
        except OSError:  # a name that is too long for any file
            is_there = False
        if not is_there:
            whole = f"{_whole(way)}: no file {str(file)!r}"
            raise ConfigError(f"{self._where(way)}: {whole}; paths are relative to {self._name}")
        return str(file)

    # -- refusals -----------------------------------------------------------------

    def _refuse_table(self, table: str, known: Sequence[str]) -> NoReturn:
        for family, own in self._families.items():
            if any(place.table == table for place in own):
                self._refuse((table,), f'goes with model.kind = "{family}"; leave one out')
        self._refuse_unknown((table,), known)

    def _refuse_key(
        self, way: Way, value: Any, known: Mapping[str, Key], others: Sequence[tuple[str, Key]]
    ) -> NoReturn:
        """An old name, a key that goes with something else, or one that nobody knows."""
        name, table = way[-1], _whole(way[:-1])
        for key in (*known.values(), *(key for _, key in others)):
            for former in key.formerly:
                if former.name == name:
                    self._refuse(way, f"is now {table}.{key.name}{_translated(former, value)}")
        for other, key in others:
            if key.name == name:
                self._refuse(way, f"goes with {other}; leave one out")
        self._refuse_unknown(way, known)

    def _refuse_unknown(self, way: Way, known: Iterable[str]) -> NoReturn:
        whole = printable_key(_whole(way))
        advice = nearest(str(way[-1]), known)
        raise ConfigError(f"{self._where(way)}: unknown key {whole}; {advice}")

    def _refuse(self, way: Way, fault: str, whole: str = "") -> NoReturn:
        name = printable_key(whole or _whole(way))
        raise ConfigError(f"{self._where(way)}: {name} {fault}") from None

    @contextmanager
    def _placed(self, way: Way) -> Iterator[None]:
        """Faults of keys, as faults of a file."""
        try:
            yield
        except WrongKeyError as error:
            name = re.split(r"[.\[]", error.key)[0]
            self._refuse((*way, name), error.fault, f"{_whole(way)}.{error.key}")

    def _where(self, way: Way) -> str:
        """The file, with the line of a key or of the table in which it is missing."""
        for size in range(len(way), 0, -1):
            if way[:size] in self._lines:
                line = self._lines[way[:size]]
                return f"{self._name}:{line}" if line else self._name
        return self._name


def _whole(way: Way) -> str:
    """A way as messages write it: objective[0].data."""
    parts = (f"[{part}]" if isinstance(part, int) else f".{part}" for part in way)
    return "".join(parts).removeprefix(".")


def _way(whole: str) -> Way:
    """The way to a key that its owner has named; up to the key, not into its value."""
    entry = re.match(r"objective\[(\d+)\]\.(\w+)", whole)
    return ("objective", int(entry[1]), entry[2]) if entry else tuple(whole.split(".")[:2])


def _objective_relatives() -> list[tuple[str, Key]]:
    """The keys of all kinds of objectives, with what they go with."""
    return [(what, key) for what, owner in objective_owners() for key in keys_of(owner)]


def _translated(former: Former, value: Any) -> str:
    """What an old value is today, where values have changed too."""
    try:
        return "" if former.values is None else f" = {json.dumps(former.now(value))}"
    except ValueError:
        return ""


# -- what no configuration may say -------------------------------------------------


def check(config: Config) -> None:
    """Refuse values and combinations with which nothing can be learned; raises ConfigError."""
    for place in places(config.model.kind):
        values = vars(getattr(config, place.owner))
        _check_key(place.table, place.key, values, config)
    for owner in ("family", *OWNERS):
        check_owner(config, owner)
    for number, objective in enumerate(config.objective):
        _check_objective(config, number, objective)
    if not any(objective.data for objective in config.objective):
        raise ConfigError('nothing to learn from; add [[objective]] with data = "train.conllu"')


def _check_objective(config: Config, number: int, objective: ObjectiveConfig) -> None:
    table = f"objective[{number}]"
    values = {key.name: value for key, value in objective_keys(objective)}
    for key, _ in objective_keys(objective):
        _check_key(table, key, values, config)
    with named_whole(lambda name: f"{table}.{name}"):
        objective.check(config)
        settings: Any = getattr(objective, "settings", None)
        if hasattr(settings, "check"):
            settings.check(config)


def _check_key(table: str, key: Key, values: Mapping[str, Any], config: Config) -> None:
    with named_whole(lambda name: f"{table}.{name}"):
        key.check(values[key.name])
        if f"{table}.{key.name}" in config.given:
            _check_use(key, values)


def _check_use(key: Key, values: Mapping[str, Any]) -> None:
    """Refuse a key that was given but says nothing."""
    other = key.unmet(values)
    if other is None:
        return
    if key.when[other] == GIVEN:
        raise WrongKeyError(key.name, f"says nothing without {other}; leave it out")
    raise WrongKeyError(
        key.name, f"says nothing with {other} = {json.dumps(values[other])}; leave it out"
    )
