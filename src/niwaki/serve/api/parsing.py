"""Parsing, k-best lists, alignment, and what there is to parse with."""

from __future__ import annotations

from typing import Any

from niwaki import __version__
from niwaki.serve.api.shapes import (
    BEAM,
    CONLLU,
    CONSTRAINTS,
    MAX_K,
    MODEL,
    ONE_OF,
    RETAG,
    SENTENCES,
    name,
    to,
)
from niwaki.serve.endpoint import Answer, Call, Endpoint, Result
from niwaki.serve.schema import choice, flag, items, number, record, text, whole
from niwaki.serve.state import AppState
from niwaki.tasks.align import METHODS, PRESETS

MAX_PICTURES = 200
_ARCHIVE = "application/zip"
_PICTURES = {"svg": "image/svg+xml", "png": "image/png"}
_OPTIONS = ("beam", "retag", "probabilities", "constraints", "meaning", "k", "to")


async def _sentences(app: AppState, call: Call, task: str) -> Result:
    body = call.body
    arguments = {
        "model": app.registry.model(body.get("model", "en")),
        "given": app.given(body),
        "limits": app.word_limits,
        **{key: body[key] for key in _OPTIONS if key in body},
    }
    found = await app.pool.run(task, arguments)
    return Answer(found, CONLLU) if body.get("to") == "conllu" else found


async def parse(app: AppState, call: Call) -> Result:
    return await _sentences(app, call, "parse")


async def kbest(app: AppState, call: Call) -> Result:
    return await _sentences(app, call, "kbest")


async def pictures(app: AppState, call: Call) -> Result:
    body = call.body
    arguments: dict[str, Any] = {
        "model": app.registry.model(body.get("model", "en")),
        "given": app.given(body),
        "limits": app.word_limits,
        "most": MAX_PICTURES,
        **{key: body[key] for key in ("beam", "retag", "constraints", "to") if key in body},
    }
    found = await app.pool.run("pictures", arguments)
    kind = _ARCHIVE if found.startswith(b"PK") else _PICTURES[body.get("to", "svg")]
    return Answer(found, kind)


async def align(app: AppState, call: Call) -> Result:
    body = call.body
    arguments = {"pairs": body["pairs"], "limits": app.word_limits}
    for key in ("settings", "method", "threshold", "probabilities"):
        if key in body:
            arguments[key] = body[key]
    if "with" in body:
        arguments["bitext"] = app.corpus(body["with"], "bitext").files
    return await app.pool.run("align", arguments)


async def models(app: AppState, call: Call) -> Result:
    return await app.pool.run("models", {"entries": list(app.registry.models.items())})


async def corpora(app: AppState, call: Call) -> Result:
    entries = [{"id": each.id, "kind": each.kind, "files": each.files} for each in app.corpora]
    return await app.pool.run("corpora", {"entries": entries})


async def health(app: AppState, call: Call) -> Result:
    limits = app.limits
    return {
        "version": __version__,
        "waiting": app.pool.waiting,
        "stopped": app.pool.killed,
        "limits": {
            "bytes": limits.body,
            "words_a_sentence": limits.sentence_words,
            "words_a_request": limits.request_words,
            "seconds": limits.seconds,
        },
    }


_PARSE = {**SENTENCES, "model": MODEL, "beam": BEAM, "retag": RETAG, "constraints": CONSTRAINTS}

ENDPOINTS = [
    Endpoint(
        "/api/parse",
        "Tags and trees of a text",
        parse,
        record(
            {
                **_PARSE,
                "probabilities": flag("Add how sure each part is.", default=True),
                "meaning": flag("Add what each sentence means, in JSON."),
                "to": to("json", "conllu"),
            },
            oneOf=ONE_OF,
        ),
        description=(
            "Sentences come back in order, as docs/reference/sentence.schema.json describes them: "
            "a list for each column, `heads` count from 1, 0 is the root. A sentence with "
            "constraints has no probabilities: they are calibrated on free parses. `conllu` of a "
            "sentence is it with its tags but without a tree. `meaning` is the `expression` as "
            "`niwaki meaning` writes it, by rules from trees of Universal Dependencies, and its "
            "`parts` to be drawn, each after what it is part `of` (counted from 0) and `how`; "
            "`word` is null for brackets and blanks. If not `covered`, there is a `%` in it; "
            "`repairs` counts where formal labels contradict each other. `language` counts the "
            "words that the model knows; if they are `foreign`, the text is probably of another "
            "language (left out where a model keeps no words)."
        ),
        example={"text": "We saw a heron on the roof. It flew away."},
        texts=True,
    ),
    Endpoint(
        "/api/pictures",
        "Trees of a text as pictures",
        pictures,
        record({**_PARSE, "to": to("svg", "png")}, oneOf=ONE_OF),
        description=(
            f"One picture; of several sentences, up to {MAX_PICTURES}, a ZIP archive of them. "
            "PNG needs `pip install niwaki[plots]` where the server runs."
        ),
        example={"text": "We saw a heron on the roof.", "to": "svg"},
        media=(*_PICTURES.values(), _ARCHIVE),
    ),
    Endpoint(
        "/api/kbest",
        "The k best trees of each sentence",
        kbest,
        record(
            {**_PARSE, "k": whole(1, MAX_K, "Trees a sentence."), "to": to("json", "conllu")},
            "k",
            oneOf=ONE_OF,
        ),
        description=(
            "Distinct trees, best first; the probability of each is normalised over the list, and "
            "null for a single tree. The rest of a sentence is as for /api/parse."
        ),
        example={"tokens": [["We", "saw", "the", "man", "with", "the", "telescope", "."]], "k": 3},
        texts=True,
    ),
    Endpoint(
        "/api/align",
        "Word links of sentence pairs",
        align,
        record(
            {
                "pairs": items(
                    record(
                        {
                            "source": items(text(most=1_000, minLength=1), 1_000, least=1),
                            "target": items(text(most=1_000, minLength=1), 1_000, least=1),
                        },
                        "source",
                        "target",
                    ),
                    5_000,
                    "Sentences as lists of words.",
                    least=1,
                ),
                "with": {**name, "description": "A registered parallel text to learn from, too."},
                "settings": choice(tuple(PRESETS), default="default"),
                "method": choice(tuple(METHODS), default="posterior"),
                "threshold": number(0, 1, "For the method posterior.", default=0.5),
                "probabilities": flag("Add the mean posteriors `[i, j, p]`."),
            },
            "pairs",
        ),
        description="Learned from the pairs of the request. Positions count from 0.",
        example={
            "pairs": [
                {"source": ["a", "pine"], "target": ["松"]},
                {"source": ["a", "pond"], "target": ["池"]},
            ]
        },
    ),
    Endpoint(
        "/api/models",
        "The registered models",
        models,
        description=(
            "`kind` is a family of parsers and `facts` what there is to tell of one. `options` are "
            "the ways to search that can be chosen, such as `beam`; others are refused."
        ),
    ),
    Endpoint("/api/corpora", "The registered corpora, references and parallel texts", corpora),
    Endpoint("/api/health", "Whether the server is well, and its limits", health),
]
