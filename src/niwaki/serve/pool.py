"""Worker processes with a queue in front: bounded waiting, bounded time, real cancellation.

Work that takes too long is ended by killing its process; another takes its place. So a
request can neither hang the server nor go on in secret after its client was told that it
failed.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import math
import time
from collections.abc import Coroutine
from typing import Any, TypeVar

from niwaki.errors import ConfigError
from niwaki.serve.errors import RequestError, busy
from niwaki.serve.frames import BEGUN, DONE, LARGEST, LENGTH, REFUSED, dump, frame
from niwaki.serve.processes import start_python
from niwaki.serve.schema import load_json

log = logging.getLogger("niwaki.serve")

T = TypeVar("T")

# How much of the mean time of the work before counts in the estimate for Retry-After.
_MEMORY = 0.9
_LONGEST_RETRY = 60
# How it shows that a process has ended.
_GONE = (asyncio.IncompleteReadError, ConnectionError)


class _NotBegunError(ConnectionError):
    """A process had ended before it was given the work."""


class Worker:
    """One process and the pipes to it."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process

    @classmethod
    async def start(cls, nice: int = 0) -> Worker:
        process = await start_python(
            *("-m", "niwaki.serve.worker"),
            nice=nice,
            environment={"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"},
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            # Ctrl-C is for the server, which then stops its workers.
            start_new_session=True,
        )
        return cls(process)

    async def ask(self, data: bytes) -> bytes:
        pipe, answers = self._process.stdin, self._process.stdout
        assert pipe is not None
        assert answers is not None
        try:
            pipe.write(frame(data))
            await pipe.drain()
            await answers.readexactly(len(BEGUN))
        except _GONE as error:
            raise _NotBegunError from error
        (size,) = LENGTH.unpack(await answers.readexactly(LENGTH.size))
        if size > LARGEST:
            raise ConnectionError("a frame that is too long")
        return await answers.readexactly(size)

    @property
    def is_dead(self) -> bool:
        """Whether it is known to have ended."""
        return self._process.returncode is not None

    def kill(self) -> None:
        with contextlib.suppress(ProcessLookupError):
            self._process.kill()

    async def wait(self) -> None:
        await self._process.wait()


class Pool:
    """Runs tasks of `niwaki.serve.work` in worker processes."""

    def __init__(
        self, workers: int, waiting: int, seconds: float, *, nice: int = 0, finishes: bool = True
    ) -> None:
        self._size, self._most, self._seconds, self._nice = workers, waiting, seconds, nice
        # Whether work whose client went away is finished: to end a process and to load the
        # models into another one takes longer than most requests do.
        self._finishes = finishes
        self._idle: asyncio.Queue[Worker] = asyncio.Queue()
        self._workers: set[Worker] = set()
        self._tasks: set[asyncio.Task[Any]] = set()
        self._waiting = 0
        self._mean = 0.01
        self._first = b""
        self._begun = False
        self._stopped = False
        self.killed = 0

    async def start(self, first: tuple[str, dict[str, Any]]) -> None:
        """Start the processes; each does `first` before anything else, such as load a model.

        That is not counted as anybody's time: no client pays for a process that is new.
        """
        self.prepare(first)
        await self._begin()
        if any(worker.is_dead for worker in self._workers):
            raise ConfigError(
                "a worker process ended when it was started; "
                "run `python -P -m niwaki.serve.worker` to see why"
            )

    def prepare(self, first: tuple[str, dict[str, Any]]) -> None:
        """The same, but the processes are started when there is something to do."""
        self._first = dump(first)

    async def _begin(self) -> None:
        self._begun = True
        await asyncio.gather(*(self._add() for _ in range(self._size)))

    async def _add(self) -> Worker:
        worker = await Worker.start(self._nice)
        self._workers.add(worker)
        try:
            await worker.ask(self._first)
        except _GONE:
            await worker.wait()
        self._idle.put_nowait(worker)
        return worker

    async def stop(self) -> None:
        self._stopped = True
        for task in list(self._tasks):
            task.cancel()
        for worker in list(self._workers):
            worker.kill()
        await asyncio.gather(*(worker.wait() for worker in self._workers))

    @property
    def waiting(self) -> int:
        return self._waiting

    @property
    def is_full(self) -> bool:
        return self._waiting >= self._most

    def refusal(self) -> RequestError:
        seconds = math.ceil(self._waiting * self._mean / self._size)
        return busy(min(max(seconds, 1), _LONGEST_RETRY))

    async def run(self, task: str, arguments: dict[str, Any]) -> bytes:
        """JSON that the task gives; raises RequestError if it refuses, fails or takes too long.

        If this is cancelled while it waits, the work is never begun. If it is cancelled
        later, the work is killed or, where `finishes`, comes to its end within its time.
        """
        if self.is_full:
            raise self.refusal()
        data = dump([task, arguments])
        if not self._begun:
            await self._begin()
        for _ in range(self._size + 1):
            try:
                return _opened(task, await self._done(data))
            except _NotBegunError:
                # It ended while nobody needed it, as all that wait may have: no fault of this
                # request, and nothing of it was done.
                log.error("a worker died while it was idle")
            except _GONE:
                log.error("a worker died in %s", task)
                break
        raise RequestError(500, "the worker process died; see the server's log")

    async def _done(self, data: bytes) -> bytes:
        work = self._keep(self._work(await self._next_worker(), data))
        try:
            return await asyncio.shield(work)
        except asyncio.CancelledError:
            if not self._finishes:
                work.cancel()
            raise

    async def _work(self, worker: Worker, data: bytes) -> bytes:
        started = time.monotonic()
        usable = False
        try:
            async with asyncio.timeout(self._seconds):
                found = await worker.ask(data)
            usable = True
        except TimeoutError:
            raise RequestError(
                504, f"this took more than {self._seconds:g} s and was stopped; ask for less"
            ) from None
        finally:
            if usable:
                self._idle.put_nowait(worker)
            else:
                self._replace(worker)
        taken = time.monotonic() - started
        self._mean = _MEMORY * self._mean + (1 - _MEMORY) * taken
        return found

    def _keep(self, work: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
        """A task that is not forgotten before it ends; whoever wants its error asks for it."""
        task = asyncio.create_task(work)
        self._tasks.add(task)

        def end(done: asyncio.Task[T]) -> None:
            self._tasks.discard(done)
            if not done.cancelled():
                done.exception()

        task.add_done_callback(end)
        return task

    async def _next_worker(self) -> Worker:
        self._waiting += 1
        try:
            async with asyncio.timeout(self._seconds):
                return await self._idle.get()
        except TimeoutError:
            raise self.refusal() from None
        finally:
            self._waiting -= 1

    def _replace(self, worker: Worker) -> None:
        self.killed += 1
        worker.kill()
        self._keep(self._start_another(worker))

    async def _start_another(self, old: Worker) -> None:
        await old.wait()
        self._workers.discard(old)
        if not self._stopped and (await self._add()).is_dead:
            log.error("a worker died at its start")


def _opened(task: str, found: bytes) -> bytes:
    kind, body = found[:1], found[1:]
    if kind == DONE:
        return body
    record = load_json(body)
    if kind == REFUSED:
        raise RequestError(record.pop("status"), record.pop("error"), **record)
    log.error("%s failed: %s at %s", task, record["kind"], " ".join(record["where"]))
    raise RequestError(500, "this should not have happened; the server's log says where it did")
