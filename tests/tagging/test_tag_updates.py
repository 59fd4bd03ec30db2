"""Costs that reach the tagger: only another tag of a word makes the cheap tree reachable."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from niwaki.data.sentence import Sentence
from niwaki.errors import ConfigError
from niwaki.pipeline.pipeline import Pipeline
from niwaki.pipeline.store import load
from niwaki.training.config import Config
from niwaki.training.config_file import make_config
from niwaki.training.run import train
from tests.toy import QUICK, TOY, Log, quick_model, write

# Wants the first word to be a verb and the root.
COST = """
def cost(example, candidates):
    verb = candidates.sentence.upos[0] == "VERB"
    return [0.0 if verb and tree.heads[0] == 0 else 1.0 for tree in candidates]
"""
NOUN = Sentence.from_words(
    ["click", "sounds", "end"],
    upos=["NOUN", "NOUN", "VERB"],
    heads=[2, 3, 0],
    deprels=["compound", "nsubj", "root"],
)
VERB = Sentence.from_words(
    ["click", "buttons", "now"],
    upos=["VERB", "NOUN", "ADV"],
    heads=[0, 1, 1],
    deprels=["root", "obj", "advmod"],
)
EXAMPLE = Sentence.from_words(["click", "sounds", "there"])


@pytest.fixture(params=["transition", "graph"])
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def model(kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Pipeline:
    """`click` is a noun that starts a phrase nine times in ten, and else an imperative."""
    (tmp_path / "imperative_cost.py").write_text(COST)
    monkeypatch.syspath_prepend(tmp_path)
    data = write(tmp_path / "click.conllu", [*[NOUN] * 9, VERB])
    tables: dict[str, Any] = {"tagger": {**QUICK["tagger"], "folds": 0}}
    own = {"beam": 2, "greedy": False} if kind == "transition" else {}
    tables["model"] = {"kind": kind, **own}
    quick_model(tmp_path / "base", data, **tables)
    return load(tmp_path / "base")


def task(folder: Path, *, beside: bool = True, **more: Any) -> Config:
    examples = folder / "examples.jsonl"
    examples.write_text(json.dumps({"id": "1", "tokens": EXAMPLE.forms}) + "\n")
    step = {"select": "hard", "step": 1.0}
    cost = {"kind": "imperative_cost:cost", "data": str(examples), **step, **more}
    objectives = [{"data": str(folder / "click.conllu")}, cost] if beside else [cost]
    return make_config(
        {
            "objective": objectives,
            "tagger": {"folds": 0},
            "training": {"epochs": 3, "batch_size": 2, "checkpoint_minutes": 0},
        }
    )


def test_the_tagger_learns_the_tag_of_the_cheap_tree(model: Pipeline, tmp_path: Path) -> None:
    (before,) = model.parse([EXAMPLE])
    assert before.upos[0] == "NOUN"
    log = Log()
    stuck = train(task(tmp_path), tmp_path / "stuck", log, init=model, threads=1)
    report = log.epochs[0].objectives[0]
    assert (report.first, report.oracle, report.updates) == (1, 1, 0), "no candidate is cheap"
    assert next(stuck.parse([EXAMPLE])).upos[0] == "NOUN"
    log = Log()
    train(task(tmp_path, tags=3), tmp_path / "freed", log, init=model, threads=1)
    report = log.epochs[0].objectives[0]
    assert report.oracle < 1
    assert report.retagged == report.updates > 0
    freed = load(tmp_path / "freed")
    (after,) = freed.parse([EXAMPLE])
    assert after.upos[0] == "VERB"
    assert after.heads[0] == 0
    # What the treebank says is not forgotten.
    (known,) = freed.parse([Sentence.from_words(NOUN.forms)])
    assert known.upos == NOUN.upos


class StopError(Exception):
    """What ends a run in the middle."""


class Broken(Log):
    left: int = 9

    def advance(self, sentences: int) -> None:
        self.left -= self.stages[-1] == "parser"
        if self.left < 0:
            raise StopError


def test_a_run_is_taken_up_with_its_tagger(model: Pipeline, tmp_path: Path) -> None:
    config = task(tmp_path, tags=3)
    train(config, tmp_path / "whole", Log(), init=model, threads=1)
    with pytest.raises(StopError):
        train(config, tmp_path / "part", Broken(), init=model, threads=1)
    log = Log()
    train(config, tmp_path / "part", log, init=model, threads=1, resume=True)
    assert not any("starting from the beginning" in note for note in log.notes)
    assert (tmp_path / "part").read_bytes() == (tmp_path / "whole").read_bytes()


def test_what_cannot_be(model: Pipeline, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="tags is 0"):
        task(tmp_path, tags=0)
    with pytest.raises(ConfigError, match="does not go with select"):
        make_config(
            {"objective": [{"kind": "arc-length", "data": str(TOY), "tags": 2, "select": "exact"}]}
        )
    quick_model(tmp_path / "plain", TOY, tagger={"tags": False}, model={"greedy": False})
    with pytest.raises(ConfigError, match="no tagger"):
        config = task(tmp_path, beside=False, tags=2)
        train(config, tmp_path / "m", Log(), init=load(tmp_path / "plain"), threads=1)
