"""Sentences as an Arrow table, a row a word: for Parquet files, Polars, DuckDB and others."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from niwaki.data.sentence import Sentence
from niwaki.errors import ExtraMissingError
from niwaki.integrations.words import COLUMNS, NUMBERS, WHOLE_NUMBERS, rows


def to_arrow(sentences: Sentence | Iterable[Sentence]) -> Any:
    """A `pyarrow.Table` with a row for each word; needs pyarrow.

    Columns are those of `to_pandas`; their types do not depend on what they hold.

        >>> table = to_arrow(read_conllu("trees.conllu"))
        >>> pyarrow.parquet.write_table(table, "trees.parquet")
    """
    try:
        import pyarrow
    except ImportError as error:
        raise ExtraMissingError("pyarrow is not installed; run: pip install pyarrow") from error
    values: list[list[Any]] = [[] for _ in COLUMNS]
    for row in rows(sentences):
        for column, value in zip(values, row, strict=True):
            column.append(value)
    types = {
        name: pyarrow.int64()
        if name in WHOLE_NUMBERS
        else pyarrow.float64()
        if name in NUMBERS
        else pyarrow.string()
        for name in COLUMNS
    }
    return pyarrow.table(dict(zip(COLUMNS, values, strict=True)), schema=pyarrow.schema(types))
