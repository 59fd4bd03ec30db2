"""Training killed at every step of every save and at random moments loses nothing.

It takes a quarter of an hour; a quick part of it is in tests/training.
"""

from __future__ import annotations

import random
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.faults import tasks
from tests.faults.place import Place

MOMENTS = 50


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    folder = tmp_path_factory.mktemp("faults")
    with Place(folder, lambda place: tasks.train(place, sentences=300)) as place:
        yield place


@pytest.mark.parametrize("kind", ["kill", "torn"])
def test_killed_at_each_step_of_saving(place: Place, kind: str) -> None:
    """Before each open, write, fsync, chmod, rename and unlink; or after it, half done."""
    count = len(place.steps)
    killed = [place.kill_at(step, kind) for step in range(1, count + 1)]
    print(f"{kind}: killed at {sum(killed)} of {count} steps")
    # What a save holds may differ a little between runs, and so may the number of writes.
    assert sum(killed) >= count - 3


def test_the_disk_is_full_at_each_step(place: Place) -> None:
    count = len(place.steps)
    failed = [place.fill_disk_at(step) for step in range(1, count + 1)]
    print(f"full: failed at {sum(failed)} of {count} steps")
    # To change a mode and to remove the checkpoint at the end need no room.
    assert sum(failed) >= count - 5


def test_a_disk_that_is_really_small(place: Place, tmp_path: Path) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    size = f"size={len(place.expected[place.task.output]) // 2 + 4096}"
    mount = ["mount", "-t", "tmpfs", "-o", size, "tmpfs", str(disk)]
    if subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("this user may not mount a disk")
    try:
        output = disk / "m.niwaki"
        output.write_bytes(b"old")
        command = place.command("--set", "training.checkpoint_minutes=1000")
        command[command.index("-o") + 1] = str(output)
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 1
        assert done.stderr.splitlines()[-1] == f"niwaki: {output}: No space left on device"
        assert output.read_bytes() == b"old"
        assert {path.name for path in disk.iterdir()} == set(place.expected)
    finally:
        subprocess.run(["umount", str(disk)], check=True)


def test_killed_at_random_moments(place: Place) -> None:
    place.start_anew()
    started = time.monotonic()
    assert place.run_alone().status == 0
    whole = time.monotonic() - started
    draw = random.Random(1)
    kills = 0
    while kills < MOMENTS:
        place.start_anew()
        # A run is killed once or twice, and then left in peace.
        for attempt in range(draw.choice([1, 1, 2])):
            options = ["--resume"] * min(attempt, 1)
            with subprocess.Popen(place.command(*options), stderr=subprocess.DEVNULL) as process:
                time.sleep(draw.uniform(0.0, whole))
                process.kill()
            if process.returncode == -signal.SIGKILL:
                kills += 1
            place.check_old_file()
        place.check_going_on()
    print(f"killed at {kills} random moments of runs of {whole:.1f} s")
