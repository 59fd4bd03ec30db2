"""Adapting as the workbench does it: what `niwaki adapt` does, watched, and stopped if need be."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

import niwaki
from niwaki import cli
from niwaki.adapting.held_out import LEAST_EXAMPLES
from niwaki.analysis.tradeoff import weigh_up
from niwaki.data.conllu import read_conllu
from niwaki.data.sentence import Sentence
from niwaki.objectives.partial import Partial
from niwaki.pipeline.pipeline import Pipeline
from niwaki.pipeline.store import load
from niwaki.serve import supervise
from niwaki.serve.adapt import follow
from niwaki.serve.jobs import Job
from niwaki.serve.work.comparing import SAMPLES
from tests.serve.conftest import Client


@pytest.fixture(scope="module")
def own(bench: Client) -> str:
    """A project that says of main words what the model says."""
    made = bench.post("/api/projects-create", {"name": "Main words", "corpus": "toy"}).json
    for n in range(made["sentences"]):
        path = f"/api/projects/{made['id']}/sentences/{n}"
        word = bench.get(path).json["heads"].index(0) + 1
        said = {"version": 0, "heads": [{"word": word, "head": 0, "label": "root"}]}
        assert bench.post(f"{path}/answer", said).status == 200
    return str(made["id"])


@pytest.fixture(scope="module")
def turned(bench: Client) -> str:
    """Pairs whose targets are in the reverse order; of the first only one word is linked."""
    subjects = ["Rain", "Moss", "Water", "Snow", "Mist", "Wind"]
    lines = [f"{a} {b} ." for a in subjects for b in ("falls", "rests", "waits", "grows", "leans")]
    targets = [" ".join(f"{word}'" for word in reversed(line.split())) for line in lines]
    request = {"name": "Turned", "source": "\n".join(lines), "target": "\n".join(targets)}
    made = str(bench.post("/api/projects-create", request).json["id"])
    for n, line in enumerate(lines):
        words = len(line.split())
        links = [[i, words - 1 - i] for i in range(words if n else 1)]
        said = {"version": 0, "links": links}
        assert bench.post(f"/api/projects/{made}/sentences/{n}/answer", said).status == 200
    return made


@pytest.fixture(scope="module")
def adapted(bench: Client, stops: str) -> dict[str, Any]:
    """A job that is done: all trials of adapting `en` to a project."""
    job: dict[str, Any] = bench.done(bench.post("/api/adapt-start", {"projects": [stops]}))
    assert job["state"] == "done", (job["error"], job["lines"])
    return job


def models(bench: Client) -> set[str]:
    return {each["id"] for each in bench.get("/api/models").json}


@pytest.mark.slow
def test_adapting_writes_a_model_and_shows_what_it_was_worth(
    bench: Client, adapted: dict[str, Any], model: Pipeline, tmp_path: Path
) -> None:
    job = adapted
    result = job["result"]
    folder = bench.folder / "models" / result["model"]
    report = json.loads((folder / "report.json").read_bytes())
    assert result["report"] == {**report, "model": "en"}
    assert report["written"] and report["costs"]["0 partial"]["high"] < 0
    assert f"{report['costs']['0 partial']['b']:.4f}" in (folder / "report.html").read_text("utf-8")
    # What was told while it ran is what the report says.
    assert job["titles"] == {"0 partial": "Stops"}
    first, *tried = job["trials"]
    assert first["costs"] == report["before"]["costs"]
    assert [each["costs"] for each in tried] == [each["costs"] for each in report["trials"]]
    assert [each["number"] for each in tried] == list(range(1, len(report["trials"]) + 1))
    # It is a model like others from now on, and what it was made of lies beside it.
    assert result["model"] in models(bench)
    words = {"tokens": [["Rain", "falls", "."]], "model": result["model"]}
    assert bench.post("/api/parse", words).json["sentences"][0]["heads"][2] == 2
    config = bench.get(f"/api/adapt/{job['id']}/config").json["config"]
    assert [list(each) for each in config["objective"]] == [["kind", "data"]]
    assert str(bench.folder) not in json.dumps([config, result, job["lines"]])
    # The run can be repeated by hand, and comes to the same.
    written = folder / "config.json"
    assert json.loads(written.read_bytes()) == config
    again = niwaki.adapt(model, written, tmp_path / "again").to_json()
    assert (again["costs"], again["chosen"]) == (report["costs"], report["chosen"])
    listed = {each["id"]: each["state"] for each in bench.get("/api/adapt").json["jobs"]}
    assert listed[job["id"]] == "done"


def test_where_nothing_is_gained_the_model_stays_as_it_is(bench: Client, own: str) -> None:
    before = models(bench)
    job = bench.done(bench.post("/api/adapt-start", {"projects": [own], "minutes": 0}))
    assert (job["state"], job["error"]) == ("done", "")
    assert job["result"]["model"] is None
    report = job["result"]["report"]
    assert not report["written"] and "no trial cost less" in report["reason"]
    assert [each["number"] for each in job["trials"]] == [0, 1]
    assert not (bench.folder / "models" / job["result"]["folder"] / "model.niwaki").exists()
    assert models(bench) == before


@pytest.mark.slow
def test_the_trade_off_is_that_of_the_library(
    bench: Client, adapted: dict[str, Any], stops: str, model: Pipeline, toy: list[Sentence]
) -> None:
    job = adapted
    made = job["result"]["model"]
    # Without a treebank nothing tells what was paid, and the report says so.
    assert job["result"]["report"]["treebank"] == {}
    assert job["result"]["report"]["note"].startswith("no treebank")
    request = {
        "models": ["en", made],
        "treebank": "toy",
        "tasks": [{"corpus": f"{stops}.known"}, {"corpus": "pairs", "rules": "ja"}],
    }
    weighed = bench.done(bench.post("/api/trade-off", request))
    assert weighed["state"] == "done", weighed["error"]
    known = list(
        read_conllu(bench.folder / "projects" / stops / "partial.conllu", unknown_heads=True)
    )
    after = load(bench.folder / "models" / made / "model.niwaki")
    wanted = weigh_up(("en", made), (model, after), toy, {"x": Partial(known)}, samples=SAMPLES)
    found = weighed["result"]
    assert found["treebank"] == wanted.to_json()["treebank"]
    assert list(found["costs"]) == [f"{stops}.known", "pairs + ja"]
    assert found["costs"][f"{stops}.known"]["b"] == wanted.to_json()["costs"]["x"]["b"]
    for changes, status in (
        ({"models": ["en", "nobody"]}, 404),
        ({"models": ["en"]}, 422),
        ({"tasks": []}, 422),
        ({"tasks": [{"corpus": "toy"}]}, 404),
        ({"treebank": "pairs"}, 404),
    ):
        assert bench.post("/api/trade-off", {**request, **changes}).status == status


def test_several_projects_and_a_treebank_are_learned_at_once(
    bench: Client, turned: str, own: str
) -> None:
    request = {"projects": [turned, own], "rules": "reverse", "treebank": "toy", "dev": "toy"}
    job = bench.done(bench.post("/api/adapt-start", {**request, "minutes": 0}))
    assert job["state"] == "done", (job["error"], job["lines"])
    report = job["result"]["report"]
    assert list(job["titles"].values()) == ["Turned", "Main words"]
    assert set(report["examples"]) == set(job["titles"]) == set(report["before"]["costs"])
    # One linked word has no order: of thirty pairs 29 say something.
    sizes = [sum(report["examples"][name].values()) for name in job["titles"]]
    assert sizes == [29, 33]
    assert report["before"]["las"] is not None
    # The treebank was learned by the model: what its scores are worth is said.
    assert report["note"] in job["lines"]
    config = bench.get(f"/api/adapt/{job['id']}/config").json["config"]
    kinds = [each.get("kind") for each in config["objective"]]
    assert kinds == [None, "reordering", "partial"]
    assert config["objective"][1]["rules"] == "reverse"
    assert "training" not in config  # the treebank itself is no other one to see what is paid on


@pytest.mark.slow
def test_trees_beside_it_are_as_many_as_was_said(bench: Client, stops: str) -> None:
    request = {"projects": [stops], "treebank": "toy", "treebank_sentences": 7, "minutes": 0}
    job = bench.done(bench.post("/api/adapt-start", request))
    assert job["state"] == "done", (job["error"], job["lines"])
    folder = bench.folder / "models" / job["result"]["folder"]
    assert len(list(read_conllu(folder / "treebank.conllu"))) == 7
    request = {"projects": [stops], "dev": "toy", "minutes": 0}
    job = bench.done(bench.post("/api/adapt-start", request))
    assert job["state"] == "done", (job["error"], job["lines"])
    config = bench.get(f"/api/adapt/{job['id']}/config").json["config"]
    assert config["training"] == {"dev": "dev.conllu"}
    assert len(config["objective"]) == 1
    assert job["trials"][0]["las"] is not None


def test_own_rules_are_kept_with_the_model(bench: Client, turned: str) -> None:
    text = bench.get("/api/rules/reverse").json["text"]
    assert bench.post("/api/rules-save", {"id": "turned", "text": text}).status == 200
    request = {"projects": [turned], "rules": "turned", "minutes": 0}
    job = bench.done(bench.post("/api/adapt-start", request))
    assert job["state"] == "done", (job["error"], job["lines"])
    kept = bench.folder / "models" / job["result"]["folder"] / "rules.toml"
    assert kept.read_text(encoding="utf-8") == text


def test_adapting_can_be_cancelled_and_gone_on_with_by_hand(
    bench: Client,
    stops: str,
    model_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    job = bench.post("/api/adapt-start", {"projects": [stops], "treebank": "toy"}).json
    while not (found := bench.get(f"/api/jobs/{job['id']}").json)["trials"]:
        assert found["state"] == "running", found["error"]
        time.sleep(0.05)
    assert bench.post(f"/api/jobs/{job['id']}/cancel", {}).json["state"] == "cancelled"
    name = found["request"]["output"]
    assert not (bench.folder / "models" / name / "model.niwaki").exists()
    assert name not in models(bench)
    assert _processes(name) == []
    monkeypatch.chdir(bench.folder / "models" / name)
    words = ["adapt", str(model_path), "--for", "config.json", "-o", "by-hand.niwaki"]
    Path("model.niwaki.trials").rename("by-hand.niwaki.trials")
    assert cli.main([*words, "--minutes", "0", "--resume"]) in (0, 1)
    said = capsys.readouterr()
    assert "starting anew" not in said.err
    assert "examples to learn from" in said.out


def _processes(name: str) -> list[str]:
    """Those that work in the folder of a model."""
    found = []
    for path in Path("/proc").glob("[0-9]*"):
        try:
            if (path / "cwd").readlink().name == name:
                found.append(path.name)
        except OSError:
            continue
    return found


def test_adapting_does_not_outlive_the_server(tmp_path: Path) -> None:
    """When the server is killed, its end of the pipe closes, whatever else it could not do."""
    work = "echo $$ > pid.new; mv pid.new pid; sleep 1000"
    process = subprocess.Popen(
        [sys.executable, supervise.__file__, "sh", "-c", work], stdin=subprocess.PIPE, cwd=tmp_path
    )
    while not (tmp_path / "pid").exists():
        assert process.poll() is None
        time.sleep(0.02)
    pid = int((tmp_path / "pid").read_text())
    os.kill(pid, 0)
    assert process.stdin is not None
    process.stdin.close()
    assert process.wait() != 0
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


def test_a_failure_is_visible(bench: Client, stops: str) -> None:
    request: dict[str, Any] = {"projects": [stops], "treebank": "broken"}
    job = bench.done(bench.post("/api/adapt-start", request))
    assert job["state"] == "failed"
    assert "2 roots" in job["error"]
    assert str(bench.folder) not in job["error"]


@pytest.mark.parametrize("answered", [0, LEAST_EXAMPLES - 1])
def test_too_few_examples_are_refused_at_once(bench: Client, answered: int) -> None:
    text = " ".join(f"Rain falls on pine {n}." for n in range(LEAST_EXAMPLES))
    made = bench.post("/api/projects-create", {"name": "Few", "text": text}).json["id"]
    for n in range(answered):
        said = {"version": 0, "heads": [{"word": 2, "head": 0, "label": "root"}]}
        assert bench.post(f"/api/projects/{made}/sentences/{n}/answer", said).status == 200
    before = len(bench.get("/api/jobs").json)
    reply = bench.post("/api/adapt-start", {"projects": [made]})
    assert reply.status == 422
    assert f"has {answered} of the {LEAST_EXAMPLES} annotated sentences" in reply.json["error"]
    assert len(bench.get("/api/jobs").json) == before
    assert not list((bench.folder / "models").glob(f"{made}-*"))


def test_what_cannot_be_adapted_is_said(bench: Client, own: str) -> None:
    for changes, status in (
        ({"projects": []}, 422),
        ({"projects": ["nothing"]}, 404),
        ({"model": "nobody"}, 404),
        ({"rules": "nothing"}, 404),
        ({"treebank": "pairs"}, 404),
        ({"dev": "nothing"}, 404),
        ({"minutes": -1}, 422),
        ({"epochs": 4}, 422),
    ):
        assert bench.post("/api/adapt-start", {"projects": [own], **changes}).status == status


def test_lines_of_adapting_become_progress() -> None:
    job = Job("adapt-1", "adapt", "x", {})
    for kind, values in (
        ("note", {"text": "no treebank"}),
        ("stage", {"name": "trial 1 (3 passes), parser", "total": 12_000}),
        ("progress", {"stage": "trial 1 (3 passes), parser", "done": 3_000, "total": 12_000}),
    ):
        follow(job, json.dumps({"kind": kind, **values}))
    assert (job.stage, job.done, job.total) == ("trial 1 (3 passes), parser", 3_000, 12_000)
    trial = {"number": 1, "name": "3 passes", "costs": {"0 partial": 0.5}, "las": None}
    trial |= {"seconds": 12.4, "seconds_left": 60.0, "fault": ""}
    follow(job, json.dumps({"kind": "trial", **trial}))
    assert job.trials == [trial]
    follow(job, json.dumps({"kind": "error", "message": "no file 'x'", "status": 1}))
    assert job.error == "no file 'x'"
    assert job.lines == ["no treebank", "3 passes: 12 s; 60 s left", "no file 'x'"]


@pytest.mark.parametrize(
    "line", ["x.py:1: UserWarning: old", "", "7", "[1]", '{"kind": "stage"}', '{"kind": "other"}']
)
def test_a_line_that_is_no_progress_is_shown_as_it_is(line: str) -> None:
    job = Job("adapt-1", "adapt", "x", {})
    follow(job, line)
    assert (job.lines, job.stage, job.error) == ([line], "waiting", "")
