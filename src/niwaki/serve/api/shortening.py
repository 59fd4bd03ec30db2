"""Shorter sentences: the words that can be dropped, on the trees that say so."""

from __future__ import annotations

from niwaki.serve.api.shapes import BEAM, MODEL, ONE_OF, SENTENCES, name
from niwaki.serve.endpoint import Call, Endpoint, Result
from niwaki.serve.errors import RequestError, unknown
from niwaki.serve.schema import flag, number, record
from niwaki.serve.state import AppState

# What to do where there is nothing to make sentences shorter with.
_ADVICE = (
    "no compressor is registered: run `niwaki train-compressor PAIRS.jsonl -o short.niwaki "
    "--parser en`, then `niwaki serve --compressor short.niwaki`"
)
_OPTIONS = ("rate", "document", "beam", "reparse")


async def compressors(app: AppState, call: Call) -> Result:
    known = list(app.registry.compressors)
    return {"compressors": known, "missing": None if known else _ADVICE}


async def shorten(app: AppState, call: Call) -> Result:
    body, known = call.body, app.registry.compressors
    model = app.registry.model(body.get("model", "en"))
    if not known:
        raise RequestError(404, _ADVICE)
    wanted = body.get("compressor", next(iter(known)))
    if wanted not in known:
        raise unknown("compressor", wanted)
    arguments = {
        "model": model,
        "given": app.given(body),
        "limits": app.word_limits,
        "compressor": known[wanted],
        **{key: body[key] for key in _OPTIONS if key in body},
    }
    return await app.pool.run("shorten", arguments)


ENDPOINTS = [
    Endpoint(
        "/api/shorten",
        "Words that can be dropped, and the text that is left",
        shorten,
        record(
            {
                **SENTENCES,
                "model": MODEL,
                "compressor": {
                    **name,
                    "description": "A compressor. Default: the first of /api/compressors.",
                },
                "rate": number(
                    0.01, 1, "The share of words that is kept. Default: as many as score best."
                ),
                "document": flag(
                    "Keep that share of each document, more of some sentences than of others."
                ),
                "beam": BEAM,
                "reparse": flag("Parse also sentences that come with whole trees."),
            },
            oneOf=ONE_OF,
        ),
        description=(
            "Sentences as for /api/parse. `kept` has true for each word that is kept, `shorter` "
            "is the text of these, and `conllu` has `Keep=0` in MISC of the others. Every sentence "
            "keeps a word."
        ),
        example={"text": "The monks slowly planted a young pine, it is said.", "rate": 0.7},
    ),
    Endpoint(
        "/api/compressors",
        "The compressors",
        compressors,
        description="`missing` says what to do where there is none; else it is null.",
    ),
]
