"""Training on what was annotated: `niwaki train --init` as a process of its own, on a leash.

Main words and corrected heads become the objective "partial", word links the objective
"reordering" (Hall et al. 2011). The job's folder holds everything: the configuration, the
data, the sentences that were kept out of it, the log and the model. So a run can be repeated
by hand.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import re
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from niwaki.data.bilingual.references import write_references
from niwaki.data.conllu import write_conllu
from niwaki.keys import is_file_name
from niwaki.serve.annotations import Project
from niwaki.serve.errors import RequestError
from niwaki.serve.jobs import Job
from niwaki.serve.schema import load_json

# Every so many annotated sentences, one is kept out of training, to see what it was worth.
HELD_OUT = 5
PARTS = ("held-out", "learned")

CONFIG, MODEL, LOG = "config.toml", "model.niwaki", "model.niwaki.log.jsonl"
LEARNED_TREES, HELD_OUT_TREES = "treebank.learned.conllu", "treebank.held-out.conllu"

_LEASH = Path(__file__).with_name("supervise.py")
_NICE = 5
_LOOK_SECONDS = 0.3
_FOLDS = 4

_EPOCH = re.compile(r"^\S+ epoch (\d+)/(\d+): ")
_STAGE = re.compile(r"^([^:]+): ([\d,]+) sentences, .* (\d+)%, ")

# What did best on development data; see docs/benchmarks.md.
_SETTINGS = {
    "partial": 'k = 16\nselect = "hope-fear"\nscale = 600.0',
    "reordering": 'k = "adaptive"',
}


@dataclass(frozen=True)
class Task:
    """What was annotated in a project, as an objective; `rules` is a name or a file."""

    project: Project
    rules: str
    learned: list[int]
    held_out: list[int]

    @classmethod
    def of(cls, project: Project, rules: str) -> Task:
        known = project.useful
        held = known[HELD_OUT - 1 :: HELD_OUT]
        if not known:
            raise RequestError(
                422, f"nothing is annotated yet in {project.id!r}; answer some questions first"
            )
        return cls(project, rules, [n for n in known if n not in set(held)], held)

    @property
    def kind(self) -> str:
        return "partial" if self.project.kind == "trees" else "reordering"

    def file(self, part: str) -> str:
        return f"{self.project.id}.{part}.{'conllu' if self.kind == 'partial' else 'jsonl'}"

    def numbers(self, part: str) -> list[int]:
        return self.learned if part == "learned" else self.held_out

    def write(self, folder: Path) -> None:
        for part in PARTS:
            numbers, path = self.numbers(part), folder / self.file(part)
            if self.kind == "partial":
                write_conllu([self.project.partial(n) for n in numbers], path)
            else:
                write_references([self.project.reference(n) for n in numbers], path)

    def table(self, rules: str, schedule: float) -> str:
        """The entry of a configuration."""
        lines = [
            "[[objective]]",
            f'kind = "{self.kind}"',
            f"data = {json.dumps(self.file('learned'))}",
        ]
        if self.kind == "reordering":
            lines.append(f"rules = {json.dumps(rules)}")
        # Whole passes over what was annotated, however large the treebank is beside it.
        lines += [f"schedule = {schedule!r}", _SETTINGS[self.kind], ""]
        return "\n".join(lines)


@dataclass(frozen=True)
class Plan:
    """One adaptation: the model it begins with, what it learns, and where it is written."""

    folder: Path
    before: str
    tasks: list[Task]
    epochs: int
    passes: int

    def names(self, trees: int) -> list[str]:
        """The tasks as training calls them; a treebank is objective 0."""
        return [f"{n + bool(trees)} {task.kind}" for n, task in enumerate(self.tasks)]

    def write(self, trees: int, held_out_trees: int) -> None:
        """The configuration and its data; `trees` of a treebank lie there already."""
        lines = [
            f"# niwaki train {CONFIG} --init {self.before} -o {MODEL}",
            "[card]",
            f"name = {json.dumps(self.folder.name)}",
            "",
        ]
        if trees:
            lines += ["[[objective]]", f"data = {json.dumps(LEARNED_TREES)}", ""]
            # Fewer than usual: somebody waits.
            lines += ["[tagger]", f"folds = {_FOLDS}", ""]
        # Without a treebank an epoch is a pass over the first task.
        size = trees or len(self.tasks[0].learned)
        for task in self.tasks:
            task.write(self.folder)
            schedule = self.passes * len(task.learned) / size
            lines.append(task.table(self._rules(task), schedule))
        lines += ["[training]", f"epochs = {self.epochs}"]
        if not trees:
            lines += ["# So few examples that each should see what the one before has taught."]
            lines += ["batch_size = 1"]
        if held_out_trees:
            lines.append(f"dev = {json.dumps(HELD_OUT_TREES)}")
        (self.folder / CONFIG).write_text("\n".join(lines) + "\n", encoding="utf-8")

    def _rules(self, task: Task) -> str:
        """Rules that are not shipped are kept with the model, as they were."""
        if task.kind == "partial" or not is_file_name(task.rules):
            return task.rules
        shutil.copyfile(task.rules, self.folder / "rules.toml")
        return "rules.toml"


async def train(job: Job, folder: Path, init: str) -> None:
    """Run `niwaki train` and follow what it says; cancelling this kills it."""
    command = [sys.executable, "-m", "niwaki", "train", CONFIG, "--init", init, "-o", MODEL]
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, str(_LEASH), "nice", "-n", str(_NICE), *command),
        cwd=folder,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.PIPE,
        start_new_session=True,
    )
    assert process.stderr is not None
    assert process.stdin is not None
    curves = asyncio.create_task(_watch(job, folder / LOG))
    last = ""
    try:
        with (folder / "log.txt").open("w", encoding="utf-8") as log:
            while line := (await process.stderr.readline()).decode("utf-8", "replace").rstrip():
                last = line
                log.write(line + "\n")
                log.flush()
                follow(job, line)
        status = await process.wait()
    finally:
        curves.cancel()
        # The end of its input is what makes the leash pull.
        with contextlib.suppress(OSError):
            process.stdin.close()
        await process.wait()
        job.curves = read_curves(folder / LOG)
    if status:
        raise RequestError(422, last.removeprefix("niwaki: ") or f"training ended with {status}")


async def _watch(job: Job, path: Path) -> None:
    while True:
        await asyncio.sleep(_LOOK_SECONDS)
        job.curves = read_curves(path)


def read_curves(path: Path) -> list[dict[str, Any]]:
    """The epochs so far; the log is always whole, because it is written beside and renamed."""
    if not path.exists():
        return []
    return [load_json(line) for line in path.read_bytes().splitlines()]


def follow(job: Job, line: str) -> None:
    """Read a line of what training says: progress, or something to say."""
    if found := _EPOCH.match(line):
        job.progress("epochs", int(found[1]), int(found[2]))
    elif found := _STAGE.match(line):
        job.progress(found[1], int(found[3]), 100)
        return
    job.say(line)
