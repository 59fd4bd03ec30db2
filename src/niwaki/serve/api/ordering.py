"""Word order: rule sets, reordering, and references to score it against."""

from __future__ import annotations

from niwaki.data.files import atomic_write
from niwaki.serve.api.shapes import BEAM, MODEL, ONE_OF, SENTENCES, name
from niwaki.serve.endpoint import Call, Endpoint, Result
from niwaki.serve.errors import RequestError
from niwaki.serve.schema import flag, items, load_json, record, text, whole
from niwaki.serve.state import AppState

_POSITIONS = items(whole(0, 999), 1_000, "Source positions, counted from 0.")
_REFERENCE = record(
    {
        "id": text(most=200),
        "order": _POSITIONS,
        "groups": items(_POSITIONS, 1_000),
        "linked": _POSITIONS,
    },
    "order",
    description="The order that the sentence at the same place should get.",
)


async def reorder(app: AppState, call: Call) -> Result:
    body = call.body
    arguments = {
        "model": app.registry.model(body.get("model", "en")),
        "given": app.given(body),
        "limits": app.word_limits,
    }
    if "rules" in body:
        arguments["rules"] = app.registry.rule_set(body["rules"])
    for key in ("rules_text", "references", "beam", "reparse"):
        if key in body:
            arguments[key] = body[key]
    if "rules" not in body and "rules_text" not in body:
        arguments["rules"] = "ja"
    return await app.pool.run("reorder", arguments)


async def rule_sets(app: AppState, call: Call) -> Result:
    own = app.registry.rules
    return [{"id": each, "shipped": own[each] == each} for each in sorted(own)]


async def rule_set(app: AppState, call: Call) -> Result:
    found = call.path["id"]
    return await app.pool.run("rules", {"name": found, "path": app.registry.rule_set(found)})


async def check_rules(app: AppState, call: Call) -> Result:
    return await app.pool.run("check_rules", {"text": call.body["text"], "name": "edited"})


async def save_rules(app: AppState, call: Call) -> Result:
    """Keep edited rules under a new name in the work folder."""
    wanted = call.body["id"]
    path = app.work.path / "rules" / f"{wanted}.toml"
    if wanted in app.registry.rules and app.registry.rules[wanted] != str(path.resolve()):
        raise RequestError(
            409, f"{wanted!r} is a set that is not of this workbench; choose another"
        )
    text = {"text": call.body["text"], "name": wanted}
    await app.pool.run("check_rules", {**text, "sound": True})
    app.work.ensure()
    path.parent.mkdir(exist_ok=True)
    with atomic_write(path) as file:
        file.write(call.body["text"].encode("utf-8"))
    app.registry.rules[wanted] = str(path.resolve())
    return {"id": wanted}


async def references(app: AppState, call: Call) -> Result:
    """One page of a registered file of references."""
    corpus = app.corpus(call.path["id"], "references")
    found = await app.pool.run(
        "references",
        {
            "file": corpus.files[0],
            "start": call.query.get("start", 0),
            "count": call.query.get("count", 20),
        },
    )
    return dict(load_json(found))


ENDPOINTS = [
    Endpoint(
        "/api/reorder",
        "Words in the order of another language",
        reorder,
        record(
            {
                **SENTENCES,
                "model": MODEL,
                "rules": {**name, "description": "A set of /api/rules.", "default": "ja"},
                "rules_text": text("Rules as TOML, instead of a registered set.", most=1 << 18),
                "references": {
                    **items({**_REFERENCE}, 20_000),
                    "description": "One for each sentence; scores and chunks are then given.",
                },
                "beam": BEAM,
                "reparse": flag("Parse also sentences that come with whole trees."),
            },
            oneOf=ONE_OF,
        ),
        description=(
            "`order[p]` is the source position (from 0) of the word at place p. `moves` say what "
            "each rule did to a head and its children (words count from 1)."
        ),
        example={"text": "The monks planted a pine.", "rules": "ja"},
    ),
    Endpoint("/api/rules", "The rule sets", rule_sets),
    Endpoint("/api/rules/{id}", "A rule set with its text and examples", rule_set),
    Endpoint(
        "/api/rules-check",
        "Edited rules, with their own examples",
        check_rules,
        record({"text": text("Rules as TOML.", most=1 << 18)}, "text"),
    ),
    Endpoint(
        "/api/rules-save",
        "Keep edited rules in the work folder",
        save_rules,
        record({"id": name, "text": text("Rules as TOML.", most=1 << 18)}, "id", "text"),
        lasting=True,
    ),
    Endpoint(
        "/api/references/{id}",
        "Reference orders of a registered file",
        references,
        query={"start": whole(0, 10_000_000), "count": whole(1, 200)},
    ),
]
