"""Training a model on what was annotated, and showing what that did."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

from niwaki.serve import adapt
from niwaki.serve.adapt import Plan, Task
from niwaki.serve.api.shapes import name
from niwaki.serve.endpoint import Call, Endpoint, Result
from niwaki.serve.errors import RequestError
from niwaki.serve.jobs import Job
from niwaki.serve.schema import choice, items, load_json, record, whole
from niwaki.serve.state import AppState

_EPOCHS, _PASSES, _TREES = 4, 2, 2_000


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
    plan = Plan(folder, before, tasks, body.get("epochs", _EPOCHS), body.get("passes", _PASSES))

    async def work(job: Job) -> Any:
        job.progress("writing what is learned from", 0, 0)
        arguments = {
            "treebank": treebank,
            "dev": None if dev == treebank else dev,
            "learned": str(folder / adapt.LEARNED_TREES),
            "held_out": str(folder / adapt.HELD_OUT_TREES),
            "most": body.get("treebank_sentences", _TREES),
            "every": adapt.HELD_OUT,
        }
        trees = load_json(await app.background.run("part_treebank", arguments))
        config = await asyncio.to_thread(plan.write, trees["learned"], trees["held-out"])
        names = list(config.costs)
        job.titles = dict(zip(names, (task.project.name for task in tasks), strict=True))
        job.progress("training", 0, 0)
        await adapt.train(job, folder, init)
        app.registry.models[folder.name] = str(folder / adapt.MODEL)
        job.progress("comparing before and after", 0, 0)
        return await _before_and_after(app, plan, names, init, trees)

    sentences = sum(len(task.learned) + len(task.held_out) for task in tasks)
    title = f"{', '.join(task.project.name for task in tasks)}: {sentences} annotated sentences"
    job = app.jobs.start("adapt", title, {**body, "output": folder.name}, work)
    return job.summary()


async def _before_and_after(
    app: AppState, plan: Plan, names: list[str], init: str, trees: dict[str, int]
) -> dict[str, Any]:
    """What both models make of each task, by its name in training, and the trade-off report."""
    folder, models = plan.folder, [init, str(plan.folder / adapt.MODEL)]
    shown = []
    for task, key in zip(plan.tasks, names, strict=True):
        found: dict[str, Any] = {
            "name": key,
            "project": task.project.id,
            "title": task.project.name,
            "kind": task.kind,
        }
        for part in adapt.PARTS:
            if task.numbers(part):
                arguments: dict[str, Any] = {"file": str(folder / task.file(part))}
                if task.kind == "partial":
                    step = app.background.run("compare_partial", {**arguments, "models": models})
                else:
                    arguments["systems"] = _systems(models, task)
                    step = app.background.run("compare_orders", arguments)
                found[part] = load_json(await step)
        shown.append(found)
    # With few annotated sentences none are kept out, and those that were learned are shown.
    part = "held-out" if any(task.held_out for task in plan.tasks) else "learned"
    arguments = {
        "names": [plan.before, folder.name],
        "models": models,
        "gold": str(folder / adapt.HELD_OUT_TREES) if trees["held-out"] else None,
        "tasks": [
            {"name": key, "kind": task.kind, "file": str(folder / task.file(part))}
            | ({"rules": task.rules} if task.kind == "reordering" else {})
            for task, key in zip(plan.tasks, names, strict=True)
            if task.numbers(part)
        ],
    }
    report = load_json(await app.background.run("weigh", arguments))
    return {
        "model": folder.name,
        "before": plan.before,
        "trees": trees,
        "tasks": shown,
        "tradeoff": {**report, "part": part},
    }


def _systems(models: list[str], task: Task) -> list[dict[str, Any]]:
    return [{"model": model, "beam": None, "rules": task.rules} for model in models]


def _new_folder(app: AppState, project: str) -> Path:
    models = app.work.ensure() / "models"
    models.mkdir(exist_ok=True)
    taken = {path.name for path in models.iterdir()} | set(app.registry.models)
    key = next(each for n in range(1, 100_000) if (each := f"{project}-v{n}") not in taken)
    folder = models.resolve() / key
    folder.mkdir()
    return folder


async def before_and_after(app: AppState, call: Call) -> Result:
    """One annotated sentence with the trees, or the orders, of both models."""
    job = app.jobs.get(call.path["id"])
    if job.kind != "adapt" or not isinstance(job.result, dict):
        raise RequestError(409, "this job has no result")
    part = call.query.get("part", "held-out")
    found = [each for each in job.result["tasks"] if each["project"] == call.query.get("project")]
    if not found or part not in found[0]:
        raise RequestError(404, f"no sentences of this project were {part}")
    rules = app.registry.rule_set(job.request.get("rules", "ja"))
    task = Task(app.projects.get(found[0]["project"]), rules, [], [])
    name_after = job.result["model"]
    path = app.work.path.resolve() / "models" / name_after / task.file(part)
    models = [app.registry.model(each) for each in (job.result["before"], name_after)]
    arguments = {
        "corpus": {
            "kind": "trees" if task.kind == "partial" else "references",
            "file": str(path),
        },
        "systems": _systems(models, task),
        "number": call.query.get("n", 0),
    }
    return await app.pool.run("sentence", arguments)


async def config(app: AppState, call: Call) -> Result:
    """What can be adapted, and with what."""
    return {
        "held_out": adapt.HELD_OUT,
        "treebanks": [each.id for each in app.corpora if each.kind == "trees"],
        "rules": sorted(app.registry.rules),
        "models": list(app.registry.models),
        "defaults": {"epochs": _EPOCHS, "passes": _PASSES, "treebank_sentences": _TREES},
        "projects": [
            {
                "id": each.id,
                "name": each.name,
                "kind": each.kind,
                "model": each.model,
                "useful": len(each.useful),
                **each.counts,
            }
            for each in app.projects.list()
        ],
        "jobs": [job.summary() for job in app.jobs.list() if job.kind == "adapt"],
    }


async def read_config(app: AppState, call: Call) -> Result:
    """The configuration that a job trained with."""
    job = app.jobs.get(call.path["id"])
    path = app.work.path / "models" / str(job.request.get("output", "")) / adapt.CONFIG
    if job.kind != "adapt" or not path.is_file():
        raise RequestError(404, "this job has no configuration yet")
    return {"config": load_json(await asyncio.to_thread(path.read_bytes))}


ENDPOINTS = [
    Endpoint("/api/adapt", "What can be adapted", config),
    Endpoint(
        "/api/adapt-start",
        "Train a model on what was annotated",
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
                    "description": "Whole trees to see what was paid on; else every fifth of "
                    "the treebank, which then is not learned.",
                },
                "epochs": whole(1, 100, default=_EPOCHS),
                "passes": whole(
                    1, 50, "Passes over what was annotated in an epoch.", default=_PASSES
                ),
            },
            "projects",
        ),
        description="Answers with a job, which has the curves, the log and before and after.",
        lasting=True,
    ),
    Endpoint(
        "/api/adapt/{id}/sentence",
        "A sentence before and after",
        before_and_after,
        query={"project": name, "part": choice(adapt.PARTS), "n": whole(0, 1_000_000)},
    ),
    Endpoint("/api/adapt/{id}/config", "The configuration of a job", read_config),
]
