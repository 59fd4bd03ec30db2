"""Names with numbers (tags, labels), and the values by which features know them."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from niwaki.errors import shown
from niwaki.kernel.batch import Symbols, short_hashes

Values = NDArray[np.uint32]

# What a field of CoNLL-U cannot hold.
_UNWRITABLE = frozenset("\t\n\r\0").union(map(chr, range(0xD800, 0xE000)))


def is_writable(text: str) -> bool:
    """Whether a field of CoNLL-U can hold a text."""
    return _UNWRITABLE.isdisjoint(text)


class Vocabulary:
    """A list of names; its order is the numbering."""

    def __init__(self, names: Iterable[str]) -> None:
        self.names = list(names)
        self._numbers = {name: number for number, name in enumerate(self.names)}
        if len(self._numbers) != len(self.names):
            raise ValueError("a name stands twice")
        for name in self.names:
            if not name or not is_writable(name):
                raise ValueError(f"{shown(name)} cannot stand in a field")
        # Made at once: names whose hashes meet are refused here, not when words are parsed.
        self.symbols = Symbols([name.encode("utf-8") for name in self.names])

    def __len__(self) -> int:
        return len(self.names)

    def number(self, name: str) -> int:
        """The number of a name, -1 if it is not known."""
        return self._numbers.get(name, -1)

    @cached_property
    def values(self) -> Values:
        """What features see of each name: the same as of the same text in a file."""
        return np.asarray(short_hashes([name.encode("utf-8") for name in self.names]))


def combine(one: Values, other: Values) -> Values:
    """The values of pairs; never one of the small reserved values."""
    with np.errstate(over="ignore"):
        mixed = one * np.uint32(0x9E3779B1) ^ (other * np.uint32(0x85EBCA77) >> np.uint32(7))
    return np.asarray(mixed | np.uint32(16), dtype=np.uint32)
