"""Reads configurations: TOML files, with changes from the command line, or nested mappings."""

from __future__ import annotations

import dataclasses
import math
import tomllib
import types
import typing
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from niwaki.errors import ConfigError, nearest, shown, written
from niwaki.training.config import Config
from niwaki.training.config_checks import check

_LARGEST = 10**300  # what a float can hold, and a message can show


def read_config(path: str, overrides: Sequence[str] = ()) -> Config:
    """Read a TOML file, with `key=value` overrides such as `model.beam=16`."""
    try:
        with open(path, "rb") as file:
            record = tomllib.load(file)
    except (ValueError, RecursionError) as error:
        raise ConfigError(f"{path}: not TOML: {error}") from error
    for override in overrides:
        _override(record, override)
    return make_config(record, path, Path(path).parent)


def make_config(record: Mapping[str, Any], name: str = "config", folder: Path = Path()) -> Config:
    """A checked configuration from a nested mapping; paths are relative to `folder`."""
    config = typing.cast(Config, _build(Config, record, "", name))
    check(config, name)
    return _with_paths(config, folder, name)


def _override(record: dict[str, Any], override: str) -> None:
    key, equals, value = override.partition("=")
    if not equals:
        raise ConfigError(f"--set {override}: write key=value, for instance model.beam=16")
    try:
        parsed = tomllib.loads(f"value = {value}")["value"]
    except (ValueError, RecursionError):
        parsed = value  # a bare word is a string
    *tables, last = key.strip().split(".")
    place: Any = record
    for table in tables:
        if isinstance(place, list):
            if not table.isdecimal() or len(table) > 9 or int(table) >= len(place):
                raise ConfigError(f"--set {override}: no entry {table!r}")
            place = place[int(table)]
        elif isinstance(place, dict):
            place = place.setdefault(table, {})
    if not isinstance(place, dict):
        raise ConfigError(f"--set {override}: {key!r} is not a key")
    place[last] = parsed


def _build(kind: Any, record: Any, prefix: str, name: str) -> Any:
    """A record of a dataclass from a mapping; refuses unknown keys and wrong types."""
    if not isinstance(record, Mapping):
        raise ConfigError(f"{name}: {prefix.rstrip('.')} is {written(record)}; make it a table")
    hints = typing.get_type_hints(kind)
    known = [each.name for each in dataclasses.fields(kind)]
    values = {}
    for key, value in record.items():
        if key not in known:
            whole = prefix + key
            if not whole.isprintable():
                whole = shown(whole)
            raise ConfigError(f"{name}: unknown key {whole}; {nearest(key, known)}")
        values[key] = _convert(hints[key], value, f"{prefix}{key}", name)
    return kind(**values)


def _convert(hint: Any, value: Any, key: str, name: str) -> Any:
    def refuse(wanted: str) -> ConfigError:
        return ConfigError(f"{name}: {key} is {written(value)}; give {wanted}")

    if dataclasses.is_dataclass(hint):
        return _build(hint, value, f"{key}.", name)
    origin = typing.get_origin(hint)
    if origin in (types.UnionType, typing.Union):
        # A number, or a word in its place.
        number, word = typing.get_args(hint)
        if isinstance(value, str):
            if value not in typing.get_args(word):
                kind = "a whole number" if number is int else "a number"
                raise refuse(f"{kind} or {', '.join(typing.get_args(word))}")
            return value
        return _convert(number, value, key, name)
    if origin is Literal:
        choices = typing.get_args(hint)
        if value not in choices:
            raise refuse(f"one of {', '.join(choices)}")
        return value
    if origin is Mapping:
        if not isinstance(value, Mapping):
            raise refuse('a table such as { old = "new" }')
        return {k: _convert(str, item, f"{key}.{k}", name) for k, item in value.items()}
    if origin is tuple:
        inner = typing.get_args(hint)[0]
        # A single path may be written without brackets.
        items = [value] if inner is str and isinstance(value, str) else value
        if not isinstance(items, list):
            raise refuse("a list")
        return tuple(_convert(inner, item, f"{key}[{i}]", name) for i, item in enumerate(items))
    if hint is float and type(value) is int and abs(value) < _LARGEST:
        return float(value)
    if hint is int and type(value) is int and not abs(value) < _LARGEST:
        raise refuse("a smaller number")
    if hint is float and type(value) is float and not math.isfinite(value):
        raise refuse("a finite number")
    if type(value) is not hint:
        wanted = {bool: "true or false", int: "a whole number", float: "a number", str: "a text"}
        raise refuse(wanted[hint])
    return value


def _with_paths(config: Config, folder: Path, name: str) -> Config:
    """Paths made relative to where the command runs; all must exist before training starts."""

    def found(path: str, key: str) -> str:
        if not path:
            return path
        whole = folder / path
        try:
            there = whole.is_file()
        except OSError:  # a name that is too long for any file
            there = False
        if not there:
            raise ConfigError(
                f"{name}: {key}: no file {str(whole)!r}; paths are relative to {name}"
            )
        return str(whole)

    def found_or_named(text: str, key: str) -> str:
        """A name of something that is shipped stays as it is."""
        return found(text, key) if "." in text or "/" in text else text

    objectives = tuple(
        dataclasses.replace(
            each,
            data=tuple(found(p, f"objective[{i}].data") for p in each.data),
            links=tuple(found(p, f"objective[{i}].links") for p in each.links),
            rules=found_or_named(each.rules, f"objective[{i}].rules"),
        )
        for i, each in enumerate(config.objective)
    )
    model = dataclasses.replace(
        config.model,
        clusters=found(config.model.clusters, "model.clusters"),
        features=found_or_named(config.model.features, "model.features"),
    )
    graph = dataclasses.replace(
        config.graph,
        label_features=found_or_named(config.graph.label_features, "graph.label_features"),
    )
    training = dataclasses.replace(
        config.training,
        dev=found(config.training.dev, "training.dev"),
        dev_links=found(config.training.dev_links, "training.dev_links"),
    )
    return dataclasses.replace(
        config, objective=objectives, model=model, graph=graph, training=training
    )
