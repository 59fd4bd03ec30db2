"""Training on what was annotated: `niwaki train` as a process of its own, watched and leashed.

The job's folder holds everything: the configuration, the data it was trained on, the
sentences that were kept out of it, the log and the model. So a run can be repeated by hand.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import re
import sys
import typing
from pathlib import Path
from typing import Any

from niwaki.data.conllu import write_conllu
from niwaki.data.sentence import Sentence
from niwaki.serve.annotations import Project
from niwaki.serve.errors import RequestError
from niwaki.serve.jobs import Job
from niwaki.training.config import ObjectiveConfig

# Every so many annotated sentences, one is kept out of training, to see what it was worth.
HELD_OUT = 5

_LEASH = Path(__file__).with_name("leash.py")
_NICE = 5

_EPOCH = re.compile(
    r"^(\S+) epoch (\d+)/(\d+): ([\d,]+) updates, ([\d,]+) features"
    r"(?:, dev UAS ([\d.]+) LAS ([\d.]+))?"
)
_STAGE = re.compile(r"^([^:]+): ([\d,]+) sentences, .* (\d+)%, ")


def objective_kinds() -> tuple[str, ...]:
    """The objectives that this version can train for."""
    return typing.get_args(typing.get_type_hints(ObjectiveConfig)["kind"])


def parts(project: Project) -> tuple[list[int], list[int]]:
    """Numbers of the annotated sentences to learn from, and of those kept out."""
    known = project.annotated
    held = known[HELD_OUT - 1 :: HELD_OUT]
    return [number for number in known if number not in set(held)], held


def write_config(
    folder: Path, *, name: str, treebank: str, dev: str | None, epochs: int, weight: int
) -> Path:
    """The configuration of an adaptation: a treebank, and the partial trees so many times."""
    lines = [
        "# What was annotated in the workbench, learned together with a treebank.",
        "[card]",
        f"name = {json.dumps(name)}",
        "",
        "[[objective]]",
        f"data = {json.dumps(treebank)}",
        "",
        "[[objective]]",
        f"data = {json.dumps(['annotated.conllu'] * weight)}",
        "partial = true",
        "",
        "[training]",
        f"epochs = {epochs}",
        f"greedy_epochs = {epochs}",
    ]
    if dev is not None:
        lines.append(f"dev = {json.dumps(dev)}")
    path = folder / "config.toml"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def write_parts(folder: Path, learned: list[Sentence], held: list[Sentence]) -> None:
    if not learned:
        raise RequestError(422, "nothing is annotated yet; answer some questions first")
    write_conllu(learned, folder / "annotated.conllu")
    write_conllu(held, folder / "held-out.conllu")


async def train(job: Job, config: Path, model: Path) -> None:
    """Run `niwaki train` and follow what it says; cancelling this kills it."""
    command = [sys.executable, "-m", "niwaki", "train", config.name, "-o", model.name]
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, str(_LEASH), "nice", "-n", str(_NICE), *command),
        cwd=config.parent,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.PIPE,
        start_new_session=True,
    )
    assert process.stderr is not None
    assert process.stdin is not None
    last = ""
    try:
        with (config.parent / "log.txt").open("w", encoding="utf-8") as log:
            while line := (await process.stderr.readline()).decode("utf-8", "replace").rstrip():
                last = line
                log.write(line + "\n")
                log.flush()
                follow(job, line)
        status = await process.wait()
    finally:
        # The end of its input is what makes the leash pull.
        with contextlib.suppress(OSError):
            process.stdin.close()
        await process.wait()
    if status:
        raise RequestError(422, last.removeprefix("niwaki: ") or f"training ended with {status}")


def follow(job: Job, line: str) -> None:
    """Read a line of the log: points of the curves, progress, or something to say."""
    if found := _EPOCH.match(line):
        stage, epoch, epochs, updates, features, uas, las = found.groups()
        point: dict[str, Any] = {
            "stage": stage,
            "epoch": int(epoch),
            "epochs": int(epochs),
            "updates": int(updates.replace(",", "")),
            "features": int(features.replace(",", "")),
        }
        if uas is not None:
            point |= {"uas": float(uas), "las": float(las)}
        job.curves.append(point)
        job.progress(f"{stage}: epoch {epoch} of {epochs}", int(epoch), int(epochs))
    elif found := _STAGE.match(line):
        job.progress(found[1], int(found[3]), 100)
        return
    job.say(line)
