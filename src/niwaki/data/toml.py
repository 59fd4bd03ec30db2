"""Lines of the keys of a TOML text: Python's reader gives values without their places."""

from __future__ import annotations

import re
import tomllib
from bisect import bisect_right

# The way to a key: names of tables, numbers of entries of arrays, its own name.
Way = tuple[str | int, ...]

_BLANK = re.compile(r"(?:[ \t\r\n]|#[^\n]*)*")
_KEY_PART = re.compile(r"""[ \t]*("(?:\\.|[^"\\\n])*"|'[^'\n]*'|[A-Za-z0-9_-]+)[ \t]*""")
_STRING = re.compile(
    r'''"""(?:\\.|[^\\])*?"""{1,3}|\'\'\'.*?\'\'\'{1,3}|"(?:\\.|[^"\\\n])*"|'[^'\n]*\'''',
    re.DOTALL,
)
_BARE = re.compile(r"[^,\]}#\n]*")


def key_lines(text: str) -> dict[Way, int]:
    """The line of each key, table and entry, from 1, of a text that is known to be TOML."""
    return _Scanner(text).scan()


class _Scanner:
    def __init__(self, text: str) -> None:
        self._text, self._at = text, 0
        self._ends = [match.start() for match in re.finditer("\n", text)]
        self._found: dict[Way, int] = {}
        self._entries: dict[Way, int] = {}  # of [[arrays]] so far

    def scan(self) -> dict[Way, int]:
        table: Way = ()
        self._skip_blank()
        while self._at < len(self._text):
            if self._text[self._at] == "[":
                table = self._header()
            else:
                self._pair(table)
            self._skip_blank()
        return self._found

    def _header(self) -> Way:
        """`[a.b]`, or `[[a.b]]`, which begins a new entry."""
        is_entry = self._text.startswith("[[", self._at)
        start = self._at
        self._at += 2 if is_entry else 1
        parts = self._dotted()
        self._at += 2 if is_entry else 1
        way: Way = ()
        for number, part in enumerate(parts):
            way = (*way, part)
            self._note(way, start)
            if is_entry and number == len(parts) - 1:
                self._entries[way] = self._entries.get(way, 0) + 1
            if way in self._entries:
                way = (*way, self._entries[way] - 1)
        self._note(way, start)
        return way

    def _pair(self, table: Way) -> None:
        start = self._at
        way = table
        for part in self._dotted():
            way = (*way, part)
            self._note(way, start)
        self._at += 1  # =
        self._skip_blank()
        self._value(way)

    def _value(self, way: Way) -> None:
        first = self._text[self._at : self._at + 1]
        if first in ("[", "{"):
            self._at += 1
            self._skip_blank()
            number = 0
            while self._text[self._at] not in "]}":
                if first == "[":
                    self._note((*way, number), self._at)
                    self._value((*way, number))
                else:
                    self._pair(way)
                number += 1
                self._skip_blank()
                if self._text[self._at] == ",":
                    self._at += 1
                    self._skip_blank()
            self._at += 1
        else:
            found = _STRING.match(self._text, self._at) or _BARE.match(self._text, self._at)
            assert found is not None
            self._at = found.end()

    def _dotted(self) -> list[str]:
        """The parts of a key, up to what ends it."""
        parts = []
        while found := _KEY_PART.match(self._text, self._at):
            self._at = found.end()
            word = found[1]
            parts.append(tomllib.loads(f"key = {word}")["key"] if word[0] in "\"'" else word)
            if not self._text.startswith(".", self._at):
                break
            self._at += 1
        return parts

    def _note(self, way: Way, place: int) -> None:
        self._found.setdefault(way, bisect_right(self._ends, place) + 1)

    def _skip_blank(self) -> None:
        found = _BLANK.match(self._text, self._at)
        assert found is not None
        self._at = found.end()
