"""What a worker does with a shard: leave out what cannot be read, run, write the result whole."""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import os
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from niwaki.data.conllu import read_conllu
from niwaki.data.files import atomic_write, zstandard
from niwaki.scale import parquet
from niwaki.scale.cutting import Bad, Items, Shard
from niwaki.scale.engine import named_object

GZIP, ZSTD, PARQUET = "gz", "zst", "parquet"
PACKS = (GZIP, ZSTD, PARQUET)
# Gives the output of bytes of a form; the name is that of their file.
Run = Callable[[bytes, str | None, str], bytes]
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

    def __init__(self, settings: str, pack: str | None, run: str, *constants: Any) -> None:
        self._settings, self._pack = settings, pack
        self._run: Run = named_object(run)(*constants)

    def __call__(self, task: Task) -> Outcome:
        shard = task.shard
        items = Items(shard.form, shard.data)
        if task.part is not None:
            part = items.part(*task.part)
            self._output(part, [each.item for each in part.faults()], shard)
            return Outcome()
        known = {each.item: each for each in (*items.faults(), *task.bad)}
        bad = [known[item] for item in sorted(known)]
        data = self._packed(self._output(items, list(known), shard))
        with atomic_write(task.output) as file:
            file.write(data)
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
        self._finish(task, data, outcome)
        return outcome

    def _output(self, items: Items, bad: list[int], shard: Shard) -> bytes:
        data = items.without(bad)
        # Readers take a file without anything for a mistake.
        return self._run(data, shard.form, shard.file) if data.strip() else b""

    def _packed(self, data: bytes) -> bytes:
        if self._pack == GZIP:
            return gzip.compress(data, mtime=0)
        if self._pack == ZSTD:
            return bytes(zstandard().ZstdCompressor(level=_LEVEL).compress(data))
        if self._pack == PARQUET:
            read = read_conllu(io.BytesIO(data), multi_root=True) if data else iter(())
            return parquet.packed(read)
        return data

    def _finish(self, task: Task, data: bytes, outcome: Outcome) -> None:
        """Say that the output is whole: this comes last, so what is not said is done again."""
        record = {
            "file": task.shard.file,
            "shard": task.shard.number,
            "line": task.shard.line,
            "character": task.shard.character,
            "input": sha256(task.shard.data),
            "output": sha256(data),
            "settings": self._settings,
            "words": outcome.words,
            "items": outcome.items,
            "quarantined": outcome.quarantined,
        }
        with atomic_write(done_file(task.output)) as file:
            file.write(json.dumps(record, ensure_ascii=False).encode() + b"\n")


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
