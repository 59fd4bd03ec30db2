"""The engine of many machines: workers are actors of Ray, constants lie in its object store.

Arrays of constants are views of that store, which all workers of a machine map.
"""

from __future__ import annotations

import contextlib
import os
import warnings
from collections.abc import Callable
from typing import Any

from niwaki.errors import ExtraMissingError, NiwakiError
from niwaki.scale.engine import Crew, Engine, Event, make_worker
from niwaki.scale.worker import portable

_CLIENT_PORT = 10001
_QUIET = {
    # Ray says what it will do in a future version, and tells of its use; both go to nobody here.
    "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0",
    "RAY_USAGE_STATS_ENABLED": "0",
}


class _Actor:
    """What runs in a process of Ray: errors are answers, so that only a death is a failure."""

    def __init__(self, maker: str, constants: tuple[Any, ...]) -> None:
        self._maker, self._constants = maker, constants
        self._work: Callable[[Any], Any] | None = None

    def start(self) -> tuple[int, Exception | None]:
        try:
            self._work = make_worker(self._maker, self._constants)
        except Exception as error:
            return os.getpid(), portable(error)
        return os.getpid(), None

    def work(self, item: Any) -> tuple[Any, Exception | None]:
        assert self._work is not None
        try:
            return self._work(item), None
        except Exception as error:
            return None, portable(error)


class RayCrew(Crew):
    def __init__(self, ray: Any, workers: int, maker: str, constants: tuple[Any, ...]) -> None:
        super().__init__(workers)
        self._ray, self._maker = ray, maker
        self._kind = ray.remote(num_cpus=1, max_restarts=0, max_task_retries=0)(_Actor)
        self._constants = ray.put(constants)
        self._actors: dict[int, Any] = {}
        self._pids: dict[int, int] = {}
        self._asked: dict[Any, int] = {}  # workers by the reference of their answer
        for number in range(workers):
            self._start(number)

    def pids(self) -> list[int]:
        return [pid for _, pid in sorted(self._pids.items())]

    def _start(self, worker: int) -> None:
        self._pids.pop(worker, None)
        actor = self._actors[worker] = self._kind.remote(self._maker, self._constants)
        self._asked[actor.start.remote()] = worker

    def _send(self, worker: int, item: Any) -> None:
        self._asked[self._actors[worker].work.remote(item)] = worker

    def _next_event(self, seconds: float | None) -> Event | None:
        told, _ = self._ray.wait(list(self._asked), num_returns=1, timeout=seconds)
        if not told:
            return None
        worker = self._asked.pop(told[0])
        try:
            value, error = self._ray.get(told[0])
        except self._ray.exceptions.RayActorError:
            return Event(worker, died=True)
        if worker not in self._pids:
            self._pids[worker] = value
            return Event(worker, ready=True, error=error)
        return Event(worker, value=value, error=error)

    def stop(self) -> None:
        for actor in self._actors.values():
            # What it did last is of no interest, nor whether it is alive.
            with contextlib.suppress(Exception):
                self._ray.kill(actor)
        self._actors.clear()
        self._pids.clear()
        self._asked.clear()


class RayEngine(Engine):
    """Actors of Ray, of the session that is open, of this machine, or of a cluster."""

    def __init__(self, workers: int, name: str = "ray") -> None:
        super().__init__(workers)
        self.name = name
        self._ray = _imported()
        self._is_own = not self._ray.is_initialized()
        if self._is_own:
            self._connect(name)

    def _connect(self, name: str) -> None:
        quiet = {"logging_level": "error", "log_to_driver": False}
        with warnings.catch_warnings():
            # Those of Ray about itself.
            warnings.simplefilter("ignore")
            try:
                if name == "ray":
                    self._ray.init(num_cpus=self.workers, include_dashboard=False, **quiet)
                else:
                    self._ray.init(_with_port(name), **quiet)
            except (ConnectionError, OSError, RuntimeError, ValueError, TimeoutError) as error:
                reason = " ".join(str(error).split())[:200]
                raise NiwakiError(
                    f"--engine {name}: Ray does not start ({reason}); is `ray start --head` "
                    "running there, and if it asks for a token, is RAY_AUTH_TOKEN set here?"
                ) from error

    def crew(self, maker: str, *constants: Any) -> Crew:
        return RayCrew(self._ray, self.workers, maker, constants)

    def stop(self) -> None:
        if self._is_own:
            self._ray.shutdown()


def _with_port(address: str) -> str:
    host = address.removeprefix("ray://")
    return address if ":" in host else f"{address}:{_CLIENT_PORT}"


def _imported() -> Any:
    for name, value in _QUIET.items():
        os.environ.setdefault(name, value)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            import ray
    except ImportError as error:
        raise ExtraMissingError("ray is not installed; run: pip install niwaki[scale]") from error
    return ray
