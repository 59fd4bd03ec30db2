"""Models of all treebanks of a folder, each with settings that follow from its data."""

from __future__ import annotations

import dataclasses
import json
import os
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from niwaki.analysis.treebanks_report import TreebankRow, TreebanksReport, measure
from niwaki.data.conllu import read_conllu, write_conllu
from niwaki.data.files import atomic_write
from niwaki.data.releases import Treebank, find_treebanks
from niwaki.errors import NiwakiError
from niwaki.learning.checkpoint import hash_of_files
from niwaki.learning.from_data import check_words, facts_of_files, tables_for
from niwaki.learning.workers import run_all
from niwaki.pipeline.store import load
from niwaki.training import run
from niwaki.training.config import Config
from niwaki.training.config_file import make_config
from niwaki.training.reporting import EpochReport, Quiet, Reporter
from niwaki.verbs.training import File

# Without a dev part, the last sentences of the training part are it: one in so many.
_HELD_OUT = 10
# How the two are called: not as files of a treebank, which a folder of models must not become.
_HALVES = "{name}-ud-{part}.part.conllu"


def train_ud(
    folder: File,
    output: File,
    *,
    only: Sequence[str] = (),
    beside: Sequence[str] = (),
    jobs: int | None = None,
    score: Literal["test", "dev"] = "test",
    resume: bool = False,
    overrides: Sequence[str] = (),
    report: Reporter | None = None,
) -> TreebanksReport:
    """Train a model of each UD treebank in a folder, or in the folders below it, and score them.

    Models are written to OUTPUT/NAME.niwaki, what they came to beside them, to NAME.scores.json.
    Settings are chosen from the data (docs/explain/languages.md); `overrides` change them for all.
    `beside` names treebanks of the folder, of related languages for instance, whose trees each
    parser learns from, too; tags, lemmas and words are those of its own treebank alone.
    So many `jobs` (default: one a core) are trained at a time. Scores are those of the test part,
    or with `score="dev"` of the part that an epoch was chosen by. With `resume`, models that
    are finished are kept, and those that were begun go on. A treebank that cannot be learned
    from has a `fault` in the report, and the others are trained.

        >>> found = train_ud("ud-treebanks-v2.17", "models", only=["fr_sequoia"])
        >>> found.rows[0].gold_words["LAS"], found.rows[0].raw_text["LAS"]
    """
    treebanks = find_treebanks(folder, only)
    others = find_treebanks(folder, beside) if beside else []
    models = Path(output)
    models.mkdir(parents=True, exist_ok=True)
    cores = os.cpu_count() or 1
    jobs = min(jobs or cores, len(treebanks))
    telling = report or Quiet()

    def work(treebank: Treebank, check: Callable[[], None]) -> TreebankRow:
        reporter = _Reporter(treebank.name, telling, check)
        try:
            beside_it = [other for other in others if other != treebank]
            run_of = _Run.of(treebank, models, overrides, score, beside_it)
            return run_of.row(reporter, resume, max(1, cores // jobs))
        except (NiwakiError, OSError) as error:
            reporter.note(str(error))
            return TreebankRow(treebank.name, fault=str(error))

    found = run_all(work, treebanks, jobs)
    return TreebanksReport([found[treebank] for treebank in treebanks])


@dataclass(frozen=True)
class _Run:
    """The training of one treebank."""

    name: str
    path: Path  # of the model
    config: Config
    facts: Mapping[str, Any]
    settings: Mapping[str, Any]
    scored_on: str
    scored: tuple[str, ...]

    @classmethod
    def of(
        cls,
        treebank: Treebank,
        models: Path,
        overrides: Sequence[str],
        score: str,
        beside: Sequence[Treebank],
    ) -> _Run:
        path = models / f"{treebank.name}.niwaki"
        train, dev = _with_dev(treebank, models)
        facts = facts_of_files(train)
        check_words(facts, str(treebank.train[0]))
        tables = tables_for(train, dev, facts, [str(file) for x in beside for file in x.train])
        tables["card"] = {"name": treebank.name, "language": treebank.language}
        config = make_config(tables, overrides=overrides)
        test = tuple(map(str, treebank.test)) if score == "test" else ()
        chosen = {name: tables[name] for name in tables if name not in ("objective", "card")}
        settings: dict[str, Any] = {
            name: {k: v for k, v in keys.items() if k != "dev"} for name, keys in chosen.items()
        }
        if beside:
            settings["beside"] = [other.name for other in beside]
        return cls(
            treebank.name,
            path,
            config,
            facts.to_json(),
            settings,
            "test" if test else "dev",
            test or (dev,),
        )

    @property
    def record(self) -> Path:
        return self.path.with_name(f"{self.name}.scores.json")

    def identity(self) -> dict[str, Any]:
        """What a finished model was made of, wherever that lies; it need not be made again."""
        config = self.config.to_json()
        files = [file for each in self.config.objective for file in each.data]
        dev = [self.config.training.dev] if self.config.training.dev else []
        for objective in config["objective"]:
            objective["data"] = len(objective["data"])
        config["training"]["dev"] = len(dev)
        return {"config": config, "data": hash_of_files([*files, *dev])}

    def row(self, reporter: _Reporter, resume: bool, threads: int) -> TreebankRow:
        done = self._finished() if resume else None
        if done is not None and done.scores_of == self.scores_of():
            reporter.note("is finished")
            return done.row
        # What is wrong with it shows before anything is trained.
        gold = [sentence for file in self.scored for sentence in read_conllu(file)]
        start = time.monotonic()
        if done is not None:
            reporter.note(f"is finished; scored anew, on its {self.scored_on} part")
            model, seconds = load(self.path), done.row.seconds
        else:
            model = run.train(self.config, self.path, reporter, resume=resume, threads=threads)
            seconds = time.monotonic() - start
        measured = measure(model, gold)
        row = TreebankRow(
            self.name,
            self.facts,
            self.settings,
            self.scored_on,
            len(gold),
            **vars(measured),
            seconds=seconds,
            bytes=self.path.stat().st_size,
        )
        with atomic_write(self.record) as file:
            found = {
                "made_of": self.identity(),
                "scores_of": self.scores_of(),
                "row": row.to_json(),
            }
            file.write(json.dumps(found, ensure_ascii=False, indent=1).encode() + b"\n")
        reporter.note(f"LAS {measured.gold_words['LAS']:.2f} after {seconds:.0f} s")
        return row

    def scores_of(self) -> str:
        """What the scores are those of: a part, and what it holds."""
        return f"{self.scored_on} {hash_of_files(self.scored)}"

    def _finished(self) -> _Finished | None:
        """What the model came to, if it is there and was made of the same."""
        try:
            found = json.loads(self.record.read_text(encoding="utf-8"))
            row = TreebankRow(**found["row"])
            is_whole = self.path.stat().st_size == row.bytes
            same = is_whole and found["made_of"] == self.identity()
            return _Finished(row, found["scores_of"]) if same else None
        except (OSError, ValueError, KeyError, TypeError):
            return None


@dataclass(frozen=True)
class _Finished:
    """A model that is there: what it came to, and on what."""

    row: TreebankRow
    scores_of: str


def _with_dev(treebank: Treebank, models: Path) -> tuple[list[str], str]:
    """The files to learn from, and one to choose an epoch by; if there is none, a part of those."""
    train = [str(file) for file in treebank.train]
    if treebank.dev:
        return train, str(treebank.dev[0])
    sentences = [sentence for file in train for sentence in read_conllu(file)]
    held_out = max(1, len(sentences) // _HELD_OUT)
    if len(sentences) < 2:
        raise NiwakiError(f"{train[0]}: {len(sentences)} sentences; a model needs at least two")
    parts = {"train": sentences[:-held_out], "dev": sentences[-held_out:]}
    made = [models / _HALVES.format(name=treebank.name, part=part) for part in parts]
    for path, own in zip(made, parts.values(), strict=True):
        write_conllu(own, path)
    return [str(made[0])], str(made[1])


class _Reporter:
    """Tells of one of several runs that go on at once: what is said, and its epochs, by name."""

    def __init__(self, name: str, telling: Reporter, check: Callable[[], None]) -> None:
        self._name, self._telling, self._check = name, telling, check

    def stage(self, name: str, total: int) -> None:
        self._check()

    def advance(self, sentences: int) -> None:
        self._check()

    def epoch(self, report: EpochReport) -> None:
        self._check()
        self._telling.epoch(dataclasses.replace(report, stage=f"{self._name}: {report.stage}"))

    def note(self, line: str) -> None:
        self._telling.note(f"{self._name}: {line}")
