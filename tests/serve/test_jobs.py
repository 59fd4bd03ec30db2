"""Long work: it says how far it is, gives what the library gives, can be stopped, and fails
where everybody can see it."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest

from niwaki.analysis.orders import rule_system
from niwaki.data.references import read_references
from niwaki.data.sentence import Sentence
from niwaki.metrics.attachment import evaluate
from niwaki.metrics.significance import compare
from niwaki.models.pipeline import Pipeline
from niwaki.serve.adapt import follow
from niwaki.serve.jobs import Job
from niwaki.serve.work.comparing import SAMPLES
from niwaki.tasks.reorder.rulefile import load_rules
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


def test_an_analysis_counts_every_word(bench: Client, toy: list[Sentence]) -> None:
    request = {"corpus": "toy", "systems": [{"model": "en"}]}
    job = bench.done(bench.post("/api/analyze", request))
    assert job["state"] == "done", job["error"]
    result = job["result"]
    words = sum(map(len, toy))
    for rows in result["factors"].values():
        assert sum(row["count"] for row in rows) == words
        las = sum(row["las"] * row["count"] for row in rows) / words
        assert las == pytest.approx(result["scores"]["LAS"])
    assert [each["beam"] for each in result["beams"]] == [1, 2, 4, 8, 16, 32]
    request = {"corpus": "pairs", "systems": [{"model": "en", "rules": "ja"}]}
    job = bench.done(bench.post("/api/analyze", request))
    assert job["state"] == "done", job["error"]
    assert job["result"]["misplaced"]["word"] is not None


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


def test_adapting_trains_a_model_and_shows_what_it_did(bench: Client, annotated: str) -> None:
    request = {"project": annotated, "treebank": "toy", "dev": "toy", "epochs": 2}
    job = bench.done(bench.post("/api/adapt-start", request))
    assert job["state"] == "done", (job["error"], job["lines"])
    assert {each["stage"] for each in job["curves"]} == {"parser", "greedy"}
    assert [e["epoch"] for e in job["curves"] if e["stage"] == "parser"] == [1, 2]
    assert all("las" in each for each in job["curves"])
    result = job["result"]
    assert (len(result["annotated"]["rows"]), len(result["held-out"]["rows"])) == (10, 2)
    assert result["held-out"]["counts"][0]["known_roots"] == 2
    assert result["dev"]["measure"] == "LAS"
    # It is a model like others from now on, and what it was made of lies beside it.
    name = result["model"]
    assert name in {each["id"] for each in bench.get("/api/models").json}
    parsed = bench.post("/api/parse", {"tokens": [["Rain", "falls", "."]], "model": name})
    assert parsed.status == 200
    config = bench.get(f"/api/adapt/{job['id']}/config").json["config"]
    assert "partial = true" in config and "/" not in config.partition("[[objective]]")[2]
    both = bench.get(f"/api/adapt/{job['id']}/sentence?part=held-out&n=0").json
    assert len(both["systems"]) == 2
    again = bench.get("/api/adapt").json
    assert again["jobs"][-1]["state"] == "done"


def test_training_can_be_cancelled(bench: Client, annotated: str) -> None:
    request = {"project": annotated, "treebank": "toy", "epochs": 100}
    job = bench.post("/api/adapt-start", request).json
    while not (found := bench.get(f"/api/jobs/{job['id']}").json)["curves"]:
        assert found["state"] == "running", found["error"]
        time.sleep(0.05)
    assert bench.post(f"/api/jobs/{job['id']}/cancel", {}).json["state"] == "cancelled"
    name = found["request"]["model"]
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


def test_a_failure_is_visible(bench: Client, annotated: str) -> None:
    request: dict[str, Any] = {"project": annotated, "treebank": "toy", "epochs": 2}
    job = bench.done(bench.post("/api/adapt-start", {**request, "treebank": "broken"}))
    assert job["state"] == "failed"
    assert "2 roots" in job["error"]


def test_nothing_annotated_is_said(bench: Client) -> None:
    made = bench.post("/api/projects-create", {"name": "Empty", "text": "Rain falls."}).json
    reply = bench.post("/api/adapt-start", {"project": made["id"], "treebank": "toy"})
    assert reply.status == 422
    assert "annotated" in reply.json["error"]


def test_lines_of_the_log_become_points_and_progress() -> None:
    job = Job("adapt-1", "adapt", "x", {})
    follow(job, "1,200 sentences, 20,000 words")
    follow(job, "tagger: 3,000 sentences, 900/s, 25%, 10 s left")
    assert (job.stage, job.done, job.total) == ("tagger", 25, 100)
    follow(job, "parser epoch 3/12: 1,234 updates, 56,789 features, dev UAS 90.12 LAS 88.34")
    follow(job, "greedy epoch 1/12: 7 updates, 8 features")
    assert job.curves == [
        {
            "stage": "parser",
            "epoch": 3,
            "epochs": 12,
            "updates": 1234,
            "features": 56789,
            "uas": 90.12,
            "las": 88.34,
        },
        {"stage": "greedy", "epoch": 1, "epochs": 12, "updates": 7, "features": 8},
    ]
    assert job.lines[0].startswith("1,200") and len(job.lines) == 3
