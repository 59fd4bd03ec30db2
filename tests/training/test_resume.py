"""A run that was killed is taken up, and ends with the same model."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from niwaki.data.sentence import Sentence
from niwaki.errors import ModelError
from niwaki.learning.checkpoint import Checkpoint
from niwaki.training.run import train
from tests.toy import (
    TOY,
    Log,
    niwaki,
    quick_config,
    quick_model,
    write,
)

CONFIG = """
[[objective]]
data = "{data}"
[model]
beam = 3
[tagger]
folds = 3
epochs = 2
[training]
epochs = 3
greedy_epochs = 3
dev = "{data}"
checkpoint_minutes = 0
"""

# Runs the command line, but dies by SIGKILL at the given save: when the new file is there
# but not yet in place, or after. Both parsers learn at the same time, so each thread must
# know which save is its own.
KILLER = """
import itertools, os, signal, sys, threading
from niwaki import cli
from niwaki.training import loop as epochs
from niwaki.learning.checkpoint import Checkpoint
epochs._CHUNK = 10  # so that there are moments within an epoch
number, moment = int(sys.argv[1]), sys.argv[2]
numbers, now = itertools.count(1), threading.local()
save, replace = Checkpoint.save, os.replace

def die_at(this_moment):
    if getattr(now, "number", 0) == number and moment == this_moment:
        os.kill(os.getpid(), signal.SIGKILL)

def counted_save(self):
    now.number = next(numbers)
    save(self)
    die_at("after")

def counted_replace(*names):
    die_at("within")
    replace(*names)

Checkpoint.save, os.replace = counted_save, counted_replace
sys.exit(cli.main(sys.argv[3:]))
"""


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, bytes]:
    """A configuration, and the model that a run without interruption makes of it."""
    folder = tmp_path_factory.mktemp("finished")
    config = folder / "c.toml"
    config.write_text(CONFIG.format(data=TOY))
    done = niwaki("train", config, "-o", folder / "m.niwaki")
    assert done.returncode == 0, done.stderr
    return config, (folder / "m.niwaki").read_bytes()


# The first three saves are those of the parts that are tagged, then come both parsers with
# twelve each.
@pytest.mark.parametrize(
    ("number", "moment"),
    [(2, "after"), (9, "within"), (21, "after")],
)
def test_a_killed_run_is_taken_up(
    finished: tuple[Path, bytes], tmp_path: Path, number: int, moment: str
) -> None:
    config, expected = finished
    path = tmp_path / "m.niwaki"
    words = ["train", str(config), "-o", str(path)]
    command = [sys.executable, "-c", KILLER, str(number), moment, *words]
    killed = subprocess.run(command, capture_output=True, text=True, check=False)
    assert killed.returncode == -signal.SIGKILL, killed.stderr
    assert not path.exists()
    assert Path(f"{path}.checkpoint").exists()
    resumed = niwaki(*words, "--resume")
    assert resumed.returncode == 0, resumed.stderr
    assert path.read_bytes() == expected
    assert not Path(f"{path}.checkpoint").exists()


def test_a_run_killed_from_outside_twice(finished: tuple[Path, bytes], tmp_path: Path) -> None:
    config = finished[0]
    path, checkpoint = tmp_path / "m.niwaki", tmp_path / "m.niwaki.checkpoint"
    # So many epochs that the run cannot be over before it is killed.
    words = ["train", str(config), "-o", str(path), "--set", "training.epochs=20"]
    whole = tmp_path / "whole.niwaki"
    assert niwaki(*words[:3], whole, *words[4:]).returncode == 0
    for attempt in range(2):
        before = checkpoint.stat().st_mtime_ns if checkpoint.exists() else 0
        command = [sys.executable, "-m", "niwaki", *words, *(["--resume"] * attempt)]
        with subprocess.Popen(command, stderr=subprocess.DEVNULL) as process:
            while process.poll() is None:
                if checkpoint.exists() and checkpoint.stat().st_mtime_ns != before:
                    process.kill()
                    break
                time.sleep(0.001)
        assert process.returncode == -signal.SIGKILL
    assert niwaki(*words, "--resume").returncode == 0
    assert path.read_bytes() == whole.read_bytes()


class BrokenOffError(Exception):
    pass


def leave_checkpoint(path: Path, **tables: Any) -> None:
    """Break off a run after its first epoch, with a checkpoint on disk."""

    class Breaking(Log):
        def epoch(self, report: object) -> None:
            raise BrokenOffError

    tables["training"] = {**tables.get("training", {}), "checkpoint_minutes": 0}
    with pytest.raises(BrokenOffError):
        quick_model(path, log=Breaking(), **tables)
    assert Path(f"{path}.checkpoint").exists()


@pytest.mark.parametrize(
    "changed",
    [{"model": {"beam": 5}}, {"training": {"seed": 9}}, {"tagger": {"learning_rate": 0.2}}],
)
def test_the_checkpoint_of_another_configuration_is_refused(
    tmp_path: Path, changed: dict[str, dict[str, Any]]
) -> None:
    path = tmp_path / "m.niwaki"
    leave_checkpoint(path)
    training = {"checkpoint_minutes": 0, **changed.get("training", {})}
    config = quick_config(**{**changed, "training": training})
    with pytest.raises(ModelError, match="a checkpoint of another run") as caught:
        train(config, path, Log(), resume=True)
    assert len(str(caught.value).splitlines()) == 1
    assert "remove it" in str(caught.value)


def test_the_checkpoint_of_other_data_is_refused(tmp_path: Path, toy: list[Sentence]) -> None:
    data = write(tmp_path / "data.conllu", toy)
    path = tmp_path / "m.niwaki"
    leave_checkpoint(path, data=data)
    write(data, toy[1:])
    with pytest.raises(ModelError, match="configuration or data differ"):
        config = quick_config(data, training={"checkpoint_minutes": 0})
        train(config, path, Log(), resume=True)


def test_a_damaged_checkpoint_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "m.niwaki"
    leave_checkpoint(path)
    checkpoint = Path(f"{path}.checkpoint")
    checkpoint.write_bytes(checkpoint.read_bytes()[:-9])
    with pytest.raises(ModelError, match="a damaged checkpoint; remove it"):
        train(quick_config(training={"checkpoint_minutes": 0}), path, Log(), resume=True)


def test_nothing_to_resume_is_said(tmp_path: Path) -> None:
    log = Log()
    path = tmp_path / "m.niwaki"
    train(quick_config(), path, log, resume=True)
    assert any("no checkpoint" in note and "from the beginning" in note for note in log.notes)
    assert path.exists()


def test_results_may_come_in_while_a_checkpoint_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two parsers learn at the same time and share a checkpoint."""
    saved: list[int] = []
    monkeypatch.setattr(
        "niwaki.learning.checkpoint.write_model_file", lambda path, parts: saved.append(len(parts))
    )
    checkpoint = Checkpoint(str(tmp_path / "c"), {}, 0)
    # So many that the threads take turns while one of them goes through all.
    for number in range(2000):
        checkpoint.put(f"fold-{number}", {})
    stop = threading.Event()

    def come_and_go() -> None:
        while not stop.is_set():
            checkpoint.put("late", {})
            checkpoint.drop("late")

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    other = threading.Thread(target=come_and_go)
    other.start()
    try:
        for _ in range(300):
            checkpoint.save()
    finally:
        stop.set()
        other.join()
        sys.setswitchinterval(interval)
    assert len(saved) == 300
    assert max(saved) - min(saved) <= 1, "with the late one, or without"
