r"""The container of a trained model: named parts in one file, every bit of it checked.

    bytes 0-7     \x89NIWAKI\n
    bytes 8-11    format version, little endian
    bytes 12-15   length H of the table of contents, little endian
    then H bytes  JSON: [{"name": ..., "size": ..., "sha256": ...}, ...]
    then 32 bytes SHA-256 of everything above
    then          the parts, one after the other, to the end of the file

Parts are JSON (`*.json`), tensors (`*.safetensors`) or plain bytes. `config.json`
is always there: all that is needed to rebuild the pipeline, and its history.

Format 1 has parts as they are. In format 2, which is for models that are sent over a network, a
part whose entry has a `length` is deflated, and has so many bytes when it is inflated.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import stat
import struct
import zlib
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from typing import Any, BinaryIO, NamedTuple

import numpy as np
import safetensors.numpy
from numpy.typing import NDArray

from niwaki.data.files import atomic_write
from niwaki.errors import ModelError, shown

FORMAT_VERSION, PACKED_VERSION = 1, 2
_MAGIC = b"\x89NIWAKI\n"
_PREFIX = struct.Struct("<8sII")
_DIGEST = 32
_MAX_CONTENTS = 1 << 20
# No part of a model is that regular: a small file must not fill the memory.
_MAX_RATIO = 100
_NAME = re.compile(r"[a-z0-9_-][a-z0-9_.-]*(/[a-z0-9_-][a-z0-9_.-]*)*")

Tensors = Mapping[str, NDArray[Any]]
Part = bytes | Tensors | Mapping[str, Any] | list[Any]


@dataclass(frozen=True)
class ModelFile:
    """The parts of a model file that was read and found whole.

    In a process that was given the file by another, parts are views of memory that all such
    processes share; `arrays` then has the tensors, and what was made of them, by name.
    """

    path: str
    parts: Mapping[str, bytes]
    arrays: Mapping[str, Tensors] = field(default_factory=dict)

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
            return bytes(self.parts[name])
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
        if name in self.arrays:
            return dict(self.arrays[name])
        try:
            return safetensors.numpy.load(self.raw(name))
        except (safetensors.SafetensorError, KeyError, ValueError, TypeError) as error:
            # The reason may quote what is in the file.
            reason = shown(str(error), 200)
            raise ModelError(f"{self.path}: part {name} holds no tensors ({reason})") from error


def write_model_file(
    path: str | os.PathLike[str], parts: Mapping[str, Part], *, packed: bool = False
) -> None:
    """Write a model atomically; the same parts give the same bytes.

    If `packed`, it takes about half the room and a moment more to read.
    """
    if "config.json" not in parts:
        raise ValueError("a model file needs a config.json")
    contents, stored = [], []
    for name, part in parts.items():
        whole = part_bytes(name, part)
        data = deflated(whole) if packed else whole
        entry = {"name": name, "size": len(data), "sha256": hashlib.sha256(data).hexdigest()}
        contents.append({**entry, "length": len(whole)} if data is not whole else entry)
        stored.append(data)
    table = json.dumps(contents).encode()
    version = PACKED_VERSION if packed else FORMAT_VERSION
    head = _PREFIX.pack(_MAGIC, version, len(table)) + table
    with atomic_write(path) as file:
        file.write(head)
        file.write(hashlib.sha256(head).digest())
        for data in stored:
            file.write(data)


def deflated(data: bytes) -> bytes:
    """What a packed file has of a part: it is itself where that is no longer, or too regular."""
    found = zlib.compress(data, 9)
    return found if len(found) < len(data) <= _MAX_RATIO * len(found) else data


def part_bytes(name: str, part: Part) -> bytes:
    """A part as a file has it."""
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


# Files that this process was given, by their absolute paths.
_given: dict[str, ModelFile] = {}


def give_model_files(files: Mapping[str, ModelFile]) -> None:
    """From now on, these are what this process reads at their absolute paths."""
    _given.update(files)


def read_model_file(path: str | os.PathLike[str], command: str = "train") -> ModelFile:
    """Read a model file and check all of it; raises ModelError if a bit is wrong.

    command: what makes such files, for whoever gives another one.
    """
    name = os.fspath(path)
    if _given and os.path.abspath(name) in _given:
        return _given[os.path.abspath(name)]
    with open(path, "rb", opener=partial(_open_regular, command)) as file:
        size = os.fstat(file.fileno()).st_size
        try:
            return ModelFile(name, read_parts(name, file, size, command))
        except MemoryError as error:
            raise ModelError(f"{name}: {size:,} bytes, more than there is memory for") from error


def _open_regular(command: str, path: str, flags: int) -> int:
    """Open a file; a FIFO that nobody writes to is not waited for."""
    opened = os.open(path, flags | getattr(os, "O_NONBLOCK", 0))
    if not stat.S_ISREG(os.fstat(opened).st_mode):
        os.close(opened)
        raise ModelError(f"{path}: not a regular file; give a file made by `niwaki {command}`")
    return opened


def read_parts(path: str, file: BinaryIO, size: int, command: str = "train") -> dict[str, bytes]:
    """The parts of a model file of so many bytes, summed and found whole.

    They are read, not mapped: what is summed is what is used, whatever becomes of the file.
    """
    start = file.read(_PREFIX.size)
    if len(start) < _PREFIX.size or size < _PREFIX.size + _DIGEST:
        raise _foreign(path, start[: len(_MAGIC)], command)
    magic, version, length = _PREFIX.unpack(start)
    if magic != _MAGIC:
        raise _foreign(path, magic, command)
    if version not in (FORMAT_VERSION, PACKED_VERSION):
        raise ModelError(
            f"{path}: model format {version}, but this niwaki reads formats {FORMAT_VERSION} and "
            f"{PACKED_VERSION}; install the niwaki that wrote it, or train the model again"
        )
    at = _PREFIX.size + length + _DIGEST
    if length > _MAX_CONTENTS or at > size:
        raise _damaged(path, f"a table of contents of {length} bytes")
    table = file.read(length)
    if hashlib.sha256(start + table).digest() != file.read(_DIGEST):
        raise _damaged(path, "the table of contents does not match its checksum")
    contents = _contents(path, table, is_packed=version == PACKED_VERSION)
    for name, part_size, _, _ in contents:
        if part_size > size - at:
            raise _damaged(path, f"part {name} is cut off")
        at += part_size
    if at != size:
        raise _damaged(path, f"{size - at} bytes too many")
    return _read_summed(path, file, contents)


class _Entry(NamedTuple):
    """A line of the table of contents; `length` is None for a part that is not deflated."""

    name: str
    size: int
    digest: str
    length: int | None


def _read_summed(path: str, file: BinaryIO, contents: list[_Entry]) -> dict[str, bytes]:
    parts: dict[str, bytes] = {}
    sums = {}
    # hashlib releases the interpreter lock, so parts are summed while others are read.
    with ThreadPoolExecutor(2) as pool:
        for name, size, _, _ in contents:
            parts[name] = file.read(size)
            sums[name] = pool.submit(hashlib.sha256, parts[name])
    for name, _, digest, length in contents:
        if sums[name].result().hexdigest() != digest:
            raise _damaged(path, f"part {name} does not match its checksum")
        if length is not None:
            parts[name] = _inflated(path, name, parts[name], length)
    return parts


def _inflated(path: str, name: str, data: bytes, length: int) -> bytes:
    """The bytes of a deflated part; no more memory is taken than its entry says."""
    reader = zlib.decompressobj()
    try:
        found = reader.decompress(data, length + 1)
    except zlib.error as error:
        raise _damaged(path, f"part {name} cannot be inflated") from error
    if len(found) != length or not reader.eof or reader.unused_data:
        raise _damaged(path, f"part {name} is not of {length} bytes")
    return found


def _contents(path: str, table: bytes, *, is_packed: bool) -> list[_Entry]:
    """The table of contents, as foreign input: its checksum only proves that it is whole."""
    try:
        entries = [
            _Entry(each["name"], each["size"], each["sha256"], each.get("length"))
            for each in json.loads(table)
        ]
    except (ValueError, RecursionError, TypeError, KeyError, AttributeError) as error:
        raise _damaged(path, "a table of contents that cannot be read") from error
    seen: set[str] = set()
    for name, size, digest, length in entries:
        if not isinstance(name, str) or not _NAME.fullmatch(name):
            raise _damaged(path, f"a part named {shown(str(name))}")
        if name in seen:
            raise _damaged(path, f"two parts named {shown(name)}")
        seen.add(name)
        if type(size) is not int or size < 0 or not isinstance(digest, str):
            raise _damaged(path, f"part {name} has no size or checksum")
        if length is not None and (type(length) is not int or not 0 <= length <= _MAX_RATIO * size):
            raise _damaged(path, f"part {name} grows beyond measure")
    return entries if is_packed else [each._replace(length=None) for each in entries]


def _damaged(path: str, found: str) -> ModelError:
    return ModelError(f"{path}: damaged model file: {found}; copy or download it again")


def _foreign(path: str, start: bytes, command: str) -> ModelError:
    return ModelError(
        f"{path}: not a niwaki model (it begins with {shown(start)}); "
        f"give a file made by `niwaki {command}`"
    )
