"""Progress of long work on stderr: a bar on a terminal, now and then a line elsewhere, or JSON."""

from __future__ import annotations

import contextlib
import contextvars
import json
import sys
import time
from collections.abc import Iterator
from types import TracebackType
from typing import Any, TextIO

_BAR = 24
# Whether --quiet was given: what counts work need not be told.
_QUIET = contextvars.ContextVar("quiet", default=False)


@contextlib.contextmanager
def quiet(is_asked: bool) -> Iterator[None]:
    """Within it no progress is shown, if that is asked."""
    token = _QUIET.set(is_asked)
    try:
        yield
    finally:
        _QUIET.reset(token)


def is_quiet() -> bool:
    return _QUIET.get()


def print_json(kind: str, **values: Any) -> None:
    """One object a line on stderr, for programs that watch."""
    print(json.dumps({"kind": kind, **values}), file=sys.stderr, flush=True)


class Progress:
    """Counts work done; the count is shown while it runs and once at the end.

    with Progress("reading", unit="sentences") as progress:
        for sentence in sentences:
            progress.add(1)
    """

    def __init__(
        self, task: str, unit: str, total: int | None = None, stream: TextIO | None = None
    ) -> None:
        self._task, self._unit, self._total = task, unit, total
        self._stream = sys.stderr if stream is None else stream
        self._terminal = self._stream.isatty()
        # A log should not be flooded; on a terminal a line should move, but not for short work.
        self._interval, first = (0.1, 2.0) if self._terminal else (10.0, 10.0)
        self._started = time.monotonic()
        self._due = self._started + first
        self._done = 0
        self._visible = False
        self._quiet = is_quiet()

    def add(self, count: int) -> None:
        self._done += count
        now = time.monotonic()
        if not self._quiet and now >= self._due:
            self._due = now + self._interval
            self._show(now)

    def _show(self, now: float) -> None:
        self._visible = True
        end = "\x1b[K\r" if self._terminal else "\n"
        print(self._line(now), end=end, file=self._stream, flush=True)

    def _line(self, now: float) -> str:
        rate = self._done / max(now - self._started, 1e-9)
        text = f"{self._task}: {self._done:,} {self._unit}, {rate:,.0f}/s"
        if self._total:
            share = min(1.0, self._done / self._total)
            left = (self._total - self._done) / rate if rate else 0.0
            text = f"{text}, {share:.0%}, {max(left, 0):.0f} s left"
            if self._terminal:
                full = int(share * _BAR)
                text = f"{'━' * full}{'─' * (_BAR - full)} {text}"
        return text

    def __enter__(self) -> Progress:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        # Work too short to have been shown stays quiet.
        if self._visible:
            self._show(time.monotonic())
            if self._terminal:
                print(file=self._stream)
