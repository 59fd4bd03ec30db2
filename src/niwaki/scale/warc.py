"""Reads the text records of WARC and WET files, as crawls are published."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from niwaki.data.files import Input
from niwaki.errors import CorpusError, shown

_CHUNK = 1 << 18
_LARGEST_HEAD = 1 << 16
_ADVICE = "fetch the file again"


@dataclass(frozen=True)
class TextRecord:
    """A text of a crawl: the number of its record in the file, where it is from, what it says."""

    number: int
    id: str
    uri: str
    text: str


def text_records(stream: Input) -> Iterator[TextRecord]:
    """The records of plain text; others (pages as they were fetched, notes) are passed over.

    Members of gzip, one a record, are read as one stream by `Input`. Bytes that are not UTF-8
    become U+FFFD: crawls have them, and they are no fault of the file.
    """
    reader = _Reader(stream)
    number = 0
    while head := reader.head(number + 1):
        number += 1
        fields = _fields(head)
        size = fields.get("content-length", "")
        if not head.startswith(b"WARC/") or not size.isdecimal():
            raise CorpusError(
                stream.name, number, "RECORD", f"found {shown(head)}, no record of WARC", _ADVICE
            )
        body = reader.take(int(size), number)
        if fields.get("content-type", "").partition(";")[0].strip() == "text/plain":
            yield TextRecord(
                number,
                fields.get("warc-record-id", "").strip("<>"),
                fields.get("warc-target-uri", ""),
                body.decode("utf-8", "replace"),
            )


def _fields(head: bytes) -> dict[str, str]:
    lines = (line.partition(":") for line in head.decode("utf-8", "replace").split("\n")[1:])
    return {name.strip().lower(): value.strip() for name, _, value in lines}


class _Reader:
    """Takes heads and bodies off a stream."""

    def __init__(self, stream: Input) -> None:
        self._stream, self._held = stream, b""

    def head(self, number: int) -> bytes:
        """The lines before the next blank one; b"" at the end of the file."""
        while True:
            self._held = self._held.lstrip(b"\r\n")
            for blank in (b"\r\n\r\n", b"\n\n"):
                head, found, rest = self._held.partition(blank)
                if found:
                    self._held = rest
                    return head
            if len(self._held) > _LARGEST_HEAD or (not self._more() and self._held):
                raise CorpusError(
                    self._stream.name, number, "RECORD", "a head without an end", _ADVICE
                )
            if not self._held:
                return b""

    def take(self, size: int, number: int) -> bytes:
        parts = [self._held[:size]]
        self._held, missing = self._held[size:], size - len(parts[0])
        while missing:
            data = self._stream.read(_CHUNK)
            if not data:
                raise CorpusError(self._stream.name, number, "RECORD", "it is cut off", _ADVICE)
            parts.append(data[:missing])
            self._held, missing = data[missing:], missing - len(parts[-1])
        return b"".join(parts)

    def _more(self) -> bool:
        data = self._stream.read(_CHUNK)
        self._held += data
        return bool(data)
