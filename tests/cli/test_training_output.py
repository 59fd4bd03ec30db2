"""`--progress json` of the commands that train: an object a line, stable names, one end."""

from __future__ import annotations

import json
import threading
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

import pytest

from niwaki.cli._training import TrainingJson
from niwaki.pipeline.store import load
from niwaki.training.reporting import EpochReport, ObjectiveReport
from tests.toy import TOY, niwaki, write

# The names of each kind; programs rely on them.
NAMES = {
    "stage": {"name", "total"},
    "progress": {"stage", "done", "total"},
    "epoch": {"stage", "epoch", "epochs", "updates", "rows", "uas", "las", "objectives"},
    "note": {"text"},
    "done": {"path", "seconds"},
    "error": {"message", "status"},
}
OBJECTIVE = {
    "written",
    "priced",
    "name",
    "examples",
    "updates",
    "first",
    "oracle",
    "k",
    "rescued",
    "retagged",
    "single",
}

QUICK: dict[str, Any] = {
    "model": {"beam": 4, "greedy": False},
    "tagger": {"folds": 2, "epochs": 2},
    "objective": [{"data": str(TOY)}, {"kind": "arc-length", "data": str(TOY), "k": 2}],
    "training": {"epochs": 2, "dev": str(TOY)},
}


@pytest.fixture(scope="module")
def config(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("config") / "quick.json"
    path.write_text(json.dumps(QUICK), encoding="utf-8")
    return path


def objects(text: str) -> list[dict[str, Any]]:
    """The lines, each of which must be an object with the names of its kind."""
    found = [json.loads(line) for line in text.splitlines()]
    assert found
    for each in found:
        assert set(each) == {"kind", *NAMES[each["kind"]]}, each
    return found


def of_kind(kind: str, found: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [each for each in found if each["kind"] == kind]


def test_training_says_all_it_does(config: Path, tmp_path: Path) -> None:
    path = tmp_path / "m.niwaki"
    done = niwaki("train", config, "-o", path, "--progress", "json", "--threads", "1")
    assert (done.returncode, done.stdout) == (0, ""), done.stderr
    found = objects(done.stderr)
    epochs = of_kind("epoch", found)
    told = [(each["stage"], each["epoch"], each["epochs"]) for each in epochs]
    assert told == [("parser", 1, 2), ("parser", 2, 2), ("parser-costs", 1, 1)]
    assert all(0 <= each["las"] <= each["uas"] <= 100 for each in epochs)
    assert [len(each["objectives"]) for each in epochs] == [0, 0, 1]
    (cost,) = epochs[-1]["objectives"]
    assert set(cost) == OBJECTIVE and cost["name"] == "1 arc-length"
    totals = {each["name"]: each["total"] for each in of_kind("stage", found)}
    assert "parser" in totals and "tagger" in totals
    last = {each["stage"]: each for each in of_kind("progress", found)}
    assert {name: each["done"] for name, each in last.items()} == totals
    assert all(each["total"] == totals[name] for name, each in last.items())
    assert found[-1]["kind"] == "done" and found[-1]["path"] == str(path)
    assert load(path).config["card"]["name"] == "model"


def test_the_names_are_those_of_the_reports() -> None:
    assert {each.name for each in fields(EpochReport)} == NAMES["epoch"]
    assert {each.name for each in fields(ObjectiveReport)} == OBJECTIVE


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (["--set", "training.epochs=0"], "training.epochs is 0; give at least 1"),
        (["--init", "nobody"], "no model 'nobody'"),
        (["--set", 'objective.0.data="none.conllu"'], "no file"),
    ],
)
def test_an_error_is_the_last_object(
    config: Path, tmp_path: Path, changes: list[str], message: str
) -> None:
    done = niwaki("train", config, "-o", tmp_path / "m.niwaki", "--progress", "json", *changes)
    assert done.returncode == 1
    last = objects(done.stderr)[-1]
    assert (last["kind"], last["status"]) == ("error", 1)
    assert message in last["message"]
    assert not (tmp_path / "m.niwaki").exists()


