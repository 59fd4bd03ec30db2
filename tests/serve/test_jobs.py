"""Long work: it says how far it is, gives what the library gives, can be stopped, and fails
where everybody can see it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from niwaki.analysis.orders import rule_system
from niwaki.analysis.profiles import profile_errors
from niwaki.analysis.profiles_report import ProfilesReport
from niwaki.data.bilingual.references import read_references
from niwaki.data.sentence import Sentence
from niwaki.metrics.attachment import evaluate
from niwaki.metrics.significance import compare
from niwaki.pipeline.pipeline import Pipeline
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
