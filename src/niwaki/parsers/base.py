"""Families of parsers: one folder a family, found by its name."""

from __future__ import annotations

import importlib
import importlib.util
import pkgutil
from dataclasses import dataclass
from importlib.metadata import entry_points
from typing import Any

from niwaki import parsers
from niwaki.errors import ConfigError, nearest, shown

ENTRY_POINTS = "niwaki.parsers"


@dataclass(frozen=True)
class Family:
    """A family: what it is called in model.kind, and the class of its keys."""

    name: str
    config: type[Any]


def family_names() -> list[str]:
    """The families, found by looking for their folders, and those that are installed."""
    shipped = (
        module.name
        for module in pkgutil.iter_modules(parsers.__path__)
        if module.ispkg and importlib.util.find_spec(f"{parsers.__name__}.{module.name}.family")
    )
    return sorted({*shipped, *(each.name for each in entry_points(group=ENTRY_POINTS))})


def load_family(name: str) -> Family:
    """A family by its name; raises ConfigError for one that there is not."""
    for each in entry_points(group=ENTRY_POINTS):
        if each.name == name:
            found: Family = each.load()
            return found
    if name not in family_names():
        raise ConfigError(f"no family of parsers {shown(name)}; {nearest(name, family_names())}")
    family: Family = importlib.import_module(f"{parsers.__name__}.{name}.family").FAMILY
    return family
