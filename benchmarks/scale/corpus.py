"""A corpus over shards: two workers beside one, Ray beside processes, and workers that are killed.

python -m benchmarks.scale.corpus [--megabytes 1000] [--part 60] [--shards 200] [--beam 1]

The corpus is the text of AMALGUM, as often as it takes. Two workers parse all of it, and their
memory is watched. What is compared - one worker, two, two of Ray, and two of whom one is killed
every few seconds - is run on its first --part megabytes, so that all takes twenty minutes.
Seconds on the wall are of a machine on which nothing else should run; seconds of the processors,
which are counted for plain processes, say what two workers cost more than one wherever they are
measured. Of a worker's memory, `rss` is all that it has in its address space, pages that it shares
with others included, `pss` has its share of these, and `own` none; each is the most ever seen.
Memory is flat if the second half of a run saw no more than the first. The start is from the call of
the command to the first output of a shard.
"""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import io
import itertools
import json
import os
import random
import resource
import shutil
import signal
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import niwaki
from benchmarks.common import DATA, ROOT, need, report, signature
from niwaki.cli import main as run_command

WORK = ROOT / "build" / "scale"
_MEGABYTE = 1_000_000


def corpus(megabytes: float) -> Path:
    """Text of so many megabytes, a sentence a line."""
    path = WORK / f"corpus-{megabytes:g}.txt"
    if path.exists():
        return path
    WORK.mkdir(parents=True, exist_ok=True)
    left = int(megabytes * _MEGABYTE)
    with open(path, "wb") as file:
        for name in itertools.cycle(sorted(need(DATA / "silver-amalgum").glob("*.conllu.gz"))):
            for sentence in niwaki.read_conllu(name, multi_root=True):
                left -= file.write(f"{sentence.text}\n".encode())
                if left <= 0:
                    return path
    raise AssertionError("a cycle has no end")


def workers() -> Iterator[int]:
    """The worker processes of this one, of the local engine."""
    for path in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            parent = int(path.read_text().rpartition(")")[2].split()[1])
            command = (path.parent / "cmdline").read_bytes()
            if parent == os.getpid() and b"niwaki.scale.worker" in command:
                yield int(path.parent.name)


class Watch:
    """Sees how much memory workers have; kills one of them every few seconds, if it should."""

    def __init__(self, kill_every: float = 0.0) -> None:
        self.seen: list[tuple[float, Memory]] = []  # with the time of each look
        self.killed = 0
        self._every = kill_every
        self._end = threading.Event()
        self._thread = threading.Thread(target=self._look)

    def _look(self) -> None:
        chosen = random.Random(1)
        last = time.monotonic()
        while not self._end.wait(0.2):
            found = list(workers())
            now = time.monotonic()
            self.seen += [(now, memory) for worker in found if (memory := memory_of(worker))]
            if self._every and found and time.monotonic() - last >= self._every:
                last = time.monotonic()
                with contextlib.suppress(ProcessLookupError):
                    os.kill(chosen.choice(found), signal.SIGKILL)
                    self.killed += 1

    def most(self) -> dict[str, Any]:
        """The most that a worker had; and of all it had, in each half of the time."""
        if not self.seen:
            return {}
        middle = (self.seen[0][0] + self.seen[-1][0]) / 2
        halves = [[m.rss for at, m in self.seen if (at > middle) == late] for late in (0, 1)]
        peaks = {
            name: round(max(getattr(m, name) for _, m in self.seen)) for name in Memory._fields
        }
        return {**peaks, "rss_by_halves": [round(max(half, default=0)) for half in halves]}

    def __enter__(self) -> Watch:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._end.set()
        self._thread.join()


class Memory(NamedTuple):
    """Megabytes of a process: all, with its share of what it shares, without what it shares."""

    rss: float
    pss: float
    own: float


_KINDS = {"Rss": "rss", "Pss": "pss", "Private_Clean": "own", "Private_Dirty": "own"}


def memory_of(worker: int) -> Memory | None:
    """None if the process has ended."""
    found = dict.fromkeys(Memory._fields, 0.0)
    with contextlib.suppress(OSError):
        for line in Path(f"/proc/{worker}/smaps_rollup").read_text().splitlines():
            name, _, value = line.partition(":")
            if name in _KINDS:
                found[_KINDS[name]] += int(value.split()[0]) * 1024 / _MEGABYTE
    return Memory(**found) if found["rss"] else None


