"""Workers for tests of engines: they count, fail, wait and die as they are told."""

from __future__ import annotations

import os
import signal
import time
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
