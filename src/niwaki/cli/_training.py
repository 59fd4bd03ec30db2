"""How training is shown on standard error: lines and bars for people, or JSON for programs."""

from __future__ import annotations

import argparse
import dataclasses
import os
import sys
import threading
import time
from typing import Protocol

from niwaki.adapting.report import Tried
from niwaki.cli._progress import Progress, print_json
from niwaki.training.reporting import EpochReport, Quiet, Reporter

TEXT, JSON = "text", "json"
# Somebody may watch, but a line for every sentence would be noise.
_INTERVAL = 0.25


def add_progress(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--progress",
        choices=[TEXT, JSON],
        default=TEXT,
        help="how it is shown on standard error: text, or one JSON object a line (default: text)",
    )


class TrainingOutput(Reporter, Protocol):
    """A reporter that shows what it is told, and the end of it all."""

    def tried(self, trial: Tried) -> None:
        """A trial of `niwaki adapt` is over."""

    def done(self, path: str | os.PathLike[str]) -> None:
        """The model is written."""

    def __enter__(self) -> TrainingOutput: ...

    def __exit__(self, *_: object) -> None: ...


def training_output(arguments: argparse.Namespace) -> TrainingOutput:
    """As --quiet and --progress say."""
    if arguments.quiet:
        return TrainingQuiet()
    return TrainingJson() if arguments.progress == JSON else TrainingLines()


class TrainingQuiet(Quiet):
    """For nobody."""

    def tried(self, trial: Tried) -> None: ...

    def done(self, path: str | os.PathLike[str]) -> None: ...

    def __enter__(self) -> TrainingQuiet:
        return self

    def __exit__(self, *_: object) -> None: ...


class TrainingLines:
    """For people: a bar for the stage, a line an epoch."""

    def __init__(self) -> None:
        self._progress: Progress | None = None
        self._started = time.monotonic()

    def stage(self, name: str, total: int) -> None:
        self._close()
        self._progress = Progress(name, "sentences", total=total)

    def advance(self, sentences: int) -> None:
        if self._progress is not None:
            self._progress.add(sentences)

    def epoch(self, report: EpochReport) -> None:
        scores = ""
        if report.las is not None:
            scores = f", dev UAS {report.uas:.2f} LAS {report.las:.2f}"
        self.note(
            f"{report.stage} epoch {report.epoch}/{report.epochs}: "
            f"{report.updates:,} updates, {report.rows:,} features{scores}"
        )
        for each in report.objectives:
            rare = f", {each.retagged:,} by another tag" if each.retagged else ""
            rare += f", {each.single:,} had one tree only" if each.single else ""
            self.note(
                f"  {each.name}: {each.updates:,} updates of {each.examples:,}{rare}, "
                f"cost {each.written:.4f} as written ({each.priced:,} examples), {each.first:.4f} "
                f"while learning, at best {each.oracle:.4f} among {each.k:.1f}"
            )

    def note(self, line: str) -> None:
        end = "\x1b[K\n" if sys.stderr.isatty() else "\n"
        print(line, end=end, file=sys.stderr, flush=True)

    def tried(self, trial: Tried) -> None:
        costs = "".join(f", {name}: cost {cost:.4f}" for name, cost in trial.costs.items())
        las = "" if trial.las is None else f", LAS {trial.las:.2f}"
        name = f"trial {trial.number} ({trial.name})" if trial.number else trial.name
        said = f"{trial.fault or (costs + las)[2:]}; {trial.seconds_left / 60:.1f} min left"
        self._close()
        self.note(f"{name}: {said}")

    def done(self, path: str | os.PathLike[str]) -> None:
        self.note(f"wrote {os.fspath(path)} after {time.monotonic() - self._started:.0f} s")

    def _close(self) -> None:
        if self._progress is not None:
            self._progress.__exit__(None, None, None)
            self._progress = None

    def __enter__(self) -> TrainingLines:
        return self

    def __exit__(self, *_: object) -> None:
        self._close()


class TrainingJson:
    """For programs: an object a line, whose `kind` says what other names it has.

    An error is written where all commands say theirs, in `niwaki.cli`.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()  # epochs end in one thread while another advances
        self._started = time.monotonic()
        self._stage, self._total = "", 0
        self._done = self._told = 0  # sentences of the stage
        self._shown = 0.0

    def stage(self, name: str, total: int) -> None:
        with self._lock:
            self._show_progress()
            self._stage, self._total = name, total
            self._done = self._told = 0
            self._shown = time.monotonic()
            print_json("stage", name=name, total=total)

    def advance(self, sentences: int) -> None:
        with self._lock:
            self._done += sentences
            if time.monotonic() - self._shown >= _INTERVAL:
                self._show_progress()

    def _show_progress(self) -> None:
        """How far the stage is, if that was not told before."""
        if self._done > self._told:
            self._told, self._shown = self._done, time.monotonic()
            print_json("progress", stage=self._stage, done=self._done, total=self._total)

    def epoch(self, report: EpochReport) -> None:
        with self._lock:
            print_json("epoch", **dataclasses.asdict(report))

    def note(self, line: str) -> None:
        with self._lock:
            print_json("note", text=line)

    def tried(self, trial: Tried) -> None:
        with self._lock:
            self._show_progress()
            print_json("trial", **dataclasses.asdict(trial))

    def done(self, path: str | os.PathLike[str]) -> None:
        with self._lock:
            self._show_progress()
            seconds = round(time.monotonic() - self._started, 3)
            print_json("done", path=os.fspath(path), seconds=seconds)

    def __enter__(self) -> TrainingJson:
        return self

    def __exit__(self, *_: object) -> None: ...
