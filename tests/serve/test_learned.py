"""What models have learned from is told beside the workbench's scores, and can be left out."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from niwaki.data.sentence import Sentence
from niwaki.metrics.attachment import evaluate
from niwaki.pipeline.store import load
from niwaki.serve.registry import Registry
from tests.serve.conftest import Client, running
from tests.toy import TOY, quick_model, write


@pytest.fixture(scope="module")
def nine(toy: list[Sentence], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model of the first nine sentences."""
    folder = tmp_path_factory.mktemp("nine")
    quick_model(folder / "nine.niwaki", write(folder / "nine.conllu", toy[:9]))
    return folder / "nine.niwaki"


@pytest.fixture(scope="module")
def learners(
    model_path: Path, nine: Path, references_file: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Client]:
    registry = Registry()
    registry.add_model("en", str(model_path))
    registry.add_model("nine", str(nine))
    registry.add_corpus("toy", "trees", [str(TOY)])
    registry.add_corpus("pairs", "references", [str(references_file)])
    with running(registry, tmp_path_factory.mktemp("learners")) as client:
        yield client


def test_scores_on_learned_sentences_say_so_and_can_leave_them_out(
    learners: Client, nine: Path, toy: list[Sentence]
) -> None:
    """The toy treebank is all that `en` has learned from, and `nine` learned nine of it."""
    small = load(nine)
    for path in ("/api/compare", "/api/analyze"):
        systems = [{"model": "nine", "beam": 1}, {"model": "en"}]
        job = learners.done(learners.post(path, {"corpus": "toy", "systems": systems}))
        assert job["state"] == "done", job["error"]
        assert job["result"]["overlap"] == {"examples": 33, "learned": [9, 33], "left_out": 0}
        refused = learners.post(path, {"corpus": "toy", "systems": systems, "unseen": True})
        assert refused.status == 422
        assert refused.json["error"] == "unseen: none is left of 33, all were learned; give others"
        systems = [{"model": "nine", "beam": beam} for beam in (1, 4)]
        job = learners.done(
            learners.post(path, {"corpus": "toy", "systems": systems, "unseen": True})
        )
        assert job["state"] == "done", job["error"]
        result = job["result"]
        assert result["overlap"] == {"examples": 24, "learned": [0, 0], "left_out": 9}
        assert result["signature"].endswith("|left_out=9 learned")
        las = evaluate(toy[9:], small.parse(toy[9:], beam=4, retag=True)).scores["LAS"]
        if path == "/api/compare":
            # Sentences keep the numbers that they have in the corpus.
            assert [row["n"] for row in result["rows"]] == list(range(9, 33))
            assert [row["text"] for row in result["rows"]] == [each.text for each in toy[9:]]
            (row,) = [each for each in result["table"] if each["metric"] == "LAS"]
            assert row["b"] == las
        else:
            details = result["details"]["nine (beam 4)"]
            assert details["scores"]["LAS"] == las
            assert {each["n"] for each in details["examples"]} <= set(range(9, 33))
            assert {toy[each["n"]].text for each in details["examples"]} == {
                each["text"] for each in details["examples"]
            }
            assert {each["sentences"] for each in result["beams"]} == {24}


def test_orders_of_learned_sentences(learners: Client) -> None:
    """Of the three references, the first two are sentences of the treebank."""
    systems = [{"model": "nine", "rules": rules} for rules in ("none", "ja")]
    for path in ("/api/compare", "/api/analyze"):
        request = {"corpus": "pairs", "systems": systems}
        result = learners.done(learners.post(path, request))["result"]
        assert result["overlap"] == {"examples": 3, "learned": [2, 2], "left_out": 0}
        result = learners.done(learners.post(path, {**request, "unseen": True}))["result"]
        assert result["overlap"] == {"examples": 1, "learned": [0, 0], "left_out": 2}
        if path == "/api/compare":
            assert [(row["n"], row["id"]) for row in result["rows"]] == [(2, "c")]
        else:
            details = result["details"]["nine + ja"]
            assert details["scores"]["sentences"] == 1
            assert {(each["n"], each["id"]) for each in details["worst"]} == {(2, "c")}