def job(name: str, text: Path, size: float, *options: str, kill: float = 0.0) -> dict[str, Any]:
    """Run a job in a folder of its own: its report, and a checksum of all its outputs."""
    out = WORK / name
    shutil.rmtree(out, ignore_errors=True)
    words = ["parse", str(text), "--from", "lines", "--shards", str(out), "--json"]
    said = io.StringIO()
    before = _processors()
    started = time.perf_counter()
    with Watch(kill) as watch, contextlib.redirect_stdout(said):
        status = run_command([*words, "--shard-size", f"{size:g}", *options])
    if status:
        raise SystemExit(f"{name}: the job failed")
    outputs = sorted(path for path in out.iterdir() if path.suffix == ".conllu")
    made = hashlib.sha256()
    for path in outputs:
        with open(path, "rb") as file:
            made.update(hashlib.file_digest(file, "sha256").digest())
    shutil.rmtree(out)
    return {
        **json.loads(said.getvalue()),
        "wall": round(time.perf_counter() - started, 2),
        "processors": round(_processors() - before, 2),
        "memory": watch.most(),
        "killed": watch.killed,
        "outputs": made.hexdigest()[:16],
    }


def _processors() -> float:
    """Seconds of this process and of those that have ended."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(each.ru_utime + each.ru_stime for each in used)


def main() -> None:
    made = argparse.ArgumentParser(description=__doc__)
    made.add_argument("--profile", choices=["fast", "full"], default="full")
    made.add_argument("--megabytes", type=float, help="default: 1000; with --profile fast 60")
    made.add_argument(
        "--part",
        type=float,
        help="megabytes on which ways are compared; default: 60, or a fifth of all",
    )
    made.add_argument("--shards", type=int, default=200, help="of the run with killed workers")
    made.add_argument("--seconds", type=float, default=3.0, help="between two kills")
    made.add_argument("--beam", default="1")
    arguments = made.parse_args()
    megabytes = arguments.megabytes or (60 if arguments.profile == "fast" else 1000)
    part = arguments.part or min(60.0, megabytes / 5)
    beam = ("--beam", arguments.beam)
    size = min(4.0, part / 16)
    load = os.getloadavg()[0]
    two = ("--workers", "2")
    whole = job("whole", corpus(megabytes), size, *beam, *two)
    text = corpus(part)
    runs = {
        "one worker": job("one", text, size, *beam, "--workers", "1"),
        "two workers": job("two", text, size, *beam, *two),
        "two workers of Ray": job("ray", text, size, *beam, *two, "--engine", "ray"),
    }
    many = part / arguments.shards
    runs["calm"] = job("calm", text, many, *beam, *two)
    runs["killed"] = job("killed", text, many, *beam, *two, kill=arguments.seconds)
    small = corpus(0.01)
    first = {
        engine: job(f"first-{engine}", small, 1, *beam, *two, "--engine", engine)
        for engine in ("local", "ray")
    }
    one, both, ray = (runs[name] for name in ("one worker", "two workers", "two workers of Ray"))
    report(
        "scale-corpus",
        {
            "signature": signature(megabytes=megabytes, part=part, beam=arguments.beam, shard=size),
            "load_before_and_after": [round(load, 1), round(os.getloadavg()[0], 1)],
            "whole": whole,
            "faster_with_two_workers": round(one["wall"] / both["wall"], 3),
            "rate_of_two_on_all_to_one": round(rate(whole) / rate(one), 3),
            "processors_of_two_to_one": round(both["processors"] / one["processors"], 3),
            "ray_to_processes": round(rate(ray) / rate(both), 3),
            "same_bytes": len({each["outputs"] for each in (one, both, ray)}) == 1
            and runs["calm"]["outputs"] == runs["killed"]["outputs"],
            "first_result_seconds": {name: each["first_result"] for name, each in first.items()},
            "runs": runs,
        },
    )


def rate(run: dict[str, Any]) -> float:
    """Words a second once the first shard was done, so that starts do not count."""
    return float(run["new_words"] / (run["seconds"] - run["first_result"]))


if __name__ == "__main__":
    main()
