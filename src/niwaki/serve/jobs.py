"""Long work in the background: progress that can be watched, an end that can be seen."""

from __future__ import annotations

import asyncio
import itertools
import logging
import os
import traceback
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

from niwaki.errors import NiwakiError
from niwaki.serve.errors import RequestError, busy, unknown

log = logging.getLogger("niwaki.serve")

RUNNING, DONE, FAILED, CANCELLED = "running", "done", "failed", "cancelled"
# Jobs that may go on at once; they share one process anyway.
_MOST_RUNNING = 8
_LOG_LINES = 400


@dataclass
class Job:
    """A piece of work: what it is, how far it is, and how it ended."""

    id: str
    kind: str
    title: str
    request: dict[str, Any]
    state: str = RUNNING
    stage: str = "waiting"
    done: int = 0
    total: int = 0
    lines: list[str] = field(default_factory=list)
    trials: list[dict[str, Any]] = field(default_factory=list)  # of `niwaki adapt`
    titles: dict[str, str] = field(default_factory=dict)  # of its costs, by their names there
    error: str = ""
    result: Any = None
    task: asyncio.Task[None] | None = None

    def progress(self, stage: str, done: int, total: int) -> None:
        self.stage, self.done, self.total = stage, done, total

    def say(self, line: str) -> None:
        self.lines.append(line)
        del self.lines[:-_LOG_LINES]

    def summary(self) -> dict[str, Any]:
        return {
            "id": self.id,
            "kind": self.kind,
            "title": self.title,
            "state": self.state,
            "stage": self.stage,
            "done": self.done,
            "total": self.total,
            "error": self.error,
        }

    def record(self) -> dict[str, Any]:
        return {
            **self.summary(),
            "request": self.request,
            "lines": self.lines,
            "trials": self.trials,
            "titles": self.titles,
            "result": self.result,
        }


Work = Callable[[Job], Awaitable[Any]]


class Jobs:
    """Starts, lists and cancels jobs; the oldest finished ones are forgotten."""

    def __init__(self, kept: int) -> None:
        self._kept = kept
        self._found: dict[str, Job] = {}
        self._numbers = itertools.count(1)

    def start(self, kind: str, title: str, request: dict[str, Any], work: Work) -> Job:
        running = [job for job in self._found.values() if job.state == RUNNING]
        if len(running) >= _MOST_RUNNING:
            raise busy(10, "too many jobs are running")
        job = Job(f"{kind}-{next(self._numbers)}", kind, title, request)
        self._found[job.id] = job
        finished = [each for each in self._found.values() if each.state != RUNNING]
        for old in finished[: max(0, len(self._found) - self._kept)]:
            del self._found[old.id]
        job.task = asyncio.create_task(_run(job, work))
        return job

    def list(self) -> list[Job]:
        return list(self._found.values())

    def get(self, name: str) -> Job:
        if name not in self._found:
            raise unknown("job", name)
        return self._found[name]

    async def cancel(self, job: Job) -> None:
        """Stop a job; when this returns, it has stopped."""
        if job.task is not None and job.state == RUNNING:
            job.task.cancel()
            await asyncio.wait([job.task])

    async def stop(self) -> None:
        await asyncio.gather(*(self.cancel(job) for job in self._found.values()))


async def _run(job: Job, work: Work) -> None:
    try:
        job.result = await work(job)
        job.state, job.stage = DONE, "done"
    except asyncio.CancelledError:
        job.state, job.stage = CANCELLED, "cancelled"
    except (RequestError, NiwakiError, OSError) as error:
        job.state, job.stage, job.error = FAILED, "failed", str(error)
    except Exception as error:
        frames = traceback.extract_tb(error.__traceback__)[-4:]
        where = " ".join(f"{os.path.basename(each.filename)}:{each.lineno}" for each in frames)
        log.error("the job %s failed: %s at %s", job.kind, type(error).__name__, where)
        job.state, job.stage = FAILED, "failed"
        job.error = "this should not have happened; the server's log says where it did"
