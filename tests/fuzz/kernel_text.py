"""What the kernel does with bytes and characters of users, without Python in between.

Where the kernel was compiled to tell what it reached (`make fuzz`), this shows the fuzzer
more of it, and sooner, than the readers do.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from niwaki.kernel.conllu import SOUND, read_off, scan, splice
from niwaki.kernel.meaning.writer import Writer
from niwaki.kernel.segmenting.characters import Text, kinds_of

# What can go wrong goes wrong in a few lines of two modules: short inputs, few counters to look
# through and no weighing of inputs make many tries.
OPTIONS = ("-max_len=160", "-entropic=0")
COUNTERS = 1 << 13
_KEPT = [None] * 10
# Labels that a short input hits upon.
_WRITER = Writer([b"+", b"%"], 1, b"{", 12)
_WRITER.learn_silent(b"~")
_WRITER.learn(b"_", 0, 0, 0, [])
_WRITER.learn(b"a", 1, 1, 1, [(b"[", b"]", [(1, b"^")]), (b"{", b"}", [])])


def check(data: bytes) -> None:
    kind, text = (data[0], data[1:]) if data else (0, b"")
    if kind & 1:
        _characters(_codes(text, bool(kind & 4)), bool(kind & 2))
    else:
        _lines(text, kind >> 1 & 3, bool(kind & 8), bool(kind & 16))


def _lines(text: bytes, flags: int, final: bool, eager: bool) -> None:
    at = 0
    while True:
        end, _, verdict = scan(text, at, flags, final, eager)
        assert at <= end <= len(text)
        if verdict != SOUND:
            break
        sentence = text[at:end]
        assert splice(sentence, _KEPT) == sentence
        read_off(sentence)
        _WRITER.write(sentence)
        assert end > at
        at = end


def _codes(text: bytes, utf8: bool) -> Any:
    if utf8:
        return memoryview(text.decode("utf-8", "replace").encode("utf-32-le")).cast("I")
    codes = np.frombuffer(text[: len(text) // 4 * 4], dtype=np.uint32)
    # Characters below 128 matter most, and all that there are must be met.
    return np.where(codes >> 24 & 1, codes & 0x1FFFFF, codes & 0x7F).astype(np.uint32)


def _characters(codes: Any, by_lines: bool) -> None:
    found = Text(codes, by_lines)
    assert found.length == len(codes)
    assert found.chunk_count <= (len(codes) + 1) // 2
    assert len(kinds_of(codes)) == len(codes)
