from typing import Any

SOUND: int
FAULTY: int
INCOMPLETE: int
NOTHING: int
ALLOW_MANY_ROOTS: int
ALLOW_UNKNOWN_HEADS: int
MAX_LINE: int

def scan(
    buffer: bytes, start: int, flags: int, final: bool, eager: bool
) -> tuple[int, int, int]: ...
def splice(source: bytes, columns: list[list[bytes] | None]) -> bytes | None: ...
def read_off(source: bytes) -> list[Any]: ...
