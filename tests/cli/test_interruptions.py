"""Commands that are killed or find the disk full leave the old file whole, and no litter.

A few steps of each; tests/endurance goes through all.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.faults.place import Place
from tests.faults.tasks import TASKS

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module", params=[name for name in TASKS if name != "uptrain --curve"])
def place(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Place]:
    with Place(tmp_path_factory.mktemp("faults"), TASKS[request.param]) as place:
        yield place


def step_of(place: Place, name: str, share: float) -> int:
    """The number of a step with this name, so far into the run."""
    found = [number for number, step in enumerate(place.steps, start=1) if step == name]
    return found[round(share * (len(found) - 1))]


@pytest.mark.parametrize(("name", "share"), [("write", 0.5), ("rename", 1.0)])
def test_killed(place: Place, name: str, share: float) -> None:
    """While a file is half written in the middle of the run; and before the last is in place."""
    kind = "torn" if name == "write" else "kill"
    assert place.kill_at(step_of(place, name, share), kind)


def test_a_full_disk(place: Place) -> None:
    assert place.fill_disk_at(step_of(place, "write", 0.4))


def test_a_limit_of_the_system(place: Place) -> None:
    """No file may grow: the errors are those of the system itself."""
    place.start_anew()
    done = place.run_alone("sh", "-c", 'ulimit -f 0; exec "$@"', "sh")
    place.check_complaint(done, "File too large")
    assert not place.check_old_file()
