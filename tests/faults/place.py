"""Runs of a command in which something goes wrong: they are killed, or the disk is full."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from tests.faults.tasks import OLD, Task

_HERE = Path(__file__).parent


@dataclass(frozen=True)
class Run:
    """How a run ended."""

    status: int
    lines: list[str]

    @property
    def was_killed(self) -> bool:
        return self.status == -signal.SIGKILL


class Place:
    """A folder with a task, where runs go wrong; `output` is what they write.

    `expected` are all files that a run without faults leaves, and `steps` its steps of writing.
    """

    def __init__(self, folder: Path, make_task: Callable[[Path], Task]) -> None:
        self.task = make_task(folder)
        self.earlier = {self.task.output: OLD, **self.task.earlier}
        self.outputs = folder / "out"
        self.output = self.outputs / self.task.output
        self._stderr = folder / "stderr"
        self._runner = self._start_runner(folder / "shim.so")
        log = folder / "steps"
        self.start_anew()
        done = self.run(log=log)
        assert done.status == 0, done.lines
        self.steps = log.read_text().split()
        self.expected = self.files()

    def _start_runner(self, shim: Path) -> subprocess.Popen[str]:
        compiler = os.environ.get("CC", "cc")
        command = [compiler, "-shared", "-fPIC", "-O1", "-o", shim, _HERE / "shim.c", "-ldl"]
        subprocess.run(command, check=True)
        environment = {
            **os.environ,
            "FAULT_FOLDER": str(self.outputs),
            "LD_PRELOAD": str(shim),
        }
        return subprocess.Popen(
            [sys.executable, _HERE / "runner.py", self.task.words[0]],
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def __enter__(self) -> Place:
        return self

    def __exit__(self, *_: object) -> None:
        self._runner.communicate()

    def words(self, *options: str) -> list[str]:
        return [*self.task.words, "-o", str(self.output), *options]

    def command(self, *options: str) -> list[str]:
        return [sys.executable, "-m", "niwaki", *self.words(*options)]

    def files(self) -> dict[str, bytes]:
        found = [path for path in self.outputs.rglob("*") if path.is_file()]
        return {str(path.relative_to(self.outputs)): path.read_bytes() for path in found}

    def start_anew(self) -> None:
        """There is what an earlier run has left, and nothing else."""
        shutil.rmtree(self.outputs, ignore_errors=True)
        for name, data in self.earlier.items():
            path = self.outputs / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)

    def run(self, *options: str, kind: str = "", at: int = 0, log: Path | None = None) -> Run:
        """Run the command, with a fault at the given step of writing."""
        faults = {"FAULT_KIND": kind, "FAULT_AT": str(at)}
        if log is not None:
            faults["FAULT_LOG"] = str(log)
        order = {"words": self.words(*options), "environment": faults, "stderr": str(self._stderr)}
        assert self._runner.stdin is not None and self._runner.stdout is not None
        print(json.dumps(order), file=self._runner.stdin, flush=True)
        status = os.waitstatus_to_exitcode(int(self._runner.stdout.readline()))
        return Run(status, self._stderr.read_text().splitlines())

    def run_alone(self, *within: str) -> Run:
        """Run the command as a user does, within another command, and without faults."""
        command = [*within, *self.command()]
        # Where files may not grow, nobody can write down which lines were run either.
        uncounted = {name: x for name, x in os.environ.items() if not name.startswith("COVERAGE_")}
        done = subprocess.run(command, capture_output=True, text=True, check=False, env=uncounted)
        return Run(done.returncode, done.stderr.splitlines())

    def check_old_file(self) -> bool:
        """The output is that of the earlier run, or wholly the new one (True)."""
        found = self.output.read_bytes()
        new = self.expected[self.task.output]
        assert found in (OLD, new), "a file that is neither the old nor the new one"
        return found == new

    def check_going_on(self, *, resume: bool = True) -> None:
        """The next run leaves what an uninterrupted one leaves, and nothing else."""
        # As long as nothing is changed, there is nothing but an earlier run to resume.
        resume = resume and self.task.resumes and self.files() != self.earlier
        done = self.run(*(["--resume"] if resume else []))
        assert done.status == 0, done.lines
        found = self.files()
        assert found.keys() == self.expected.keys()
        differing = [name for name in found if found[name] != self.expected[name]]
        assert not differing

    def kill_at(self, step: int, kind: str, *, resume: bool = True) -> bool:
        """Kill a run at a step and run it again; False if the run ended before that step."""
        self.start_anew()
        done = self.run(kind=kind, at=step)
        if not done.was_killed:
            assert done.status == 0, done.lines
            return False
        self.check_old_file()
        self.check_going_on(resume=resume)
        return True

    def fill_disk_at(self, step: int) -> bool:
        """Let the disk be full from a step on; False if the run did not mind."""
        self.start_anew()
        done = self.run(kind="full", at=step)
        if done.status == 0:
            return False
        self.check_complaint(done, "No space left on device")
        self.check_going_on()
        return True

    def check_complaint(self, done: Run, reason: str) -> None:
        """One line, and it comes last; the old file is whole, and nothing is half written."""
        assert done.status == 1, done.lines
        *others, last = done.lines
        assert last.startswith(f"niwaki: {self.output}")
        assert last.endswith(f": {reason}")
        assert not [line for line in others if line.startswith(("niwaki:", "Traceback", "Exc"))]
        self.check_old_file()
        assert not list(self.outputs.rglob("*.tmp")), "what was half written is removed"
