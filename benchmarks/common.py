"""What all benchmarks share: rounds, signatures, results as JSON."""

from __future__ import annotations

import argparse
import json
import os
import platform
import re
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from datetime import date
from pathlib import Path
from typing import Any

import niwaki

ROOT = Path(__file__).resolve().parent.parent
# Public data, as tools/fetch_data.py gets it; models of other tools, trained on it, lie beside it.
DATA = Path(os.environ.get("NIWAKI_DATA") or ROOT.parent / "shared" / "data").absolute()
PEER_MODELS = DATA.parent / "peers"
# DATA, as configurations name it: a link that tools/fetch_data.py makes.
DATA_LINK = ROOT / "build" / "data"
RESULTS = ROOT / "benchmarks" / "results"
# A model of EWT alone: niwaki train configs/en-ewt.toml -o build/tasks/en-ewt.niwaki
EWT_MODEL = ROOT / "build" / "tasks" / "en-ewt.niwaki"
PEERS = ROOT / ".venv-peers" / "bin" / "python"


def timed(work: Callable[[], object], clock: Callable[[], float] = time.perf_counter) -> float:
    """Seconds on the wall, or of what `clock` counts."""
    start = clock()
    work()
    return clock() - start


def best_of(rounds: int, work: Mapping[str, Callable[[], float]]) -> dict[str, float]:
    """The best time of each piece of work.

    The pieces take turns within a round, so that a busy spell of a shared
    machine hits all of them; ratios within one run are what carries over.
    """
    best: dict[str, float] = {}
    for _ in range(rounds):
        for name, run in work.items():
            seconds = run()
            best[name] = min(best.get(name, seconds), seconds)
    return best


def peer(script: str, *arguments: str | os.PathLike[str]) -> dict[str, Any] | None:
    """What a script of benchmarks/peers says as JSON, or None if the tool is not installed."""
    command = [PEERS, ROOT / "benchmarks" / "peers" / script, *arguments]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return None
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer


def signature(**settings: object) -> dict[str, Any]:
    """Enough to know what was measured, where, and with which settings."""
    commit = subprocess.run(
        ["git", "describe", "--always", "--dirty"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    ).stdout.strip()
    model = re.search(r"model name\s*: (.*)", Path("/proc/cpuinfo").read_text())
    cpu = model[1] if model else platform.processor()
    return {
        "niwaki": niwaki.__version__,
        "commit": commit,
        "date": date.today().isoformat(),
        "python": platform.python_version(),
        "cpu": cpu,
        "cores": os.cpu_count(),
        **settings,
    }


def parser(description: str | None) -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(description=description)
    made.add_argument("--profile", choices=["fast", "full"], default="full")
    return made


def report(name: str, result: Mapping[str, Any]) -> None:
    """Print a result and keep it beside the others."""
    text = json.dumps(result, indent=1)
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / f"{name}.json").write_text(text + "\n")
    print(text)


def of_parser(model: str) -> str:
    """What is added to the name of a result if another parser than that in the box was measured."""
    return "" if model == "en" else f"-{Path(model).stem}"


def need(path: Path) -> Path:
    if not path.exists():
        sys.exit(f"{path} is missing; tools/fetch_data.py says where to get data")
    return path
