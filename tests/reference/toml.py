"""The ways to all keys, tables and entries of TOML, read from its values."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from niwaki.data.toml import Way


def ways(value: Any, way: Way = ()) -> Iterator[Way]:
    if way:
        yield way
    if isinstance(value, dict):
        for name, item in value.items():
            yield from ways(item, (*way, name))
    elif isinstance(value, list):
        for number, item in enumerate(value):
            yield from ways(item, (*way, number))
