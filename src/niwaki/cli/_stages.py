"""Shows the progress of verbs: a bar for one stage after the other."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TypeVar

from niwaki.cli._progress import Progress

T = TypeVar("T")


class Stages:
    """What a verb's `watch` is told, on stderr; `units` says what is counted at each stage."""

    def __init__(self, units: Mapping[str, str]) -> None:
        self._units = units
        self._name = ""
        self._progress: Progress | None = None

    def watch(self, stage: str, done: int, total: int) -> None:
        if stage != self._name or self._progress is None:
            self._end()
            self._name = stage
            self._progress = Progress(stage, self._units[stage], total or None).__enter__()
        self._progress.add(done)

    def _end(self) -> None:
        if self._progress is not None:
            self._progress.__exit__(None, None, None)

    def __enter__(self) -> Stages:
        return self

    def __exit__(self, *_: object) -> None:
        self._end()


def counted(items: Iterable[T], progress: Progress) -> Iterator[T]:
    """The same items; each is counted when it is taken."""
    for item in items:
        progress.add(1)
        yield item
