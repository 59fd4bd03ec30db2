"""Training on several workers: what is learned, by whom, and what becomes of it when they die."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from niwaki.errors import ConfigError
from niwaki.learning.corpus import shuffled
from niwaki.pipeline.pipeline import Pipeline
from niwaki.scale.engine import Crew
from niwaki.scale.local import LocalEngine
from niwaki.scale.on_ray import RayEngine
from niwaki.training.config_file import make_config
from niwaki.training.jobs.shards import Shard
from niwaki.training.run import train
from tests.scale.test_engine import ended
from tests.toy import TOY, Log, niwaki, quick_config, quick_model

TWO: dict[str, Any] = {"training": {"workers": 2, "dev": str(TOY)}}


@pytest.fixture(scope="module")
def by_two(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """The model of two undisturbed workers."""
    path = tmp_path_factory.mktemp("two") / "m.niwaki"
    quick_model(path, **TWO)
    return path.read_bytes()


def test_one_worker_is_a_run_without_any(tmp_path: Path) -> None:
    plain, one = tmp_path / "plain.niwaki", tmp_path / "one.niwaki"
    for path, options in ((plain, []), (one, ["--workers", "1", "--engine", "local"])):
        done = niwaki("train", "--data", TOY, "-o", path, "--set", "training.epochs=2", *options)
        assert done.returncode == 0, done.stderr
    assert plain.read_bytes() == one.read_bytes()


@pytest.mark.parametrize("kind", ["transition", "graph"])
@pytest.mark.parametrize("mixing", ["uniform", "weighted"])
def test_two_workers_learn(kind: str, mixing: str, tmp_path: Path) -> None:
    log = Log()
    training = {"workers": 2, "dev": str(TOY), "epochs": 5, "mixing": mixing}
    model = quick_model(tmp_path / "m.niwaki", log=log, model={"kind": kind}, training=training)
    assert model.config["training"]["workers"] == 2
    scores = [each.las for each in log.epochs if each.stage in ("parser", "graph")]
    assert len(scores) == 5
    assert max(x for x in scores if x is not None) > 85
    assert not (tmp_path / "m.niwaki.checkpoint").exists()


def test_workers_learn_each_of_several_runs(tmp_path: Path) -> None:
    log = Log()
    training = {**TWO["training"], "runs": 2, "epochs": 5}
    quick_model(tmp_path / "m.niwaki", log=log, training=training, tagger={"runs": 2})
    scored = {each.stage: each.las is not None for each in log.epochs}
    assert scored["parser-run2"] is False
    assert max(each.las or 0 for each in log.epochs if each.stage == "parser") > 85


def test_engines_give_the_same_bytes(engine: str, by_two: bytes, tmp_path: Path) -> None:
    path = tmp_path / "m.niwaki"
    train(quick_config(**TWO), path, engine=engine)
    assert path.read_bytes() == by_two


def test_shards_divide_what_an_epoch_visits() -> None:
    order = shuffled(23, 1, "parser", 0)
    parts = [Shard(k, 4).of(order) for k in range(4)]
    assert sorted(np.concatenate(parts).tolist()) == list(range(23))
    # A sentence has one worker in all epochs, and comes in the order of the epoch.
    later = [set(Shard(k, 4).of(shuffled(23, 1, "parser", 1)).tolist()) for k in range(4)]
    assert later == [set(part.tolist()) for part in parts]
    assert parts[0].tolist() == [s for s in order.tolist() if s in later[0]]


@dataclass
class Killer(Log):
    """Kills a worker in every epoch, while others work or just after."""

    crews: list[Crew] = field(default_factory=list)
    killed: set[int] = field(default_factory=set)
    wants: bool = True

    def advance(self, sentences: int) -> None:
        known = self.crews[-1].pids() if self.crews else []
        # It may take a while until the death of a worker is noticed.
        pids = [pid for pid in known if pid not in self.killed]
        if self.wants and pids:
            self.wants = False
            self.killed.add(pids[-1])
            os.kill(pids[-1], signal.SIGKILL)

    def epoch(self, report: Any) -> None:
        super().epoch(report)
        self.wants = True


def test_killed_workers_change_nothing(
    engine: str, by_two: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    killer = Killer()
    of_engine = LocalEngine if engine == "local" else RayEngine
    started = of_engine.crew

    def watched(self: Any, *arguments: Any) -> Crew:
        killer.crews.append(started(self, *arguments))
        return killer.crews[-1]

    monkeypatch.setattr(of_engine, "crew", watched)
    path = tmp_path / "m.niwaki"
    train(quick_config(**TWO), path, killer, engine=engine)
    assert len(killer.killed) >= 4
    assert sum(crew.deaths for crew in killer.crews) >= 4
    assert path.read_bytes() == by_two


def workers_of(pid: int) -> list[int]:
    return [int(x) for x in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


@pytest.mark.slow
def test_a_killed_head_is_taken_up(tmp_path: Path) -> None:
    path, whole = tmp_path / "m.niwaki", tmp_path / "whole.niwaki"
    checkpoint = Path(f"{path}.checkpoint")
    options = ["--workers", "2", "--set", "training.epochs=12", "--set", "tagger.epochs=1"]
    words = ["train", "--data", str(TOY), *options]
    assert niwaki(*words, "-o", whole).returncode == 0
    command = [sys.executable, "-m", "niwaki", *words, "-o", str(path)]
    with subprocess.Popen(command, stderr=subprocess.DEVNULL) as head:
        workers: list[int] = []
        while head.poll() is None and not (workers and checkpoint.exists()):
            workers = workers_of(head.pid)
        head.kill()
    assert head.returncode == -signal.SIGKILL
    assert not path.exists()
    # Nobody is left behind.
    while not all(map(ended, workers)):
        time.sleep(0.05)
    resumed = niwaki(*words, "-o", path, "--resume")
    assert resumed.returncode == 0, resumed.stderr
    assert path.read_bytes() == whole.read_bytes()
    assert not checkpoint.exists()


# -- costs -------------------------------------------------------------------------------------


def with_costs(workers: int, **keys: Any) -> Any:
    cost = {"kind": "arc-length", "data": str(TOY), "schedule": 1.0, **keys}
    training = {"workers": workers, "epochs": 2}
    return make_config({"objective": [{"data": str(TOY)}, cost], "training": training})


@pytest.mark.parametrize("tags", [1, 2])
def test_costs_are_learned_from_shards(tags: int, model: Pipeline, tmp_path: Path) -> None:
    """All examples are visited as often as by one worker, and the tagger learns too."""
    serial, log = Log(), Log()
    train(with_costs(1, tags=tags), tmp_path / "one.niwaki", serial, init=model)
    mixed = train(with_costs(2, tags=tags), tmp_path / "two.niwaki", log, init=model)
    epochs = [each for each in log.epochs if each.stage == "parser"]
    alone = [each for each in serial.epochs if each.stage == "parser"]
    # Each worker rounds its part of an epoch down, and makes up for it in the next.
    visits = [sum(each.objectives[0].examples for each in found) for found in (epochs, alone)]
    assert visits[0] == visits[1] > 0
    assert epochs[0].objectives[0].updates > 0
    first, written = epochs[0].objectives[0].first, epochs[-1].objectives[0].written
    assert written is not None
    assert written <= first
    taught, before = (
        pipeline.parts().tensors["weights-tagger.safetensors"] for pipeline in (mixed, model)
    )
    same = all(np.array_equal(taught[name], before[name]) for name in before)
    assert same == (tags == 1)


def test_costs_after_trees(tmp_path: Path) -> None:
    log = Log()
    train(with_costs(2), tmp_path / "m.niwaki", log)
    stages = {each.stage for each in log.epochs}
    assert {"parser", "parser-costs"} <= stages


# -- what is refused ---------------------------------------------------------------------------


def test_batch_learners_are_refused(tmp_path: Path) -> None:
    config = quick_config(
        model={"kind": "graph"}, graph={"trainer": "max-margin"}, training={"workers": 2}
    )
    with pytest.raises(ConfigError, match="cannot be mixed; give 1"):
        train(config, tmp_path / "m.niwaki")


def test_more_workers_than_sentences_are_refused(tmp_path: Path) -> None:
    config = quick_config(training={"workers": 1000}, tagger={"folds": 0})
    with pytest.raises(ConfigError, match="give fewer workers"):
        train(config, tmp_path / "m.niwaki")
