"""Models from configurations: trained, trained by their own trees, or by those of teachers.

A configuration is a TOML file, a mapping of its tables, or a `Config`. Paths in a file are
relative to it, those in a mapping to where Python runs.
"""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from niwaki.analysis.gains import GainsReport, Row, learning_curve, measure
from niwaki.data.conllu import read_conllu
from niwaki.data.files import check_writable
from niwaki.errors import ConfigError
from niwaki.pipeline.learned import overlap_of
from niwaki.pipeline.pipeline import Pipeline
from niwaki.pipeline.store import load
from niwaki.training import run, self_training, uptraining
from niwaki.training.config import Config
from niwaki.training.config_file import make_config, read_config
from niwaki.training.reporting import Quiet, Reporter
from niwaki.training.self_training import Plan, Round, Selection
from niwaki.training.uptraining import QUESTION_CHARACTERS, QUESTION_WORDS, Teachers
from niwaki.verbs._given import Model, model_of, short_names

File = str | os.PathLike[str]
Configuration = File | Mapping[str, Any] | Config


def config_of(
    config: Configuration, overrides: Sequence[str] = (), *, only_costs: bool = False
) -> Config:
    """The checked configuration of a file or of a mapping, with `key=value` overrides.

    With `only_costs`, files that are for training alone need not be there.
    """
    if isinstance(config, str | os.PathLike):
        return read_config(os.fspath(config), overrides, only_costs=only_costs)
    if not isinstance(config, Config):
        return make_config(config, overrides=overrides, only_costs=only_costs)
    if overrides:
        raise ConfigError("overrides are for a file or a mapping; change the Config itself")
    return config


def train(
    config: Configuration,
    output: File,
    *,
    init: Model | None = None,
    report: Reporter | None = None,
    overrides: Sequence[str] = (),
    resume: bool = False,
    threads: int | None = None,
    on_error: Literal["fail", "skip"] = "fail",
    engine: str = "local",
) -> Pipeline:
    """Train a model from a configuration and write it; a run that was broken off can `resume`.

    With `init`, a model is fine-tuned: it keeps its tagger, its features and its labels, and its
    parser learns from where it is. `report` is told how it goes, of what was skipped too.
    `overrides` change values of the configuration ("model.beam=16"). With `on_error="skip"`, faulty
    lines of word clusters and of links are left out. If `training.workers` says that there are
    several, an `engine` runs them: "local", "ray" or "ray://HOST". The result depends neither on it
    nor on `threads` (default: all cores) nor on interruptions.

        >>> train({"objective": [{"data": "train.conllu"}]}, "en.niwaki")
        >>> train("task.toml", "task.niwaki", init="en")
    """
    check_writable(output)
    read = config_of(config, overrides)
    start = None if init is None else model_of(init)
    return run.train(
        read,
        output,
        report,
        resume=resume,
        threads=threads,
        init=start,
        on_error=on_error,
        engine=engine,
    )


@dataclass(frozen=True)
class SelfTrained:
    """A model that was trained on trees of its own choice, and what was chosen, round by round."""

    model: Pipeline
    rounds: Sequence[Round]

    def to_json(self) -> list[dict[str, Any]]:
        return [dataclasses.asdict(each) for each in self.rounds]


def self_train(
    config: Configuration,
    model: Model,
    output: File,
    *,
    select: Literal["first", "cost"] = "cost",
    n: int = 8,
    max_cost: float | None = None,
    tags: int = 1,
    weight: int = 1,
    rounds: int = 1,
    candidates_from: Model | None = None,
    train_on: bool = False,
    report: Reporter | None = None,
    overrides: Sequence[str] = (),
    resume: bool = False,
    threads: int | None = None,
    engine: str = "local",
) -> SelfTrained:
    """Train a model on its own trees: the first ones, or of n candidates those that cost least.

    The configuration has a treebank and at least one cost, which holds the sentences. Trees that
    cost more than `max_cost` (by default half of what first trees cost) are left out. Trees over
    `tags` ways to tag a sentence are candidates; chosen ones have a `weight`. `candidates_from`
    is a better parser whose candidates are taken. With `train_on`, the model's parser learns
    from where it is. The rest is as for `train`.

        >>> found = self_train("task.toml", "en", "better.niwaki", rounds=2)
        >>> [each.cost for each in found.rounds]
    """
    check_writable(output)
    trained, chosen = self_training.self_train(
        config_of(config, overrides),
        model_of(model),
        output,
        Plan(Selection(select, n, tags, max_cost), weight, rounds, train_on),
        report or Quiet(),
        candidates_from=None if candidates_from is None else model_of(candidates_from),
        resume=resume,
        threads=threads,
        engine=engine,
    )
    return SelfTrained(trained, chosen)


