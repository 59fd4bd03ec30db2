"""Teachers, lists of candidates and trials as tasks: how many workers there are changes nothing."""

from __future__ import annotations

import json
import os
import signal
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import niwaki
from niwaki.adapting import trials
from niwaki.data.conllu import read_conllu
from niwaki.data.sentence import Sentence
from niwaki.pipeline.pipeline import Pipeline
from niwaki.scale.engine import Crew, engine_of
from niwaki.training import self_training, uptraining
from niwaki.training.config import UptrainingConfig
from niwaki.training.uptraining import Teachers, gather_trees
from tests.toy import TOY, write
from tests.toy import niwaki as run_niwaki

TEXT = "\n".join(" ".join(s.forms) for s in read_conllu(TOY)) + "\n"


def contents(folder: Path, names: str) -> dict[str, bytes]:
    found = {path.name: path.read_bytes() for path in sorted(folder.glob(names))}
    assert found
    return found


# -- teachers --------------------------------------------------------------------------------


@pytest.mark.parametrize("agreed", [0.0, 0.5])
def test_teachers_parse_on_workers(
    engine: str, agreed: float, model: Pipeline, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(uptraining, "_PART", 4)
    text = tmp_path / "text.txt"
    text.write_text(TEXT)
    config = UptrainingConfig(agreement=agreed, weight_by_confidence=False)
    models = [model, model] if agreed else [model]
    teachers = Teachers(models=models, text=[str(text)], form="lines")
    alone, shared = tmp_path / "alone", tmp_path / "shared"
    for folder in (alone, shared):
        folder.mkdir()
    _, expected = gather_trees(teachers, config, alone)
    with engine_of(engine, 2) as started:
        _, kept = gather_trees(teachers, config, shared, engine=started)
    assert kept == expected
    assert kept.kept > 20
    assert len(contents(alone, "*.conllu")) > 5
    assert contents(shared, "*.conllu") == contents(alone, "*.conllu")


def test_uptraining_gives_the_same_trees(model_path: Path, tmp_path: Path) -> None:
    text = tmp_path / "text.txt"
    text.write_text(TEXT)
    options = ["--text", text, "--from", "lines", "-m", model_path, "--set", "training.epochs=1"]
    config = tmp_path / "c.toml"
    config.write_text(f'[[objective]]\ndata = "{TOY}"\n')
    for workers in ("1", "2"):
        done = run_niwaki(
            "uptrain", config, "-o", tmp_path / f"{workers}.niwaki", *options, "--workers", workers
        )
        assert done.returncode == 0, done.stderr
    trees = [contents(tmp_path / f"{n}.niwaki.trees", "trees-*.conllu") for n in (1, 2)]
    assert trees[0] == trees[1]


# -- lists of candidates ---------------------------------------------------------------------


def order_task(folder: Path) -> Path:
    """Roots of half-known trees, as a cost."""
    known = []
    for sentence in read_conllu(TOY):
        roots = [0 if head == 0 else -1 for head in sentence.heads]
        known.append(Sentence.from_words(sentence.forms, heads=roots))
    data = write(folder / "roots.conllu", known)
    path = folder / "task.toml"
    path.write_text(
        f'[[objective]]\ndata = "{TOY}"\n[[objective]]\nkind = "partial"\ndata = "{data}"\n'
        "[training]\nepochs = 1\n"
    )
    return path


def test_candidates_are_chosen_on_workers(
    engine: str, model: Pipeline, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(self_training, "_PART", 5)
    config = order_task(tmp_path)
    found = {}
    for workers in (1, 2):
        overrides = [f"training.workers={workers}"]
        out = tmp_path / f"{workers}.niwaki"
        result = niwaki.self_train(
            config, model, out, n=4, overrides=overrides, engine=engine, threads=1
        )
        chosen = contents(tmp_path / f"{workers}.niwaki.rounds", "*.conllu")
        found[workers] = chosen, result.rounds
    assert found[1] == found[2]
    assert {"chosen-1-0.conllu", "kept-1-0.conllu"} <= set(found[1][0])


# -- trials ----------------------------------------------------------------------------------


@pytest.fixture
def stops(tmp_path: Path) -> Path:
    sentences = []
    for sentence in (s for s in read_conllu(TOY) if s.forms[-1] == "."):
        for begin in ("Now", "Then", "Here", "So"):
            forms = [begin, *sentence.forms]
            known = [-1] * (len(forms) - 1) + [len(forms) - 1]
            sentences.append(Sentence.from_words(forms, heads=known))
    return write(tmp_path / "stops.conllu", sentences)


def comparable(found: Any) -> dict[str, Any]:
    """A report without the time that it took."""
    record = json.loads(json.dumps(found.to_json()))
    for trial in record["trials"]:
        del trial["seconds"]
    return dict(record)


@pytest.mark.slow
def test_trials_run_side_by_side(
    engine: str, model: Pipeline, stops: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(trials, "_MOST_PASSES", 4)
    task = {"objective": [{"kind": "partial", "data": str(stops)}]}
    alone = niwaki.adapt(model, task, tmp_path / "alone", threads=1)
    told: list[int] = []
    shared = niwaki.adapt(
        model,
        task,
        tmp_path / "shared",
        workers=2,
        engine=engine,
        tried=lambda trial: told.append(trial.number),
    )
    assert len(shared.trials) > 2
    assert told == list(range(len(shared.trials) + 1))
    assert comparable(shared) == comparable(alone)
    one, other = (
        niwaki.load(tmp_path / name).parts().tensors["weights-parser.safetensors"]
        for name in ("alone", "shared")
    )
    assert all(np.array_equal(one[name], other[name]) for name in one)


@pytest.mark.slow
def test_a_trial_whose_worker_dies_is_trained_again(
    model: Pipeline, stops: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(trials, "_MOST_PASSES", 4)
    from niwaki.scale.local import LocalEngine

    crews: list[Crew] = []
    started = LocalEngine.crew

    def watched(self: Any, *arguments: Any) -> Crew:
        crews.append(started(self, *arguments))
        return crews[-1]

    monkeypatch.setattr(LocalEngine, "crew", watched)

    def kill(trial: Any) -> None:
        if trial.number == 1:
            os.kill(crews[0].pids()[-1], signal.SIGKILL)

    task = {"objective": [{"kind": "partial", "data": str(stops)}]}
    alone = niwaki.adapt(model, task, tmp_path / "alone", threads=1)
    shared = niwaki.adapt(model, task, tmp_path / "shared", workers=2, tried=kill)
    assert crews[0].deaths == 1
    assert comparable(shared) == comparable(alone)


# -- seeds of benchmarks ---------------------------------------------------------------------


def test_seeds_are_trained_side_by_side(
    engine: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from benchmarks.tasks import _adapting

    record = {"objective": [{"data": str(TOY)}], "segmenter": {"enabled": False}}

    def train_one(seed: int) -> Path:
        training = {"epochs": 1, "seed": seed}
        return _adapting.trained("toy", {**record, "training": training}, threads=1)

    found = {}
    for workers in (1, 2):
        monkeypatch.setattr(_adapting, "WORK", tmp_path / str(workers))
        models = _adapting.by_seeds(train_one, range(1, 4), workers, engine)
        found[workers] = {path.name: path.read_bytes() for path in models}
    assert len(found[1]) == 3
    assert found[1] == found[2]