def test_a_trade_off_leaves_out_what_was_learned(learners: Client) -> None:
    request = {"models": ["nine", "nine"], "treebank": "toy", "tasks": [{"corpus": "pairs"}]}
    overlaps = learners.done(learners.post("/api/trade-off", request))["result"]["overlaps"]
    assert overlaps["treebank"] == {"examples": 33, "learned": [9, 9], "left_out": 0}
    assert overlaps["pairs + ja"] == {"examples": 3, "learned": [2, 2], "left_out": 0}
    job = learners.done(learners.post("/api/trade-off", {**request, "unseen": True}))
    assert {name: each["left_out"] for name, each in job["result"]["overlaps"].items()} == {
        "treebank": 9,
        "pairs + ja": 2,
    }


# -- in a browser ----------------------------------------------------------------------------


def notes(page: Any) -> list[str]:
    return [str(each) for each in page.locator(".note.learned").all_inner_texts()]


def test_compare_warns_beside_the_table(open_page: Any, learners: Client) -> None:
    page = open_page("/compare", client=learners)
    page.select_option("#corpus", "toy")
    page.select_option('[data-side="b"] [data-field="model"]', "nine")
    assert not page.is_checked("#unseen")
    page.click("#run")
    page.wait_for_selector("#table")
    (note,) = notes(page.locator("#table"))
    assert note.startswith("Of 33 sentences, learned: 33 by A · en, 9 by B · nine. Scores on them")
    page.select_option('[data-side="a"] [data-field="model"]', "nine")
    page.select_option('[data-side="a"] [data-field="beam"]', "1")
    page.check("#unseen")
    page.click("#run")
    page.wait_for_selector("#table [data-left-out]")
    assert notes(page.locator("#table")) == ["9 sentences left out: a model has learned from them."]
    page.select_option("#show", "all")
    page.locator('tr[data-n="9"]').click()
    page.wait_for_selector(".detail g.arc")


def test_analyze_warns_beside_the_table(open_page: Any, learners: Client) -> None:
    page = open_page("/analyze", client=learners)
    for corpus, place, told, left_out in (
        ("toy", "#accuracy", "Of 33 sentences, learned: 9 by nine.", "9 sentences left out"),
        ("pairs", ".card:has(#scores)", "Of 3 sentences, learned: 2 by nine + ja.", "2 sentences"),
    ):
        page.select_option("#corpus", corpus)
        page.select_option('[data-system="0"] [data-field="model"]', "nine")
        page.uncheck("#unseen")
        page.click("#run")
        page.wait_for_selector(f"{place} [data-learned]", timeout=180_000)
        assert notes(page.locator(place))[0].startswith(told)
        page.check("#unseen")
        page.click("#run")
        page.wait_for_selector(f"{place} [data-left-out]", timeout=180_000)
        assert notes(page.locator(place))[0].startswith(left_out)


def test_a_trade_off_warns_beside_the_table(open_page: Any, learners: Client) -> None:
    page = open_page("/analyze", client=learners)
    page.click("#mode-trade-off")
    page.select_option("#before", "nine")
    page.select_option("#after", "nine")
    page.click("#run")
    page.wait_for_selector("#trade-off")
    treebank, task = notes(page.locator("#trade-off"))
    assert treebank.startswith("Of 33 sentences of the treebank, learned: 9 by nine")
    assert task.startswith("Of 3 examples of pairs + ja, learned: 2 by nine")
    page.check("#unseen")
    page.click("#run")
    page.wait_for_selector("#trade-off [data-left-out]")
    assert notes(page.locator("#trade-off"))[1].startswith("2 examples of pairs + ja left out: ")


def test_an_older_model_is_said_not_to_know(open_page: Any, learners: Client) -> None:
    """The page is told that nothing is known, as by a model that kept no hashes."""

    def forget(route: Any) -> None:
        answer = route.fetch()
        record = answer.json()
        if record.get("result"):
            record["result"]["overlap"]["learned"] = [None, None]
        route.fulfill(response=answer, json=record)

    page = open_page("/compare", client=learners, routes={"**/api/jobs/*": forget})
    page.select_option("#corpus", "toy")
    page.click("#run")
    # What the last job found may be there first.
    page.wait_for_selector('#table .note:has-text("Not recorded")')
    shown = page.inner_text("#table .note")
    assert shown.startswith("Not recorded, wholly or in part: what A · en and B · nine")
    assert not notes(page)
