"""A parser of batches, for frameworks that map functions over tables: Ray Data, Dask, Spark."""

from __future__ import annotations

import functools
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from niwaki.data.sentence import Sentence
from niwaki.errors import NiwakiError, nearest, shown
from niwaki.pipeline.pipeline import Pipeline
from niwaki.pipeline.store import find_model, load
from niwaki.scale import parquet
from niwaki.scale.records import OF_SENTENCE, OF_WORDS, Record, conllu_of, records_of

COLUMNS = (*OF_SENTENCE, *OF_WORDS)


class Parse:
    """Parses batches of texts, or of sentences that are split into words.

    A batch has a column `text` or `tokens` (lists of words), and may have `doc_id` and
    `sentence_id`. What comes back has a row for each sentence and the columns of a Parquet file of
    `niwaki parse --pack parquet`, or those that `columns` names. A batch is a dict of arrays, a
    table or record batch of Arrow, or a data frame, and so is the answer; an iterator of batches,
    as Spark gives, becomes one of answers.

    Only the name of the model travels to other processes; a process loads it when it is first
    called, and keeps it.

        >>> ray.data.read_parquet("crawl").map_batches(Parse("en"))
        >>> frame.map_partitions(Parse("en"), meta=Parse("en").meta)
        >>> frame.mapInArrow(Parse("en"), Parse("en").spark_schema)
    """

    def __init__(
        self,
        model: str | os.PathLike[str] = "en",
        *,
        beam: int | None = None,
        columns: Sequence[str] = COLUMNS,
    ) -> None:
        for name in columns:
            if name not in COLUMNS:
                raise NiwakiError(f"no column {shown(name)}; {nearest(name, COLUMNS)}")
        self.model = os.fspath(model)
        self.beam = beam
        self.columns = tuple(columns)
        find_model(self.model)  # a name that nobody knows is told here, not by a worker

    def __call__(self, batch: Any) -> Any:
        if isinstance(batch, Iterator):
            return map(self, batch)
        if isinstance(batch, Mapping):
            found = self._parsed(dict(batch))
            return {name: _array(found[name]) for name in self.columns}
        if hasattr(batch, "to_pydict"):
            table = self._table(self._parsed(batch.to_pydict()))
            # A record batch for a record batch, a table for a table.
            kind = type(batch)
            return table if isinstance(table, kind) else _only_batch(table, kind)
        if hasattr(batch, "columns"):
            return type(batch)(self._parsed({name: list(batch[name]) for name in batch.columns}))
        raise NiwakiError(
            f"found a {type(batch).__name__}; give a dict of arrays, an Arrow table or a data frame"
        )

    @property
    def schema(self) -> Any:
        """The columns of an answer, for Arrow."""
        return parquet.arrow().schema([parquet.schema().field(name) for name in self.columns])

    @property
    def spark_schema(self) -> str:
        """The same for Spark."""
        types = {"string": "string", "list<item: string>": "array<string>"}
        fields = (
            f"{field.name} {types.get(str(field.type), 'array<int>')}" for field in self.schema
        )
        return ", ".join(fields)

    @property
    def meta(self) -> dict[str, str]:
        """The same for Dask."""
        return dict.fromkeys(self.columns, "object")

    def _table(self, found: dict[str, list[Any]]) -> Any:
        return parquet.arrow().table(found, schema=self.schema)

    def _parsed(self, batch: dict[str, Any]) -> dict[str, list[Any]]:
        pipeline = _loaded(self.model)
        rows = _sentences(batch, pipeline)
        parsed = pipeline.parse(rows, beam=self.beam, retag=True)
        records = list(records_of(parsed))
        return {name: [_plain(record[name]) for record in records] for name in self.columns}


def _sentences(batch: dict[str, Any], pipeline: Pipeline) -> Iterable[Sentence]:
    known = {name: list(values) for name, values in batch.items() if name in _READ}
    if not {"text", "tokens"} & set(known):
        found = ", ".join(map(str, batch)) or "nothing"
        raise NiwakiError(f"a batch with {found}; give a column `text` or `tokens`")
    rows: Iterator[Record] = (
        {name: _plain(value) for name, value in zip(known, row, strict=True) if value is not None}
        for row in zip(*known.values(), strict=True)
    )
    return map(Sentence, conllu_of(rows, pipeline.read_text))


# Columns of a batch that say something; what is to be predicted is not read.
_READ = {"doc_id", "id", "sentence_id", "text", "tokens"}


def _plain(value: Any) -> Any:
    """Lists as all frameworks take them, of arrays and tuples."""
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, np.generic):
        return value.item()
    return list(value) if isinstance(value, tuple) else value


def _array(values: list[Any]) -> np.ndarray[Any, Any]:
    made = np.empty(len(values), dtype=object)
    made[:] = values
    return made


def _only_batch(table: Any, kind: Any) -> Any:
    columns = [column.combine_chunks() for column in table.columns]
    return kind.from_arrays(columns, schema=table.schema)


@functools.lru_cache(maxsize=4)
def _loaded(model: str) -> Pipeline:
    return load(model)
