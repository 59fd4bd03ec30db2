"""Translations, with the order and the phrases that they are made of."""

from __future__ import annotations

from typing import Any

from niwaki.serve.api.shapes import ONE_OF, SENTENCES, name
from niwaki.serve.endpoint import Call, Endpoint, Result
from niwaki.serve.errors import RequestError, unknown
from niwaki.serve.schema import flag, load_json, record, whole
from niwaki.serve.state import AppState

# What to do where there is nothing to translate with.
_ADVICE = (
    "no translator is registered: run `niwaki translate train TEXT.en TEXT.ja -o en-ja "
    "--preorder ja`, then `niwaki serve --translator en-ja`"
)
# Some hundred to some thousand words are translated a second; a request has ten seconds.
_WORDS = 4_000
_MOST = 20


async def translators(app: AppState, call: Call) -> Result:
    known = list(app.registry.translators.items())
    found = load_json(await app.pool.run("translators", {"entries": known})) if known else []
    return {"translators": found, "missing": None if known else _ADVICE}


async def translate(app: AppState, call: Call) -> Result:
    body, known = call.body, app.registry.translators
    model = app.registry.model(body.get("model", "en"))
    if not known:
        raise RequestError(404, _ADVICE)
    wanted = body.get("translator", next(iter(known)))
    if wanted not in known:
        raise unknown("translator", wanted)
    limits = app.word_limits
    arguments: dict[str, Any] = {
        "translator": known[wanted],
        "model": model,
        "own_parser": "model" not in body,
        "given": app.given(body),
        "limits": {**limits, "request_words": min(_WORDS, limits["request_words"])},
        **{key: body[key] for key in ("limit", "nbest", "lowercase") if key in body},
    }
    return await app.pool.run("translate", arguments)


ENDPOINTS = [
    Endpoint(
        "/api/translate",
        "Sentences in another language, with the order and phrases they are made of",
        translate,
        record(
            {
                **SENTENCES,
                "translator": {
                    **name,
                    "description": "A translator. Default: the first of /api/translators.",
                },
                "model": {
                    **name,
                    "description": (
                        "A model of /api/models, which splits text into words and, where the "
                        "translator orders them, parses. Default: the one that the translator "
                        "was trained with; en for one that does not order words."
                    ),
                },
                "limit": whole(0, 64, "The longest jump; 0 is monotone.", default=6),
                "nbest": whole(1, _MOST, "Translations of a sentence, at most.", default=1),
                "lowercase": flag("Put the words into lower case before anything else."),
            },
            oneOf=ONE_OF,
        ),
        description=(
            "Sentences as for /api/parse, up to 4,000 words; trees of CoNLL-U are not used. "
            "`tokens` are the words of a sentence, `order[p]` is the source position (from 0) of "
            "the word at place p; without pre-ordering, words stay where they are. `moves` say "
            "what each rule did to a head and its children (words count from 1). A phrase is four "
            "numbers: its begin and end among the places, its begin and end in the translation. "
            "`copied` are places of words that were copied, because no phrase has them alone."
        ),
        example={"text": "The monks planted a pine.", "limit": 6},
    ),
    Endpoint(
        "/api/translators",
        "The translators",
        translators,
        description=(
            "`rules` are those of pre-ordering, null without it; `lowercase` says whether all "
            "source words are in lower case. `missing` says what to do where there is no "
            "translator; else it is null."
        ),
    ),
]
