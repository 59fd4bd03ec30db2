"""Workers for tests of engines: they count, fail, wait and die as they are told."""

from __future__ import annotations

import os
import signal
import time
from io import BufferedIOBase
from pathlib import Path
from typing import Any

from niwaki.errors import NiwakiError


class Adder:
    """Adds a constant, and knows how often it was asked."""

    def __init__(self, constant: int) -> None:
        self._constant = constant
        self._asked = 0

    def __call__(self, item: int) -> tuple[int, int, int]:
        self._asked += 1
        return item + self._constant, self._asked, os.getpid()


def broken_maker() -> None:
    raise NiwakiError("no model 'x'; give one")


def dying_maker() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def doubled(item: int, folder: str) -> int:
    """Twice the item; whoever is first to be given one with a file of its name dies of it."""
    trigger = Path(folder) / str(item)
    if trigger.exists():
        trigger.unlink()
        os.kill(os.getpid(), signal.SIGKILL)
    return 2 * item


def deadly(item: int) -> int:
    if item == 3:
        os.kill(os.getpid(), signal.SIGKILL)
    return item


def raising(item: int) -> Any:
    if item == 2:
        raise NiwakiError(f"item {item} is wrong; leave it out")
    return item


class Stuck:
    """Tells where it is, and waits until a file appears, or for its end."""

    def __init__(self, folder: str) -> None:
        self._folder = Path(folder)

    def __call__(self, item: str) -> str:
        (self._folder / f"{item}.pid").write_text(str(os.getpid()))
        while not (self._folder / "go").exists():
            time.sleep(0.01)
        return item


class Shout:
    """What a job does with a shard in tests: letters become large, and some lines are bad.

    DEADLY kills the worker, ONCE kills the first that sees it, WRONG raises an error; a file
    `wait` in the folder makes it wait, and tell who waits.
    """

    def __init__(self, folder: str) -> None:
        self._folder = Path(folder)

    def __call__(self, data: bytes, form: str | None, name: str, out: BufferedIOBase) -> None:
        if (self._folder / "wait").exists():
            (self._folder / f"{os.getpid()}.waits").touch()
            while (self._folder / "wait").exists():
                time.sleep(0.01)
        lines = data.split(b"\n")
        for number, line in enumerate(lines):
            if line == b"DEADLY":
                os.kill(os.getpid(), signal.SIGKILL)
            if line.startswith(b"ONCE"):
                trigger = self._folder / line.decode()
                if not trigger.exists():
                    trigger.touch()
                    os.kill(os.getpid(), signal.SIGKILL)
            if line == b"WRONG":
                raise ValueError("a wrong line")
            # The number of a line says whether a shard was done as a whole.
            lines[number] = b"%d %s" % (number, line.upper())
        out.write(b"\n".join(lines))
