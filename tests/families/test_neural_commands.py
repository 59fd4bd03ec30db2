"""A neural parser on the command line: trained, used, trained on, taught and teaching."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from niwaki.data.conllu import read_conllu
from niwaki.pipeline.store import load
from tests.toy import TOY, niwaki, quick_model, skip_without_extras, write

skip_without_extras("neural")

CONFIG = f"""
[model]
kind = "neural"
[neural]
width = 48
layers = 2
arc_width = 24
label_width = 16
letter_rows = 1024
learning_rate = 0.01
batch_words = 40
[[objective]]
data = "{TOY}"
[training]
epochs = 15
dev = "{TOY}"
"""


def run(*words: Any, stdin: str = "") -> str:
    done = niwaki(*map(str, words), stdin=stdin)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def config(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("config") / "neural.toml"
    path.write_text(CONFIG, encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def trained(config: Path) -> Path:
    output = config.with_name("neural.niwaki")
    run("train", config, "-o", output)
    return output


def test_parse_evaluate_and_info(trained: Path) -> None:
    text = "The old gardener shapes a pine ."
    lines = run("parse", "--from", "tokens", "-m", trained, "--probabilities", stdin=text)
    assert lines.count("ArcProb=") == lines.count("TagProb=") == 7
    ranked = json.loads(run("parse", "--from", "tokens", "-m", trained, "-k", "4", stdin=text))
    assert len(ranked["parses"]) == 4
    scores = json.loads(run("evaluate", TOY, "-m", trained, "--json"))
    assert scores["LAS"] > 60 and scores["UPOS"] > 60 and scores["LEMMA"] > 60
    card = run("info", trained)
    assert "  kind: neural\n" in card and "neural\n  layers: 2\n" in card
    # What says nothing to a network is not on its card.
    assert "features" not in card and "folds" not in card and "tagger\n  tags: true\n" in card


def test_train_on_with_a_cost(trained: Path, tmp_path: Path) -> None:
    sentences = [
        s.replace(heads=[*[-1] * (len(s) - 1), 0], deprels=["_"] * len(s)) for s in read_conllu(TOY)
    ]
    data = write(tmp_path / "p.conllu", sentences)
    task = tmp_path / "task.toml"
    cost = f'[[objective]]\nkind = "partial"\ndata = "{data}"\nschedule = 2.0\n'
    task.write_text(f'[[objective]]\ndata = "{TOY}"\n{cost}[training]\nepochs = 2\n')
    run("train", task, "--init", trained, "-o", tmp_path / "on.niwaki")
    shown = run("trade-off", TOY, task, "-m", trained, "-m", tmp_path / "on.niwaki")
    assert "partial" in shown
    run("self-train", task, "-m", trained, "-o", tmp_path / "self.niwaki", "--train-on", "-n", 8)
    for name in ("on", "self"):
        assert load(tmp_path / f"{name}.niwaki").config["model"]["kind"] == "neural"


def test_it_teaches_and_is_taught(trained: Path, config: Path, tmp_path: Path) -> None:
    text = tmp_path / "text.txt"
    text.write_text("Two herons stand in the water.\nThe old gardener sleeps.\n" * 3)
    common = ["uptrain", config, "--text", text, "--set", "training.epochs=1"]
    quick = ["--set", "model.kind=transition", "--set", "training.greedy_epochs=1"]
    run(*common, "-m", trained, "-o", tmp_path / "fast.niwaki", *quick)
    assert load(tmp_path / "fast.niwaki").config["model"]["kind"] == "transition"
    teacher = tmp_path / "teacher.niwaki"
    quick_model(teacher)
    run(*common, "-m", teacher, "-o", tmp_path / "taught.niwaki")
    assert load(tmp_path / "taught.niwaki").config["model"]["kind"] == "neural"
