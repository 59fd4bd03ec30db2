"""The engine of one machine: plain processes, each at the other end of a socket."""

from __future__ import annotations

import contextlib
import os
import pickle
import subprocess
import sys
from multiprocessing import Pipe
from multiprocessing.connection import Connection, wait
from typing import Any

from niwaki.scale.engine import Crew, Engine, Event

# A worker is one process of one thread; libraries must not start as many as there are cores.
_ONE_THREAD = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
# How it shows that a process has ended; amid an answer, by an OSError that is no ConnectionError.
_GONE = (EOFError, OSError)


class _Worker:
    """A process and our end of the socket to it."""

    def __init__(self, first: bytes) -> None:
        self.pipe: Connection
        self.pipe, theirs = Pipe()
        # -P: a file of the current folder must not be imported instead of a module.
        command = [sys.executable, "-P", "-m", "niwaki.scale.worker", str(theirs.fileno())]
        self.process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            pass_fds=[theirs.fileno()],
            env={**os.environ, **_ONE_THREAD},
        )
        theirs.close()
        self.is_ready = False
        with contextlib.suppress(*_GONE):
            self.pipe.send_bytes(first)

    def stop(self) -> None:
        self.process.kill()
        self.process.wait()
        self.pipe.close()


class LocalCrew(Crew):
    def __init__(self, workers: int, maker: str, constants: tuple[Any, ...]) -> None:
        super().__init__(workers)
        self._first = pickle.dumps((maker, constants), protocol=pickle.HIGHEST_PROTOCOL)
        self._workers: dict[int, _Worker] = {}
        try:
            for number in range(workers):
                self._start(number)
        except BaseException:
            self.stop()
            raise

    def pids(self) -> list[int]:
        found = sorted(self._workers.items())
        return [worker.process.pid for _, worker in found if worker.is_ready]

    def _start(self, worker: int) -> None:
        if worker in self._workers:
            self._workers.pop(worker).stop()
        self._workers[worker] = _Worker(self._first)

    def _send(self, worker: int, item: Any) -> None:
        # Who is gone is found by `_next_event`: its end of the socket is closed.
        with contextlib.suppress(*_GONE):
            data = pickle.dumps(item, protocol=pickle.HIGHEST_PROTOCOL)
            self._workers[worker].pipe.send_bytes(data)

    def _next_event(self, seconds: float | None) -> Event | None:
        by_pipe = {worker.pipe: number for number, worker in self._workers.items()}
        told = wait(list(by_pipe), seconds)
        if not told:
            return None
        number = min(by_pipe[pipe] for pipe in told)  # type: ignore[index]
        worker = self._workers[number]
        try:
            value, error = pickle.loads(worker.pipe.recv_bytes())
        except _GONE:
            return Event(number, died=True)
        if not worker.is_ready:
            worker.is_ready = True
            return Event(number, ready=True, error=error)
        return Event(number, value=value, error=error)

    def stop(self) -> None:
        for worker in self._workers.values():
            worker.stop()
        self._workers.clear()


class LocalEngine(Engine):
    """Processes of this machine; needs nothing but Python."""

    name = "local"

    def crew(self, maker: str, *constants: Any) -> Crew:
        return LocalCrew(self.workers, maker, constants)

    def stop(self) -> None:
        """A crew ends its own processes."""
