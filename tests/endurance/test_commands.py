"""Each command that writes, killed at each step of writing or with a full disk from there on.

It takes half an hour; a quick part of it is in tests/cli/test_interruptions.py.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.faults.place import Place
from tests.faults.tasks import TASKS


@pytest.fixture(scope="module", params=TASKS)
def place(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Place]:
    with Place(tmp_path_factory.mktemp("faults"), TASKS[request.param]) as place:
        yield place


@pytest.mark.parametrize("kind", ["kill", "torn"])
def test_killed_at_each_step(place: Place, kind: str) -> None:
    """Before it, or after it and half done; then run again, with --resume where there is one."""
    count = len(place.steps)
    killed = [place.kill_at(step, kind) for step in range(1, count + 1)]
    print(f"{place.task.words[0]}: {kind}: killed at {sum(killed)} of {count} steps")
    assert killed == [True] * count


def test_begun_anew(place: Place) -> None:
    """What can be resumed can also be begun again."""
    if not place.task.resumes:
        pytest.skip("always begun anew")
    count = len(place.steps)
    killed = [place.kill_at(step, "torn", resume=False) for step in range(1, count + 1)]
    print(f"{place.task.words[0]}: begun anew after {sum(killed)} of {count} steps")
    assert killed == [True] * count


def test_the_disk_is_full_at_each_step(place: Place) -> None:
    """A run that has only to remove files, or to change a mode, needs no room."""
    count = len(place.steps)
    failed = [place.fill_disk_at(step) for step in range(1, count + 1)]
    print(f"{place.task.words[0]}: full: failed at {sum(failed)} of {count} steps")
    rest = [step for step, did_fail in zip(place.steps, failed, strict=True) if not did_fail]
    assert set(rest) <= {"unlink", "fchmod"}
