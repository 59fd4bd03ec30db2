"""Keys of configurations: each is declared once, as a field of the dataclass that it sets.

    beam: int = key(8, "Width of the beam.", least=1, most=4096)

What a key is called, what it is if nobody says anything, what it means, which values it takes,
and when it says anything, all come from there: the reader of configurations, the cards of
models, configs/all.toml and docs/reference/configuration.md only look.
"""

from __future__ import annotations

import dataclasses
import math
import operator
import re
import types
import typing
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import MISSING, dataclass, field
from functools import cache
from typing import Any, Literal, NoReturn, cast

from niwaki.errors import ConfigError, nearest, shown, written

# Other keys of a class, and the values with which a key says something.
When = Mapping[str, tuple[Any, ...] | str]
# In `when`: the other key is true, not 0 and not empty.
GIVEN = "given"
# What is said of files: one that must exist; the name of something shipped, or a file; a folder, or
# a name that its reader knows; a program and its arguments, of which cards show but its name.
PathKind = Literal["file", "named", "folder", "program"]

_LARGEST = 10**300  # what a float can hold, and a message can show
_DECLARATION = "niwaki"
_SURROGATE = re.compile("[\ud800-\udfff]")
_TYPES = {bool: "true or false", int: "a whole number", float: "a number", str: "a text"}


class WrongKeyError(ConfigError):
    """A key has a value that it must not have; `key` may be a whole path, `table.key`."""

    def __init__(self, key: str, fault: str) -> None:
        self.key, self.fault = key, fault
        super().__init__(f"{key} {fault}")

    def __reduce__(self) -> tuple[type[WrongKeyError], tuple[str, str]]:
        return type(self), (self.key, self.fault)


@dataclass(frozen=True)
class Former:
    """A name that a key had before, and what the values of that time are called now."""

    name: str
    values: Mapping[Any, Any] | Callable[[Any], Any] | None = None

    def now(self, value: Any) -> Any:
        """The value of today; raises ValueError if there never was such a value."""
        try:
            if isinstance(self.values, Mapping):
                return self.values[value]
            return self.values(value) if self.values else value
        except (KeyError, TypeError, ArithmeticError) as error:
            raise ValueError(value) from error


@dataclass(frozen=True)
class Declaration:
    """What is said of a key, beside its name, its type and its default."""

    doc: str
    least: float | None = None
    most: float | None = None
    above: float | None = None
    below: float | None = None
    # The names that a text can be, where they are found and not written down.
    choices: Callable[[], list[str]] | None = None
    path: PathKind | None = None
    # What to give, if the key may not be left out.
    needed: str = ""
    # The TOML table in which the key stands, if it is not that of its class.
    table: str | None = None
    when: When = field(default_factory=dict)
    # Training on: "fixed" by the model, "same" as with the model unless given, a value that it
    # has unless given, or None for as configured.
    init: Any = None
    formerly: tuple[Former, ...] = ()


@dataclass(frozen=True)
class Key(Declaration):
    """A declaration with the name, the type and the default of its field."""

    name: str = ""
    hint: Any = None
    default: Any = None

    def convert(self, value: Any) -> Any:
        """The value of this key as its type; raises WrongKeyError."""
        for former in self.formerly:
            if former.name == self.name and isinstance(value, str):
                with suppress(ValueError):
                    now = former.now(value)
                    raise WrongKeyError(self.name, f"= {value!r} is now {now!r}")
        return _converted(self.hint, value, self.name)

    def check(self, value: Any) -> None:
        """Refuse what is out of range, unknown or missing."""
        if self.needed and not value:
            raise WrongKeyError(self.name, f"is missing; give {self.needed}")
        if isinstance(value, str):
            self._check_name(value)
        if isinstance(value, bool) or not isinstance(value, int | float):
            return
        for bound, advice, allows in (
            (self.least, "at least", operator.ge),
            (self.most, "at most", operator.le),
            (self.above, "a number above", operator.gt),
            (self.below, "a number below", operator.lt),
        ):
            if bound is not None and not allows(value, bound):
                raise WrongKeyError(self.name, f"is {value}; give {advice} {bound}")

    def _check_name(self, value: str) -> None:
        if self.choices is None or (self.path == "named" and (not value or is_file_name(value))):
            return
        names = self.choices()
        if value not in names:
            raise WrongKeyError(self.name, f"is {shown(value)}; {nearest(value, names)}")

    def says_something(self, values: Mapping[str, Any]) -> bool:
        """Whether it does beside other keys of its class."""
        return self.unmet(values) is None

    def unmet(self, values: Mapping[str, Any]) -> str | None:
        """The first other key with which this one says nothing."""
        for other, wanted in self.when.items():
            if other in values:
                value = values[other]
                if not (value if wanted == GIVEN else value in wanted):
                    return other
        return None


