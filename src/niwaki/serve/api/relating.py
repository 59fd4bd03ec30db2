"""Relations: what connectives join and who did what to whom, on the trees they were read off."""

from __future__ import annotations

from typing import Any

from niwaki.serve.api.shapes import BEAM, MODEL, ONE_OF, SENTENCES, name
from niwaki.serve.endpoint import Call, Endpoint, Result
from niwaki.serve.errors import RequestError, unknown
from niwaki.serve.schema import Schema, flag, record
from niwaki.serve.state import AppState

# What to do where there is nothing to find a kind of relations with.
_ADVICE = {
    "connectives": "no model of connectives is registered: run `niwaki train-connectives "
    "TRAIN.conllu -o c.niwaki`, then `niwaki serve --connectives c.niwaki`",
    "roles": "no labeller of roles is registered: run `niwaki train-roles "
    "TRAIN.conllu -o r.niwaki`, then `niwaki serve --roles r.niwaki`",
}
_KINDS = {"connectives": "model of connectives", "roles": "labeller of roles"}


def _registered(app: AppState) -> dict[str, dict[str, str]]:
    return {"connectives": app.registry.connectives, "roles": app.registry.roles}


async def relations(app: AppState, call: Call) -> Result:
    known = _registered(app)
    missing = {kind: _ADVICE[kind] for kind, found in known.items() if not found}
    names: dict[str, Any] = {kind: list(found) for kind, found in known.items()}
    return {**names, "missing": missing}


async def relate(app: AppState, call: Call) -> Result:
    body = call.body
    arguments: dict[str, Any] = {
        "model": app.registry.model(body.get("model", "en")),
        "given": app.given(body),
        "limits": app.word_limits,
        **{key: body[key] for key in ("beam", "reparse") if key in body},
    }
    known = _registered(app)
    if not any(known.values()):
        raise RequestError(404, "; ".join(_ADVICE.values()))
    for kind, found in known.items():
        wanted = body.get(kind)
        if wanted is not None and wanted not in found:
            raise unknown(_KINDS[kind], wanted) if found else RequestError(404, _ADVICE[kind])
        if found:
            arguments[kind] = found[wanted or next(iter(found))]
    return await app.pool.run("relate", arguments)


def _choice(kind: str) -> Schema:
    return {**name, "description": f"A {_KINDS[kind]}. Default: the first of /api/relations."}


ENDPOINTS = [
    Endpoint(
        "/api/relate",
        "What connectives join, and who did what to whom",
        relate,
        record(
            {
                **SENTENCES,
                "model": MODEL,
                "connectives": _choice("connectives"),
                "roles": _choice("roles"),
                "beam": BEAM,
                "reparse": flag("Parse also sentences that come with whole trees."),
            },
            oneOf=ONE_OF,
        ),
        description=(
            "Sentences as for /api/parse, each with `connectives` (`words`, `arguments`) and "
            "`predicates` (`word`, `roleset`, `roles`); null where nothing is registered that "
            "finds them. An argument or a role has its `head`, the `words` below it, and the "
            "`path` that decided: the arcs from the connective to the argument, or from the "
            "filler to the predicate, each named by the `word` below it. `way` is `up`, `down`, "
            "or `before`: over the roots to the sentence before. Words count from 1, `sentence` "
            "from 0. Marks of CoNLL-U (`Connective=`, `Roleset=`) are kept; if there are none, "
            "connectives and predicates are found. `conllu` has all of it in MISC. It takes longer "
            "than parsing: send some thousand words at a time."
        ),
        example={"text": "The monks planted a pine because the old one fell."},
    ),
    Endpoint(
        "/api/relations",
        "The models of connectives and labellers of roles",
        relations,
        description="`missing` says what to do where there is none.",
    ),
]
