"""Training that is killed, interrupted or finds the disk full loses nothing.

A few moments of each kind; tests/endurance/test_kill_and_resume.py goes through all.
"""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.faults import tasks
from tests.faults.place import Place

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    with Place(tmp_path_factory.mktemp("faults"), tasks.train) as place:
        yield place


@pytest.fixture(scope="module")
def steps(place: Place) -> list[str]:
    return place.steps


def test_a_file_is_safe_before_it_is_renamed(steps: list[str]) -> None:
    """Each save: written, synced, renamed, and the folder synced; then the checkpoint goes."""
    saves = " ".join(steps).removesuffix(" unlink").split("open ")[1:]
    assert len(saves) > 5
    for save in saves:
        words = save.split()
        writes = words.count("write")
        modes = words.count("fchmod")
        assert words == ["write"] * writes + ["fchmod"] * modes + ["fsync", "rename", "fsync"]
        assert writes > 0


@pytest.mark.parametrize("kind", ["kill", "torn"])
@pytest.mark.parametrize("name", ["write", "rename"])
def test_killed_while_saving(place: Place, steps: list[str], kind: str, name: str) -> None:
    """In a checkpoint near the middle, and in the model at the end."""
    found = [number for number, step in enumerate(steps, start=1) if step == name]
    chosen = found[len(found) // 2] if kind == "kill" else found[-1]
    assert place.kill_at(chosen, kind)


@pytest.mark.parametrize("share", [0.0, 0.5, 1.0])
def test_a_full_disk(place: Place, steps: list[str], share: float) -> None:
    writes = [number for number, step in enumerate(steps, start=1) if step == "write"]
    assert place.fill_disk_at(writes[round(share * (len(writes) - 1))])


@pytest.fixture
def _interruptible() -> Iterator[None]:
    """Programs in the background of a shell ignore Ctrl-C, and those they start do so too."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("_interruptible")
@pytest.mark.parametrize("threads", ["1", "2"])
def test_ctrl_c_saves_a_checkpoint(place: Place, threads: str) -> None:
    place.start_anew()
    checkpoint = Path(f"{place.output}.checkpoint")
    # Long enough to be interrupted, and no checkpoint but that of the interruption.
    longer = ["--set", "training.epochs=4000", "--set", "training.checkpoint_minutes=1000"]
    command = [*place.command(*longer), "--threads", threads]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        for line in process.stderr:
            if line.startswith("parser epoch 3/"):
                break
        process.send_signal(signal.SIGINT)
        rest = process.stderr.read().splitlines()
    assert process.returncode == 130
    assert rest[-1] == f"niwaki: interrupted; {checkpoint} is saved; --resume goes on from it"
    assert not any("Traceback" in line for line in rest)
    left = {*place.expected, checkpoint.name}
    assert set(os.listdir(place.outputs)) == left
    assert not place.check_old_file()
    # It goes on from there: the first epochs are not heard of again.
    with subprocess.Popen([*command, "--resume"], stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        first = next(line for line in process.stderr if line.startswith("parser epoch"))
        process.send_signal(signal.SIGINT)
        process.stderr.read()
    assert int(first.split()[2].partition("/")[0]) > 3
    checkpoint.unlink()


@pytest.mark.usefixtures("_interruptible")
def test_ctrl_c_before_there_is_anything_to_save(place: Place) -> None:
    place.start_anew()
    command = place.command("--set", "segmenter.epochs=100000")
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        process.stderr.readline()
        time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        rest = process.stderr.read().splitlines()
    assert process.returncode == 130
    assert rest[-1] == "niwaki: interrupted"
    assert os.listdir(place.outputs) == [place.output.name]
