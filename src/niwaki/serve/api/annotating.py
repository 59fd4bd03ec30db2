"""Annotation projects: questions in the order of doubt, answers that are never lost."""

from __future__ import annotations

import asyncio
import contextlib
from pathlib import Path
from typing import Any

from niwaki.serve.annotations import QUESTIONS, Project, is_annotated
from niwaki.serve.api.shapes import LABEL, MODEL, SENTENCES, WHO, name
from niwaki.serve.endpoint import Answer, Call, Endpoint, Result
from niwaki.serve.errors import RequestError, unknown
from niwaki.serve.jobs import RUNNING, Job
from niwaki.serve.schema import choice, flag, items, load_json, record, text, whole
from niwaki.serve.state import AppState

_CHUNK = 32
_LISTED = 500
_FILES = ("partial.conllu", "links.pharaoh", "references.jsonl", "sentences.conllu")


async def projects(app: AppState, call: Call) -> Result:
    return [
        {**_summary(project), "people": [_person(project, who) for who in project.layers.people]}
        for project in app.projects.list()
    ]


def _person(project: Project, who: str) -> dict[str, Any]:
    return {"name": who, "annotated": project.counts(who)["annotated"]}


def _summary(project: Project, who: str | None = None) -> dict[str, Any]:
    return {
        "id": project.id,
        "name": project.name,
        "kind": project.kind,
        "model": project.model,
        "serial": project.serial,
        "ranked": project.doubts is not None,
        **project.counts(who),
    }


async def create(app: AppState, call: Call) -> Result:
    body = call.body
    model, start = body.get("model", "en"), body.get("start", False)
    app.registry.model(model)
    if start and "conllu" not in body:
        raise RequestError(422, "start: only CoNLL-U has heads to start with; give conllu")
    if "bitext" in body:
        sides = zip(("source", "target"), app.corpus(body["bitext"], "bitext").files, strict=True)
        body = {**body, **{side: Path(path).read_text(encoding="utf-8") for side, path in sides}}
    if "source" in body or "target" in body:
        files = _bitext(body)
        kind, size = "links", files["source.txt"].count(b"\n")
    else:
        given = app.given(body)
        if "corpus" in body:
            # Only the words of a registered corpus: its trees are what is asked for.
            path = app.corpus(body["corpus"], "trees").files[0]
            found = load_json(await app.background.run("words_of", {"file": path}))
        else:
            arguments = {"model": app.registry.model(model), "given": given, "start": start}
            found = load_json(await app.pool.run("split", {**arguments, "limits": app.word_limits}))
        files = {"sentences.conllu": found["conllu"].encode("utf-8")}
        kind, size = "trees", found["sentences"]
    if size > app.limits.project_sentences:
        raise RequestError(413, f"{size} sentences; the limit is {app.limits.project_sentences}")
    project = await asyncio.to_thread(
        app.projects.create, body["name"], kind, model, files, start=start
    )
    if kind == "trees":
        _rank(app, project)
    return _summary(project)


def _bitext(body: dict[str, Any]) -> dict[str, bytes]:
    sides = [body.get(side, "").strip("\n").split("\n") for side in ("source", "target")]
    if len(sides[0]) != len(sides[1]):
        raise RequestError(
            422, f"{len(sides[0])} source lines but {len(sides[1])} target lines; give pairs"
        )
    for number, pair in enumerate(zip(*sides, strict=True), start=1):
        if not all(line.split() for line in pair):
            raise RequestError(422, f"line {number} has an empty side; remove the pair")
        if any(len(line.split()) > 1_000 for line in pair):
            raise RequestError(413, f"line {number} has more than 1000 words")
    return {
        f"{side}.txt": "".join(f"{' '.join(line.split())}\n" for line in lines).encode("utf-8")
        for side, lines in zip(("source", "target"), sides, strict=True)
    }


