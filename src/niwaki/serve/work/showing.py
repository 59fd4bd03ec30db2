"""What the API tells of sentences: CoNLL-U, and whether they look like a model's language.

As JSON they are what `Sentence.to_dict` says everywhere.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from niwaki.data.sentence import Sentence
from niwaki.pipeline.familiarity import familiarity
from niwaki.pipeline.pipeline import Pipeline


def as_conllu(sentences: Sequence[Sentence]) -> bytes:
    """CoNLL-U of whole sentences, each with its blank line."""
    return b"".join(each.source.rstrip(b"\r\n") + b"\n\n" for each in sentences)


def language_of(pipeline: Pipeline, sentences: Sequence[Sentence]) -> dict[str, Any]:
    """Whether the text looks like that of another language than the model's, if one can tell."""
    found = familiarity(pipeline, sentences)
    if found is None or not found.words:
        return {}
    record = {"words": found.words, "known": found.known, "foreign": found.is_foreign}
    return {"language": record}
