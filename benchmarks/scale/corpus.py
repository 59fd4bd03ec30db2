"""A corpus over shards: two workers beside one, Ray beside processes, and workers that are killed.

python -m benchmarks.scale.corpus [--megabytes 1000] [--shards 200] [--seconds 3] [--beam 1]

The corpus is the text of AMALGUM, as often as it takes. Seconds on the wall are of a machine on
which nothing else should run; seconds of the processors, which are counted for plain processes, say
what two workers cost more than one wherever they are measured. Memory is the most that a worker
process ever had. In the last run a worker is killed every few seconds.
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
from typing import Any

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
        self.memory = 0.0
        self.killed = 0
        self._every = kill_every
        self._end = threading.Event()
        self._thread = threading.Thread(target=self._look)

    def _look(self) -> None:
        chosen = random.Random(1)
        last = time.monotonic()
        while not self._end.wait(0.2):
            found = list(workers())
            self.memory = max([self.memory, *map(_peak, found)])
            if self._every and found and time.monotonic() - last >= self._every:
                last = time.monotonic()
                with contextlib.suppress(ProcessLookupError):
                    os.kill(chosen.choice(found), signal.SIGKILL)
                    self.killed += 1

    def __enter__(self) -> Watch:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._end.set()
        self._thread.join()


def _peak(worker: int) -> float:
    """The most memory that a process had, in megabytes."""
    with contextlib.suppress(OSError):
        for line in Path(f"/proc/{worker}/status").read_text().splitlines():
            if line.startswith("VmHWM"):
                return int(line.split()[1]) * 1024 / _MEGABYTE
    return 0.0


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
    made = hashlib.sha256(b"".join(hashlib.sha256(p.read_bytes()).digest() for p in outputs))
    shutil.rmtree(out)
    return {
        **json.loads(said.getvalue()),
        "wall": round(time.perf_counter() - started, 2),
        "processors": round(_processors() - before, 2),
        "memory": round(watch.memory),
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
    made.add_argument("--megabytes", type=float, help="default: 1000; with --profile fast 20")
    made.add_argument("--shards", type=int, default=200, help="of the run with killed workers")
    made.add_argument("--seconds", type=float, default=3.0, help="between two kills")
    made.add_argument("--beam", default="1")
    arguments = made.parse_args()
    megabytes = arguments.megabytes or (20 if arguments.profile == "fast" else 1000)
    text = corpus(megabytes)
    beam = ("--beam", arguments.beam)
    size = min(4.0, megabytes / 16)
    runs = {
        "one worker": job("one", text, size, *beam, "--workers", "1"),
        "two workers": job("two", text, size, *beam, "--workers", "2"),
        "two workers of Ray": job("ray", text, size, *beam, "--workers", "2", "--engine", "ray"),
    }
    many = megabytes / arguments.shards
    runs["calm"] = job("calm", text, many, *beam, "--workers", "2")
    runs["killed"] = job("killed", text, many, *beam, "--workers", "2", kill=arguments.seconds)
    small = corpus(0.01)
    first = {
        engine: job(f"first-{engine}", small, 1, *beam, "--workers", "2", "--engine", engine)
        for engine in ("local", "ray")
    }
    one, two, ray = (runs[name] for name in ("one worker", "two workers", "two workers of Ray"))
    report(
        "scale-corpus",
        {
            "signature": signature(megabytes=megabytes, beam=arguments.beam, shard=size),
            "load": os.getloadavg(),
            "faster_with_two_workers": round(one["wall"] / two["wall"], 3),
            "processors_of_two_to_one": round(two["processors"] / one["processors"], 3),
            "ray_to_processes": round(ray["words_per_second"] / two["words_per_second"], 3),
            "same_bytes": len({each["outputs"] for each in (one, two, ray)}) == 1
            and runs["calm"]["outputs"] == runs["killed"]["outputs"],
            "first_result_seconds": {name: each["wall"] for name, each in first.items()},
            "runs": runs,
        },
    )


if __name__ == "__main__":
    main()
