"""Adapting to what was annotated: `niwaki adapt` as a process of its own, supervised.

Main words and corrected heads become the objective "partial", word links the objective
"reordering" (Hall et al. 2011). The job's folder holds everything: the configuration, the
data, the log, the report and the model, if one was written. So a run can be repeated by hand.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from niwaki.adapting.held_out import LEAST_EXAMPLES
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

CONFIG, MODEL, PROGRESS = "config.json", "model.niwaki", "progress.jsonl"
REPORT, PAGE = "report.json", "report.html"
TREEBANK, DEV = "treebank.conllu", "dev.conllu"
KINDS = {"trees": "partial", "links": "reordering"}

_SUPERVISE = Path(__file__).with_name("supervise.py")
_NICE = 5
# Of what the process says: a line has all objectives.
_LONGEST_LINE = 1 << 20


@dataclass(frozen=True)
class Task:
    """What was annotated in a project, as an objective; `rules` is a name or a file."""

    project: Project
    rules: str
    numbers: list[int]

    @classmethod
    def of(cls, project: Project, rules: str) -> Task:
        known = project.useful
        if len(known) < LEAST_EXAMPLES:
            raise RequestError(
                422,
                f"{project.id!r} has {len(known)} of the {LEAST_EXAMPLES} annotated sentences that "
                "are needed to learn from some and to see on others what it was worth; annotate "
                "more",
            )
        return cls(project, rules, known)

    @property
    def kind(self) -> str:
        return KINDS[self.project.kind]

    @property
    def file(self) -> str:
        return f"{self.project.id}.{'conllu' if self.kind == 'partial' else 'jsonl'}"

    def write(self, folder: Path) -> None:
        if self.kind == "partial":
            write_conllu([self.project.partial(n) for n in self.numbers], folder / self.file)
        else:
            write_references([self.project.reference(n) for n in self.numbers], folder / self.file)

    def objective(self, folder: Path) -> dict[str, Any]:
        """The entry of a configuration."""
        record = {"kind": self.kind, "data": self.file}
        return record if self.kind == "partial" else {**record, "rules": self._kept_rules(folder)}

    def _kept_rules(self, folder: Path) -> str:
        """Rules that are not shipped are kept with the model, as they were."""
        if not is_file_name(self.rules):
            return self.rules
        shutil.copyfile(self.rules, folder / "rules.toml")
        return "rules.toml"


def write_config(folder: Path, tasks: list[Task], trees: int, dev: int) -> Config:
    """The configuration and the data of tasks; so many `trees`, and others to see what is paid
    on, lie there already.
    """
    for task in tasks:
        task.write(folder)
    objectives: list[dict[str, Any]] = [{"data": TREEBANK}] if trees else []
    # Files are named as they lie in the folder.
    record: dict[str, Any] = {
        "card": {"name": folder.name},
        "objective": objectives + [task.objective(folder) for task in tasks],
    }
    if dev:
        record["training"] = {"dev": DEV}
    config = make_config(record, CONFIG, folder)
    (folder / CONFIG).write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
    return config


async def adapt(job: Job, folder: Path, init: str, minutes: float) -> dict[str, Any]:
    """Run `niwaki adapt`, follow what it says and return its report; cancelling this kills it."""
    command = ["adapt", init, "--for", CONFIG, "-o", MODEL, "--minutes", f"{minutes:g}"]
    command += ["--progress", "json", "--html", PAGE, "--json"]
    with (folder / REPORT).open("wb") as report:
        process = await start_python(
            *(str(_SUPERVISE), *python_command("-m", "niwaki", *command, nice=_NICE)),
            cwd=folder,
            stdin=asyncio.subprocess.PIPE,
            stdout=report,
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
    # If nothing was gained it ends with 1, as after an error, but then it has a report.
    try:
        return dict(load_json((folder / REPORT).read_bytes()))
    except ValueError:
        message = job.error or f"adapting ended with {status}; see the log"
        raise RequestError(422, message) from None


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
    elif kind == "trial":
        took = said["fault"] or f"{said['seconds']:.0f} s"
        job.say(f"{said['name']}: {took}; {said['seconds_left']:.0f} s left")
        job.trials.append(said)
    elif kind == "note":
        job.say(said["text"])
    elif kind == "done":
        job.say(f"wrote {said['path']} after {said['seconds']:.0f} s")
    elif kind == "error":
        job.error = said["message"]
        job.say(job.error)
    else:
        raise LookupError(kind)
