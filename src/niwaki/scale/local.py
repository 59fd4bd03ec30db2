"""The engine of one machine: plain processes, each at the other end of a socket."""

from __future__ import annotations

import contextlib
import os
import pickle
import subprocess
import sys
import tempfile
from multiprocessing import Pipe
from multiprocessing.connection import Connection, wait
from typing import Any, BinaryIO

from niwaki.scale.engine import Crew, Engine, Event

# A worker is one process of one thread; libraries must not start as many as there are cores.
_ONE_THREAD = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
# Arrays of so many bytes are mapped, at multiples of so many.
_LARGE, _ALIGNED = 1 << 16, 64
# How it shows that a process has ended; amid an answer, by an OSError that is no ConnectionError.
_GONE = (EOFError, OSError)


class _Parcel:
    """What each worker is told first; its large arrays lie in a file that all of them map."""

    def __init__(self, maker: str, constants: tuple[Any, ...]) -> None:
        self.file = _memory_file()
        places: list[tuple[int, int]] = []

        def apart(buffer: pickle.PickleBuffer) -> bool:
            """Whether an array is pickled with the rest, after all."""
            data = buffer.raw()
            if data.nbytes < _LARGE:
                return True
            start = -(-self.file.tell() // _ALIGNED) * _ALIGNED
            self.file.seek(start)
            self.file.write(data)
            places.append((start, data.nbytes))
            return False

        whole = pickle.dumps((maker, constants), protocol=5, buffer_callback=apart)
        self.file.flush()
        self.first = pickle.dumps((whole, places))

    def close(self) -> None:
        self.file.close()


def _memory_file() -> BinaryIO:
    """A file without a name, which is gone when nobody has it open."""
    if hasattr(os, "memfd_create"):
        return os.fdopen(os.memfd_create("niwaki"), "w+b")
    return tempfile.TemporaryFile()


class _Worker:
    """A process and our end of the socket to it."""

    def __init__(self, parcel: _Parcel) -> None:
        self.pipe: Connection
        self.pipe, theirs = Pipe()
        # -P: a file of the current folder must not be imported instead of a module.
        numbers = [theirs.fileno(), parcel.file.fileno()]
        command = [sys.executable, "-P", "-m", "niwaki.scale.worker", *map(str, numbers)]
        self.process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            pass_fds=numbers,
            env={**os.environ, **_ONE_THREAD},
        )
        theirs.close()
        self.is_ready = False
        with contextlib.suppress(*_GONE):
            self.pipe.send_bytes(parcel.first)

    def stop(self) -> None:
        self.process.kill()
        self.process.wait()
        self.pipe.close()


class LocalCrew(Crew):
    def __init__(self, workers: int, maker: str, constants: tuple[Any, ...]) -> None:
        super().__init__(workers)
        self._parcel = _Parcel(maker, constants)
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
        self._workers[worker] = _Worker(self._parcel)

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
        self._parcel.close()


class LocalEngine(Engine):
    """Processes of this machine; needs nothing but Python."""

    name = "local"

    def crew(self, maker: str, *constants: Any) -> Crew:
        return LocalCrew(self.workers, maker, constants)

    def stop(self) -> None:
        """A crew ends its own processes."""
