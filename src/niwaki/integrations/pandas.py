"""Sentences as a pandas table, a row a word."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from niwaki.data.sentence import Sentence
from niwaki.errors import ExtraMissingError
from niwaki.integrations.words import COLUMNS, rows


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
    return pandas.DataFrame.from_records(list(rows(sentences)), columns=list(COLUMNS))
