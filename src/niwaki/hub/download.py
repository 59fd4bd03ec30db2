"""Fetches a model into the cache: all of it and nothing else, or nothing.

What has come so far stays in a `.part` file when the way breaks off, and the next try goes on from
there. What is wrong - too long, other bytes, no model - leaves nothing behind.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from niwaki.data.files import atomic_write
from niwaki.data.modelfile import read_parts
from niwaki.data.system import try_to_lock
from niwaki.errors import ModelError
from niwaki.hub.cache import CachedModel, cached_path, remove_other_versions
from niwaki.hub.index import Entry
from niwaki.hub.sources import Offer, Opened

_CHUNK = 1 << 18


def fetch(offer: Offer) -> CachedModel:
    """The model in the cache, fetched if it is not there yet."""
    entry = offer.entry
    found = CachedModel(entry.name, entry.version, cached_path(entry.name, entry.version))
    if _is_whole(found.path, entry):
        return found
    found.path.parent.mkdir(parents=True, exist_ok=True)
    with _part_of(found.path, entry) as part:
        with offer.source.open(entry.file, part.have, part.validator) as opened:
            _receive(opened, part, entry, offer.source.name)
        _publish(part, found.path, entry, offer.source.name)
    remove_other_versions(found)
    return found


@dataclass
class _Part:
    """What has come of a file, and what it takes to ask for the rest."""

    file: BinaryIO
    path: Path
    notes: Path
    have: int = 0
    validator: str = ""

    def remove(self) -> None:
        self.path.unlink(missing_ok=True)
        self.notes.unlink(missing_ok=True)


@contextlib.contextmanager
def _part_of(target: Path, entry: Entry) -> Iterator[_Part]:
    """The part of a file that is being fetched, by one process at a time."""
    path = target.with_name(f"{target.name}.part")
    notes = target.with_name(f"{target.name}.part.json")
    with open(path, "a+b") as file:
        if not try_to_lock(file.fileno()):
            raise ModelError(f"{entry.name}: another process fetches it; wait for that one")
        part = _Part(file, path, notes)
        with contextlib.suppress(OSError, ValueError, KeyError, TypeError):
            record = json.loads(notes.read_bytes())
            if record["sha256"] == entry.sha256 and isinstance(record["validator"], str):
                part.have, part.validator = path.stat().st_size, record["validator"]
        try:
            yield part
        except BaseException:
            # Only what can be gone on from is of use.
            if not (part.validator and path.exists() and path.stat().st_size):
                part.remove()
            raise


def _receive(opened: Opened, part: _Part, entry: Entry, source: str) -> None:
    """Bytes behind those that the part has; raises if they are too few, or not what is stated."""
    if opened.size is not None and opened.size != entry.size:
        part.remove()
        raise _wrong(entry, source, f"a file of {opened.size:,} bytes")
    part.file.truncate(opened.start)
    part.have, part.validator = opened.start, opened.validator
    if part.validator:
        part.notes.write_text(
            json.dumps({"sha256": entry.sha256, "validator": part.validator}), encoding="utf-8"
        )
    while data := opened.stream.read(_CHUNK):
        part.have += len(data)
        if part.have > entry.size:
            part.remove()
            raise _wrong(entry, source, "more bytes than that")
        part.file.write(data)
    part.file.flush()
    if part.have < entry.size:
        again = "run it again to go on from there" if part.validator else "run it again"
        raise ModelError(
            f"{entry.name}: {source} broke off after {part.have:,} of {entry.size:,} bytes; {again}"
        )


def _publish(part: _Part, target: Path, entry: Entry, source: str) -> None:
    """Make the part the model, if it is what the index says, and a model."""
    try:
        part.file.seek(0)
        digest = _digest(part.file)
        if digest != entry.sha256:
            raise _wrong(entry, source, f"bytes with the SHA-256 {digest}")
        part.file.seek(0)
        read_parts(f"{entry.name} of {source}", part.file, entry.size)
        part.file.seek(0)
        with atomic_write(target) as out:
            while data := part.file.read(_CHUNK):
                out.write(data)
    finally:
        part.remove()


def _digest(file: BinaryIO) -> str:
    summed = hashlib.sha256()
    while data := file.read(_CHUNK):
        summed.update(data)
    return summed.hexdigest()


def _is_whole(path: Path, entry: Entry) -> bool:
    try:
        with open(path, "rb") as file:
            return path.stat().st_size == entry.size and _digest(file) == entry.sha256
    except FileNotFoundError:
        return False


def _wrong(entry: Entry, source: str, found: str) -> ModelError:
    return ModelError(
        f"{entry.name}: {source} gives {found}, and not the {entry.size:,} bytes with the SHA-256 "
        f"{entry.sha256} that its index states; nothing is kept"
    )