@dataclass(frozen=True)
class Uptrained:
    """Models by how many trees of the teachers they learned from, and their scores on tests."""

    models: Mapping[int, Path]
    gains: GainsReport | None = None
    # LAS by test set and number of trees.
    curves: Mapping[str, Mapping[int, float]] = dataclasses.field(default_factory=dict)

    def chart(self) -> str:
        """The curves as SVG."""
        return learning_curve(self.curves)


def uptrain(
    config: Configuration,
    output: File,
    *,
    teacher_trees: Sequence[Sequence[str]] = (),
    models: Sequence[Model] = (),
    text: Sequence[str] = (),
    form: str | None = None,
    beam: int | None = None,
    questions: bool = False,
    sizes: Sequence[int] = (),
    test: Sequence[str] = (),
    unseen: bool = False,
    report: Reporter | None = None,
    overrides: Sequence[str] = (),
    resume: bool = False,
    threads: int | None = None,
    engine: str = "local",
    on_error: Literal["fail", "skip"] = "fail",
) -> Uptrained:
    """Train a fast model on a treebank and on the trees of slow, accurate teachers.

    Teachers are lists of CoNLL-U files, one list each, and models, which parse `text`. With
    `questions`, only short English questions are kept. For each of `sizes`, a model is trained
    on so many of the teachers' sentences. `test` files are scored, with `unseen` without sentences
    that one of the models has learned from. With `on_error="skip"`, faulty sentences of the
    teachers are left out, and `report` is told how many. The rest is as for `train`.

        >>> uptrain("en.toml", "fast.niwaki", teacher_trees=[["silver.conllu.gz"]])
        >>> found = uptrain("en.toml", "fast.niwaki", models=["a", "b"], text=["news.txt"])
        >>> found.models
    """
    check_writable(output)
    read = config_of(config, overrides)
    if questions:
        kept = dataclasses.replace(
            read.uptraining, first_words=QUESTION_WORDS, max_characters=QUESTION_CHARACTERS
        )
        read = dataclasses.replace(read, uptraining=kept)
    teachers = Teachers(
        teacher_trees, [model_of(each) for each in models], text, form, beam, on_error
    )
    trained = uptraining.uptrain(
        read,
        output,
        teachers,
        report or Quiet(),
        sizes=sizes,
        resume=resume,
        threads=threads,
        engine=engine,
    )
    return _measured(read, trained, test, unseen) if test else Uptrained(trained)


def _measured(
    config: Config, models: Mapping[int, Path], test: Sequence[str], unseen: bool
) -> Uptrained:
    treebanks = [file for each in config.objective if not each.is_cost for file in each.data]
    known = {form for file in treebanks for s in read_conllu(file) for form in s.forms}
    loaded = {size: load(model) for size, model in models.items()}
    rows: list[Row] = []
    curves: dict[str, dict[int, float]] = {}
    for name, file in zip(short_names(test), test, strict=True):
        gold = list(read_conllu(file))
        numbers, _ = overlap_of([each.learned for each in loaded.values()], gold, unseen=unseen)
        gold = [gold[number] for number in numbers]
        found = {
            size: measure(model, gold, system=f"{size:,} trees", test=name, known=known)
            for size, model in loaded.items()
        }
        rows += found.values()
        curves[name] = {size: row.scores["LAS"] for size, row in found.items()}
    return Uptrained(models, GainsReport(rows), curves)
