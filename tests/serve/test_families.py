"""The workbench serves parsers of all families: each with its probabilities and its own search."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from niwaki.data.probabilities import NOTES, TREE_COMMENT
from niwaki.data.sentence import Sentence
from niwaki.metrics.calibration import measure
from niwaki.pipeline.pipeline import Pipeline
from niwaki.pipeline.store import load
from niwaki.serve.registry import Registry
from niwaki.serve.work.doubts import root_shares
from niwaki.training.config_file import make_config
from niwaki.training.run import train
from tests.serve.conftest import Client, annotate, running, stop_last
from tests.toy import TOY

WORDS = ["The", "gardener", "shapes", "old", "pines", "."]
SENTENCE = Sentence.from_words(WORDS)


@pytest.fixture(scope="module")
def graph_path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("graph") / "graph.niwaki"
    record = {
        "model": {"kind": "graph"},
        "tagger": {"folds": 2, "epochs": 3},
        "objective": [{"data": str(TOY)}],
        "training": {"epochs": 3},
    }
    train(make_config(record), path, threads=1)
    return path


@pytest.fixture(scope="module")
def graph(graph_path: Path) -> Pipeline:
    return load(graph_path)


@pytest.fixture(scope="module")
def both(
    make_registry: Callable[[], Registry],
    graph_path: Path,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Client]:
    """A server with a transition parser, `en`, and a graph parser, `graph`."""
    registry = make_registry()
    registry.add_model("graph", str(graph_path))
    with running(registry, tmp_path_factory.mktemp("work")) as client:
        yield client


def test_a_model_says_what_it_is_and_how_it_can_search(both: Client, graph: Pipeline) -> None:
    cards = {each["id"]: each for each in both.get("/api/models").json}
    card = cards["graph"]
    assert (card["kind"], card["options"], card["probabilities"]) == ("graph", ["decode"], True)
    assert card["facts"] == graph.parser.facts
    assert card["labels"] == list(graph.parser.label_names)
    assert (cards["en"]["kind"], cards["en"]["options"]) == ("transition", ["beam"])
    # The toy model was not calibrated.
    assert cards["en"]["probabilities"] is False


def test_its_probabilities_are_shown(both: Client, graph: Pipeline) -> None:
    request = {"tokens": [WORDS], "model": "graph"}
    (found,) = both.post("/api/parse", request).json["sentences"]
    (wanted,) = graph.parse([SENTENCE], probabilities=True)
    for kind, note in NOTES.items():
        assert found["probabilities"][kind] == [float(each[note]) for each in wanted.notes]
    assert found["probabilities"]["tree"] == float(wanted.metadata[TREE_COMMENT])
    (plain,) = both.post("/api/parse", {**request, "probabilities": False}).json["sentences"]
    assert "probabilities" not in plain
    (ranked,) = both.post("/api/kbest", {**request, "k": 3}).json["sentences"]
    assert [each["probability"] for each in ranked["parses"]] == pytest.approx(
        graph.kbest(SENTENCE, 3).probabilities
    )


def test_what_is_known_is_obeyed(both: Client) -> None:
    known = [[{"word": 1, "head": 0}]]
    request = {"tokens": [WORDS], "model": "graph", "constraints": known}
    (found,) = both.post("/api/parse", request).json["sentences"]
    assert found["heads"][0] == 0


@pytest.mark.parametrize(
    ("path", "request_"),
    [
        ("/api/parse", {"tokens": [WORDS], "model": "graph", "beam": 4}),
        ("/api/kbest", {"tokens": [WORDS], "model": "graph", "beam": 4, "k": 2}),
        ("/api/reorder", {"tokens": [WORDS], "model": "graph", "beam": 4}),
        ("/api/compare", {"systems": [{"model": "en"}, {"model": "graph", "beam": 4}]}),
        ("/api/analyze", {"systems": [{"model": "en"}, {"model": "graph", "beam": 4}]}),
        ("/api/compare-sentence", {"systems": [{"model": "graph", "beam": 4}], "n": 0}),
    ],
)
def test_a_beam_for_a_model_without_beams_is_refused(
    both: Client, path: str, request_: dict[str, Any]
) -> None:
    corpus = {"corpus": "toy"} if "systems" in request_ else {}
    reply = both.post(path, {**request_, **corpus})
    assert reply.status == 422, reply.data
    assert "beam says nothing to this model (it takes decode); leave it out" in reply.json["error"]
    assert "\n" not in reply.json["error"]
    if path in ("/api/compare", "/api/analyze"):
        assert reply.json["error"].startswith("systems[1]: ")


def test_an_analysis_has_what_doubts_are_worth(
    both: Client, graph: Pipeline, toy: list[Sentence]
) -> None:
    systems = [{"model": "graph"}, {"model": "en", "beam": 1}]
    job = both.done(both.post("/api/analyze", {"corpus": "toy", "systems": systems}))
    assert job["state"] == "done", job["error"]
    details = job["result"]["details"]
    parsed = list(graph.parse(toy, retag=True, probabilities=True))
    wanted = measure(toy, parsed).reliability
    found = details["graph"]["reliability"]
    assert {kind: each["error"] for kind, each in found.items()} == pytest.approx(
        {kind: each.error() for kind, each in wanted.items()}
    )
    assert "reliability" not in details["en (beam 1)"]
    # There is no beam to be widened.
    assert job["result"]["beams"] == []


def test_annotators_are_asked_by_its_doubts(both: Client, graph: Pipeline) -> None:
    request = {"name": "Doubts", "text": "The gardener shapes old pines.", "model": "graph"}
    made = both.post("/api/projects-create", request).json["id"]
    while not (found := both.get(f"/api/projects/{made}").json)["ranked"]:
        time.sleep(0.05)
    asked = both.get(f"/api/projects/{made}/sentences/0").json
    sentence = Sentence.from_words(asked["tokens"])
    shares = root_shares(graph.kbest(sentence, 16))
    assert asked["roots"] == [
        pytest.approx(shares.get(word, 0.0), abs=1e-4) for word in range(1, len(sentence) + 1)
    ]
    assert found["rows"][0]["doubt"] == pytest.approx(1 - max(shares.values()), abs=1e-4)
    (parsed,) = graph.parse([sentence], probabilities=True)
    assert asked["probabilities"]["arc"] == [float(each[NOTES["arc"]]) for each in parsed.notes]


def test_it_is_adapted_and_stays_what_it_is(both: Client) -> None:
    request = {"projects": [annotate(both, "Stops", "graph", stop_last)]}
    job = both.done(both.post("/api/adapt-start", request))
    assert job["state"] == "done", (job["error"], job["lines"])
    (card,) = (
        each for each in both.get("/api/models").json if each["id"] == job["result"]["model"]
    )
    assert (card["kind"], card["options"], card["probabilities"]) == ("graph", ["decode"], True)


def test_pages_show_a_beam_where_there_is_one(open_page: Any, both: Client) -> None:
    page = open_page("/parse", client=both)
    assert page.locator("#beam").count() == 1
    assert page.inner_text("#facts").startswith("transition · system arc-standard")
    page.select_option("#beam", "1")
    page.select_option("#model", "graph")
    page.wait_for_selector("#beam", state="detached")
    assert page.inner_text("#facts").startswith("graph · ")
    # The width that was chosen for the other model is not sent for this one.
    page.fill("#text", " ".join(WORDS))
    page.wait_for_selector("#results svg")
    assert page.locator("#fault").is_hidden()
    for path, row in (("/compare", '[data-side="b"]'), ("/analyze", '[data-system="0"]')):
        page = open_page(path, client=both)
        page.select_option(f'{row} [data-field="model"]', "graph")
        page.wait_for_selector(f'{row} [data-field="beam"]', state="detached")
        page.select_option(f'{row} [data-field="model"]', "en")
        page.wait_for_selector(f'{row} [data-field="beam"]')
