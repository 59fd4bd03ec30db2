"""Comparing two systems, analysing some, weighing two models, and the jobs that do it."""

from __future__ import annotations

from typing import Any

from niwaki.serve.api.shapes import BEAM, name
from niwaki.serve.endpoint import Call, Endpoint, Result
from niwaki.serve.errors import RequestError
from niwaki.serve.jobs import Job
from niwaki.serve.schema import flag, items, load_json, record, whole
from niwaki.serve.state import AppState

# Sentences that are parsed between two signs of progress.
_CHUNK = 64
# Systems that are analysed side by side: more lines in a chart are a tangle.
MOST_SYSTEMS = 4

_SYSTEM = record(
    {
        "model": name,
        "rules": {**name, "description": "For references: the rules that order the words."},
        "beam": BEAM,
    },
    "model",
    description="A model, with rules where the corpus is one of references.",
)


def resolved(app: AppState, body: dict[str, Any]) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """The corpus and the systems of a request, with paths instead of names."""
    corpus = app.corpus(body["corpus"], "trees", "references")
    systems = []
    for system in body["systems"]:
        made = {"model": app.registry.model(system["model"]), "beam": system.get("beam")}
        if corpus.kind == "references":
            if "rules" not in system:
                raise RequestError(422, "systems: give rules, which order the words")
            made["rules"] = app.registry.rule_set(system["rules"])
        systems.append(made)
    return {"kind": corpus.kind, "file": corpus.files[0]}, systems


async def checked(
    app: AppState, body: dict[str, Any]
) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """The same for a job: what could not be parsed at all is refused before it begins."""
    corpus, systems = resolved(app, body)
    unseen = body.get("unseen", False)
    if unseen or any(system["beam"] for system in systems):
        arguments = {"systems": systems, "corpus": corpus, "unseen": unseen}
        await app.pool.run("check_systems", arguments)
    return corpus, systems


async def in_chunks(
    app: AppState, job: Job, stage: str, task: str, arguments: dict[str, Any]
) -> None:
    """Run a task over a corpus from its beginning to its end, showing how far it is."""
    start, total = 0, 1
    while start < total:
        found = load_json(
            await app.background.run(task, {**arguments, "start": start, "stop": start + _CHUNK})
        )
        start, total = found["done"], found["total"]
        job.progress(stage, start, total)


async def compare(app: AppState, call: Call) -> Result:
    corpus, systems = await checked(app, call.body)
    if len(systems) != 2:
        raise RequestError(422, "systems: give two to compare")

    async def work(job: Job) -> Any:
        return await run_comparison(app, job, corpus, systems, call.body.get("unseen", False))

    title = f"{' against '.join(map(title_of, call.body['systems']))} on {call.body['corpus']}"
    return app.jobs.start("compare", title, call.body, work).summary()


async def run_comparison(
    app: AppState, job: Job, corpus: dict[str, Any], systems: list[dict[str, Any]], unseen: bool
) -> Any:
    for letter, system in zip("AB", systems, strict=True):
        arguments = {"system": system, "corpus": corpus}
        await in_chunks(app, job, f"parsing with {letter}", "score_chunk", arguments)
    job.progress("drawing samples", 0, 0)
    a, b = systems
    both: dict[str, Any] = {"corpus": corpus, "a": a, "b": b, "unseen": unseen}
    return load_json(await app.background.run("compare", both))


def title_of(system: dict[str, Any]) -> str:
    beam = f" (beam {system['beam']})" if system.get("beam") else ""
    rules = f" + {system['rules']}" if "rules" in system else ""
    return f"{system['model']}{beam}{rules}"


async def compared_sentence(app: AppState, call: Call) -> Result:
    corpus, systems = resolved(app, call.body)
    arguments = {"corpus": corpus, "systems": systems, "number": call.body["n"]}
    return await app.pool.run("sentence", arguments)


async def analyse(app: AppState, call: Call) -> Result:
    body = call.body
    corpus, systems = await checked(app, body)
    names = distinct(list(map(title_of, body["systems"])))
    place = {"systems": systems, "corpus": corpus, "unseen": body.get("unseen", False)}
    common: dict[str, Any] = {"names": names, **place}

    async def work(job: Job) -> Any:
        step = "score_chunk" if corpus["kind"] == "references" else "analyse_chunk"
        for shown, system in zip(names, systems, strict=True):
            arguments = {"system": system, "corpus": corpus}
            await in_chunks(app, job, f"parsing with {shown}", step, arguments)
        if corpus["kind"] == "references":
            job.progress("switching rules off, one by one", 0, 0)
            return load_json(await app.background.run("order_findings", common))
        job.progress("counting and drawing samples", 0, 0)
        common.update((key, body[key]) for key in ("labelled", "punctuation") if key in body)
        found = load_json(await app.background.run("analyse", common))
        found["beams"] = []
        first = {"model": systems[0]["model"]}
        widths = load_json(await app.background.run("widths", first))
        for number, width in enumerate(widths):
            job.progress(f"trying a beam of {width}", number, len(widths))
            tried = await app.background.run("beams", {**place, "width": width})
            found["beams"].append(load_json(tried))
        return found

    title = f"{', '.join(names)} on {body['corpus']}"
    return app.jobs.start("analyse", title, body, work).summary()


