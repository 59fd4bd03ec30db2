"""Engines run what they are given, each item once, whatever happens to workers."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from niwaki.errors import ExtraMissingError, NiwakiError
from niwaki.scale.engine import Crew, Done, Engine, answers_in_order, engine_of

HERE = "tests.scale.working"


def waited_for(path: Path) -> str:
    """What a worker has written; tests end by their own limit if it never does."""
    while not path.exists() or not path.read_text():
        time.sleep(0.01)
    return path.read_text()


def ended(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return True
    return state == "Z"


def test_items_are_mapped(engine: str, tmp_path: Path) -> None:
    with engine_of(engine, 2) as started:
        found = dict(started.map(f"{HERE}:doubled", range(20), str(tmp_path)))
    assert found == {number: 2 * number for number in range(20)}


def test_workers_keep_what_they_made(engine: str) -> None:
    with engine_of(engine, 2) as started, started.crew(f"{HERE}:Adder", 100) as crew:
        tickets = {crew.submit(item, worker=item % 2): item for item in range(6)}
        done = {tickets[each.ticket]: each.value for each in crew.finished()}
        assert {item: value[0] for item, value in done.items()} == {i: i + 100 for i in range(6)}
        assert [done[item][1] for item in range(6)] == [1, 1, 2, 2, 3, 3]
        assert len({done[item][2] for item in (0, 2, 4)}) == 1
        assert {value[2] for value in done.values()} == set(crew.pids())


def test_answers_come_in_order(engine: str, tmp_path: Path) -> None:
    """Also of items that were given again; no more items than wanted are taken ahead."""
    (tmp_path / "0").touch()
    taken = []

    def items() -> Iterator[int]:
        for item in range(30):
            taken.append(item)
            yield item

    call = "niwaki.scale.engine:_Call"
    constants = (f"{HERE}:doubled", str(tmp_path))
    with engine_of(engine, 2) as started, started.crew(call, *constants) as crew:
        found = answers_in_order(crew, items(), ahead=3)
        assert next(found) == 0
        # However long it took to start another worker for the first item: nine, and three more.
        assert len(taken) <= 12
        assert list(found) == list(range(2, 60, 2))


def test_an_item_of_a_killed_worker_is_given_to_another(engine: str, tmp_path: Path) -> None:
    for item in (3, 7):
        (tmp_path / str(item)).touch()
    with engine_of(engine, 2) as started:
        found = dict(started.map(f"{HERE}:doubled", range(10), str(tmp_path)))
    assert found == {number: 2 * number for number in range(10)}
    assert not list(tmp_path.iterdir())


def test_an_item_that_kills_every_worker_is_an_error() -> None:
    with (
        engine_of("local", 2) as started,
        pytest.raises(NiwakiError, match="item 4: 2 workers died of it"),
    ):
        list(started.map(f"{HERE}:deadly", range(6), attempts=2))


def test_a_killed_worker_is_told_and_replaced(engine: str, tmp_path: Path) -> None:
    with engine_of(engine, 2) as started, started.crew(f"{HERE}:Stuck", str(tmp_path)) as crew:
        first, second = crew.submit("first"), crew.submit("second")
        os.kill(int(waited_for_while(crew, tmp_path / "first.pid")), signal.SIGKILL)
        assert crew.wait() == Done(first, died=True)
        waited_for_while(crew, tmp_path / "second.pid")
        (tmp_path / "go").touch()
        again = crew.submit("again")
        found = {done.ticket: done.value for done in crew.finished()}
        assert found == {second: "second", again: "again"}
        assert crew.deaths == 1


def waited_for_while(crew: Crew, path: Path) -> str:
    """The same; items are dealt to workers while somebody waits for one that is done."""
    while not path.exists() or not path.read_text():
        assert crew.wait(0.05) is None
    return path.read_text()


def test_what_a_worker_raises_is_raised(engine: str) -> None:
    with engine_of(engine, 1) as started:
        with pytest.raises(NiwakiError, match="item 2 is wrong; leave it out"):
            list(started.map(f"{HERE}:raising", range(4)))
        with pytest.raises(NiwakiError, match="no model 'x'"):
            _first(started, f"{HERE}:broken_maker")


def _first(started: Engine, maker: str) -> Done | None:
    with started.crew(maker) as crew:
        crew.submit(1)
        return crew.wait()


def test_workers_that_die_at_their_start_are_an_error() -> None:
    with (
        engine_of("local", 1) as started,
        pytest.raises(NiwakiError, match="5 workers in a row died while they started"),
    ):
        _first(started, f"{HERE}:dying_maker")


def test_workers_end_with_their_head(tmp_path: Path) -> None:
    code = (
        "import sys; from niwaki.scale.engine import engine_of\n"
        f"crew = engine_of('local', 1).crew('{HERE}:Stuck', sys.argv[1])\n"
        "crew.submit('item'); crew.wait()"
    )
    with subprocess.Popen([sys.executable, "-c", code, str(tmp_path)]) as head:
        worker = int(waited_for(tmp_path / "item.pid"))
        head.kill()
    while not ended(worker):
        time.sleep(0.05)
    assert ended(worker)


def test_unknown_engines_and_no_workers_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(NiwakiError, match="no engine 'slurm'; give local, ray or ray://HOST"):
        engine_of("slurm", 1)
    with pytest.raises(NiwakiError, match="workers is 0"):
        engine_of("local", 0)
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(ExtraMissingError, match=r"pip install niwaki\[scale\]"):
        engine_of("ray", 1)
