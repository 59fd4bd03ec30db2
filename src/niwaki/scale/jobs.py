"""Corpus jobs: shards in, one output file a shard out, whatever happens to workers.

An output is a function of its shard, the settings and what is quarantined of it; so bytes do not
depend on how many workers there are or which of them die. A shard whose worker dies is given to
others; if these die too, or the work raises an error, its items are looked through by halves. What
kills a worker alone is quarantined, and the rest of the shard is done anew, as a whole.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from niwaki.data.files import atomic_write
from niwaki.errors import (
    ConfigError,
    ExtraMissingError,
    KernelMissingError,
    ModelError,
    NiwakiError,
    QueryError,
    RulesError,
)
from niwaki.scale.cutting import Bad, Items, Shard
from niwaki.scale.engine import ATTEMPTS, Crew, Done, Engine
from niwaki.scale.shard_worker import Outcome, Task, finished
from niwaki.scale.sharing import SharedModels

WORKER = "niwaki.scale.shard_worker:ShardWorker"
QUARANTINE = "quarantine.jsonl"
_JOB = "job.json"
# Errors of what was asked for, not of what was read: they end the job.
_FATAL = (
    *(ConfigError, ModelError, QueryError, RulesError, ExtraMissingError, KernelMissingError),
    OSError,
)
# Told of a shard that is done: the bytes of its file that were read, and its words.
Watch = Callable[[Shard, int], None]


@dataclass(frozen=True)
class JobSettings:
    """What outputs depend on besides their shards, and how they are named and packed."""

    checksum: str
    suffix: str  # such as .conllu.gz
    pack: str | None
    run: str  # the import path of what makes the function of a shard
    constants: tuple[Any, ...]
    models: tuple[str, ...] = ()  # files that workers share


@dataclass
class Report:
    """What a job has come to."""

    shards: int = 0
    finished_before: int = 0
    words: int = 0
    new_words: int = 0
    seconds: float = 0.0
    retries: int = 0
    quarantined: int = 0
    first_result: float = 0.0  # seconds from the start
    outputs: list[str] = field(default_factory=list)

    @property
    def words_per_second(self) -> float:
        return self.new_words / self.seconds if self.seconds else 0.0

    def to_json(self) -> dict[str, Any]:
        record = asdict(self)
        del record["outputs"]
        return {**record, "words_per_second": round(self.words_per_second, 1)}


@dataclass
class _Case:
    """A shard at work: how often its worker died, and what of it is suspected."""

    task: Task
    deaths: int = 0
    tested: dict[tuple[int, int], int] = field(default_factory=dict)  # deaths of parts at work
    bad: list[Bad] = field(default_factory=list)
    searched: int = -1  # how many bad items were known after the last search
    error: str = ""


def run_job(
    engine: Engine,
    shards: Iterable[Shard],
    folder: str | os.PathLike[str],
    settings: JobSettings,
    watch: Watch = lambda shard, words: None,
    started: float | None = None,
) -> Report:
    """Run a job, or what is left of it; its outputs, with `.done` beside each, are in the folder.

    The folder has to be one that all workers see. It holds one job: another is refused. Time counts
    from now, or from when the engine was `started` (`time.monotonic`).
    """
    started = time.monotonic() if started is None else started
    place = Path(os.path.abspath(folder))
    # A model that cannot be read must not leave a folder behind.
    models = SharedModels.of(settings.models)
    _claim(place, settings)
    worker = (models, settings.checksum, settings.pack, settings.run, *settings.constants)
    with engine.crew(WORKER, *worker) as crew:
        job = _Job(crew, place, settings, watch)
        job.run(iter(shards), started)
    report = job.report
    report.seconds = time.monotonic() - started
    _write_quarantine(place, job.quarantined)
    return report


def _claim(folder: Path, settings: JobSettings) -> None:
    """Make the folder this job's, or refuse one of another."""
    folder.mkdir(parents=True, exist_ok=True)
    record = {"settings": settings.checksum, "suffix": settings.suffix}
    file = folder / _JOB
    if file.exists():
        try:
            same = json.loads(file.read_bytes()) == record
        except ValueError:
            same = False
        if not same:
            raise NiwakiError(
                f"{folder}: it has shards of a job with other settings; give another folder"
            )
        return
    with atomic_write(file) as out:
        out.write(json.dumps(record).encode() + b"\n")


