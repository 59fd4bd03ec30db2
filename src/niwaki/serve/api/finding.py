"""Queries for trees: what is found in a text or a treebank, counted and shown."""

from __future__ import annotations

from typing import Any

from niwaki.serve.api.shapes import CONLLU, MODEL, ONE_OF, SENTENCES, name, to
from niwaki.serve.endpoint import Answer, Call, Endpoint, Result
from niwaki.serve.errors import RequestError, unknown
from niwaki.serve.schema import choice, record, text, whole
from niwaki.serve.state import AppState
from niwaki.tasks.find.sets import query_set_names

_FIRST = 50


async def find(app: AppState, call: Call) -> Result:
    body = call.body
    if ("query" in body) == ("set" in body):
        raise RequestError(422, "give a query, or a set of queries; found none or both")
    arguments: dict[str, Any] = {
        "limits": app.word_limits,
        "first": body.get("first", _FIRST),
        **{key: body[key] for key in ("query", "count", "to") if key in body},
    }
    if "set" in body:
        if body["set"] not in query_set_names():
            raise unknown("set of queries", body["set"])
        arguments["queries"] = body["set"]
    if "corpus" in body:
        if app.given(body):
            raise RequestError(422, "give sentences or a corpus, not both")
        arguments["file"] = app.corpus(body["corpus"], "trees").files[0]
    else:
        arguments["given"] = app.given(body)
        arguments["model"] = app.registry.model(body.get("model", "en"))
    found = await app.pool.run("find", arguments)
    return Answer(found, CONLLU) if body.get("to") == "conllu" else found


ENDPOINTS = [
    Endpoint(
        "/api/find",
        "Words of trees that a query finds",
        find,
        record(
            {
                "query": text("A query of docs/formats/queries.md.", most=10_000, minLength=1),
                "set": choice(tuple(query_set_names()), "A shipped set of queries instead."),
                **SENTENCES,
                "corpus": {**name, "description": "A registered treebank instead of sentences."},
                "model": MODEL,
                "count": text("Fields to count, such as `x.lemma,y.upos`.", most=500),
                "first": whole(1, 1_000, "Sentences that are shown.", default=_FIRST),
                "to": to("json", "conllu"),
            },
            oneOf=[*ONE_OF, {"required": ["corpus"]}],
        ),
        description=(
            "Sentences without a whole tree are parsed first. `matches` and `with` (sentences that "
            "have one) count all; `examples` are the first sentences with a match, as for "
            "/api/parse, each with its `matches`: `words` by their names, counted from 1. A query "
            "that cannot be read is answered with 422 and the `column` of the mistake, from 1."
        ),
        example={"query": "VERB >nsubj *=who", "text": "We saw a heron.", "count": "who.lemma"},
        texts=True,
    )
]
