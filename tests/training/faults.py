"""Training runs in which something goes wrong: they are killed, or the disk is full."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from tests.toy import TOY

SHIM = Path(__file__).parent / "fault_shim.c"
OLD = b"the model of an earlier run"

# All that a checkpoint can hold: parts that are tagged, two parsers, partial trees. It is
# saved as often as can be.
CONFIG = """
[[objective]]
data = "{folder}/whole.conllu"
[[objective]]
data = "{folder}/partial.conllu"
partial = true
[model]
beam = 2
features = "lean"
[tagger]
folds = 2
epochs = 1
[segmenter]
epochs = 1
[training]
epochs = 1
greedy_epochs = 2
dev = "{folder}/whole.conllu"
checkpoint_minutes = 0
"""

PARTIAL = b"""\
1\tThe\tthe\tDET\t_\t_\t_\t_\t_\t_
2\theron\theron\tNOUN\t_\t_\t3\tnsubj\t_\t_
3\tsleeps\tsleep\tVERB\t_\t_\t_\t_\t_\t_

"""


@dataclass(frozen=True)
class Run:
    """How a training run ended."""

    status: int
    lines: list[str]

    @property
    def was_killed(self) -> bool:
        return self.status == -signal.SIGKILL


class Place:
    """A folder with a configuration, where runs go wrong; `output` is what they write.

    With more than 256 sentences, checkpoints are also saved within epochs.
    """

    def __init__(self, folder: Path, sentences: int = 12) -> None:
        self.folder = folder
        self.config = folder / "c.toml"
        self.outputs = folder / "out"
        self.output = self.outputs / "m.niwaki"
        self.log = self.outputs / "m.niwaki.log.jsonl"
        self.shim = folder / "fault_shim.so"
        self.outputs.mkdir()
        toy = TOY.read_bytes().strip().split(b"\n\n")
        chosen = [toy[number % len(toy)] + b"\n\n" for number in range(sentences)]
        (folder / "whole.conllu").write_bytes(b"".join(chosen))
        (folder / "partial.conllu").write_bytes(PARTIAL)
        self.config.write_text(CONFIG.format(folder=folder))
        compiler = os.environ.get("CC", "cc")
        command = [compiler, "-shared", "-fPIC", "-O1", "-o", self.shim, SHIM, "-ldl"]
        subprocess.run(command, check=True)
        done = self.run()
        assert done.status == 0, done.lines
        self.expected = self.output.read_bytes()

    def command(self, *options: str) -> list[str]:
        words = ["train", str(self.config), "-o", str(self.output), "--threads", "1"]
        return [sys.executable, "-m", "niwaki", *words, *options]

    def start_anew(self) -> None:
        """There is a model of an earlier run, and nothing else."""
        for path in self.outputs.iterdir():
            path.unlink()
        self.output.write_bytes(OLD)

    def run(self, *options: str, kind: str = "", at: int = 0, log: Path | None = None) -> Run:
        """Run the command, with a fault at the given step of writing."""
        environment = {
            **os.environ,
            "FAULT_FOLDER": str(self.outputs),
            "FAULT_KIND": kind,
            "FAULT_AT": str(at),
            "LD_PRELOAD": str(self.shim),
        }
        if log is not None:
            environment["FAULT_LOG"] = str(log)
        done = subprocess.run(
            self.command(*options),
            env=environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
        return Run(done.returncode, done.stderr.splitlines())

    def steps(self) -> list[str]:
        """The steps of writing of a run without faults."""
        self.start_anew()
        log = self.folder / "steps"
        log.unlink(missing_ok=True)
        assert self.run(log=log).status == 0
        return log.read_text().split()

    def check_old_model(self) -> bool:
        """The model is the earlier one, or wholly the new one (True)."""
        found = self.output.read_bytes()
        assert found in (OLD, self.expected), "a model that is neither the old nor the new one"
        return found == self.expected

    def check_resumed(self) -> None:
        """Going on gives the model of an uninterrupted run, with its log, and nothing else."""
        done = self.run("--resume")
        assert done.status == 0, done.lines
        assert self.output.read_bytes() == self.expected
        assert {path.name for path in self.outputs.iterdir()} == {self.output.name, self.log.name}

    def kill_at(self, step: int, kind: str) -> bool:
        """Kill a run at a step and take it up; False if the run ended before that step."""
        self.start_anew()
        done = self.run(kind=kind, at=step)
        if not done.was_killed:
            assert done.status == 0, done.lines
            return False
        self.check_old_model()
        self.check_resumed()
        return True

    def fill_disk_at(self, step: int) -> bool:
        """Let the disk be full from a step on; False if the run did not mind."""
        self.start_anew()
        done = self.run(kind="full", at=step)
        if done.status == 0:
            return False
        assert done.status == 1
        complaints = [line for line in done.lines if line.startswith("niwaki:")]
        assert done.lines[-1:] == complaints, "one line, and it comes last"
        assert f"{self.output}" in complaints[0]
        assert "No space left" in complaints[0]
        self.check_old_model()
        assert not list(self.outputs.glob("*.tmp")), "what was half written is removed"
        self.check_resumed()
        return True
