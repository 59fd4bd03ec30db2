"""Sentences as a pandas table, a row a word."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from niwaki.data.sentence import Sentence
from niwaki.errors import ExtraMissingError

COLUMNS = (
    *("sentence", "id", "index", "form", "lemma", "upos", "xpos", "feats", "head", "deprel"),
    *("misc", "start", "end", "prob"),
)


def to_pandas(sentences: Sentence | Iterable[Sentence]) -> Any:
    """A `pandas.DataFrame` with a row for each word; needs pandas.

    `sentence` counts from 0, `index` and `head` from 1; 0 is the root and -1 an unknown head.
    `start`, `end` and `prob` are missing where they are not known.

        >>> table = to_pandas(read_conllu("trees.conllu"))
        >>> table.groupby("deprel").size()
    """
    try:
        import pandas
    except ImportError as error:
        raise ExtraMissingError("pandas is not installed; run: pip install pandas") from error
    return pandas.DataFrame.from_records(list(_rows(sentences)), columns=list(COLUMNS))


def _rows(sentences: Sentence | Iterable[Sentence]) -> Iterator[tuple[Any, ...]]:
    for number, sentence in enumerate(_several(sentences)):
        columns = (
            *(sentence.forms, sentence.lemmas, sentence.upos, sentence.xpos, sentence.feats),
            *(sentence.heads, sentence.deprels, sentence.misc),
        )
        for token, *values in zip(sentence, *columns, strict=True):
            yield (
                *(number, sentence.id, token.index, *values),
                *(token.start, token.end, token.prob),
            )


def _several(sentences: Sentence | Iterable[Sentence]) -> Iterable[Sentence]:
    return [sentences] if isinstance(sentences, Sentence) else sentences
