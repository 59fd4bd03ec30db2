"""Training on what was annotated: `niwaki train --init` as a process of its own, supervised.

Main words and corrected heads become the objective "partial", word links the objective
"reordering" (Hall et al. 2011). The job's folder holds everything: the configuration, the
data, the sentences that were kept out of it, the log and the model. So a run can be repeated
by hand.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from niwaki.data.bilingual.references import write_references
from niwaki.data.conllu import write_conllu
from niwaki.keys import is_file_name
from niwaki.serve.annotations import Project
from niwaki.serve.errors import RequestError
from niwaki.serve.jobs import Job
from niwaki.serve.processes import python_command, start_python
from niwaki.serve.schema import load_json
from niwaki.training.config import Config
from niwaki.training.config_file import make_config

# Every so many annotated sentences, one is kept out of training, to see what it was worth.
HELD_OUT = 5
PARTS = ("held-out", "learned")

CONFIG, MODEL, PROGRESS = "config.json", "model.niwaki", "progress.jsonl"
LEARNED_TREES, HELD_OUT_TREES = "treebank.learned.conllu", "treebank.held-out.conllu"

_SUPERVISE = Path(__file__).with_name("supervise.py")
_NICE = 5
# Parts of the treebank that are tagged by taggers of the others: fewer than usual, somebody waits.
_FOLDS = 4
# Of what training says: a line has all objectives of an epoch.
_LONGEST_LINE = 1 << 20

# Candidates: few sentences are annotated, and somebody took care of each.
_CANDIDATES = 16


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

    def objective(self, rules: str, schedule: float) -> dict[str, Any]:
        """The entry of a configuration."""
        record = {"kind": self.kind, "data": self.file("learned"), "schedule": schedule}
        if self.kind == "reordering":
            record["rules"] = rules
        return record | {"k": _CANDIDATES}


@dataclass(frozen=True)
class Plan:
    """One adaptation: the model it begins with, what it learns, and where it is written."""

    folder: Path
    before: str
    tasks: list[Task]
    epochs: int
    passes: int

    def write(self, trees: int, held_out_trees: int) -> Config:
        """The configuration and its data; `trees` of a treebank lie there already."""
        for task in self.tasks:
            task.write(self.folder)
        record = self._record(trees, held_out_trees)
        config = make_config(record, CONFIG, self.folder)
        (self.folder / CONFIG).write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
        return config

    def _record(self, trees: int, held_out_trees: int) -> dict[str, Any]:
        """The tables of the configuration; files are named as they lie in the folder."""
        # Without a treebank an epoch is a pass over the first task.
        size = trees or len(self.tasks[0].learned)
        objectives: list[dict[str, Any]] = [{"data": LEARNED_TREES}] if trees else []
        for task in self.tasks:
            # Whole passes over what was annotated, however large the treebank is beside it.
            schedule = self.passes * len(task.learned) / size
            objectives.append(task.objective(self._rules(task), schedule))
        training: dict[str, Any] = {"epochs": self.epochs}
        if not trees:
            # So few examples that each should see what the one before has taught.
            training["batch_size"] = 1
        if held_out_trees:
            training["dev"] = HELD_OUT_TREES
        record = {
            "card": {"name": self.folder.name},
            "objective": objectives,
            "training": training,
        }
        return record | ({"tagger": {"folds": _FOLDS}} if trees else {})

    def _rules(self, task: Task) -> str:
        """Rules that are not shipped are kept with the model, as they were."""
        if task.kind == "partial" or not is_file_name(task.rules):
            return task.rules
        shutil.copyfile(task.rules, self.folder / "rules.toml")
        return "rules.toml"


async def train(job: Job, folder: Path, init: str) -> None:
    """Run `niwaki train` and follow what it says; cancelling this kills it."""
    command = ["-m", "niwaki", "train", CONFIG, "--init", init, "-o", MODEL, "--progress", "json"]
    process = await start_python(
        *(str(_SUPERVISE), *python_command(*command, nice=_NICE)),
        cwd=folder,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.PIPE,
        start_new_session=True,
        limit=_LONGEST_LINE,
    )
    assert process.stderr is not None
    assert process.stdin is not None
    try:
        with (folder / PROGRESS).open("wb") as file:
            async for line in process.stderr:
                file.write(line)
                file.flush()
                follow(job, line.decode("utf-8", "replace").rstrip())
        status = await process.wait()
    finally:
        # The end of its input is what makes the supervisor end it.
        with contextlib.suppress(OSError):
            process.stdin.close()
        await process.wait()
    if status:
        raise RequestError(422, job.error or f"training ended with {status}; see the log")


def follow(job: Job, line: str) -> None:
    """Take in a line of `--progress json`; any other line is shown as it is."""
    try:
        _take_in(job, **load_json(line.encode()))
    except (ValueError, LookupError, TypeError):
        job.say(line)


def _take_in(job: Job, kind: str, **said: Any) -> None:
    if kind == "stage":
        job.progress(said["name"], 0, said["total"])
    elif kind == "progress":
        job.progress(said["stage"], said["done"], said["total"])
    elif kind == "epoch":
        job.say(f"{said['stage']}: epoch {said['epoch']} of {said['epochs']}")
        job.curves.append(said)
    elif kind == "note":
        job.say(said["text"])
    elif kind == "done":
        job.say(f"wrote {said['path']} after {said['seconds']:.0f} s")
    elif kind == "error":
        job.error = said["message"]
        job.say(job.error)
    else:
        raise LookupError(kind)
