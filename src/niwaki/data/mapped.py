r"""Named arrays in one file that is mapped into memory: tables that are read where they are asked.

    8 bytes     \x89NIWARR\n
    then        the arrays, each at a multiple of 64 bytes
    then        JSON: the version, the kind, facts, and where each array is
    16 bytes    where the JSON begins, and its length, little endian
    8 bytes     \x89NIWARR\n

Opening a file reads its last page only; what the arrays hold is for their reader to check.
"""

from __future__ import annotations

import json
import mmap
import os
import struct
from collections.abc import Mapping
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from niwaki.data.files import atomic_write
from niwaki.errors import ModelError
from niwaki.typing import Arrays

VERSION = 1
_MAGIC = b"\x89NIWARR\n"
_END = struct.Struct("<QQ8s")
_ALIGNED = 64
# What a table of contents that was changed may cause.
_DAMAGE = (ValueError, LookupError, TypeError, AttributeError, OverflowError, RecursionError)


@dataclass(frozen=True)
class MappedArrays:
    """The arrays of a file, which cannot be written to, and facts about them."""

    path: str
    arrays: Arrays
    facts: Mapping[str, Any]


def save_arrays(
    path: str | os.PathLike[str], kind: str, arrays: Arrays, facts: Mapping[str, Any]
) -> None:
    """Write arrays of numbers, whole or not at all; facts are what JSON can hold."""
    places: dict[str, tuple[str, int, tuple[int, ...]]] = {}
    with atomic_write(path) as file:
        at = file.write(_MAGIC)
        for name, array in arrays.items():
            at += file.write(b"\0" * (-at % _ALIGNED))
            little = np.ascontiguousarray(array, dtype=array.dtype.newbyteorder("<"))
            places[name] = little.dtype.str, at, array.shape
            at += file.write(little.reshape(-1).view(np.uint8).data)
        contents = {"version": VERSION, "kind": kind, "facts": dict(facts), "arrays": places}
        text = json.dumps(contents).encode("utf-8")
        file.write(text)
        file.write(_END.pack(at, len(text), _MAGIC))


def load_arrays(path: str | os.PathLike[str], kind: str, advice: str) -> MappedArrays:
    """Map a file of this kind; raises ModelError, with the advice, if it is none."""
    name = os.fspath(path)
    fault = ModelError(f"{name}: no {kind}, or a damaged one; {advice}")
    with open(path, "rb") as file:
        size = os.fstat(file.fileno()).st_size
        if size < len(_MAGIC) + _END.size:
            raise fault
        data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    begin, length, magic = _END.unpack_from(data, size - _END.size)
    if magic != _MAGIC or data[: len(_MAGIC)] != _MAGIC or begin + length + _END.size != size:
        raise fault
    try:
        contents = json.loads(data[begin : begin + length])
        sound = contents["version"] == VERSION and contents["kind"] == kind
        places = contents["arrays"].items()
        arrays = {each: _mapped(data, *place) for each, place in places}
        facts = dict(contents["facts"])
    except (
        ValueError,
        KeyError,
        TypeError,
        AttributeError,
        OverflowError,
        RecursionError,
    ) as error:
        raise fault from error
    if not sound:
        raise fault
    return MappedArrays(name, arrays, facts)


def _mapped(data: mmap.mmap, dtype: str, begin: int, shape: list[int]) -> NDArray[Any]:
    """An array of the file; raises ValueError for what lies outside of it, or not as written."""
    if begin % _ALIGNED:
        raise ValueError(f"an array at {begin}")
    if any(not isinstance(length, int) or length < 0 for length in shape):
        raise ValueError(f"the shape {shape}")
    count = prod(shape)
    if not count:
        return np.zeros(shape, np.dtype(dtype))
    return np.frombuffer(data, np.dtype(dtype), count, begin).reshape(shape)