def key(
    default: Any,
    doc: str,
    *,
    least: float | None = None,
    most: float | None = None,
    above: float | None = None,
    below: float | None = None,
    choices: Callable[[], list[str]] | None = None,
    path: PathKind | None = None,
    needed: str = "",
    table: str | None = None,
    when: When | None = None,
    init: Any = None,
    formerly: tuple[str | Former, ...] = (),
) -> Any:
    """A field of a configuration class; see `Declaration`."""
    declaration = Declaration(
        doc,
        least,
        most,
        above,
        below,
        choices,
        path,
        needed,
        table,
        when or {},
        init,
        tuple(Former(each) if isinstance(each, str) else each for each in formerly),
    )
    metadata = {_DECLARATION: declaration}
    if isinstance(default, dict):
        return field(default_factory=lambda: dict(default), metadata=metadata)
    return field(default=default, metadata=metadata)


def keys_of(owner: type[Any]) -> tuple[Key, ...]:
    """The keys that a class declares; fields that are no keys are not among them."""
    return _keys_of(cast(Any, owner))


@cache
def _keys_of(owner: Any) -> tuple[Key, ...]:
    hints = typing.get_type_hints(owner)
    found = []
    for each in dataclasses.fields(owner):
        declaration = each.metadata.get(_DECLARATION)
        if declaration is not None:
            default = each.default if each.default is not MISSING else {}
            said = {f.name: getattr(declaration, f.name) for f in dataclasses.fields(declaration)}
            found.append(Key(**said, name=each.name, hint=hints[each.name], default=default))
    return tuple(found)


def check_values(owner: Any) -> None:
    """Refuse what no key of this object may be; combinations are checked by `owner.check`."""
    for each in keys_of(type(owner)):
        each.check(getattr(owner, each.name))


def is_file_name(name: str) -> bool:
    """Whether a name is one of a file: it has a dot or a slash. Names of what is shipped do not."""
    return "." in name or "/" in name


def printable_key(name: str) -> str:
    return name if name.isprintable() else shown(name)


def _converted(hint: Any, value: Any, name: str) -> Any:
    def refuse(wanted: str) -> NoReturn:
        raise WrongKeyError(name, f"is {written(value)}; give {wanted}")

    origin, inner = typing.get_origin(hint), typing.get_args(hint)
    if origin in (types.UnionType, typing.Union):
        # A number, or a word in its place.
        number, words = inner[0], typing.get_args(inner[1])
        if isinstance(value, str) and value not in words:
            refuse(f"{_TYPES[number]} or {', '.join(words)}")
        return value if isinstance(value, str) else _converted(number, value, name)
    if origin is Literal:
        if value not in inner:
            refuse(f"one of {', '.join(inner)}")
        return value
    if origin is Mapping:
        if not isinstance(value, Mapping):
            refuse('a table such as { old = "new" }')
        return {
            _converted(str, k, name): _converted(str, x, f"{name}.{printable_key(k)}")
            for k, x in value.items()
        }
    if origin is tuple:
        # A single path may be written without brackets.
        items = [value] if isinstance(value, str) and inner[0] is str else value
        if not isinstance(items, list | tuple):
            refuse("a list")
        return tuple(_converted(inner[0], x, f"{name}[{i}]") for i, x in enumerate(items))
    if hint is float and type(value) is int and abs(value) < _LARGEST:
        return float(value)
    if hint is int and type(value) is int and not abs(value) < _LARGEST:
        refuse("a smaller number")
    if hint is float and type(value) is float and not math.isfinite(value):
        refuse("a finite number")
    if type(value) is not hint:
        refuse(_TYPES[hint])
    if hint is str and _SURROGATE.search(value):
        # From JSON or the command line; it could not be written to a model.
        refuse("Unicode text")
    return value
