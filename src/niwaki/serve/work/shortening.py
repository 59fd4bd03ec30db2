"""Shorter sentences for the API: which words are kept, and the text that is left."""

from __future__ import annotations

from typing import Any

from niwaki.data.compressions import marked, shortened_text
from niwaki.data.documents import cut_at_documents
from niwaki.serve.work.loading import compressor_of, model_of
from niwaki.serve.work.ordering import with_trees
from niwaki.serve.work.reading import Given, read_given
from niwaki.serve.work.showing import as_conllu, language_of


def shorten(
    model: str,
    given: Given,
    limits: dict[str, int],
    *,
    compressor: str,
    rate: float | None = None,
    document: bool = False,
    beam: int | None = None,
    reparse: bool = False,
) -> dict[str, Any]:
    """Trees with the words that are kept; those that come with trees keep them unless `reparse`."""
    pipeline, rules = model_of(model), compressor_of(compressor)
    sentences = with_trees(read_given(given, pipeline, limits), pipeline, beam, reparse)
    answers = []
    for block in cut_at_documents(sentences):
        choices = rules.compress(block, rate, document=document)
        for kept, sentence in zip(choices, map(marked, block, choices), strict=True):
            answers.append(
                {
                    **sentence.to_dict(),
                    "kept": kept,
                    "shorter": shortened_text(sentence, kept),
                    "conllu": as_conllu([sentence]).decode("utf-8"),
                }
            )
    return {"sentences": answers, **language_of(pipeline, sentences)}
