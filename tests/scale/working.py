"""Workers for tests of engines: they count, fail, wait and die as they are told."""

from __future__ import annotations

import os
import signal
import time
from io import BufferedIOBase
from pathlib import Path
from typing import Any

from niwaki.data.modelfile import read_model_file
from niwaki.data.sentence import Sentence
from niwaki.errors import NiwakiError
from niwaki.pipeline.store import load


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


class Mapped:
    """Where an array of a constant lies: whether it can be written, and in which mapping."""

    def __init__(self, arrays: dict[str, Any]) -> None:
        self._arrays = arrays

    def __call__(self, name: str) -> tuple[bool, str, int]:
        array = self._arrays[name]
        address = array.__array_interface__["data"][0]
        for line in Path("/proc/self/maps").read_text().splitlines():
            first, last = (int(x, 16) for x in line.split()[0].split("-"))
            if first <= address < last:
                return array.flags.writeable, line.split(maxsplit=5)[-1], int(array.sum())
        raise AssertionError(f"no mapping has {address:x}")


class Tables:
    """Parses with a model that the head may have given; tells which of its tables are images."""

    def __init__(self, models: Any, path: str) -> None:
        models.install()
        self._file = read_model_file(path)
        self._model = load(path)

    def __call__(self, words: list[str]) -> tuple[list[str], bytes]:
        images = sorted(name for name in self._file.arrays if name.endswith(".image"))
        (sentence,) = self._model.parse([Sentence.from_words(words)])
        return images, sentence.source