def _rank(app: AppState, project: Project) -> None:
    """Find out in the background what the model is least sure of, unless that is being done."""
    request = {"project": project.id}
    running = any(job.request == request and job.state == RUNNING for job in app.jobs.list())
    if running or project.model not in app.registry.models:
        return

    async def work(job: Job) -> Any:
        rows: list[list[float]] = []
        path = app.registry.model(project.model)
        while len(rows) < len(project):
            arguments = {
                "model": path,
                "file": str(project.sentence_file),
                "start": len(rows),
                "stop": len(rows) + _CHUNK,
            }
            rows += load_json(await app.background.run("doubts", arguments))["rows"]
            job.progress("looking for doubts", len(rows), len(project))
        project.doubts = rows
        return {"sentences": len(rows)}

    # With too many jobs, it is begun when somebody looks at the project again.
    with contextlib.suppress(RequestError):
        app.jobs.start("rank", f"doubts about {project.id}", request, work)


async def overview(app: AppState, call: Call) -> Result:
    """The sentences of a project, most uncertain first, those without an answer before others."""
    project, who = app.projects.get(call.path["id"]), call.query.get("who", "")
    if project.kind == "trees" and project.doubts is None:
        _rank(app, project)
    kinds = QUESTIONS[project.kind]
    column = kinds.index(call.query["by"]) if call.query.get("by") in kinds else 0
    rows: list[dict[str, Any]] = []
    for number in range(len(project)):
        doubt = project.doubts[number][column] if project.doubts else 0.0
        text = text_of(project, number)[:160]
        rows.append({**_status(project, number, who), "text": text, "doubt": doubt})
    rows.sort(
        key=lambda row: (
            kinds[column] in row["answered"] or row["skipped"],
            -row["doubt"],
            row["n"],
        )
    )
    return {**_summary(project, who), "rows": rows[: call.query.get("count", _LISTED)]}


def _status(project: Project, number: int, who: str) -> dict[str, Any]:
    """Which version of a sentence somebody has, and which questions about it have an answer."""
    state = project.state(number, who)
    return {
        "n": number,
        "version": project.version(number, who),
        "annotated": is_annotated(state),
        "answered": project.answered(number, state),
        "skipped": bool(state.get("skipped")),
    }


def text_of(project: Project, number: int) -> str:
    if project.kind == "trees":
        return project.sentences[number].text
    return " ".join(project.pairs[number].source)


async def question(app: AppState, call: Call) -> Result:
    project, number = place_of(app, call)
    common = _known(project, number, call.query.get("who", ""))
    if project.kind == "links":
        pair = project.pairs[number]
        return {**common, "tokens": pair.source, "target": pair.target}
    found = await app.pool.run(
        "question",
        {
            "model": app.registry.model(project.model),
            "file": str(project.sentence_file),
            "number": number,
            "start": project.has_start,
        },
    )
    return {**load_json(found), **common}


async def suggestion(app: AppState, call: Call) -> Result:
    """Links that the aligner finds, to begin with."""
    project, number = place_of(app, call)
    if project.kind != "links":
        raise RequestError(422, "this project is about trees")
    files = {side: str(project.folder / f"{side}.txt") for side in ("source", "target")}
    return await app.pool.run("suggest", {**files, "number": number})


def place_of(app: AppState, call: Call) -> tuple[Project, int]:
    project, number = app.projects.get(call.path["id"]), call.path["n"]
    if not (number.isdecimal() and number.isascii() and len(number) < 9):
        raise unknown("sentence", number)
    if int(number) >= len(project):
        raise unknown("sentence", number)
    return project, int(number)


async def answer(app: AppState, call: Call) -> Result:
    project, number = place_of(app, call)
    body, who = call.body, call.body.get("who", "").strip()
    if body.get("undo"):
        version = await asyncio.to_thread(project.undo, number, body["version"], who)
    else:
        state = await _checked(app, project, number, body)
        version = await asyncio.to_thread(project.change, number, body["version"], state, who)
    return {**_known(project, number, who), "version": version}


def _known(project: Project, number: int, who: str) -> dict[str, Any]:
    """What somebody said of a sentence, and how far they are."""
    return {
        "state": project.state(number, who),
        "serial": project.serial,
        "status": _status(project, number, who),
        "n": number,
        "version": project.version(number, who),
        **project.counts(who),
    }


