"""The adapting of a model: trials within a budget of time, a choice, and a check of the choice.

Nothing is written that is worse than what it began with: the model must cost less than before on
the examples that chose it and on others that had no part in that, and keep its treebank scores
up to a floor.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from niwaki.adapting.held_out import Parts, Treebank, split, watched_treebank
from niwaki.adapting.report import Adapted, TrialReport, Tried
from niwaki.adapting.trials import Trial, Work, each_once, first_trials, longer, shorter, work_of
from niwaki.adapting.trying import WORKER, Clock, Task, TrialReporter, train_trial
from niwaki.data.files import atomic_write
from niwaki.errors import ConfigError
from niwaki.learning.checkpoint import hash_of_arrays, hash_of_files
from niwaki.metrics.attachment import AttachmentEvaluation, evaluate
from niwaki.metrics.base import SAMPLES, drawn_by
from niwaki.metrics.means import MeanEvaluation, evaluate_means
from niwaki.metrics.significance import Difference, compare
from niwaki.objectives import AnyObjective, costs_of_trees
from niwaki.parsers.base import load_family
from niwaki.pipeline.pipeline import Pipeline
from niwaki.pipeline.store import load
from niwaki.scale.engine import Crew, answers_in_order, engine_of
from niwaki.scale.sharing import shared_file
from niwaki.training.config import Config, TreebankConfig
from niwaki.training.examples import load_costs
from niwaki.training.reporting import Reporter
from niwaki.training.treebanks import read_treebanks

# Scores of the treebank that are shown; the last of them has the floor.
_SCORES = ("UAS", "LAS")
_STATE = "state.json"

# Who is told of each trial when it is over.
Watch = Callable[[Tried], None]


@dataclass(frozen=True)
class Limits:
    """What an adaptation may take, and may cost."""

    minutes: float = 10.0
    floor: float = 0.3  # LAS that may be lost
    force: bool = False  # write what is best, even if it is worse than before


@dataclass(frozen=True)
class Look:
    """What a model does: to the costs of all examples, and on the treebank."""

    costs: Mapping[str, NDArray[np.float64]]
    trees: AttachmentEvaluation | None

    @property
    def las(self) -> float | None:
        return None if self.trees is None else float(self.trees.scores["LAS"])

    @property
    def rounded_las(self) -> float | None:
        return None if self.las is None else round(self.las, 2)


def adapt(
    model: Pipeline,
    name: str,
    config: Config,
    output: str | os.PathLike[str],
    limits: Limits,
    reporter: Reporter,
    *,
    tried: Watch = lambda trial: None,
    resume: bool = False,
    threads: int | None = None,
    workers: int = 1,
    engine: str = "local",
) -> Adapted:
    """Adapt a model to the costs of a configuration, and write it if it became better.

    Trials are kept in OUTPUT.trials until all is done; `resume` takes them up again. Several
    `workers` of an engine try settings side by side; where there is time for all of them, the same
    comes out.
    """
    if not config.costs:
        raise ConfigError("no objective is a cost; add an [[objective]] that says what trees cost")
    folder = Path(f"{os.fspath(output)}.trials")
    threads = threads or os.cpu_count() or 1
    run = _Adaptation(model, name, config, folder, limits, reporter, tried, threads)
    run.open(resume)
    with run.trying(workers, engine) as crew:
        found = run.adapted(crew)
    if found.written:
        run.pipeline(found).save(output)
    shutil.rmtree(folder)
    return found


@dataclass
class _Adaptation:
    model: Pipeline
    name: str
    config: Config
    folder: Path
    limits: Limits
    reporter: Reporter
    tried: Watch
    threads: int
    reports: list[TrialReport] = field(default_factory=list, init=False)
    looks: dict[int, Look] = field(default_factory=dict, init=False)
    objectives: dict[str, AnyObjective] = field(default_factory=dict, init=False)
    parts: dict[str, Parts] = field(default_factory=dict, init=False)
    treebank: Treebank = field(init=False)
    before: Look = field(init=False)

    # -- data, and what an earlier run has done ---------------------------------------------

    def open(self, resume: bool) -> None:
        """Read and split the data, and price the model as it is."""
        for each in load_costs(self.config, segmenter=self.model.segmenter):
            self.objectives[each.name] = each.objective
            self.parts[each.name] = split(each.name, each.objective)
        done = self._taken_up() if resume else None
        if done is None:
            shutil.rmtree(self.folder, ignore_errors=True)
            self.folder.mkdir(parents=True)
            self._keep()
        self.treebank = watched_treebank(self.config, self.folder, self.model.learned)
        if self.treebank.note:
            self.reporter.note(self.treebank.note)
        self.before = self._look(self.model)
        for at, record in enumerate(done or []):
            self.reports.append(TrialReport.from_json(record))
            if record["fault"] == "":
                self.looks[at] = self._look(load(self._file(at)))

    @property
    def _identity(self) -> str:
        """What this is: another task, or another model, has other trials."""
        tensors = self.model.parser.parts().tensors.items()
        arrays = {f"{file}.{key}": x for file, found in tensors for key, x in found.items()}
        files = [file for each in self.config.objective for file in each.data]
        files += [self.config.training.dev] if self.config.training.dev else []
        told = [self.config.to_json(), hash_of_arrays(arrays), hash_of_files(files)]
        return hashlib.sha256(json.dumps(told, sort_keys=True).encode()).hexdigest()

    def _taken_up(self) -> list[dict[str, Any]] | None:
        """What was tried before, if anything was."""
        try:
            state = json.loads((self.folder / _STATE).read_text(encoding="utf-8"))
            identity, trials = state["identity"], state["trials"]
        except (OSError, ValueError, KeyError, TypeError):
            self.reporter.note(f"nothing to go on from in {self.folder}; starting anew")
            return None
        if identity != self._identity:
            raise ConfigError(
                f"{self.folder} holds trials of another model or task; leave out --resume to begin "
                "anew"
            )
        return list(trials)

    def _keep(self) -> None:
        state = {"identity": self._identity, "trials": [each.to_json() for each in self.reports]}
        with atomic_write(self.folder / _STATE) as file:
            file.write(json.dumps(state, indent=1).encode())

    def _file(self, number: int) -> Path:
        return self.folder / f"trial-{number}.niwaki"

    # -- trials ---------------------------------------------------------------------------

    @contextmanager
    def trying(self, workers: int, name: str) -> Iterator[Crew | None]:
        """Those who train; nobody but this process, where one is enough."""
        if workers == 1:
            yield None
            return
        model = shared_file(self.model.as_file())
        with (
            engine_of(name, workers) as engine,
            engine.crew(WORKER, model, self._held_out) as crew,
        ):
            yield crew

    @property
    def _held_out(self) -> dict[str, frozenset[int]]:
        return {name: parts.held_out for name, parts in self.parts.items()}

    def adapted(self, crew: Crew | None = None) -> Adapted:
        """Try settings as long as there is time, and choose."""
        # A run that was broken off has spent what its trials took.
        ends = time.monotonic() + 60 * self.limits.minutes - sum(x.seconds for x in self.reports)
        left_out: list[str] = []
        sizes = {name: len(parts.learned) for name, parts in self.parts.items()}
        trees = self._treebank_size()
        self._tell(0, ends)
        done = {each.trial.name: at for at, each in enumerate(self.reports)}
        clock = Clock(ends)
        for wave in self._wanted():
            queue: list[tuple[Trial, Work]] = []
            for trial in wave:
                work = work_of(trial, self.treebank.config, sizes, trees)
                if trial.name in done:
                    clock.rate = max(
                        clock.rate, self.reports[done[trial.name]].seconds / work.units
                    )
                    self._tell(done[trial.name] + 1, ends)
                else:
                    queue.append((trial, work))
            left_out += self._try_all(queue, clock, crew)
        return self._chosen(left_out)

    def _try_all(
        self, queue: Sequence[tuple[Trial, Work]], clock: Clock, crew: Crew | None
    ) -> list[str]:
        """Try those for which there is time, in their order; the names of the others."""
        left_out: list[str] = []
        begun: list[tuple[Trial, Work]] = []
        first = len(self.reports)

        def fitting() -> Iterator[Task]:
            for trial, work in queue:
                number, left = first + len(begun), clock.ends - time.monotonic()
                if number and clock.rate * work.units > left:
                    left_out.append(trial.name)
                    continue
                begun.append((trial, work))
                yield Task(number, trial.name, work.config, str(self._file(number)), left)

        results: Iterator[tuple[str, float]] = (
            answers_in_order(crew, fitting(), ahead=crew.workers)
            if crew
            else map(self._train, fitting())
        )
        for number, (fault, seconds) in enumerate(results, first):
            trial, work = begun[number - first]
            if not fault:
                looked = time.monotonic()
                self.looks[number] = self._look(load(self._file(number)))
                seconds += time.monotonic() - looked
                clock.rate = seconds / work.units
            self.reports.append(self._report(number, trial, seconds, fault))
            self._keep()
            self._tell(number + 1, clock.ends)
        return left_out

    def _wanted(self) -> Iterator[list[Trial]]:
        """The usual ones, then the best of them for longer, or for a shorter time."""
        objectives = list(self.objectives.values())
        family = load_family(str(self.model.config["model"]["kind"]))
        size = min(len(parts.learned) for parts in self.parts.values())
        first = list(each_once(first_trials(self.config, objectives, family, size)))
        yield first
        known = {each.name for each in first}
        best = self._best()
        more: list[Trial] = []
        if best is not None:
            # Where nobody sees what is lost, no more is risked.
            if self.treebank.gold:
                more = [longer(self.reports[best].trial)]
        elif any(self._gain(at) > 0 for at in self.looks):
            # They gain, but cost too much elsewhere.
            more = [shorter(each) for each in first[:2]]
        yield [each for each in each_once(more) if each.name not in known]

    def _treebank_size(self) -> int:
        treebanks = [x for x in self.treebank.config.objective if isinstance(x, TreebankConfig)]
        return len(read_treebanks(treebanks, lambda fault: None).sentences) if treebanks else 0

    def _train(self, task: Task) -> tuple[str, float]:
        told = TrialReporter(self.reporter, task)
        return train_trial(task, told, self.threads, self.model, self._held_out)

    def _look(self, model: Pipeline) -> Look:
        costs = {
            name: costs_of_trees(each, list(model.parse(each.sentences, threads=self.threads)))
            for name, each in self.objectives.items()
        }
        gold = self.treebank.gold
        if not gold:
            return Look(costs, None)
        return Look(costs, evaluate(gold, list(model.parse(gold, retag=True))))

    def _tell(self, number: int, ends: float) -> None:
        """That a trial is over; number 0 is the model as it is."""
        left = max(0.0, round(ends - time.monotonic(), 1))
        if number:
            each = self.reports[number - 1]
            said = each.trial.name, each.costs, each.las, each.seconds, left, each.fault
        else:
            costs, las = self._costs(self.before), self.before.rounded_las
            said = "as it is", costs, las, 0.0, left, ""
        self.tried(Tried(number, *said))

    # -- choosing -------------------------------------------------------------------------

    def _gain(self, number: int, part: str = "choosing") -> float:
        """By which share costs fall on a part of the examples, the mean over objectives."""
        shares = []
        for name, parts in self.parts.items():
            chosen = list(getattr(parts, part))
            before = float(self.before.costs[name][chosen].mean())
            after = float(self.looks[number].costs[name][chosen].mean())
            shares.append((before - after) / before if before > 0 else -after)
        return float(np.mean(shares))

    def _keeps_floor(self, number: int) -> bool:
        before, after = self.before.las, self.looks[number].las
        return before is None or after is None or after >= before - self.limits.floor

    def _best(self) -> int | None:
        """The trial that gains most among those that keep the floor and gain at all."""
        fit = [at for at in self.looks if self._keeps_floor(at) and self._gain(at) > 0]
        return max(fit, key=self._gain, default=None)

    def _report(self, number: int, trial: Trial, seconds: float, fault: str) -> TrialReport:
        if fault:
            return TrialReport(trial, round(seconds, 1), {}, None, fault)
        look = self.looks[number]
        return TrialReport(trial, round(seconds, 1), self._costs(look), look.rounded_las)

    def _costs(self, look: Look) -> dict[str, float]:
        """Means over the examples to choose by."""
        return {
            name: round(float(look.costs[name][list(parts.choosing)].mean()), 6)
            for name, parts in self.parts.items()
        }

    def _chosen(self, left_out: Sequence[str]) -> Adapted:
        best, reason = self._best(), ""
        if best is None:
            reason = "no trial cost less on held-out examples"
            if any(self._gain(at) > 0 for at in self.looks):
                reason += " and kept its treebank scores"
            if self.limits.force:
                best = max(self.looks, key=self._gain, default=None)
        elif self._gain(best, "reporting") <= 0:
            reason = "what was best on some held-out examples cost no less on the others"
        written = best is not None and (not reason or self.limits.force)
        return Adapted(
            self.name,
            written,
            reason,
            best,
            tuple(self.reports),
            tuple(left_out),
            self._costs(self.before),
            self.before.rounded_las,
            self._costs_compared(best),
            self._trees_compared(best),
            {name: _sizes(parts) for name, parts in self.parts.items()},
            self.treebank.note,
            f"floor={self.limits.floor:g}|minutes={self.limits.minutes:g}|{drawn_by(SAMPLES, 1)}",
        )

    def _costs_compared(self, best: int | None) -> list[Difference]:
        """Before and after, on examples that had no part in choosing."""
        if best is None:
            return []

        def means(look: Look, name: str) -> MeanEvaluation:
            chosen = list(self.parts[name].reporting)
            return evaluate_means([name], look.costs[name][chosen, None])

        return [
            each
            for name in self.parts
            for each in compare(means(self.before, name), means(self.looks[best], name))
        ]

    def _trees_compared(self, best: int | None) -> list[Difference]:
        before, after = self.before.trees, None if best is None else self.looks[best].trees
        if before is None or after is None:
            return []
        return [each for each in compare(before, after) if each.metric in _SCORES]

    def pipeline(self, found: Adapted) -> Pipeline:
        """The chosen model; with probabilities that fit what was held out, if trees were."""
        assert found.best is not None
        pipeline = load(self._file(found.best))
        record = {**pipeline.config, "adapted": found.to_json()}
        if self.treebank.gold and not self.treebank.note:
            path = self.folder / "held-out.conllu"
            path.write_bytes(b"".join(s.source for s in self.treebank.gold))
            corpus = read_treebanks([TreebankConfig(data=(str(path),))])
            tags = pipeline.tag(corpus.batch, keep=False)
            family = load_family(str(pipeline.config["model"]["kind"]))
            pipeline = replace(pipeline, parser=family.calibrated(pipeline.parser, corpus, tags))
        return replace(pipeline, config=record)


def _sizes(parts: Parts) -> dict[str, int]:
    return {
        "learned": len(parts.learned),
        "choosing": len(parts.choosing),
        "reporting": len(parts.reporting),
    }