def _write_quarantine(folder: Path, quarantined: dict[str, list[dict[str, Any]]]) -> None:
    """What was left out of all shards, in their order; the truth is in the files `.done`."""
    file = folder / QUARANTINE
    lines = [
        json.dumps(each, ensure_ascii=False) for found in quarantined.values() for each in found
    ]
    if lines or file.exists():
        with atomic_write(file) as out:
            out.write("".join(f"{line}\n" for line in lines).encode())


class _Job:
    def __init__(self, crew: Crew, folder: Path, settings: JobSettings, watch: Watch) -> None:
        self._crew, self._folder, self._settings, self._watch = crew, folder, settings, watch
        self._cases: dict[int, tuple[_Case, tuple[int, int] | None]] = {}  # by ticket
        self.report = Report()
        # By output, in the order of the shards.
        self.quarantined: dict[str, list[dict[str, Any]]] = {}
        self._started = 0.0

    def run(self, shards: Iterator[Shard], started: float) -> None:
        self._started = started
        self._fill(shards)
        while self._crew.pending:
            done = self._crew.wait()
            assert done is not None
            self._handle(done)
            self._fill(shards)

    def _fill(self, shards: Iterator[Shard]) -> None:
        """Hand in more, so that no worker waits; all of a corpus would not fit here."""
        while self._crew.pending < 2 * self._crew.workers:
            shard = next(shards, None)
            if shard is None:
                return
            output = str(self._folder / f"{shard.stem}{self._settings.suffix}")
            task = Task(shard, output)
            self.quarantined[output] = []
            self.report.outputs.append(output)
            before = finished(task, self._settings.checksum)
            if before is None:
                self._submit(_Case(task))
            else:
                self.report.finished_before += 1
                self._count(task, before)

    def _submit(self, case: _Case, part: tuple[int, int] | None = None) -> None:
        task = case.task
        given = Task(task.shard, task.output, part, () if part else tuple(case.bad))
        self._cases[self._crew.submit(given)] = case, part

    def _count(self, task: Task, outcome: Outcome) -> None:
        self.report.shards += 1
        self.report.words += outcome.words
        self.report.quarantined += len(outcome.quarantined)
        self.quarantined[task.output] = outcome.quarantined
        self._watch(task.shard, outcome.words)

    def _handle(self, done: Done) -> None:
        case, part = self._cases.pop(done.ticket)
        error = done.error
        if isinstance(error, _FATAL) or type(error) is NiwakiError:
            raise error
        if done.died:
            self.report.retries += 1
        if error is not None:
            case.error = " ".join(f"{type(error).__name__}: {error}".split())
        if part is not None:
            self._handle_part(case, part, done)
        elif error is None and not done.died:
            assert isinstance(done.value, Outcome)
            self.report.first_result = self.report.first_result or time.monotonic() - self._started
            self.report.new_words += done.value.words
            self._count(case.task, done.value)
        elif done.died and (case.deaths + 1) % ATTEMPTS:
            case.deaths += 1
            self._submit(case)
        else:
            case.deaths += done.died
            self._search(case)

    # -- which items are bad ------------------------------------------------------

    def _search(self, case: _Case) -> None:
        if case.searched == len(case.bad):
            # Every item was done without harm, and all together are not.
            raise NiwakiError(
                f"{case.task.shard.file}: shard {case.task.shard.number} cannot be done as a whole "
                f"({case.error or 'its worker dies'}); give smaller shards (--shard-size)"
            )
        case.searched = len(case.bad)
        self._test(case, (0, len(Items(case.task.shard.form, case.task.shard.data))))
        self._submit_if_tested(case)

    def _submit_if_tested(self, case: _Case) -> None:
        """Do the shard anew once all that may be bad of it was looked at."""
        if not case.tested:
            self._submit(case)

    def _test(self, case: _Case, part: tuple[int, int]) -> None:
        """Look through the halves of a part that is bad; a single item of it is the reason."""
        first, end = part
        if end - first == 1:
            items = Items(case.task.shard.form, case.task.shard.data)
            reason = case.error or "its worker died"
            case.bad.append(Bad(first, items.line_of(first), reason))
            return
        middle = (first + end) // 2
        for half in ((first, middle), (middle, end)):
            case.tested[half] = 0
            self._submit(case, half)

    def _handle_part(self, case: _Case, part: tuple[int, int], done: Done) -> None:
        if done.died and case.tested[part] + 1 < ATTEMPTS:
            case.tested[part] += 1
            self._submit(case, part)
            return
        del case.tested[part]
        if done.died or done.error is not None:
            if done.died:
                case.error = ""
            self._test(case, part)
        self._submit_if_tested(case)