def test_people_get_text(config: Path, tmp_path: Path) -> None:
    done = niwaki("train", config, "-o", tmp_path / "m.niwaki", "--set", "training.epochs=1")
    assert "parser epoch 1/1: " in done.stderr
    assert done.stderr.splitlines()[-1].startswith(f"wrote {tmp_path / 'm.niwaki'} after ")
    assert "{" not in done.stderr


@pytest.mark.parametrize("form", ["text", "json"])
def test_nobody_is_told_if_it_is_to_be_quiet(config: Path, tmp_path: Path, form: str) -> None:
    words = "--set", "training.epochs=1", "--quiet", "--progress", form
    done = niwaki("train", config, "-o", tmp_path / "m.niwaki", *words)
    assert (done.returncode, done.stderr) == (0, "")
    assert (tmp_path / "m.niwaki").exists()
    done = niwaki("train", tmp_path / "none.toml", "-o", tmp_path / "m.niwaki", *words)
    assert done.returncode == 1
    assert "none.toml" in done.stderr and done.stderr.count("\n") == 1


def test_self_training_says_the_same(config: Path, tmp_path: Path, model_path: Path) -> None:
    path = tmp_path / "m.niwaki"
    words = ("self-train", config, "-m", model_path, "-o", path, "-n", "4", "--json")
    done = niwaki(*words, "--progress", "json")
    assert done.returncode == 0, done.stderr
    found = objects(done.stderr)
    assert found[-1]["kind"] == "done" and found[-1]["path"] == str(path)
    assert "round 1: choosing trees" in {each["name"] for each in of_kind("stage", found)}
    # What was chosen is a result, and stands where results do.
    assert json.loads(done.stdout)[0]["examples"] == 33


def test_uptraining_says_the_same(tmp_path: Path, toy: list[Any]) -> None:
    tables = {**QUICK, "objective": QUICK["objective"][:1]}
    config = tmp_path / "up.json"
    config.write_text(json.dumps(tables), encoding="utf-8")
    silver, path = write(tmp_path / "silver.conllu", toy[:10]), tmp_path / "m.niwaki"
    words = ("uptrain", config, "--teacher-trees", silver, "-o", path)
    done = niwaki(*words, "--progress", "json")
    assert (done.returncode, done.stdout) == (0, ""), done.stderr
    found = objects(done.stderr)
    assert found[-1]["kind"] == "done" and found[-1]["path"] == str(path)
    assert of_kind("stage", found)[0] == {
        "kind": "stage",
        "name": "trees of the teachers",
        "total": 0,
    }


def test_threads_do_not_tear_lines(capsys: pytest.CaptureFixture[str]) -> None:
    report = EpochReport("parser", 1, 1, 2, 3, None, None, ())
    output = TrainingJson()
    output.stage("parser", 400)

    def work() -> None:
        for _ in range(100):
            output.advance(1)
            output.epoch(report)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    output.done("m.niwaki")
    found = objects(capsys.readouterr().err)
    assert of_kind("epoch", found) == [{"kind": "epoch", **asdict(report), "objectives": []}] * 400
    assert of_kind("progress", found)[-1]["done"] == 400


def test_a_configuration_may_be_json(config: Path, tmp_path: Path) -> None:
    for text, message in (
        ('{"model": ', "not JSON"),
        ("[]", "make it an object of tables"),
        ('{"modle": {}}', "unknown key modle; did you mean 'model'?"),
        ('{"training": {"epochs": null}}', "training.epochs"),
    ):
        wrong = tmp_path / "wrong.json"
        wrong.write_text(text, encoding="utf-8")
        done = niwaki("train", wrong, "-o", tmp_path / "m.niwaki")
        assert done.returncode == 1
        assert done.stderr.startswith(f"niwaki: {wrong}: ") and message in done.stderr
        assert len(done.stderr.splitlines()) == 1
