"""The words of sentences as rows of a table, for libraries of tables."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from niwaki.data.given import sentences_given
from niwaki.data.sentence import Sentence

COLUMNS = (
    *("sentence", "id", "index", "form", "lemma", "upos", "xpos", "feats", "head", "deprel"),
    *("misc", "start", "end", "prob"),
)
# What the columns hold that hold no text.
WHOLE_NUMBERS = frozenset({"sentence", "index", "head", "start", "end"})
NUMBERS = frozenset({"prob"})


def rows(sentences: Sentence | Iterable[Sentence]) -> Iterator[tuple[Any, ...]]:
    """A row for each word; None where a place or a probability is not known."""
    for number, sentence in enumerate(sentences_given(sentences)):
        columns = (
            *(sentence.forms, sentence.lemmas, sentence.upos, sentence.xpos, sentence.feats),
            *(sentence.heads, sentence.deprels, sentence.misc),
        )
        for token, *values in zip(sentence, *columns, strict=True):
            yield (
                *(number, sentence.id, token.index, *values),
                *(token.start, token.end, token.prob),
            )
