"""What a worker does with a shard: leave out what cannot be read, run, write the result whole.

An output goes to its file as it is made, so that memory is that of the model and the input.
"""

from __future__ import annotations

import contextlib
import gzip
import hashlib
import io
import json
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, BinaryIO

from niwaki.data.conllu import read_conllu
from niwaki.data.files import atomic_write, zstandard
from niwaki.scale import parquet
from niwaki.scale.cutting import Bad, Items, Shard
from niwaki.scale.engine import named_object
from niwaki.scale.sharing import SharedModels

GZIP, ZSTD, PARQUET = "gz", "zst", "parquet"
PACKS = (GZIP, ZSTD, PARQUET)
# Writes the output of bytes of a form; the name is that of their file.
Run = Callable[[bytes, str | None, str, io.BufferedIOBase], None]
_LEVEL = 3


@dataclass(frozen=True)
class Task:
    """A shard to be written to a file; or some of its items, to see whether a worker survives."""

    shard: Shard
    output: str = ""
    part: tuple[int, int] | None = None
    bad: tuple[Bad, ...] = ()


@dataclass(frozen=True)
class Outcome:
    """What was done: how much there was, and what was left out."""

    words: int = 0
    items: int = 0
    quarantined: list[dict[str, Any]] = field(default_factory=list)


class ShardWorker:
    """Made once in each process: `run` is made by its import path, with what it keeps."""

    def __init__(
        self, models: SharedModels, settings: str, pack: str | None, run: str, *constants: Any
    ) -> None:
        models.install()
        self._settings, self._pack = settings, pack
        self._run: Run = named_object(run)(*constants)

    def __call__(self, task: Task) -> Outcome:
        shard = task.shard
        items = Items(shard.form, shard.data)
        if task.part is not None:
            part = items.part(*task.part)
            self._write(part, [each.item for each in part.faults()], shard, _Sink())
            return Outcome()
        known = {each.item: each for each in (*items.faults(), *task.bad)}
        bad = [known[item] for item in sorted(known)]
        with atomic_write(task.output) as file:
            sink = _Sink(file)
            with self._packing(sink) as out:
                self._write(items, list(known), shard, out)
        quarantined = [
            {
                "file": shard.file,
                "line": shard.line + each.line,
                "reason": each.reason,
                "text": items.bytes_of(each.item).decode("utf-8", "replace"),
            }
            for each in bad
        ]
        kept = Items(shard.form, items.without(known))
        outcome = Outcome(kept.words(), len(items) - len(bad), quarantined)
        self._finish(task, sink.checksum, outcome)
        return outcome

    def _write(self, items: Items, bad: list[int], shard: Shard, out: io.BufferedIOBase) -> None:
        data = items.without(bad)
        # Readers take a file without anything for a mistake.
        if data.strip():
            self._run(data, shard.form, shard.file, out)

    @contextlib.contextmanager
    def _packing(self, sink: _Sink) -> Iterator[io.BufferedIOBase]:
        if self._pack == GZIP:
            # No name and no time in the header: the same data gives the same bytes.
            with gzip.GzipFile("", "wb", fileobj=sink, mtime=0) as packed:
                yield packed
        elif self._pack == ZSTD:
            with zstandard().ZstdCompressor(level=_LEVEL).stream_writer(sink, closefd=False) as zst:
                yield zst
        elif self._pack == PARQUET:
            # Columns of all sentences stand one after the other: this one is held.
            held = io.BytesIO()
            yield held
            held.seek(0)
            read = read_conllu(held, multi_root=True) if held.getbuffer().nbytes else iter(())
            sink.write(parquet.packed(read))
        else:
            yield sink

    def _finish(self, task: Task, checksum: str, outcome: Outcome) -> None:
        """Say that the output is whole: this comes last, so what is not said is done again."""
        record = {
            "file": task.shard.file,
            "shard": task.shard.number,
            "line": task.shard.line,
            "character": task.shard.character,
            "input": sha256(task.shard.data),
            "output": checksum,
            "settings": self._settings,
            "words": outcome.words,
            "items": outcome.items,
            "quarantined": outcome.quarantined,
        }
        with atomic_write(done_file(task.output)) as file:
            file.write(json.dumps(record, ensure_ascii=False).encode() + b"\n")


class _Sink(io.BufferedIOBase):
    """Sums what is written, and hands it on to a file, if there is one."""

    def __init__(self, file: BinaryIO | None = None) -> None:
        self._file, self._sum = file, hashlib.sha256()

    def writable(self) -> bool:
        return True

    def write(self, data: Any, /) -> int:
        self._sum.update(data)
        if self._file is not None:
            self._file.write(data)
        return len(data)

    @property
    def checksum(self) -> str:
        return self._sum.hexdigest()


def finished(task: Task, settings: str) -> Outcome | None:
    """What was done before, if its output is there, is whole, and is of this input and settings."""
    try:
        with open(done_file(task.output), "rb") as file:
            record = json.loads(file.read())
        if record["settings"] != settings or record["input"] != sha256(task.shard.data):
            return None
        with open(task.output, "rb") as file:
            if hashlib.file_digest(file, "sha256").hexdigest() != record["output"]:
                return None
        return Outcome(record["words"], record["items"], record["quarantined"])
    except (FileNotFoundError, ValueError, LookupError, TypeError):
        return None


def done_file(output: str) -> str:
    return f"{os.fspath(output)}.done"


def sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
