"""Models reach workers once: the head reads and compiles them, workers map what it made."""

from __future__ import annotations

import pickle
import shutil
from pathlib import Path

import numpy as np

from niwaki.data.modelfile import read_model_file
from niwaki.data.sentence import Sentence
from niwaki.features.parts import SavedParts
from niwaki.pipeline.pipeline import Pipeline
from niwaki.pipeline.store import load, pipeline_of
from niwaki.scale.engine import Done, engine_of
from niwaki.scale.sharing import SharedModels, shared_file

HERE = "tests.scale.working"
WORDS = ["the", "monks", "planted", "a", "pine"]


def value_of(done: Done | None) -> object:
    assert done is not None
    if done.error is not None:
        raise done.error
    return done.value


def test_large_arrays_are_mapped_and_small_ones_sent(engine: str) -> None:
    arrays = {"large": np.arange(1 << 20, dtype=np.int32), "small": np.arange(10)}
    with engine_of(engine, 2) as started, started.crew(f"{HERE}:Mapped", arrays) as crew:
        for worker in (0, 1):
            crew.submit("large", worker)
            writeable, where, total = value_of(crew.wait())  # type: ignore[misc]
            assert (writeable, total) == (False, int(arrays["large"].sum()))
            # A file without a name, or the object store of Ray, which both workers map.
            assert "memfd" in where or "plasma" in where or "/dev/shm" in where
            crew.submit("small", worker)
            assert value_of(crew.wait())[2] == 45  # type: ignore[index]


def test_workers_need_no_file(engine: str, model_path: Path, tmp_path: Path) -> None:
    """Models are those that the head has read, in the processes that come later too."""
    path = tmp_path / "m.niwaki"
    shutil.copy(model_path, path)
    shared = SharedModels.of([str(path)])
    (expected,) = load(path).parse([Sentence.from_words(WORDS)])
    path.unlink()
    with (
        engine_of(engine, 2) as started,
        started.crew(f"{HERE}:Tables", shared, str(path)) as crew,
    ):
        for worker in (0, 1):
            crew.submit(WORDS, worker)
            images, source = value_of(crew.wait())  # type: ignore[misc]
            assert "weights-parser.image" in images
            assert source == expected.source


def test_a_shared_file_is_the_model(model_path: Path, model: Pipeline) -> None:
    file = read_model_file(model_path)
    shared = shared_file(file)
    assert set(shared.parts) == set(file.parts)
    tables = SavedParts(file).tables
    assert tables
    for name in tables:
        assert SavedParts(file).weights(name).image is None
        assert SavedParts(shared).weights(name).image is not None
    sentences = [Sentence.from_words(WORDS)]
    parsed = pipeline_of(pickle.loads(pickle.dumps(shared))).parse(sentences)
    assert [s.source for s in parsed] == [s.source for s in model.parse(sentences)]


def test_a_pipeline_is_its_file(model_path: Path, model: Pipeline) -> None:
    file, made = read_model_file(model_path), model.as_file()
    assert dict(file.parts) == dict(made.parts)
