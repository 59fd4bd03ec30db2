"""Comparing two systems, analysing one, and the jobs that do it."""

from __future__ import annotations

from typing import Any

from niwaki.serve.api.shapes import BEAM, name
from niwaki.serve.desk import Desk
from niwaki.serve.endpoint import Call, Endpoint, Result
from niwaki.serve.errors import RequestError
from niwaki.serve.jobs import Job
from niwaki.serve.schema import items, load_json, record, whole
from niwaki.serve.work.findings import WIDTHS

# Sentences that are parsed between two signs of progress.
_CHUNK = 64

_SYSTEM = record(
    {
        "model": name,
        "rules": {**name, "description": "For references: the rules that order the words."},
        "beam": BEAM,
    },
    "model",
    description="A model, with rules where the corpus is one of references.",
)


def resolved(desk: Desk, body: dict[str, Any]) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """The corpus and the systems of a request, with paths instead of names."""
    corpus = desk.corpus(body["corpus"], "trees", "references")
    systems = []
    for system in body["systems"]:
        made = {"model": desk.registry.model(system["model"]), "beam": system.get("beam")}
        if corpus.kind == "references":
            if "rules" not in system:
                raise RequestError(422, "systems: give rules, which order the words")
            made["rules"] = desk.registry.rule_set(system["rules"])
        systems.append(made)
    return {"kind": corpus.kind, "file": corpus.files[0]}, systems


async def in_chunks(desk: Desk, job: Job, stage: str, task: str, arguments: dict[str, Any]) -> None:
    """Run a task over a corpus from its beginning to its end, showing how far it is."""
    start, total = 0, 1
    while start < total:
        found = load_json(
            await desk.background.run(task, {**arguments, "start": start, "stop": start + _CHUNK})
        )
        start, total = found["done"], found["total"]
        job.progress(stage, start, total)


async def compare(desk: Desk, call: Call) -> Result:
    corpus, systems = resolved(desk, call.body)
    if len(systems) != 2:
        raise RequestError(422, "systems: give two to compare")

    async def work(job: Job) -> Any:
        return await run_comparison(desk, job, corpus, systems)

    title = f"{' against '.join(map(title_of, call.body['systems']))} on {call.body['corpus']}"
    return desk.jobs.start("compare", title, call.body, work).summary()


async def run_comparison(
    desk: Desk, job: Job, corpus: dict[str, Any], systems: list[dict[str, Any]]
) -> Any:
    for letter, system in zip("AB", systems, strict=True):
        arguments = {"system": system, "corpus": corpus}
        await in_chunks(desk, job, f"parsing with {letter}", "score_chunk", arguments)
    job.progress("drawing samples", 0, 0)
    a, b = systems
    return load_json(await desk.background.run("compare", {"corpus": corpus, "a": a, "b": b}))


def title_of(system: dict[str, Any]) -> str:
    beam = f" (beam {system['beam']})" if system.get("beam") else ""
    rules = f" + {system['rules']}" if "rules" in system else ""
    return f"{system['model']}{beam}{rules}"


async def compared_sentence(desk: Desk, call: Call) -> Result:
    corpus, systems = resolved(desk, call.body)
    arguments = {"corpus": corpus, "systems": systems, "number": call.body["n"]}
    return await desk.pool.run("sentence", arguments)


async def analyse(desk: Desk, call: Call) -> Result:
    corpus, (system, *_) = resolved(desk, call.body)

    async def work(job: Job) -> Any:
        if corpus["kind"] == "references":
            arguments = {"system": system, "corpus": corpus}
            await in_chunks(desk, job, "parsing", "score_chunk", arguments)
            job.progress("switching rules off, one by one", 0, 0)
            return load_json(await desk.background.run("order_findings", arguments))
        place = {"model": system["model"], "file": corpus["file"]}
        await in_chunks(desk, job, "parsing", "analyse_chunk", place)
        job.progress("counting", 0, 0)
        found = load_json(await desk.background.run("analyse", place))
        found["beams"] = []
        for number, width in enumerate(WIDTHS):
            job.progress(f"trying a beam of {width}", number, len(WIDTHS))
            one = await desk.background.run("beams", {**place, "width": width})
            found["beams"].append(load_json(one))
        return found

    title = f"{title_of(call.body['systems'][0])} on {call.body['corpus']}"
    return desk.jobs.start("analyse", title, call.body, work).summary()


async def jobs(desk: Desk, call: Call) -> Result:
    return [job.summary() for job in desk.jobs.list()]


async def job(desk: Desk, call: Call) -> Result:
    return desk.jobs.get(call.path["id"]).record()


async def cancel(desk: Desk, call: Call) -> Result:
    found = desk.jobs.get(call.path["id"])
    await desk.jobs.cancel(found)
    return found.summary()


def _on(least: int, most: int) -> dict[str, Any]:
    return {
        "corpus": {**name, "description": "A treebank or references of /api/corpora."},
        "systems": items(_SYSTEM, most, least=least),
    }


ENDPOINTS = [
    Endpoint(
        "/api/compare",
        "Start to compare two systems on a corpus",
        compare,
        record(_on(2, 2), "corpus", "systems"),
        description="Answers with a job; its result has tables with 95% intervals and all rows.",
    ),
    Endpoint(
        "/api/compare-sentence",
        "What systems make of one sentence of a corpus",
        compared_sentence,
        record({**_on(1, 4), "n": whole(0, 10_000_000)}, "corpus", "systems", "n"),
    ),
    Endpoint(
        "/api/analyze",
        "Start to analyse the errors of a system on a corpus",
        analyse,
        record(_on(1, 1), "corpus", "systems"),
        description="Answers with a job.",
    ),
    Endpoint("/api/jobs", "All jobs", jobs),
    Endpoint("/api/jobs/{id}", "A job: progress, log, curves and result", job),
    Endpoint("/api/jobs/{id}/cancel", "Stop a job", cancel, record({})),
]
