"""Long work: it says how far it is, gives what the library gives, can be stopped, and fails
where everybody can see it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from niwaki.analysis.orders import rule_system
from niwaki.analysis.profiles import profile_errors
from niwaki.analysis.profiles_report import ProfilesReport
from niwaki.analysis.tradeoff import weigh_up
from niwaki.data.bilingual.references import read_references
from niwaki.data.conllu import read_conllu
from niwaki.data.sentence import Sentence
from niwaki.metrics.attachment import evaluate
from niwaki.metrics.significance import compare
from niwaki.objectives.partial import Partial
from niwaki.pipeline.pipeline import Pipeline
from niwaki.pipeline.store import load
from niwaki.serve import supervise
from niwaki.serve.adapt import follow
from niwaki.serve.jobs import Job
from niwaki.serve.work.comparing import SAMPLES
from niwaki.tasks.reorder.rulefile import load_rules
from niwaki.training.config_file import read_config
from niwaki.training.run import train
from tests.serve.conftest import Client

BEAMS = {"corpus": "toy", "systems": [{"model": "en", "beam": 1}, {"model": "en", "beam": 8}]}


def test_a_comparison_is_that_of_the_library(
    bench: Client, model: Pipeline, toy: list[Sentence]
) -> None:
    job = bench.done(bench.post("/api/compare", BEAMS))
    assert job["state"] == "done", job["error"]
    a, b = (evaluate(toy, model.parse(toy, beam=beam, retag=True)) for beam in (1, 8))
    for row, wanted in zip(job["result"]["table"], compare(a, b, SAMPLES, 1), strict=True):
        assert (row["metric"], row["a"], row["b"]) == (wanted.metric, wanted.a, wanted.b)
        assert (row["low"], row["high"]) == pytest.approx((wanted.low, wanted.high))
    rows = job["result"]["rows"]
    right = sum(row["b"] * row["words"] for row in rows)
    assert 100 * right / sum(row["words"] for row in rows) == pytest.approx(b.scores["LAS"])


def test_a_sentence_is_shown_as_it_was_scored(bench: Client) -> None:
    rows = bench.done(bench.post("/api/compare", BEAMS))["result"]["rows"]
    for row in rows[:8]:
        found = bench.post("/api/compare-sentence", {**BEAMS, "n": row["n"]}).json
        for key, system in zip("ab", found["systems"], strict=True):
            pairs = zip(
                found["gold"]["heads"],
                system["heads"],
                found["gold"]["deprels"],
                system["deprels"],
                strict=True,
            )
            right = sum(h == k and x == y for h, k, x, y in pairs)
            assert right / row["words"] == row[key]


def test_rule_sets_are_compared_on_references(
    bench: Client, model: Pipeline, references_file: Path
) -> None:
    systems = [{"model": "en", "rules": "none"}, {"model": "en", "rules": "ja"}]
    job = bench.done(bench.post("/api/compare", {"corpus": "pairs", "systems": systems}))
    references = list(read_references(references_file))
    trees = list(model.parse([Sentence.from_words(each.tokens) for each in references]))
    table = {row["metric"]: row for row in job["result"]["table"]}
    for key, rules in (("a", "none"), ("b", "ja")):
        scores = rule_system("x", references, trees, load_rules(rules)).evaluation.scores
        assert table["frs_linked"][key] == pytest.approx(scores["frs_linked"])
        assert table["tau"][key] == pytest.approx(scores["tau"])


def test_an_analysis_is_that_of_the_library(
    bench: Client, model: Pipeline, toy: list[Sentence]
) -> None:
    request = {**BEAMS, "punctuation": False}
    job = bench.done(bench.post("/api/analyze", request))
    assert job["state"] == "done", job["error"]
    result = job["result"]
    names = ["en (beam 1)", "en (beam 8)"]
    trees = [list(model.parse(toy, beam=beam, retag=True)) for beam in (1, 8)]
    found = profile_errors(toy, dict(zip(names, trees, strict=True)), punctuation=False)
    wanted = json.loads(json.dumps(ProfilesReport(found).to_json()))
    assert {key: result[key] for key in wanted} == wanted
    assert [each["key"] for each in result["factors"]] == list(wanted["profiles"])
    for name, parsed in zip(names, trees, strict=True):
        details = result["details"][name]
        assert details["scores"] == pytest.approx(evaluate(toy, parsed).scores)
        wrong = sum(each["errors"] for each in details["examples"])
        las = 100 * (1 - wrong / sum(map(len, toy)))
        assert las == pytest.approx(details["scores"]["LAS"])
    assert [each["beam"] for each in result["beams"]] == [1, 2, 4, 8, 16, 32]


def test_orders_of_several_systems_are_analysed(bench: Client) -> None:
    systems = [{"model": "en", "rules": rules} for rules in ("none", "ja", "ja")]
    job = bench.done(bench.post("/api/analyze", {"corpus": "pairs", "systems": systems}))
    assert job["state"] == "done", job["error"]
    result = job["result"]
    names = ["en + none", "en + ja", "en + ja #3"]
    assert list(result["details"]) == names
    assert result["details"]["en + ja"]["misplaced"]["word"] is not None
    assert result["details"]["en + ja"]["scores"] == result["details"]["en + ja #3"]["scores"]
    (row,) = [each for each in result["differences"]["en + ja"] if each["metric"] == "frs_linked"]
    one, other = (result["details"][name]["scores"]["frs_linked"] for name in names[:2])
    assert row["difference"] == pytest.approx(other - one)


def test_what_cannot_be_compared_is_refused(bench: Client) -> None:
    for changes, status in (
        ({"corpus": "nothing"}, 404),
        ({"corpus": "pairs"}, 422),
        ({"systems": [{"model": "nobody"}] * 2}, 404),
        ({"systems": [{"model": "en"}]}, 422),
    ):
        assert bench.post("/api/compare", {**BEAMS, **changes}).status == status
    assert bench.get("/api/jobs/none").status == 404
    assert bench.post("/api/jobs/none/cancel", {}).status == 404


@pytest.fixture
def annotated(bench: Client) -> str:
    """A project in which the main words of the toy treebank are known."""
    made = bench.post("/api/projects-create", {"name": "Main words", "corpus": "toy"}).json
    for n in range(12):
        path = f"/api/projects/{made['id']}/sentences/{n}"
        found = bench.get(path).json
        word = found["heads"].index(0) + 1
        said = {"version": 0, "heads": [{"word": word, "head": 0, "label": "root"}]}
        assert bench.post(f"{path}/answer", said).status == 200
    return str(made["id"])


def test_adapting_trains_a_model_and_shows_what_it_did(
    bench: Client, annotated: str, model: Pipeline
) -> None:
    request = {"projects": [annotated], "treebank": "toy", "epochs": 2, "passes": 3}
    job = bench.done(bench.post("/api/adapt-start", request))
    assert job["state"] == "done", (job["error"], job["lines"])
    # The curves say what the log says that training writes.
    result = job["result"]
    folder = bench.folder / "models" / result["model"]
    log = (folder / "model.niwaki.log.jsonl").read_text(encoding="utf-8").splitlines()
    (task,) = result["tasks"]
    assert job["titles"] == {task["name"]: "Main words"}
    # The log has one stage after the other; a stage has its epochs in order.
    curves = sorted(job["curves"], key=lambda each: each["stage"] == "greedy")
    assert [(each["stage"], each["epoch"]) for each in curves] == [
        ("parser", 1),
        ("parser", 2),
        ("greedy", 1),
        ("greedy", 2),
    ]
    rows = []
    for epoch in curves:
        (partial,) = epoch["objectives"]
        assert partial["name"] == task["name"] and partial["examples"] == 3 * 10
        assert partial["first"] >= partial["oracle"] >= 0
        rows += [(epoch["updates"], epoch["las"]), (partial["updates"], None)]
    assert rows == [(each["updates"], each.get("las")) for each in map(json.loads, log)]
    assert all(epoch["las"] is not None for epoch in job["curves"])
    # What was kept out is not in what was learned from.
    assert (len(task["learned"]["rows"]), len(task["held-out"]["rows"])) == (10, 2)
    assert task["held-out"]["counts"][0]["known_roots"] == 2
    trees = [set(_texts(folder / f"treebank.{part}.conllu")) for part in ("learned", "held-out")]
    assert [len(each) for each in trees] == [result["trees"][p] for p in ("learned", "held-out")]
    assert not trees[0] & trees[1]
    # It is a model like others from now on, and what it was made of lies beside it.
    assert result["model"] in {each["id"] for each in bench.get("/api/models").json}
    words = {"tokens": [["Rain", "falls", "."]], "model": result["model"]}
    assert "arc" in bench.post("/api/parse", words).json["sentences"][0]["probabilities"]
    config = bench.get(f"/api/adapt/{job['id']}/config").json["config"]
    assert [each.get("kind") for each in config["objective"]] == [None, "partial"]
    assert str(bench.folder) not in json.dumps(config)
    # The run can be repeated by hand, and makes the same model.
    written = folder / "config.json"
    assert json.loads(written.read_bytes()) == config
    train(read_config(str(written)), folder / "again.niwaki", init=model)
    again, made = (folder / f"{name}.niwaki" for name in ("again", "model"))
    assert again.read_bytes() == made.read_bytes()
    both = f"/api/adapt/{job['id']}/sentence?part=held-out&project={annotated}&n=0"
    assert len(bench.get(both).json["systems"]) == 2
    assert bench.get(both.replace("held-out", "learned")).status == 200
    assert bench.get(both.replace(annotated, "none")).status == 404
    assert bench.get("/api/adapt").json["jobs"][-1]["state"] == "done"


def _texts(path: Path) -> list[str]:
    return [each.text for each in read_conllu(path)]


def test_the_trade_off_is_that_of_the_library(
    bench: Client, annotated: str, model: Pipeline, toy: list[Sentence]
) -> None:
    job = bench.done(bench.post("/api/adapt-start", {"projects": [annotated], "epochs": 1}))
    assert job["state"] == "done", (job["error"], job["lines"])
    made = job["result"]["model"]
    # Without a treebank nothing tells what was paid.
    assert job["result"]["tradeoff"]["treebank"] == {}
    assert job["result"]["tradeoff"]["part"] == "held-out"
    request = {
        "models": ["en", made],
        "treebank": "toy",
        "tasks": [{"corpus": f"{annotated}.known"}, {"corpus": "pairs", "rules": "ja"}],
    }
    weighed = bench.done(bench.post("/api/trade-off", request))
    assert weighed["state"] == "done", weighed["error"]
    known = list(
        read_conllu(bench.folder / "projects" / annotated / "partial.conllu", unknown_heads=True)
    )
    after = load(bench.folder / "models" / made / "model.niwaki")
    wanted = weigh_up(("en", made), (model, after), toy, {"x": Partial(known)}, samples=SAMPLES)
    found = weighed["result"]
    assert found["treebank"] == wanted.to_json()["treebank"]
    assert list(found["costs"]) == [f"{annotated}.known", "pairs + ja"]
    assert found["costs"][f"{annotated}.known"]["b"] == wanted.to_json()["costs"]["x"]["b"]
    for changes, status in (
        ({"models": ["en", "nobody"]}, 404),
        ({"models": ["en"]}, 422),
        ({"tasks": []}, 422),
        ({"tasks": [{"corpus": "toy"}]}, 404),
        ({"treebank": "pairs"}, 404),
    ):
        assert bench.post("/api/trade-off", {**request, **changes}).status == status


def test_links_teach_word_order(bench: Client, annotated: str) -> None:
    """A parser that is told orders which reverse every sentence learns to make such trees."""
    lines = ["Rain falls .", "Old pines lean .", "The gardener rests .", "Two herons stand ."] * 2
    targets = [" ".join(f"{word}'" for word in reversed(line.split())) for line in lines]
    request = {"name": "Turned", "source": "\n".join(lines), "target": "\n".join(targets)}
    made = bench.post("/api/projects-create", request).json["id"]
    for n, line in enumerate(lines):
        words = len(line.split())
        links = [[i, words - 1 - i] for i in range(words if n else 1)]
        said = {"version": 0, "links": links}
        assert bench.post(f"/api/projects/{made}/sentences/{n}/answer", said).status == 200
    request = {"projects": [made, annotated], "rules": "reverse", "treebank": "toy", "epochs": 3}
    job = bench.done(bench.post("/api/adapt-start", request))
    assert job["state"] == "done", (job["error"], job["lines"])
    turned, roots = job["result"]["tasks"]
    # One linked word has no order: of eight pairs seven say something, and one is kept out.
    assert (turned["kind"], len(turned["learned"]["rows"])) == ("reordering", 6)
    assert roots["kind"] == "partial"
    names = {turned["name"], roots["name"]}
    assert len(names) == 2 and set(job["titles"]) == names
    assert {each["name"] for epoch in job["curves"] for each in epoch["objectives"]} == names
    assert set(job["result"]["tradeoff"]["costs"]) == names
    assert set(job["result"]["tradeoff"]["treebank"]) == {"UAS", "LAS", "UPOS"}
    config = bench.get(f"/api/adapt/{job['id']}/config").json["config"]
    assert config["objective"][1]["rules"] == "reverse"
    shown = f"/api/adapt/{job['id']}/sentence?part=learned&project={made}&n=0"
    assert "reference" in bench.get(shown).json["systems"][1]


def test_own_rules_are_kept_with_the_model(bench: Client) -> None:
    text = bench.get("/api/rules/reverse").json["text"]
    assert bench.post("/api/rules-save", {"id": "turned", "text": text}).status == 200
    request = {"name": "One pair", "source": "Rain falls", "target": "b a"}
    made = bench.post("/api/projects-create", request).json["id"]
    said = {"version": 0, "links": [[0, 1], [1, 0]]}
    assert bench.post(f"/api/projects/{made}/sentences/0/answer", said).status == 200
    request = {"projects": [made], "rules": "turned", "epochs": 1}
    job = bench.done(bench.post("/api/adapt-start", request))
    assert job["state"] == "done", (job["error"], job["lines"])
    kept = bench.folder / "models" / job["result"]["model"] / "rules.toml"
    assert kept.read_text(encoding="utf-8") == text
    # Nothing could be kept out of one example; the report says so.
    assert job["result"]["tradeoff"]["part"] == "learned"
    assert "held-out" not in job["result"]["tasks"][0]


def test_training_can_be_cancelled(bench: Client, annotated: str) -> None:
    request = {"projects": [annotated], "treebank": "toy", "epochs": 100}
    job = bench.post("/api/adapt-start", request).json
    while not (found := bench.get(f"/api/jobs/{job['id']}").json)["curves"]:
        assert found["state"] == "running", found["error"]
        time.sleep(0.05)
    assert bench.post(f"/api/jobs/{job['id']}/cancel", {}).json["state"] == "cancelled"
    name = found["request"]["output"]
    assert not (bench.folder / "models" / name / "model.niwaki").exists()
    assert name not in {each["id"] for each in bench.get("/api/models").json}
    assert _trainers(name) == []


def _trainers(name: str) -> list[str]:
    """Processes that train in the folder of a model."""
    found = []
    for path in Path("/proc").glob("[0-9]*"):
        try:
            if (path / "cwd").readlink().name == name:
                found.append(path.name)
        except OSError:
            continue
    return found


def test_training_does_not_outlive_the_server(tmp_path: Path) -> None:
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


def test_a_failure_is_visible(bench: Client, annotated: str) -> None:
    request: dict[str, Any] = {"projects": [annotated], "treebank": "broken", "epochs": 2}
    job = bench.done(bench.post("/api/adapt-start", request))
    assert job["state"] == "failed"
    assert "2 roots" in job["error"]
    assert str(bench.folder) not in job["error"]


def test_what_cannot_be_adapted_is_said(bench: Client, annotated: str) -> None:
    made = bench.post("/api/projects-create", {"name": "Empty", "text": "Rain falls."}).json
    reply = bench.post("/api/adapt-start", {"projects": [made["id"]]})
    assert reply.status == 422
    assert "annotated" in reply.json["error"]
    for changes, status in (
        ({"projects": []}, 422),
        ({"projects": ["nothing"]}, 404),
        ({"model": "nobody"}, 404),
        ({"rules": "nothing"}, 404),
        ({"treebank": "pairs"}, 404),
        ({"dev": "nothing"}, 404),
    ):
        assert bench.post("/api/adapt-start", {"projects": [annotated], **changes}).status == status


def test_lines_of_training_become_progress() -> None:
    job = Job("adapt-1", "adapt", "x", {})
    for kind, values in (
        ("note", {"text": "1,200 sentences, 20,000 words"}),
        ("stage", {"name": "tagger", "total": 12_000}),
        ("progress", {"stage": "tagger", "done": 3_000, "total": 12_000}),
    ):
        follow(job, json.dumps({"kind": kind, **values}))
    assert (job.stage, job.done, job.total) == ("tagger", 3_000, 12_000)
    epoch = {"stage": "parser", "epoch": 3, "epochs": 12, "updates": 9, "objectives": []}
    follow(job, json.dumps({"kind": "epoch", **epoch}))
    assert job.curves == [epoch]
    follow(job, json.dumps({"kind": "error", "message": "no file 'x'", "status": 1}))
    assert job.error == "no file 'x'"
    assert job.lines == ["1,200 sentences, 20,000 words", "parser: epoch 3 of 12", "no file 'x'"]


@pytest.mark.parametrize(
    "line", ["x.py:1: UserWarning: old", "", "7", "[1]", '{"kind": "stage"}', '{"kind": "other"}']
)
def test_a_line_that_is_no_progress_is_shown_as_it_is(line: str) -> None:
    job = Job("adapt-1", "adapt", "x", {})
    follow(job, line)
    assert (job.lines, job.stage, job.error) == ([line], "waiting", "")
