"""How training goes: what epochs did, who is told, and the log beside the model."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Protocol

from niwaki.data.files import atomic_write


@dataclass(frozen=True)
class ObjectiveReport:
    """What an objective did in an epoch; the means are over its examples.

    `first` is the cost of the parser's own tree while it learns and `oracle` that of the
    cheapest candidate: between them lies what an update can gain. `written` is the cost of the
    trees of the model as it would be written now, over `priced` examples. `rescued` counts examples
    whose right tree was found by constrained search only, `retagged` those whose cheapest
    tree was found with another tag of a word only, `single` those that taught nothing because the
    parser found one tree only.
    """

    name: str
    examples: int
    updates: int
    first: float
    oracle: float
    k: float
    rescued: int
    retagged: int = 0
    single: int = 0
    written: float | None = None
    priced: int = 0


@dataclass(frozen=True)
class EpochReport:
    """What one epoch did; the scores are those of the compressed, averaged weights."""

    stage: str
    epoch: int
    epochs: int
    updates: int
    rows: int
    uas: float | None
    las: float | None
    objectives: tuple[ObjectiveReport, ...] = ()

    def log_lines(self) -> list[str]:
        """As the log has it: a line for the treebank and one for each cost."""
        own = {"epoch": self.epoch, "stage": self.stage}
        treebank = {"updates": self.updates, "rows": self.rows}
        scores = {"uas": self.uas, "las": self.las} if self.las is not None else {}
        lines = [{**own, "objective": f"{self.stage}: treebank", **treebank, **scores}]
        for each in self.objectives:
            written = {"written_cost": each.written, "priced": each.priced}
            learning = {"first_cost": each.first, "oracle_cost": each.oracle, "mean_k": each.k}
            counts = {name: getattr(each, name) for name in ("examples", "updates")}
            rare = {name: getattr(each, name) for name in ("rescued", "retagged", "single")}
            name = f"{self.stage}: {each.name}"
            lines.append({**own, "objective": name, **counts, **written, **learning, **rare})
        return [json.dumps(line) for line in lines]


@dataclass(frozen=True)
class Kept:
    """The epoch whose weights a stage ended with; without a `las`, because it is the last."""

    stage: str
    epoch: int
    epochs: int
    las: float | None


def log_of(model: str) -> str:
    """Where the log of a model's training lies."""
    return f"{model}.log.jsonl"


def kept_epochs(log: Iterable[str]) -> list[Kept]:
    """Which epoch each stage kept, from the lines of a log.

    It is the first of those with the best LAS; where there are costs, or no development data,
    the last.
    """
    stages: dict[str, list[dict[str, Any]]] = {}
    for line in log:
        record = json.loads(line)
        stages.setdefault(record["stage"], []).append(record)
    found = []
    for stage, records in stages.items():
        trees = [each for each in records if each["objective"] == f"{stage}: treebank"]
        scored = [each for each in trees if "las" in each]
        if scored and len(trees) == len(records):
            best = max(scored, key=lambda each: each["las"])
            found.append(Kept(stage, best["epoch"], len(trees), best["las"]))
        else:
            found.append(Kept(stage, trees[-1]["epoch"], len(trees), None))
    return found


class Reporter(Protocol):
    """Who is told how training goes; the command line prints it."""

    def stage(self, name: str, total: int) -> None:
        """A piece of work begins; `total` sentences will be looked at."""

    def advance(self, sentences: int) -> None: ...

    def epoch(self, report: EpochReport) -> None: ...

    def note(self, line: str) -> None:
        """Something that the user should know."""


class Quiet:
    """A reporter that tells nobody."""

    def stage(self, name: str, total: int) -> None: ...

    def advance(self, sentences: int) -> None: ...

    def epoch(self, report: EpochReport) -> None: ...

    def note(self, line: str) -> None: ...


class Log:
    """Tells the reporter what epochs do, and keeps it in the file beside the model."""

    def __init__(self, path: str, reporter: Reporter) -> None:
        self._path, self._reporter, self._lock = path, reporter, threading.Lock()
        self._lines: dict[str, list[str]] = {}

    def take_up(self, stage: str, lines: list[str]) -> None:
        """Of a stage that an earlier run has finished."""
        self._lines[stage] = lines

    def report(self, epoch: EpochReport, so_far: list[str]) -> None:
        with self._lock:
            self._reporter.epoch(epoch)
            self._lines[epoch.stage] = so_far
            with atomic_write(self._path) as file:
                # "parser" before "greedy", and stages of one kind as they follow each other
                for stage in sorted(self._lines, key=lambda x: x.split("-")[0], reverse=True):
                    file.writelines(f"{line}\n".encode() for line in self._lines[stage])


def locked(function: Callable[[int], None]) -> Callable[[int], None]:
    """For use by several threads."""
    lock = threading.Lock()

    def called(count: int) -> None:
        with lock:
            function(count)

    return called
