"""An append-only file of JSON lines that survives being killed at any moment."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from niwaki.data.system import sync_folder
from niwaki.errors import CorpusError
from niwaki.serve.frames import dump
from niwaki.serve.schema import load_json

# Windows would otherwise write two characters at the end of a line.
_APPEND = os.O_WRONLY | os.O_CREAT | os.O_APPEND | getattr(os, "O_BINARY", 0)


class Journal:
    """Entries are on the disk when `append` returns.

    A last line without its end was being written when the power went; its change was
    never confirmed, and it is cut off. Any other line that cannot be read is an error:
    nothing of what people did is passed over in silence.
    """

    def __init__(self, path: Path) -> None:
        self._path = path

    def read(self) -> list[dict[str, Any]]:
        if not self._path.exists():
            return []
        data = self._path.read_bytes()
        whole = data.rfind(b"\n") + 1
        if whole < len(data):
            os.truncate(self._path, whole)
        entries = []
        for number, line in enumerate(data[:whole].splitlines(), start=1):
            try:
                entries.append(dict(load_json(line)))
            except (ValueError, TypeError) as error:
                raise CorpusError(
                    str(self._path), number, "LINE", "not an entry", "repair or move the project"
                ) from error
        return entries

    def append(self, entry: dict[str, Any]) -> None:
        made = not self._path.exists()
        file = os.open(self._path, _APPEND, 0o644)
        try:
            before = os.fstat(file).st_size
            try:
                _write_all(file, dump(entry) + b"\n")
                os.fsync(file)
            except OSError:
                # Half a line must not become the beginning of the next one.
                os.ftruncate(file, before)
                raise
        finally:
            os.close(file)
        if made:
            sync_folder(self._path.parent)


def _write_all(file: int, data: bytes) -> None:
    while data:
        data = data[os.write(file, data) :]
