"""Fuzzes targets with atheris: python -m tests.fuzz [--seconds N] [--seed N] [TARGET ...]

Each target runs in a process of its own for its share of the time, starting from its
corpus. What is found new is kept in build/fuzz/<target>; an input that fails is written
there as crash-*, and its place is tests/fuzz/corpus/<target>, where `make test` replays it.

Without atheris, `--blind` makes inputs at random from those of the corpus: no coverage guides it.

If `make fuzz` has compiled the kernel to tell what it reached (build/fuzz-kernel), that one is
fuzzed, and coverage guides into it; else only the Python code is seen.
"""

from __future__ import annotations

import argparse
import ctypes
import importlib
import os
import random
import re
import resource
import signal
import subprocess
import sys
import time
import traceback
from pathlib import Path

HERE = Path(__file__).parent
BUILD = HERE.parents[1] / "build"
FOUND = BUILD / "fuzz"
KERNEL = BUILD / "fuzz-kernel" / "lib"
COVERAGE = BUILD / "fuzz-kernel" / "coverage.so"
# What an input may take.
_TIMEOUT, _MEGABYTES = 20, 2000
# All that coverage.c has. A target that reaches little of the kernel may take fewer.
_COUNTERS = 1 << 15


def target_names() -> list[str]:
    return sorted(path.name for path in (HERE / "corpus").iterdir())


def fuzz(name: str, seconds: int, seed: int) -> int:
    """Fuzz one target in this process; it ends with libFuzzer's status."""
    import atheris

    with atheris.instrument_imports(include=["niwaki"]):
        target = importlib.import_module(f"tests.fuzz.{name}")
    if COVERAGE.exists():
        from atheris import core_with_libfuzzer

        fuzzer = ctypes.CDLL(core_with_libfuzzer.__file__)
        ctypes.CDLL(str(COVERAGE)).register_counters(
            fuzzer.__sanitizer_cov_8bit_counters_init,
            fuzzer.__sanitizer_cov_pcs_init,
            getattr(target, "COUNTERS", _COUNTERS),
        )
    found = FOUND / name
    found.mkdir(parents=True, exist_ok=True)
    options = [
        f"-max_total_time={seconds}",
        f"-seed={seed}",
        f"-artifact_prefix={found}/",
        f"-timeout={_TIMEOUT}",
        f"-rss_limit_mb={_MEGABYTES}",
        "-print_final_stats=1",
        "-verbosity=0",
        *getattr(target, "OPTIONS", ()),
    ]
    atheris.Setup([sys.argv[0], *options, str(found), str(HERE / "corpus" / name)], target.check)
    atheris.Fuzz()
    return 0


def blind(name: str, seconds: int, seed: int) -> int:
    """The same without a fuzzer; the input of a process that dies is left as `last`."""
    check = importlib.import_module(f"tests.fuzz.{name}").check
    seeds = [path.read_bytes() for path in sorted((HERE / "corpus" / name).iterdir())]
    found = FOUND / name
    found.mkdir(parents=True, exist_ok=True)
    chance = random.Random(seed)
    runs, failed, end = 0, 0, time.monotonic() + seconds
    while time.monotonic() < end and not failed:
        data = bytearray(chance.choice(seeds))
        for _ in range(chance.randrange(1, 4)):
            at = chance.randrange(len(data) + 1)
            data[at : at + chance.randrange(4)] = chance.randbytes(chance.randrange(24))
        (found / "last").write_bytes(data)
        signal.alarm(_TIMEOUT)
        try:
            check(bytes(data))
        except Exception:
            traceback.print_exc()
            failed = 1
        signal.alarm(0)
        runs += 1
        if resource.getrusage(resource.RUSAGE_SELF).ru_maxrss > _MEGABYTES << 10:
            print(f"more than {_MEGABYTES} MB", file=sys.stderr)
            failed = 1
    print(f"stat::number_of_executed_units: {runs}", file=sys.stderr)
    if failed:
        (found / "last").replace(found / f"crash-{seed}-{runs}")
    return failed


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("targets", nargs="*", metavar="TARGET")
    parser.add_argument("--seconds", type=int, default=60, help="for all targets together")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--here", action="store_true", help="one target in this process")
    parser.add_argument("--blind", action="store_true", help="at random, without atheris")
    arguments = parser.parse_args()
    targets = arguments.targets or target_names()
    share = max(1, arguments.seconds // len(targets))
    if arguments.here:
        run = blind if arguments.blind else fuzz
        return run(targets[0], share, arguments.seed)
    environment = dict(os.environ)
    if COVERAGE.exists():
        environment |= {"LD_PRELOAD": str(COVERAGE), "PYTHONPATH": str(KERNEL)}
    failed = []
    for name in targets:
        command = [sys.executable, "-m", "tests.fuzz", "--here", name]
        if arguments.blind:
            command.append("--blind")
        settings = ["--seconds", str(share), "--seed", str(arguments.seed)]
        done = subprocess.run(
            [*command, *settings],
            env=environment,
            stderr=subprocess.PIPE,
            text=True,
            errors="replace",
            check=False,
        )
        runs = re.search(r"number_of_executed_units:\s*(\d+)", done.stderr)
        print(f"{name}: {int(runs[1]) if runs else 0:,} executions in {share} s", flush=True)
        if done.returncode:
            failed.append(name)
            print(done.stderr[-4000:])
    if failed:
        print(f"failed: {', '.join(failed)}; the inputs are in {FOUND}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
