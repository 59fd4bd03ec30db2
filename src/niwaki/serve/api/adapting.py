"""Adapting a model to what was annotated, and the report of what that was worth."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

from niwaki.adapting.held_out import LEAST_EXAMPLES
from niwaki.serve import adapt
from niwaki.serve.adapt import Task
from niwaki.serve.api.shapes import name
from niwaki.serve.endpoint import Call, Endpoint, Result
from niwaki.serve.errors import RequestError
from niwaki.serve.jobs import Job
from niwaki.serve.schema import items, load_json, number, record, whole
from niwaki.serve.state import AppState

_MINUTES, _TREES = 3, 2_000


async def start(app: AppState, call: Call) -> Result:
    body = call.body
    rules = app.registry.rule_set(body.get("rules", "ja"))
    tasks = [
        Task.of(app.projects.get(project), rules) for project in dict.fromkeys(body["projects"])
    ]
    before = body.get("model", tasks[0].project.model)
    init = app.registry.model(before)
    treebank, dev = (
        app.corpus(body[key], "trees").files[0] if key in body else None
        for key in ("treebank", "dev")
    )
    folder = _new_folder(app, tasks[0].project.id)

    async def work(job: Job) -> Any:
        job.progress("writing what is learned from", 0, 0)
        most = body.get("treebank_sentences", _TREES)
        trees = await _copy_trees(app, treebank, folder / adapt.TREEBANK, most)
        # A part of what is learned is held out by `niwaki adapt`.
        others = None if dev == treebank else dev
        seen = await _copy_trees(app, others, folder / adapt.DEV, None)
        config = await asyncio.to_thread(adapt.write_config, folder, tasks, trees, seen)
        job.titles = dict(zip(config.costs, (task.project.name for task in tasks), strict=True))
        job.progress("looking at the model as it is", 0, 0)
        report = await adapt.adapt(job, folder, init, body.get("minutes", _MINUTES))
        if report["written"]:
            app.registry.models[folder.name] = str(folder / adapt.MODEL)
        return {
            "model": folder.name if report["written"] else None,
            "before": before,
            "folder": folder.name,
            "report": {**report, "model": before},
        }

    sentences = sum(len(task.numbers) for task in tasks)
    title = f"{', '.join(task.project.name for task in tasks)}: {sentences} annotated sentences"
    job = app.jobs.start("adapt", title, {**body, "output": folder.name}, work)
    return job.summary()


async def _copy_trees(app: AppState, treebank: str | None, file: Path, most: int | None) -> int:
    if treebank is None:
        return 0
    arguments = {"treebank": treebank, "file": str(file), "most": most}
    return int(load_json(await app.background.run("copy_trees", arguments)))


def _new_folder(app: AppState, project: str) -> Path:
    models = app.work.ensure() / "models"
    models.mkdir(exist_ok=True)
    taken = {path.name for path in models.iterdir()} | set(app.registry.models)
    key = next(each for n in range(1, 100_000) if (each := f"{project}-v{n}") not in taken)
    folder = models.resolve() / key
    folder.mkdir()
    return folder


async def config(app: AppState, call: Call) -> Result:
    """What can be adapted, and with what."""
    return {
        "least": LEAST_EXAMPLES,
        "treebanks": [each.id for each in app.corpora if each.kind == "trees"],
        "rules": sorted(app.registry.rules),
        "models": list(app.registry.models),
        "defaults": {"minutes": _MINUTES, "treebank_sentences": _TREES},
        "projects": [
            {
                "id": each.id,
                "name": each.name,
                "kind": each.kind,
                "model": each.model,
                "useful": len(each.useful),
                **each.counts(),
            }
            for each in app.projects.list()
        ],
        "jobs": [job.summary() for job in app.jobs.list() if job.kind == "adapt"],
    }


async def read_config(app: AppState, call: Call) -> Result:
    """The configuration of a job."""
    job = app.jobs.get(call.path["id"])
    path = app.work.path / "models" / str(job.request.get("output", "")) / adapt.CONFIG
    if job.kind != "adapt" or not path.is_file():
        raise RequestError(404, "this job has no configuration yet")
    return {"config": load_json(await asyncio.to_thread(path.read_bytes))}


ENDPOINTS = [
    Endpoint("/api/adapt", "What can be adapted", config),
    Endpoint(
        "/api/adapt-start",
        "Adapt a model to what was annotated",
        start,
        record(
            {
                "projects": items(name, 16, "Projects in which something is annotated.", least=1),
                "model": {**name, "description": "To begin with; else the first project's."},
                "rules": {
                    **name,
                    "description": "For links: the rules that should lead to their orders.",
                    "default": "ja",
                },
                "treebank": {**name, "description": "Whole trees to learn beside them."},
                "treebank_sentences": whole(
                    1, 1_000_000, "How many of them at most.", default=_TREES
                ),
                "dev": {
                    **name,
                    "description": "Whole trees to see what is paid on; else some of the treebank.",
                },
                "minutes": number(
                    0, 600, "For all trials; the usual settings are always tried.", default=_MINUTES
                ),
            },
            "projects",
        ),
        description="Answers with a job, which has the trials, the log and as its result the "
        "report of `niwaki adapt`. `model` is null if nothing was gained and no model written.",
        lasting=True,
    ),
    Endpoint("/api/adapt/{id}/config", "The configuration of a job", read_config),
]
