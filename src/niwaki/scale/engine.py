"""Engines: who runs workers, hands them items, and says what became of each.

An engine starts a `Crew`: workers of one kind, each in a process of its own. What a worker is, is
said by an import path, `package.module:name`: it is called once in each process with constants
(which reach a process once, not with every item) and gives a function of an item. That function
may keep a state, such as a model that it has loaded.

    with engine_of("local", workers=2) as engine, engine.crew("package.module:Parse", "en") as crew:
        for text in texts:
            crew.submit(text)
        for done in crew.finished():
            ...

A process that dies takes one item with it: its `Done` says `died`, another process takes its
place, and whoever gave the item decides whether to give it again. `Engine.map` does so.
"""

from __future__ import annotations

import importlib
import itertools
import math
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from niwaki.errors import NiwakiError, shown

# How often an item is given to a worker that dies of it, or somehow else.
ATTEMPTS = 3
# How often in a row processes may die while they start, before that is an error.
_STARTS = 5
_CALLS = "niwaki.scale.engine:_Call"
# How many times as many items as are handed in may wait for one that takes long.
_REACH = 3


@dataclass(frozen=True)
class Done:
    """What became of an item: a value, an exception, or the end of its worker."""

    ticket: int
    value: Any = None
    error: Exception | None = None
    died: bool = False


@dataclass(frozen=True)
class Event:
    """What an engine tells of a worker: it is ready (after its start), is done, or has died."""

    worker: int
    ready: bool = False
    value: Any = None
    error: Exception | None = None
    died: bool = False


class Crew(ABC):
    """Workers of one kind, numbered from 0; a dead one is replaced under its number."""

    def __init__(self, workers: int) -> None:
        self.workers = workers
        self.deaths = 0
        self._tickets = itertools.count()
        self._shared: deque[tuple[int, Any]] = deque()
        self._own: list[deque[tuple[int, Any]]] = [deque() for _ in range(workers)]
        self._idle: set[int] = set()
        self._busy: dict[int, int] = {}  # tickets by worker
        self._failed_starts = 0

    def submit(self, item: Any, worker: int | None = None) -> int:
        """Hand in an item, for any worker or for that of a number; its ticket."""
        ticket = next(self._tickets)
        queue = self._shared if worker is None else self._own[worker]
        queue.append((ticket, item))
        self._deal()
        return ticket

    @property
    def pending(self) -> int:
        """How many items were handed in and are not done."""
        return len(self._busy) + len(self._shared) + sum(map(len, self._own))

    def wait(self, seconds: float | None = None) -> Done | None:
        """The next item that is done; None after so many seconds without one."""
        if not self.pending:
            raise NiwakiError("nothing to wait for; submit an item first")
        while True:
            event = self._next_event(seconds)
            if event is None:
                return None
            done = self._handled(event)
            self._deal()
            if done is not None:
                return done

    def finished(self) -> Iterator[Done]:
        """All items that were handed in, as they are done; more may be handed in meanwhile."""
        while self.pending:
            done = self.wait()
            assert done is not None
            yield done

    def _handled(self, event: Event) -> Done | None:
        worker, ticket = event.worker, self._busy.pop(event.worker, None)
        if event.died:
            self.deaths += 1
            self._idle.discard(worker)
            if ticket is None:
                self._failed_starts += 1
                if self._failed_starts >= _STARTS:
                    raise NiwakiError(
                        f"{_STARTS} workers in a row died while they started; is there memory for "
                        f"{self.workers} of them? give fewer"
                    )
            self._start(worker)
            return None if ticket is None else Done(ticket, died=True)
        if event.ready:
            if event.error is not None:
                raise event.error
            self._failed_starts = 0
        self._idle.add(worker)
        return None if ticket is None else Done(ticket, event.value, event.error)

    def _deal(self) -> None:
        for worker in sorted(self._idle):
            queue = self._own[worker] or self._shared
            if queue:
                ticket, item = queue.popleft()
                self._idle.discard(worker)
                self._busy[worker] = ticket
                self._send(worker, item)

    def __enter__(self) -> Crew:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    @abstractmethod
    def pids(self) -> list[int]:
        """The processes of the workers that are ready, by number."""

    @abstractmethod
    def _start(self, worker: int) -> None:
        """Begin to start a worker; an event tells when it is ready."""

    @abstractmethod
    def _send(self, worker: int, item: Any) -> None:
        """Give an idle worker something to do; one that is dead tells so by an event."""

    @abstractmethod
    def _next_event(self, seconds: float | None) -> Event | None:
        """Wait for a worker to tell something."""

    @abstractmethod
    def stop(self) -> None:
        """End all workers, whatever they do."""