def distinct(names: list[str]) -> list[str]:
    """Names of which no two are the same."""
    return [
        name if names.index(name) == at else f"{name} #{at + 1}" for at, name in enumerate(names)
    ]


async def trade_off(app: AppState, call: Call) -> Result:
    """The report of `niwaki trade-off` on a treebank and on what was annotated."""
    body = call.body
    names = body["models"]
    tasks = []
    for task in body["tasks"]:
        corpus = app.corpus(task["corpus"], "references", "partial")
        made = {"name": task["corpus"], "file": corpus.files[0], "kind": "partial"}
        if corpus.kind == "references":
            rules = task.get("rules", "ja")
            made |= {"kind": "reordering", "rules": app.registry.rule_set(rules)}
            made["name"] += f" + {rules}"
        tasks.append(made)
    for made, shown in zip(tasks, distinct([each["name"] for each in tasks]), strict=True):
        made["name"] = shown
    arguments = {
        "names": distinct(names),
        "models": list(map(app.registry.model, names)),
        "gold": app.corpus(body["treebank"], "trees").files[0] if "treebank" in body else None,
        "tasks": tasks,
        "unseen": body.get("unseen", False),
    }

    async def work(job: Job) -> Any:
        job.progress("parsing with both models", 0, 0)
        return load_json(await app.background.run("weigh", arguments))

    title = f"{names[0]} against {names[1]}"
    return app.jobs.start("trade-off", title, body, work).summary()


async def jobs(app: AppState, call: Call) -> Result:
    return [job.summary() for job in app.jobs.list()]


async def job(app: AppState, call: Call) -> Result:
    return app.jobs.get(call.path["id"]).record()


async def cancel(app: AppState, call: Call) -> Result:
    found = app.jobs.get(call.path["id"])
    await app.jobs.cancel(found)
    return found.summary()


_UNSEEN = {
    "unseen": flag("Leave out sentences that one of the models has learned from.", default=False)
}


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
        record({**_on(2, 2), **_UNSEEN}, "corpus", "systems"),
        description=(
            "Answers with a job; its result has tables with 95% intervals and all rows. `overlap` "
            "says how many of the `examples` each system has `learned` from (null if its model "
            "does not know) and how many are `left_out`."
        ),
    ),
    Endpoint(
        "/api/compare-sentence",
        "What systems make of one sentence of a corpus",
        compared_sentence,
        record({**_on(1, 4), "n": whole(0, 10_000_000)}, "corpus", "systems", "n"),
    ),
    Endpoint(
        "/api/analyze",
        "Start to analyse the errors of systems on a corpus",
        analyse,
        record(
            {
                **_on(1, MOST_SYSTEMS),
                **_UNSEEN,
                "labelled": flag("Whether labels count.", default=True),
                "punctuation": flag("Whether punctuation counts.", default=True),
            },
            "corpus",
            "systems",
        ),
        description=(
            "Answers with a job. On trees, its result is that of `niwaki analyze --json`, with "
            "confusions, sentences and reliability of each system in `details`, and `overlap` as "
            "for /api/compare."
        ),
    ),
    Endpoint(
        "/api/trade-off",
        "Start to weigh what a model gains for tasks against what it pays",
        trade_off,
        record(
            {
                "models": items(name, 2, "Before and after.", least=2),
                "treebank": {**name, "description": "Whole trees that neither has learned from."},
                "tasks": items(
                    record(
                        {
                            "corpus": {
                                **name,
                                "description": "References, or partial trees, of /api/corpora.",
                            },
                            "rules": {**name, "description": "For references.", "default": "ja"},
                        },
                        "corpus",
                    ),
                    16,
                    "What trees are for.",
                    least=1,
                ),
                **_UNSEEN,
            },
            "models",
            "tasks",
        ),
        description="Answers with a job; its result is that of `niwaki trade-off --json`.",
    ),
    Endpoint("/api/jobs", "All jobs", jobs),
    Endpoint("/api/jobs/{id}", "A job: progress, log, trials and result", job),
    Endpoint("/api/jobs/{id}/cancel", "Stop a job", cancel, record({}), lasting=True),
]
