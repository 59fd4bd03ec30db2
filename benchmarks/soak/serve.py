"""The workbench for an hour under mixed load, its workers killed at random.

python -m benchmarks.soak.serve [--minutes 60]

Clients parse, ask for k best trees, reorder, compare, annotate and ask for what is wrong. Memory
is that of the server and its workers. Machines are shared and busy at times: a control, a fixed
piece of work in another process, is timed beside the requests, and latencies and processor time
are judged as multiples of its own.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import time
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

from benchmarks.common import ROOT, report, signature
from benchmarks.soak._control import Control, Taken
from benchmarks.soak._load import Asked, Load
from benchmarks.soak._watch import children, megabytes, processor_seconds, steadiness
from benchmarks.speed.serve import quantiles, server
from niwaki.draw import line_chart, round_limits

GARDEN = ROOT / "examples" / "garden.conllu"
Points = list[tuple[float, float]]
IMAGES = ROOT / "docs" / "images"
MEMORY_EVERY, CONTROL_EVERY, KILL_EVERY = 5.0, 0.25, 30.0
SETTLING = 1 / 6  # of the run, which is not judged: ten minutes of an hour
# What a request that is right may be answered: a worker that was killed at its work is a 500.
EXPECTED = {"wrong": {400, 404, 413, 422}}
KILLED = 500


class Memory(NamedTuple):
    when: float
    server: float
    workers: float


class Watch:
    """Measures beside the clients, until it is cancelled."""

    def __init__(self, process: int) -> None:
        self.process = process
        self.memory: list[Memory] = []
        self.control: list[tuple[float, Taken]] = []
        self.used: list[tuple[float, float, float]] = []

    async def look(self) -> None:
        while True:
            workers = await asyncio.to_thread(lambda: list(children(self.process)))
            size = [await asyncio.to_thread(megabytes, each) for each in (self.process, *workers)]
            now = time.perf_counter()
            self.memory.append(Memory(now, size[0], sum(size[1:])))
            self.used.append((now, *await asyncio.to_thread(processor_seconds, self.process)))
            await asyncio.sleep(MEMORY_EVERY)

    async def time_control(self) -> None:
        control = await Control.start()
        try:
            while True:
                self.control.append((time.perf_counter(), await control.ask()))
                await asyncio.sleep(CONTROL_EVERY)
        finally:
            await control.stop()


async def soak(port: int, process: int, minutes: float, seed: int) -> dict[str, Any]:
    load, watch = Load(port, process, seed), Watch(process)
    begun = time.perf_counter()
    work = [client() for client in load.clients()]
    work += [load.kill(KILL_EVERY), watch.look(), watch.time_control()]
    tasks = [asyncio.ensure_future(each) for each in work]
    # A client that fails ends the run: nothing is measured with fewer clients than are said.
    done, pending = await asyncio.wait(
        tasks, timeout=60 * minutes, return_when=asyncio.FIRST_EXCEPTION
    )
    for task in pending:
        task.cancel()
    await asyncio.gather(*pending, return_exceptions=True)
    for task in done:
        task.result()
    rows = list(by_minute(load, watch, begun, int(minutes)))
    return {**summary(load, rows), "minutes": rows}


def by_minute(load: Load, watch: Watch, begun: float, minutes: int) -> Iterable[dict[str, Any]]:
    for minute in range(minutes):
        start, stop = begun + 60 * minute, begun + 60 * (minute + 1)
        asked = [each for each in load.asked if start <= each.when < stop]
        memory = [each for each in watch.memory if start <= each.when < stop]
        control = [taken for when, taken in watch.control if start <= when < stop]
        used = [each for each in watch.used if start <= each[0] < stop]
        times = quantiles([each.seconds for each in asked if is_answered(each, "parse")])
        beside = quantiles([each.wall for each in control])["p50_ms"]
        own, below = (1000 * minutely(used, at) / len(asked) for at in (1, 2))
        worked = 1000 * median(each.processor for each in control)
        yield {
            "minute": minute,
            "requests": len(asked),
            "server_mb": round(median(each.server for each in memory), 1),
            "workers_mb": round(median(each.workers for each in memory), 1),
            "parse_p50_ms": times["p50_ms"],
            "parse_p99_ms": times["p99_ms"],
            "control_p50_ms": beside,
            "parse_of_control": round(times["p50_ms"] / beside, 3),
            "server_processor_ms": round(own, 3),
            "workers_processor_ms": round(below, 3),
            "control_processor_ms": round(worked, 3),
            "server_of_control": round(own / worked, 4),
            "workers_of_control": round(below / worked, 4),
            "kills": sum(start <= when < stop for when in load.kills),
        }


def minutely(used: list[tuple[float, float, float]], at: int) -> float:
    """Seconds of the processor in a minute, from the samples in it."""
    return 60 * (used[-1][at] - used[0][at]) / (used[-1][0] - used[0][0])


def is_answered(asked: Asked, kind: str) -> bool:
    return asked.kind == kind and asked.status == 200


def summary(load: Load, rows: list[dict[str, Any]]) -> dict[str, Any]:
    settled = rows[int(SETTLING * len(rows)) :]
    kinds = sorted({each.kind for each in load.asked})
    judged = {
        "memory, server": [row["server_mb"] for row in settled],
        "memory, all": [row["server_mb"] + row["workers_mb"] for row in settled],
        "latency of control": [row["parse_of_control"] for row in settled],
        "processor time, server, of control": [row["server_of_control"] for row in settled],
        "processor time, workers, of control": [row["workers_of_control"] for row in settled],
    }
    unexpected = Counter(
        f"{each.kind}: {each.status}"
        for each in load.asked
        if each.status not in EXPECTED.get(each.kind, {200, KILLED})
    )
    return {
        "requests": len(load.asked),
        "kills": len(load.kills),
        "answered_500": sum(each.status == KILLED for each in load.asked),
        "unexpected": dict(unexpected),
        "kinds": {
            kind: {
                "requests": sum(each.kind == kind for each in load.asked),
                **quantiles([each.seconds for each in load.asked if each.kind == kind]),
            }
            for kind in kinds
        },
        "after_settling": {name: steadiness(values) for name, values in judged.items()},
    }


def draw(rows: list[dict[str, Any]]) -> dict[str, str]:
    """Pictures of memory, latency and processor time, by the names of their files."""
    pictures = {
        "soak-memory": (
            "Memory of niwaki serve",
            "MB",
            {"server": "server_mb", "workers": "workers_mb"},
        ),
        "soak-latency": (
            "A parse over HTTP, and the control",
            "ms, median of a minute",
            {"parse": "parse_p50_ms", "control": "control_p50_ms"},
        ),
        "soak-ratio": (
            "As a multiple of the control",
            "times the control",
            {
                "latency of a parse": "parse_of_control",
                "processor, server": "server_of_control",
                "workers": "workers_of_control",
            },
        ),
    }
    return {
        name: chart(title, unit, {shown: over(rows, key) for shown, key in keys.items()})
        for name, (title, unit, keys) in pictures.items()
    }


def over(rows: list[dict[str, Any]], key: str) -> Points:
    return [(row["minute"], row[key]) for row in rows]


def chart(title: str, unit: str, series: dict[str, Points], x: str = "minute") -> str:
    """Lines above zero, wide enough for an hour."""
    points = [point for line in series.values() for point in line]
    return line_chart(
        series,
        title=title,
        x=x,
        y=unit,
        x_limits=(0.0, max(across for across, _ in points)),
        y_limits=(0.0, round_limits([0.0, *(up for _, up in points)])[1]),
        whole_x=True,
        size=(420, 200),
    )


def main() -> None:
    made = argparse.ArgumentParser(description=__doc__)
    made.add_argument("--minutes", type=int, default=60)
    made.add_argument("--seed", type=int, default=1)
    made.add_argument("--images", type=Path, default=IMAGES)
    given = made.parse_args()
    # What runs is what is there now; an hour later, it may be another commit.
    about = signature(seed=given.seed, workers=2)
    with server("--trees", f"garden={GARDEN}") as (port, process):
        found = asyncio.run(soak(port, process, given.minutes, given.seed))
    about["load"] = round(os.getloadavg()[0], 1)
    for name, picture in draw(found["minutes"]).items():
        (given.images / f"{name}.svg").write_text(picture + "\n")
    report("soak-serve", {"signature": about, **found})


if __name__ == "__main__":
    main()
