r"""The container of a trained model: named parts in one file, every bit of it checked.

    bytes 0-7     \x89NIWAKI\n
    bytes 8-11    format version, little endian
    bytes 12-15   length H of the table of contents, little endian
    then H bytes  JSON: [{"name": ..., "size": ..., "sha256": ...}, ...]
    then 32 bytes SHA-256 of everything above
    then          the parts, one after the other, to the end of the file

Parts are JSON (`*.json`), tensors (`*.safetensors`) or plain bytes. `config.json`
is always there: all that is needed to rebuild the pipeline, and its history.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import stat
import struct
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, BinaryIO

import numpy as np
import safetensors.numpy
from numpy.typing import NDArray

from niwaki.data.files import atomic_write
from niwaki.errors import ModelError, shown

FORMAT_VERSION = 1
_MAGIC = b"\x89NIWAKI\n"
_PREFIX = struct.Struct("<8sII")
_DIGEST = 32
_MAX_CONTENTS = 1 << 20
_NAME = re.compile(r"[a-z0-9_-][a-z0-9_.-]*(/[a-z0-9_-][a-z0-9_.-]*)*")

Tensors = Mapping[str, NDArray[Any]]
Part = bytes | Tensors | Mapping[str, Any] | list[Any]


@dataclass(frozen=True)
class ModelFile:
    """The parts of a model file that was read and found whole."""

    path: str
    parts: Mapping[str, bytes]

    @property
    def config(self) -> dict[str, Any]:
        config = self.json("config.json")
        if not isinstance(config, dict):
            raise ModelError(
                f"{self.path}: config.json is not an object; the file was not made by niwaki"
            )
        return config

    def raw(self, name: str) -> bytes:
        try:
            return self.parts[name]
        except KeyError:
            raise ModelError(
                f"{self.path}: no part {name!r} among {', '.join(self.parts)}; train it again"
            ) from None

    def json(self, name: str) -> Any:
        try:
            return json.loads(self.raw(name))
        except (ValueError, RecursionError) as error:
            raise ModelError(f"{self.path}: part {name} is not JSON ({error})") from error

    def tensors(self, name: str) -> dict[str, NDArray[Any]]:
        try:
            return safetensors.numpy.load(self.raw(name))
        except (safetensors.SafetensorError, KeyError, ValueError, TypeError) as error:
            # The reason may quote what is in the file.
            reason = shown(str(error), 200)
            raise ModelError(f"{self.path}: part {name} holds no tensors ({reason})") from error


def write_model_file(path: str | os.PathLike[str], parts: Mapping[str, Part]) -> None:
    """Write a model atomically; the same parts give the same bytes."""
    if "config.json" not in parts:
        raise ValueError("a model file needs a config.json")
    packed = {name: _pack(name, part) for name, part in parts.items()}
    contents = [
        {"name": name, "size": len(data), "sha256": hashlib.sha256(data).hexdigest()}
        for name, data in packed.items()
    ]
    table = json.dumps(contents).encode()
    head = _PREFIX.pack(_MAGIC, FORMAT_VERSION, len(table)) + table
    with atomic_write(path) as file:
        file.write(head)
        file.write(hashlib.sha256(head).digest())
        for data in packed.values():
            file.write(data)


def _pack(name: str, part: Part) -> bytes:
    if not _NAME.fullmatch(name):
        raise ValueError(f"{name!r} cannot name a part")
    if isinstance(part, bytes):
        return part
    if name.endswith(".safetensors"):
        assert isinstance(part, Mapping)
        return safetensors.numpy.save(
            {key: np.ascontiguousarray(part[key]) for key in sorted(part)}
        )
    # Readable when unpacked, and the same bytes for the same content.
    return json.dumps(part, ensure_ascii=False, indent=1).encode()


def read_model_file(path: str | os.PathLike[str]) -> ModelFile:
    """Read a model file and check all of it; raises ModelError if a bit is wrong."""
    name = os.fspath(path)
    with open(path, "rb", opener=_open_regular) as file:
        size = os.fstat(file.fileno()).st_size
        try:
            return ModelFile(name, read_parts(name, file, size))
        except MemoryError as error:
            raise ModelError(f"{name}: {size:,} bytes, more than there is memory for") from error


def _open_regular(path: str, flags: int) -> int:
    """Open a file; a FIFO that nobody writes to is not waited for."""
    opened = os.open(path, flags | getattr(os, "O_NONBLOCK", 0))
    if not stat.S_ISREG(os.fstat(opened).st_mode):
        os.close(opened)
        raise ModelError(f"{path}: not a regular file; give a file made by `niwaki train`")
    return opened


def read_parts(path: str, file: BinaryIO, size: int) -> dict[str, bytes]:
    """The parts of a model file of so many bytes, summed and found whole.

    They are read, not mapped: what is summed is what is used, whatever becomes of the file.
    """
    start = file.read(_PREFIX.size)
    if len(start) < _PREFIX.size or size < _PREFIX.size + _DIGEST:
        raise _foreign(path, start[: len(_MAGIC)])
    magic, version, length = _PREFIX.unpack(start)
    if magic != _MAGIC:
        raise _foreign(path, magic)
    if version != FORMAT_VERSION:
        raise ModelError(
            f"{path}: model format {version}, but this niwaki reads format {FORMAT_VERSION}; "
            "install the niwaki that wrote it, or train the model again"
        )
    at = _PREFIX.size + length + _DIGEST
    if length > _MAX_CONTENTS or at > size:
        raise _damaged(path, f"a table of contents of {length} bytes")
    table = file.read(length)
    if hashlib.sha256(start + table).digest() != file.read(_DIGEST):
        raise _damaged(path, "the table of contents does not match its checksum")
    contents = _contents(path, table)
    for name, part_size, _ in contents:
        if part_size > size - at:
            raise _damaged(path, f"part {name} is cut off")
        at += part_size
    if at != size:
        raise _damaged(path, f"{size - at} bytes too many")
    return _read_summed(path, file, contents)


def _read_summed(
    path: str, file: BinaryIO, contents: list[tuple[str, int, str]]
) -> dict[str, bytes]:
    parts: dict[str, bytes] = {}
    sums = {}
    # hashlib releases the interpreter lock, so parts are summed while others are read.
    with ThreadPoolExecutor(2) as pool:
        for name, size, _ in contents:
            parts[name] = file.read(size)
            sums[name] = pool.submit(hashlib.sha256, parts[name])
    for name, _, digest in contents:
        if sums[name].result().hexdigest() != digest:
            raise _damaged(path, f"part {name} does not match its checksum")
    return parts


def _contents(path: str, table: bytes) -> list[tuple[str, int, str]]:
    """The table of contents, as foreign input: its checksum only proves that it is whole."""
    try:
        entries = [(entry["name"], entry["size"], entry["sha256"]) for entry in json.loads(table)]
    except (ValueError, RecursionError, TypeError, KeyError) as error:
        raise _damaged(path, "a table of contents that cannot be read") from error
    seen: set[str] = set()
    for name, size, digest in entries:
        if not isinstance(name, str) or not _NAME.fullmatch(name):
            raise _damaged(path, f"a part named {shown(str(name))}")
        if name in seen:
            raise _damaged(path, f"two parts named {shown(name)}")
        seen.add(name)
        if type(size) is not int or size < 0 or not isinstance(digest, str):
            raise _damaged(path, f"part {name} has no size or checksum")
    return entries


def _damaged(path: str, found: str) -> ModelError:
    return ModelError(f"{path}: damaged model file: {found}; copy or download it again")


def _foreign(path: str, start: bytes) -> ModelError:
    return ModelError(
        f"{path}: not a niwaki model (it begins with {shown(start)}); "
        "give a file made by `niwaki train`"
    )
