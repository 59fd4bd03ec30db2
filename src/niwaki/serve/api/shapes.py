"""Pieces of requests that several endpoints share."""

from __future__ import annotations

from typing import Any

from niwaki.serve.registry import NAME
from niwaki.serve.schema import Schema, flag, items, text, whole

# How CoNLL-U is sent.
CONLLU = "text/plain; charset=utf-8"

MAX_K = 64
MAX_BEAM = 128

# What can stand in a field of CoNLL-U, without spaces and without control characters.
LABEL = r"^[^\s\u0000-\u001f\u007f-\u009f]*$"

name: Schema = text("The id of something registered.", most=64, pattern=NAME)

WHO: Schema = text(
    "Who annotates; everybody has answers of their own.", most=40, pattern=r"^[^\u0000-\u001f]*$"
)

SENTENCES: dict[str, Schema] = {
    "text": text("Raw text; it is split into sentences and words."),
    "lines": text("A sentence a line; each is split into words."),
    "tokens": items(
        items(text(most=1_000, minLength=1), 1_000, "Words.", least=1),
        20_000,
        "Sentences as lists of words.",
    ),
    "conllu": text("CoNLL-U. Tags that are given are kept, unless `retag`."),
}
ONE_OF = [{"required": [kind]} for kind in SENTENCES]

MODEL: Schema = {**name, "description": "A model of /api/models.", "default": "en"}
BEAM = whole(
    1,
    MAX_BEAM,
    "Width of the beam; 1 is greedy. Default: the model's. For models with `beam` in `options`.",
)
RETAG = flag("Predict tags anew even where they are given.")
WORD = whole(1, 1_000, "A word, counted from 1.")

CONSTRAINTS: Schema = items(
    items(
        {
            "type": "object",
            "properties": {
                "word": WORD,
                "head": whole(0, 1_000, "This is its head; 0 makes it the root."),
                "forbid": items(whole(0, 1_000), 1_000, "None of these is its head."),
                "labels": items(
                    text(most=60, minLength=1, pattern=LABEL), 100, "Its label is one of these."
                ),
            },
            "required": ["word"],
            "additionalProperties": False,
        },
        1_000,
        "What is known of one sentence.",
    ),
    20_000,
    "One list for each sentence, empty where nothing is known.",
)


def to(*formats: str) -> dict[str, Any]:
    return {"type": "string", "enum": list(formats), "default": formats[0]}
