"""Writes graphs of ONNX: nodes, constants, inputs and outputs in their binary format.

Protocol buffers are fields one after the other: a number that says which field it is and how it
is written, then a whole number of 7 bits a byte, or a length and so many bytes. The numbers are
those of ONNX's published schema.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

_OPSET, _IR_VERSION = 20, 9
# Types of elements in ONNX.
FLOAT, UINT8, INT8, INT64 = 1, 2, 3, 7
_TYPES = {"float32": FLOAT, "uint8": UINT8, "int8": INT8, "int64": INT64}
# Types of attributes.
_A_FLOAT, _AN_INT, _INTS = 1, 2, 7

Attribute = int | float | Sequence[int]


def _varint(value: int) -> bytes:
    value &= (1 << 64) - 1
    found = bytearray()
    while value > 0x7F:
        found.append(value & 0x7F | 0x80)
        value >>= 7
    found.append(value)
    return bytes(found)


def _number(field: int, value: int) -> bytes:
    return _varint(field << 3) + _varint(value)


def _bytes(field: int, value: bytes | str) -> bytes:
    data = value.encode() if isinstance(value, str) else value
    return _varint(field << 3 | 2) + _varint(len(data)) + data


def _attribute(name: str, value: Attribute) -> bytes:
    if isinstance(value, float):
        body = _varint(2 << 3 | 5) + struct.pack("<f", value) + _number(20, _A_FLOAT)
    elif isinstance(value, int):
        body = _number(3, value) + _number(20, _AN_INT)
    else:
        body = b"".join(_number(8, each) for each in value) + _number(20, _INTS)
    return _bytes(1, name) + body


def _value_info(name: str, kind: int, axes: Sequence[str | int]) -> bytes:
    dims = b"".join(
        _bytes(1, _bytes(2, axis) if isinstance(axis, str) else _number(1, axis)) for axis in axes
    )
    tensor = _number(1, kind) + _bytes(2, dims)
    return _bytes(1, name) + _bytes(2, _bytes(1, tensor))


class Graph:
    """A graph that grows node by node; values are known by their names."""

    def __init__(self) -> None:
        self._nodes: list[bytes] = []
        self._constants: dict[str, bytes] = {}
        self._inputs: list[bytes] = []
        self._outputs: list[bytes] = []
        self._made = 0

    def input(self, name: str, kind: int, axes: Sequence[str | int]) -> str:
        self._inputs.append(_value_info(name, kind, axes))
        return name

    def output(self, value: str, name: str, axes: Sequence[str | int]) -> None:
        self._nodes.append(_bytes(1, value) + _bytes(2, name) + _bytes(4, "Identity"))
        self._outputs.append(_value_info(name, FLOAT, axes))

    def constant(self, array: NDArray[Any], name: str = "") -> str:
        """A constant; what has a name is kept once."""
        name = name or self._new()
        if name not in self._constants:
            dims = b"".join(_number(1, size) for size in array.shape)
            kind = _number(2, _TYPES[array.dtype.name])
            raw = np.ascontiguousarray(array).tobytes()
            self._constants[name] = dims + kind + _bytes(8, name) + _bytes(9, raw)
        return name

    def nodes(self, op: str, inputs: Sequence[str], count: int, **more: Attribute) -> list[str]:
        """A node with several outputs."""
        names = [self._new() for _ in range(count)]
        body = b"".join(_bytes(1, each) for each in inputs)
        body += b"".join(_bytes(2, each) for each in names) + _bytes(4, op)
        body += b"".join(_bytes(5, _attribute(name, value)) for name, value in more.items())
        self._nodes.append(body)
        return names

    def node(self, op: str, *inputs: str, **more: Attribute) -> str:
        return self.nodes(op, inputs, 1, **more)[0]

    def _new(self) -> str:
        self._made += 1
        return f"v{self._made}"

    def model(self) -> bytes:
        """The whole as a model of ONNX."""
        graph = b"".join(_bytes(1, each) for each in self._nodes) + _bytes(2, "niwaki")
        graph += b"".join(_bytes(5, each) for each in self._constants.values())
        graph += b"".join(_bytes(11, each) for each in self._inputs)
        graph += b"".join(_bytes(12, each) for each in self._outputs)
        return _number(1, _IR_VERSION) + _bytes(7, graph) + _bytes(8, _number(2, _OPSET))