class Engine(ABC):
    """Something that starts workers: processes of this machine, or of Ray's."""

    name: str

    def __init__(self, workers: int) -> None:
        if workers < 1:
            raise NiwakiError(f"workers is {workers}; give at least 1")
        self.workers = workers

    @abstractmethod
    def crew(self, maker: str, *constants: Any) -> Crew:
        """Start workers; each calls the maker with the constants, once."""

    def map(
        self, function: str, items: Iterable[Any], *constants: Any, attempts: int = ATTEMPTS
    ) -> Iterator[tuple[int, Any]]:
        """Yield (number of the item, `function(item, *constants)`) as results come in.

        What a function raises is raised here. An item whose worker dies is given to others; the
        last of so many attempts is an error.
        """
        with self.crew(_CALLS, function, *constants) as crew:
            yield from answers(crew, items, attempts)

    @abstractmethod
    def stop(self) -> None:
        """End what was started for this engine."""

    def __enter__(self) -> Engine:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()


def answers(
    crew: Crew,
    items: Iterable[Any],
    attempts: int = ATTEMPTS,
    ahead: int | None = None,
    reach: float = math.inf,
) -> Iterator[tuple[int, Any]]:
    """Yield (number of the item, what a worker made of it) as results come in; see `Engine.map`.

    So many items are handed in ahead: by default twice as many as there are workers, so that none
    waits; a corpus may not fit here. None is handed in that is `reach` items or more behind the
    first one that is still being worked on.
    """
    coming = enumerate(items)
    most = ahead or 2 * crew.workers
    given: dict[int, tuple[int, Any, int]] = {}
    taken = 0

    def hand_in(number: int, item: Any, attempt: int) -> None:
        given[crew.submit(item)] = number, item, attempt

    def hand_in_more() -> None:
        nonlocal taken
        while len(given) < most:
            first = min((number for number, _, _ in given.values()), default=taken)
            if taken - first >= reach or (following := next(coming, None)) is None:
                return
            hand_in(*following, 1)
            taken += 1

    hand_in_more()
    for done in crew.finished():
        number, item, attempt = given.pop(done.ticket)
        if done.error is not None:
            raise done.error
        if done.died:
            if attempt >= attempts:
                raise NiwakiError(
                    f"item {number + 1}: {attempt} workers died of it; give smaller ones"
                )
            hand_in(number, item, attempt + 1)
            continue
        hand_in_more()
        yield number, done.value


def answers_in_order(crew: Crew, items: Iterable[Any], ahead: int | None = None) -> Iterator[Any]:
    """What workers made of the items, in the order of these.

    Of what comes too early, only so much is kept that it fits here, however long one item takes.
    """
    early: dict[int, Any] = {}
    wanted = 0
    reach = _REACH * (ahead or 2 * crew.workers)
    for number, value in answers(crew, items, ahead=ahead, reach=reach):
        early[number] = value
        while wanted in early:
            yield early.pop(wanted)
            wanted += 1


def engine_of(name: str, workers: int) -> Engine:
    """The engine of a name: `local`, `ray` (a Ray of this machine), or `ray://HOST[:PORT]`."""
    if name == "local":
        from niwaki.scale.local import LocalEngine

        return LocalEngine(workers)
    if name == "ray" or name.startswith("ray://"):
        from niwaki.scale.on_ray import RayEngine

        return RayEngine(workers, name)
    raise NiwakiError(f"no engine {shown(name)}; give local, ray or ray://HOST")


def named_object(path: str) -> Any:
    """What an import path `package.module:name` names."""
    module, _, name = path.partition(":")
    return getattr(importlib.import_module(module), name)


def make_worker(maker: str, constants: tuple[Any, ...]) -> Callable[[Any], Any]:
    """In a worker's process: the function of an item."""
    made: Callable[[Any], Any] = named_object(maker)(*constants)
    return made


class _Call:
    """The worker of `Engine.map`."""

    def __init__(self, function: str, *constants: Any) -> None:
        self._function, self._constants = named_object(function), constants

    def __call__(self, item: Any) -> Any:
        return self._function(item, *self._constants)
