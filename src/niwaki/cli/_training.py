"""How training is shown on stderr: a bar for the stage, a line an epoch."""

from __future__ import annotations

import sys

from niwaki.cli._progress import Progress
from niwaki.training.reporting import EpochReport


class TrainingLines:
    """A reporter for training that prints."""

    def __init__(self) -> None:
        self._progress: Progress | None = None

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
            retagged = f", {each.retagged:,} by another tag" if each.retagged else ""
            self.note(
                f"  {each.name}: {each.updates:,} updates of {each.examples:,}{retagged}, "
                f"cost {each.first:.4f}, at best {each.oracle:.4f} among {each.k:.1f}"
            )

    def note(self, line: str) -> None:
        end = "\x1b[K\n" if sys.stderr.isatty() else "\n"
        print(line, end=end, file=sys.stderr, flush=True)

    def _close(self) -> None:
        if self._progress is not None:
            self._progress.__exit__(None, None, None)
            self._progress = None

    def __enter__(self) -> TrainingLines:
        return self

    def __exit__(self, *_: object) -> None:
        self._close()
