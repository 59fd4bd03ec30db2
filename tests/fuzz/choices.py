"""Turns bytes into decisions, so that a fuzzer that changes bytes changes arguments."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeVar

T = TypeVar("T")

# Values that stand where something else was expected.
ODD: tuple[Any, ...] = (
    *(None, True, -1, 0, 1, 255, 65536, 2**31, 2**63, 2**64, -(2**63), 10**400),
    *(0.5, -0.0, 1e300, float("nan"), float("inf"), "", "a", "\ud800", "a\tb", "\0", "7" * 5000),
    *(b"", [], {}, [[]], [None], {"a": 1}),
)


class Choices:
    """Reads decisions off bytes; when they are used up, every decision is the first one."""

    def __init__(self, data: bytes) -> None:
        self._data, self._at = data, 0

    def __bool__(self) -> bool:
        return self._at < len(self._data)

    def byte(self) -> int:
        self._at += 1
        return self._data[self._at - 1] if self._at <= len(self._data) else 0

    def below(self, count: int) -> int:
        """A number from 0 to before `count`."""
        if count <= 256:
            return self.byte() % count
        return (self.byte() << 16 | self.byte() << 8 | self.byte()) % count

    def of(self, values: Sequence[T]) -> T:
        return values[self.below(len(values))]

    def take(self, most: int = 40) -> bytes:
        """Some bytes."""
        size = self.below(most + 1)
        taken = self._data[self._at : self._at + size]
        self._at += size
        return taken

    def rest(self) -> bytes:
        taken = self._data[self._at :]
        self._at = len(self._data)
        return taken
