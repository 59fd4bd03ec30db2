"""The callable for frameworks of batches; each framework is tested where it is installed."""

from __future__ import annotations

import pickle
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import niwaki.scale
from niwaki.data.sentence import Sentence
from niwaki.errors import ModelError, NiwakiError
from niwaki.pipeline.pipeline import Pipeline
from niwaki.scale import Parse

BATCH = {
    "doc_id": np.array(["a", "a", "b"], dtype=object),
    "tokens": np.array(
        [["The", "pine", "leans", "."], ["Monks", "planted", "it", "."], ["Rain", "falls"]],
        dtype=object,
    ),
}


@pytest.fixture
def heads(model: Pipeline) -> list[list[int]]:
    """What a batch should give."""
    sentences = [Sentence.from_words(words) for words in BATCH["tokens"]]
    return [list(each.heads) for each in model.parse(sentences)]


@pytest.fixture
def parse(model_path: Path) -> Parse:
    made = pickle.loads(pickle.dumps(Parse(model_path, columns=["doc_id", "tokens", "heads"])))
    assert isinstance(made, Parse)
    return made


def lists(values: Any) -> list[list[Any]]:
    return [list(value) for value in values]


def test_a_dict_of_arrays(parse: Parse, heads: list[list[int]]) -> None:
    found = parse(BATCH)
    assert list(found) == ["doc_id", "tokens", "heads"]
    assert lists(found["heads"]) == heads
    assert lists(found["tokens"]) == lists(BATCH["tokens"])
    assert found["doc_id"].tolist() == ["a", "a", "b"]


def test_arrow(parse: Parse, heads: list[list[int]]) -> None:
    pyarrow = pytest.importorskip("pyarrow", reason="install niwaki[scale] to test Arrow")
    table = pyarrow.table({name: list(values) for name, values in BATCH.items()})
    found = parse(table)
    assert found.schema == parse.schema and found["heads"].to_pylist() == heads
    (batch,) = parse(iter(table.to_batches()))
    assert isinstance(batch, pyarrow.RecordBatch) and batch["heads"].to_pylist() == heads


def test_texts_become_sentences_with_places() -> None:
    texts = ["The pine leans. Monks planted it.", "Rain falls."]
    found = Parse("en", beam=1)({"id": [7, 8], "text": texts})
    assert found["doc_id"].tolist() == ["7", "7", "8"]
    assert found["sentence_id"].tolist() == ["7-1", "7-2", "8-1"]
    assert found["text"].tolist() == ["The pine leans.", "Monks planted it.", "Rain falls."]
    spans = zip(found["starts"][1], found["ends"][1], strict=True)
    assert [texts[0][start:end] for start, end in spans] == ["Monks", "planted", "it", "."]


def test_what_cannot_be_is_said() -> None:
    with pytest.raises(ModelError, match="no model 'nobody'"):
        Parse("nobody")
    with pytest.raises(NiwakiError, match="no column 'head'; did you mean 'heads'"):
        Parse("en", columns=["head"])
    with pytest.raises(NiwakiError, match="a batch with words; give a column `text` or `tokens`"):
        Parse("en")({"words": []})
    with pytest.raises(NiwakiError, match="found a int; give a dict of arrays"):
        Parse("en")(3)
    with pytest.raises(AttributeError, match="no attribute 'Pars'"):
        niwaki.scale.Pars  # noqa: B018


@pytest.mark.usefixtures("small_ray")
def test_ray_data(parse: Parse, heads: list[list[int]]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        data = pytest.importorskip("ray.data", reason="Ray Data needs pyarrow and pandas")
        data.DataContext.get_current().enable_progress_bars = False
        rows = [
            {"doc_id": doc, "tokens": words}
            for doc, words in zip(BATCH["doc_id"], BATCH["tokens"], strict=True)
        ]
        found = data.from_items(rows).map_batches(parse, batch_size=2).take_all()
    by_words = {tuple(row["tokens"]): list(row["heads"]) for row in found}
    assert by_words == dict(zip(map(tuple, BATCH["tokens"]), heads, strict=True))


def test_dask(parse: Parse, heads: list[list[int]]) -> None:
    pandas = pytest.importorskip("pandas", reason="install pandas to test Dask")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        frames = pytest.importorskip("dask.dataframe", reason="install dask to test it")
        import dask

        with dask.config.set({"dataframe.convert-string": False}):
            given = pandas.DataFrame({name: list(values) for name, values in BATCH.items()})
            frame = frames.from_pandas(given, npartitions=2)
            found = frame.map_partitions(parse, meta=parse.meta).compute(scheduler="synchronous")
    assert lists(found["heads"]) == heads


@pytest.fixture
def spark(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        sql = pytest.importorskip("pyspark.sql", reason="install pyspark to test it: make scale")
        monkeypatch.setenv("PYSPARK_PYTHON", sys.executable)
        session = (
            sql.SparkSession.builder.master("local[1]")
            .config("spark.ui.enabled", "false")
            .getOrCreate()
        )
        yield session
        session.stop()


def test_spark(parse: Parse, heads: list[list[int]], spark: Any) -> None:
    rows = [
        (str(doc), list(words)) for doc, words in zip(BATCH["doc_id"], BATCH["tokens"], strict=True)
    ]
    frame = spark.createDataFrame(rows, "doc_id string, tokens array<string>").coalesce(1)
    found = frame.mapInArrow(parse, parse.spark_schema).collect()
    assert [list(row["heads"]) for row in found] == heads
