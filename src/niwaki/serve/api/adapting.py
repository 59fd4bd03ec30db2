"""Training a model on what was annotated, and showing what that did."""

from __future__ import annotations

import asyncio
from typing import Any

from niwaki.data.sentence import Sentence
from niwaki.serve import adapt
from niwaki.serve.api.comparing import run_comparison
from niwaki.serve.api.shapes import name
from niwaki.serve.desk import Desk
from niwaki.serve.endpoint import Call, Endpoint, Result
from niwaki.serve.errors import RequestError
from niwaki.serve.jobs import Job
from niwaki.serve.schema import load_json, record, whole


async def start(desk: Desk, call: Call) -> Result:
    body = call.body
    project = desk.projects.get(body["project"])
    if project.kind != "trees":
        raise RequestError(
            422,
            "links are learned from with `niwaki learn-rules`; "
            f"this version trains parsers for: {', '.join(adapt.objective_kinds())}",
        )
    treebank = desk.corpus(body["treebank"], "trees").files[0]
    dev = desk.corpus(body["dev"], "trees").files[0] if "dev" in body else None
    before = desk.registry.model(project.model)
    learned, held = adapt.parts(project)
    if not learned:
        raise RequestError(422, "nothing is annotated yet; answer some questions first")
    folder = _new_folder(desk, project.id)

    async def work(job: Job) -> Any:
        job.progress("tagging what was annotated", 0, 0)
        parts = []
        for numbers in (learned, held):
            given = [project.partial(number).source.decode("utf-8") for number in numbers]
            arguments = {"model": before, "sentences": given}
            found = load_json(await desk.background.run("tagged", arguments))
            parts.append([Sentence.from_conllu(each) for each in found])
        adapt.write_parts(folder, *parts)
        config = adapt.write_config(
            folder,
            name=folder.name,
            treebank=treebank,
            dev=dev,
            epochs=body.get("epochs", 12),
            weight=body.get("weight", 1),
        )
        model = folder / "model.niwaki"
        job.progress("training", 0, 0)
        await adapt.train(job, config, model)
        desk.registry.models[folder.name] = str(model)
        models = [before, str(model)]
        job.progress("comparing before and after", 0, 0)
        result: dict[str, Any] = {"model": folder.name, "before": project.model}
        for part, numbers in (("annotated", learned), ("held-out", held)):
            if numbers:
                path = str(folder / f"{part}.conllu")
                found = await desk.background.run(
                    "compare_annotated", {"file": path, "models": models}
                )
                result[part] = load_json(found)
        if dev is not None:
            corpus = {"kind": "trees", "file": dev}
            systems = [{"model": each, "beam": None} for each in models]
            result["dev"] = await run_comparison(desk, job, corpus, systems)
        return result

    title = f"{project.name}: {len(learned)} annotated sentences"
    job = desk.jobs.start("adapt", title, {**body, "model": folder.name}, work)
    return job.summary()


def _new_folder(desk: Desk, project: str) -> Any:
    models = desk.work.ensure() / "models"
    models.mkdir(exist_ok=True)
    taken = {path.name for path in models.iterdir()} | set(desk.registry.models)
    key = next(each for n in range(1, 100_000) if (each := f"{project}-v{n}") not in taken)
    folder = models / key
    folder.mkdir()
    return folder


async def before_and_after(desk: Desk, call: Call) -> Result:
    """One annotated sentence with the trees of both models."""
    job = desk.jobs.get(call.path["id"])
    if job.kind != "adapt" or not isinstance(job.result, dict):
        raise RequestError(409, "this job has no result")
    part = call.query.get("part", "held-out")
    if part not in job.result:
        raise RequestError(404, f"no sentences were {part}")
    name_after = job.result["model"]
    path = desk.work.path / "models" / name_after / f"{part}.conllu"
    arguments = {
        "corpus": {"kind": "trees", "file": str(path)},
        "systems": [
            {"model": desk.registry.model(each), "beam": None}
            for each in (job.result["before"], name_after)
        ],
        "number": call.query.get("n", 0),
    }
    return await desk.pool.run("sentence", arguments)


async def config(desk: Desk, call: Call) -> Result:
    """What can be adapted, and with what."""
    trees = [each.id for each in desk.corpora if each.kind == "trees"]
    return {
        "objectives": list(adapt.objective_kinds()),
        "held_out": adapt.HELD_OUT,
        "treebanks": trees,
        "projects": [
            {"id": each.id, "name": each.name, "model": each.model, **each.counts}
            for each in desk.projects.list()
            if each.kind == "trees"
        ],
        "jobs": [job.summary() for job in desk.jobs.list() if job.kind == "adapt"],
    }


async def read_config(desk: Desk, call: Call) -> Result:
    """The configuration that a job trained with."""
    job = desk.jobs.get(call.path["id"])
    path = desk.work.path / "models" / str(job.request.get("model", "")) / "config.toml"
    if job.kind != "adapt" or not path.is_file():
        raise RequestError(404, "this job has no configuration yet")
    found = await asyncio.to_thread(path.read_text, encoding="utf-8")
    # Where the files lie on this machine is nobody's business.
    for corpus in desk.corpora:
        for file in corpus.files:
            found = found.replace(file, corpus.id)
    return {"config": found}


ENDPOINTS = [
    Endpoint("/api/adapt", "What can be adapted", config),
    Endpoint(
        "/api/adapt-start",
        "Train a model on a treebank and what was annotated",
        start,
        record(
            {
                "project": name,
                "treebank": {**name, "description": "Whole trees to learn from, too."},
                "dev": {**name, "description": "Whole trees to choose the best epoch by."},
                "epochs": whole(1, 100, default=12),
                "weight": whole(1, 20, "How often what was annotated is read.", default=1),
            },
            "project",
            "treebank",
        ),
        description="Answers with a job, which has the curves, the log and before and after.",
    ),
    Endpoint(
        "/api/adapt/{id}/sentence",
        "A sentence before and after",
        before_and_after,
        query={
            "part": {"type": "string", "enum": ["held-out", "annotated"]},
            "n": whole(0, 1_000_000),
        },
    ),
    Endpoint("/api/adapt/{id}/config", "The configuration of a job", read_config),
]
