"""How the server and its worker processes talk: a length, then so many bytes of JSON.

A request is `[task, arguments]`. When a worker has read it, it sends BEGUN. The answer then begins
with one byte that says how it went; what follows a DONE is handed to the client as it is.
"""

from __future__ import annotations

import json
import struct
from typing import Any

LENGTH = struct.Struct(">I")
# Whatever goes wrong, a broken length must not make the reader wait for gigabytes.
LARGEST = 1 << 28

BEGUN = b"b"
DONE, REFUSED, FAILED = b"d", b"r", b"f"


def dump(value: Any) -> bytes:
    """Compact JSON; numbers that JSON does not have are an error, not `NaN`."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode(
        "utf-8"
    )


def frame(data: bytes) -> bytes:
    if len(data) > LARGEST:
        raise ValueError(f"{len(data)} bytes in one frame")
    return LENGTH.pack(len(data)) + data
