"""Reads and writes records as Parquet; needs pyarrow."""

from __future__ import annotations

import importlib
import json
from collections.abc import Iterable, Iterator
from typing import Any

from niwaki.data.sentence import Sentence
from niwaki.errors import CorpusError, ExtraMissingError
from niwaki.scale.records import OF_SENTENCE, OF_WORDS, records_of

_ROWS = 4096
_NUMBERS = ("heads", "starts", "ends")


def arrow(module: str = "pyarrow") -> Any:
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise ExtraMissingError(
            "pyarrow is not installed; run: pip install niwaki[scale]"
        ) from error


def schema() -> Any:
    """The columns of parsed sentences, a row a sentence."""
    pyarrow = arrow()
    text, number = pyarrow.string(), pyarrow.int32()
    of_words = {name: pyarrow.list_(number if name in _NUMBERS else text) for name in OF_WORDS}
    return pyarrow.schema({**dict.fromkeys(OF_SENTENCE, text), **of_words})


def table_of(sentences: Iterable[Sentence]) -> Any:
    """A `pyarrow.Table` with a row for each sentence."""
    return arrow().Table.from_pylist(list(records_of(sentences)), schema=schema())


def packed(sentences: Iterable[Sentence]) -> bytes:
    """A Parquet file; the same sentences give the same bytes."""
    target = arrow().BufferOutputStream()
    arrow("pyarrow.parquet").write_table(table_of(sentences), target, compression="zstd")
    return bytes(target.getvalue())


def json_lines(path: str) -> Iterator[bytes]:
    """The rows of a Parquet file, a line of JSON each; only known columns are read."""
    try:
        file = arrow("pyarrow.parquet").ParquetFile(path)
    except arrow().ArrowInvalid as error:
        reason = str(error).partition("\n")[0]
        raise CorpusError(path, 0, "FILE", f"no Parquet file ({reason})", "give one") from error
    known = {*OF_SENTENCE, *OF_WORDS, "forms", "id"}
    with file:
        columns = [name for name in file.schema_arrow.names if name in known]
        if not {"text", "tokens", "forms"} & set(columns):
            found = ", ".join(file.schema_arrow.names)
            raise CorpusError(
                path, 0, "FILE", f"the columns {found}", "give a column `text` or `tokens`"
            )
        for batch in file.iter_batches(_ROWS, columns=columns):
            for row in batch.to_pylist():
                row = {name: value for name, value in row.items() if value is not None}
                yield json.dumps(row, ensure_ascii=False, default=str).encode() + b"\n"
