"""Fuzzes targets with atheris: python -m tests.fuzz [--seconds N] [--seed N] [TARGET ...]

Each target runs in a process of its own for its share of the time, starting from its
corpus. What is found new is kept in build/fuzz/<target>; an input that fails is written
there as crash-*, and its place is tests/fuzz/corpus/<target>, where `make test` replays it.

If `make fuzz` has compiled the kernel to tell what it reached (build/fuzz-kernel), that one is
fuzzed, and coverage guides into it; else only the Python code is seen.
"""

from __future__ import annotations

import argparse
import ctypes
import importlib
import os
import re
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
BUILD = HERE.parents[1] / "build"
FOUND = BUILD / "fuzz"
KERNEL = BUILD / "fuzz-kernel" / "lib"
COVERAGE = BUILD / "fuzz-kernel" / "coverage.so"


def target_names() -> list[str]:
    return sorted(path.name for path in (HERE / "corpus").iterdir())


def fuzz(name: str, seconds: int, seed: int) -> int:
    """Fuzz one target in this process; it ends with libFuzzer's status."""
    import atheris

    if COVERAGE.exists():
        from atheris import core_with_libfuzzer

        fuzzer = ctypes.CDLL(core_with_libfuzzer.__file__)
        ctypes.CDLL(str(COVERAGE)).register_counters(
            fuzzer.__sanitizer_cov_8bit_counters_init, fuzzer.__sanitizer_cov_pcs_init
        )
    with atheris.instrument_imports(include=["niwaki"]):
        target = importlib.import_module(f"tests.fuzz.{name}")
    found = FOUND / name
    found.mkdir(parents=True, exist_ok=True)
    options = [
        f"-max_total_time={seconds}",
        f"-seed={seed}",
        f"-artifact_prefix={found}/",
        "-timeout=20",
        "-rss_limit_mb=2000",
        "-print_final_stats=1",
        "-verbosity=0",
    ]
    atheris.Setup([sys.argv[0], *options, str(found), str(HERE / "corpus" / name)], target.check)
    atheris.Fuzz()
    return 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("targets", nargs="*", metavar="TARGET")
    parser.add_argument("--seconds", type=int, default=60, help="for all targets together")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--here", action="store_true", help="one target in this process")
    arguments = parser.parse_args()
    targets = arguments.targets or target_names()
    share = max(1, arguments.seconds // len(targets))
    if arguments.here:
        return fuzz(targets[0], share, arguments.seed)
    environment = dict(os.environ)
    if COVERAGE.exists():
        environment |= {"LD_PRELOAD": str(COVERAGE), "PYTHONPATH": str(KERNEL)}
    failed = []
    for name in targets:
        command = [sys.executable, "-m", "tests.fuzz", "--here", name]
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
