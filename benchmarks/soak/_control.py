"""A fixed piece of work that tells how fast the machine is at this moment.

Another process does it when it is asked over a pipe, as a worker of the server does: what
slows the machine down slows both. Run as a file, this is that process.
"""

from __future__ import annotations

import asyncio
import sys
import time
from typing import NamedTuple

_SIZE, _ROUNDS = 1 << 16, 30_000


class Control:
    """The process and the pipes to it."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process

    @classmethod
    async def start(cls) -> Control:
        pipe = asyncio.subprocess.PIPE
        return cls(
            await asyncio.create_subprocess_exec(sys.executable, __file__, stdin=pipe, stdout=pipe)
        )

    async def ask(self) -> Taken:
        """Seconds on the wall and of the processor that the work takes now."""
        assert self._process.stdin is not None and self._process.stdout is not None
        start = time.perf_counter()
        self._process.stdin.write(b"\n")
        used = float(await self._process.stdout.readline())
        return Taken(time.perf_counter() - start, used)

    async def stop(self) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        await self._process.wait()


class Taken(NamedTuple):
    wall: float
    processor: float


def work(table: list[int]) -> int:
    """Walks through a table that is larger than the nearest caches, as a parser's weights are."""
    place = total = 0
    for _ in range(_ROUNDS):
        place = (place * 5 + table[place] + 1) % _SIZE
        total += table[place]
    return total


def main() -> None:
    table = [number * 7919 % _SIZE for number in range(_SIZE)]
    for _ in sys.stdin:
        start = time.process_time()
        work(table)
        print(time.process_time() - start, flush=True)


if __name__ == "__main__":
    main()
