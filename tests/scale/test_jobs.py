"""Jobs give the same bytes whatever happens: workers and heads that are killed, bad lines."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from niwaki.errors import NiwakiError
from niwaki.scale.cutting import shards_of
from niwaki.scale.engine import engine_of
from niwaki.scale.jobs import JobSettings, Report, run_job

LINES = [f"line {number} of the corpus" for number in range(200)]
SIZE = 500


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    path = tmp_path / "corpus.txt"
    path.write_text("\n".join(LINES) + "\n", encoding="utf-8")
    return path


def settings(folder: Path, checksum: str = "1") -> JobSettings:
    folder.mkdir(exist_ok=True)
    return JobSettings(checksum, ".txt", None, "tests.scale.working:Shout", (str(folder),))


def run(
    corpus: Path, out: Path, *, engine: str = "local", workers: int = 2, checksum: str = "1"
) -> Report:
    shards = shards_of([str(corpus)], "lines", SIZE)
    with engine_of(engine, workers) as started:
        return run_job(started, shards, out, settings(corpus.parent / "state", checksum))


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


def replace_line(corpus: Path, number: int, line: str) -> None:
    lines = corpus.read_text().split("\n")
    lines[number] = line
    corpus.write_text("\n".join(lines))


def quarantined(out: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in (out / "quarantine.jsonl").read_text().splitlines()]


def test_bytes_do_not_depend_on_workers_or_engines(
    corpus: Path, tmp_path: Path, engine: str
) -> None:
    one = run(corpus, tmp_path / "one", workers=1)
    assert one.shards == 9 and one.words == 1000 and one.retries == 0
    for workers in (2, 5):
        other = run(corpus, tmp_path / f"{engine}{workers}", engine=engine, workers=workers)
        assert (other.shards, other.words) == (one.shards, one.words)
        assert contents(tmp_path / f"{engine}{workers}") == contents(tmp_path / "one")
    made = b"".join(path.read_bytes() for path in sorted((tmp_path / "one").glob("*.txt")))
    assert made.count(b" OF THE CORPUS\n") == len(LINES)


def test_a_shard_whose_worker_is_killed_is_done_again(
    corpus: Path, tmp_path: Path, engine: str
) -> None:
    for number in (3, 50, 51, 120):
        replace_line(corpus, number, f"ONCE{number}")
    report = run(corpus, tmp_path / "killed", engine=engine)
    assert report.retries == 4 and report.quarantined == 0
    calm = run(corpus, tmp_path / "calm")
    assert calm.retries == 0
    assert contents(tmp_path / "killed") == contents(tmp_path / "calm")


@pytest.mark.slow
def test_lines_that_kill_or_raise_are_quarantined(corpus: Path, tmp_path: Path) -> None:
    replace_line(corpus, 30, "DEADLY")
    replace_line(corpus, 100, "WRONG")
    replace_line(corpus, 101, "WRONG")
    report = run(corpus, tmp_path / "out")
    assert (report.quarantined, report.words, report.shards) == (3, 985, 9)
    file = str(corpus)
    assert quarantined(tmp_path / "out") == [
        {"file": file, "line": 31, "reason": "its worker died", "text": "DEADLY\n"},
        {"file": file, "line": 101, "reason": "ValueError: a wrong line", "text": "WRONG\n"},
        {"file": file, "line": 102, "reason": "ValueError: a wrong line", "text": "WRONG\n"},
    ]
    run(corpus, tmp_path / "alone", workers=1)
    assert contents(tmp_path / "alone") == contents(tmp_path / "out")
    # The shard was done as a whole: lines have the numbers that they have in it.
    shards = [path.read_bytes() for path in (tmp_path / "out").glob("*.txt")]
    (shard,) = (data for data in shards if b"LINE 31 " in data)
    numbers = [int(line.split()[0]) for line in shard.split(b"\n")]
    assert numbers == list(range(len(numbers)))
    again = run(corpus, tmp_path / "out")
    assert (again.finished_before, again.quarantined, again.new_words) == (9, 3, 0)
    assert contents(tmp_path / "alone") == contents(tmp_path / "out")


def test_text_that_is_not_utf8_is_quarantined_at_once(corpus: Path, tmp_path: Path) -> None:
    corpus.write_bytes(corpus.read_bytes().replace(b"line 7 of", b"line \xff7 of"))
    report = run(corpus, tmp_path / "out")
    assert (report.quarantined, report.retries) == (1, 0)
    (found,) = quarantined(tmp_path / "out")
    assert found["line"] == 8 and "invalid UTF-8 at byte 6" in str(found["reason"])


def test_a_restart_does_what_is_left(corpus: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    run(corpus, out)
    before = contents(out)
    (out / "corpus.txt.00003.txt").unlink()
    (out / "corpus.txt.00005.txt.done").unlink()
    damaged = out / "corpus.txt.00007.txt"
    damaged.write_bytes(damaged.read_bytes()[:-9] + b"damage!!\n")
    (out / "corpus.txt.00008.txt.done").write_bytes(b"{")
    report = run(corpus, out)
    assert (report.shards, report.finished_before) == (9, 5)
    assert contents(out) == before


def test_a_changed_input_is_done_again(corpus: Path, tmp_path: Path) -> None:
    run(corpus, tmp_path / "out")
    replace_line(corpus, 0, "LINE 0 of the corpus")
    assert run(corpus, tmp_path / "out").finished_before == 8


def test_a_folder_of_another_job_is_refused(corpus: Path, tmp_path: Path) -> None:
    run(corpus, tmp_path / "out")
    with pytest.raises(NiwakiError, match="shards of a job with other settings; give another"):
        run(corpus, tmp_path / "out", checksum="2")


def test_errors_of_files_end_the_job(corpus: Path, tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "corpus.txt.00000.txt").mkdir()
    with pytest.raises(OSError, match=r"corpus\.txt\.00000\.txt"):
        run(corpus, tmp_path / "out")


HEAD = """
import sys
from pathlib import Path
from tests.scale.test_jobs import run
run(Path(sys.argv[1]), Path(sys.argv[2]))
"""


def test_a_killed_head_is_resumed(corpus: Path, tmp_path: Path) -> None:
    out, state = tmp_path / "out", tmp_path / "state"
    state.mkdir()
    (state / "wait").touch()
    command = [sys.executable, "-c", HEAD, str(corpus), str(out)]
    with subprocess.Popen(command) as head:
        while len(list(state.glob("*.waits"))) < 2:
            time.sleep(0.01)
        head.send_signal(signal.SIGKILL)
    workers = [int(path.stem) for path in state.glob("*.waits")]
    while any(Path(f"/proc/{pid}").exists() for pid in workers):
        time.sleep(0.05)
    (state / "wait").unlink()
    assert not list(out.glob("*.done"))
    report = run(corpus, out)
    assert report.finished_before == 0
    run(corpus, tmp_path / "calm")
    assert contents(out) == contents(tmp_path / "calm")


def test_a_worker_that_is_killed_by_its_number_while_it_works(corpus: Path, tmp_path: Path) -> None:
    state = tmp_path / "state"
    state.mkdir()
    (state / "wait").touch()
    killed: list[int] = []

    with subprocess.Popen([sys.executable, "-c", HEAD, str(corpus), str(tmp_path / "out")]) as head:
        while len(killed) < 2:
            for path in state.glob("*.waits"):
                # A third may wait already when the second is found.
                if len(killed) < 2 and int(path.stem) not in killed:
                    killed.append(int(path.stem))
                    os.kill(killed[-1], signal.SIGKILL)
            time.sleep(0.01)
        (state / "wait").unlink()
    assert head.returncode == 0 and len(killed) == 2
    run(corpus, tmp_path / "calm")
    assert contents(tmp_path / "out") == contents(tmp_path / "calm")