async def _checked(
    app: AppState, project: Project, number: int, body: dict[str, Any]
) -> dict[str, Any]:
    """The new state of a sentence, if it makes sense."""
    state: dict[str, Any] = {"skipped": True} if body.get("skipped") else {}
    if project.kind == "links":
        if "heads" in body:
            raise RequestError(422, "this project is about links; give links")
        pair = project.pairs[number]
        links = sorted({(link[0], link[1]) for link in body.get("links", [])})
        if any(i >= len(pair.source) or j >= len(pair.target) for i, j in links):
            raise RequestError(
                422, f"there are {len(pair.source)} and {len(pair.target)} words, counted from 0"
            )
        return {**state, "links": links} if links else state
    if "links" in body:
        raise RequestError(422, "this project is about trees; give heads")
    heads = {str(each["word"]): each["head"] for each in body.get("heads", [])}
    labels = {
        str(each["word"]): each["label"] for each in body.get("heads", []) if each.get("label")
    }
    if heads:
        words = len(project.sentences[number])
        await app.pool.run("check_state", {"words": words, "heads": heads, "labels": labels})
        state |= {"heads": heads, "labels": labels}
    return state


async def changes(app: AppState, call: Call) -> Result:
    """What somebody changed after a serial number, in whichever tab."""
    project, who = app.projects.get(call.path["id"]), call.query.get("who", "")
    found = project.layers.changed_since(call.query.get("since", 0), who)
    return {
        "serial": project.serial,
        "changed": [_status(project, number, who) for number in found],
        **project.counts(who),
    }


async def file(app: AppState, call: Call) -> Result:
    project, wanted = app.projects.get(call.path["id"]), call.path["file"]
    path = project.folder / wanted if wanted in _FILES else None
    if path is None or not path.is_file():
        raise unknown("file", wanted)
    content = await asyncio.to_thread(path.read_bytes)
    return Answer(content, "text/plain; charset=utf-8")


_NEW = {
    "name": text("What people call it.", most=80, minLength=1),
    **SENTENCES,
    "corpus": {**name, "description": "A registered treebank whose words are taken."},
    "bitext": {**name, "description": "A registered parallel text to link."},
    "source": text("For links: tokenised sentences, one a line."),
    "target": text("For links: their translations, one a line."),
    "model": MODEL,
    "start": flag("Heads that the CoNLL-U has are annotated already; `_` is what is left to do."),
}

ENDPOINTS = [
    Endpoint("/api/projects", "The annotation projects", projects),
    Endpoint(
        "/api/projects-create",
        "Begin a project",
        create,
        record(_NEW, "name"),
        description="Trees are asked of text, words or CoNLL-U; links of source and target lines.",
        lasting=True,
    ),
    Endpoint(
        "/api/projects/{id}",
        "A project and its sentences, most uncertain first",
        overview,
        query={"by": choice(("root", "tree")), "count": whole(1, 10_000), "who": WHO},
    ),
    Endpoint(
        "/api/projects/{id}/changes",
        "What was changed since a serial number",
        changes,
        query={"since": whole(0, 10**9), "who": WHO},
    ),
    Endpoint("/api/projects/{id}/files/{file}", "A plain file of a project", file),
    Endpoint(
        "/api/projects/{id}/sentences/{n}",
        "One sentence with all that is known",
        question,
        query={"who": WHO},
    ),
    Endpoint(
        "/api/projects/{id}/sentences/{n}/suggestion",
        "Links that the aligner puts forward",
        suggestion,
    ),
    Endpoint(
        "/api/projects/{id}/sentences/{n}/answer",
        "Write down what is known of a sentence, or undo",
        answer,
        record(
            {
                "version": whole(0, 10**9, "The version that you saw."),
                "who": WHO,
                "heads": items(
                    record(
                        {
                            "word": whole(1, 1_000),
                            "head": whole(0, 1_000, "0 makes it the root."),
                            "label": text(most=60, pattern=LABEL),
                        },
                        "word",
                        "head",
                    ),
                    1_000,
                ),
                "links": items(items(whole(0, 999), 2, least=2), 10_000),
                "skipped": flag("Nobody can tell."),
                "undo": flag("Take the last change of this sentence back."),
            },
            "version",
        ),
        description=(
            "What `who` says of the sentence is replaced as a whole. If it was changed since the "
            "version you saw, the answer is 409 with the state as it is, and nothing is written."
        ),
        lasting=True,
    ),
]
