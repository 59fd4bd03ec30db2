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
from tests.serve.conftest import Client, annotate, running, stop_last
from tests.toy import quick_model, skip_without_extras

WORDS = ["The", "gardener", "shapes", "old", "pines", "."]
SENTENCE = Sentence.from_words(WORDS)


@pytest.fixture(scope="module", params=["graph", "neural"])
def kind(request: pytest.FixtureRequest) -> str:
    """The families that score arcs; models are called as they are."""
    skip_without_extras(request.param)
    return str(request.param)


@pytest.fixture(scope="module")
def arcs_path(kind: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp(kind) / f"{kind}.niwaki"
    quick_model(path, model={"kind": kind})
    return path


@pytest.fixture(scope="module")
def arcs(arcs_path: Path) -> Pipeline:
    return load(arcs_path)


@pytest.fixture(scope="module")
def both(
    make_registry: Callable[[], Registry],
    kind: str,
    arcs_path: Path,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Client]:
    """A server with a transition parser, `en`, and a parser of arcs."""
    registry = make_registry()
    registry.add_model(kind, str(arcs_path))
    with running(registry, tmp_path_factory.mktemp("work")) as client:
        yield client


def test_a_model_says_what_it_is_and_how_it_can_search(
    both: Client, arcs: Pipeline, kind: str
) -> None:
    cards = {each["id"]: each for each in both.get("/api/models").json}
    card = cards[kind]
    assert (card["kind"], card["options"], card["probabilities"]) == (kind, ["decode"], True)
    assert card["facts"] == arcs.parser.facts
    assert card["labels"] == list(arcs.parser.label_names)
    assert (cards["en"]["kind"], cards["en"]["options"]) == ("transition", ["beam"])
    # The toy model was not calibrated.
    assert cards["en"]["probabilities"] is False


def test_its_probabilities_are_shown(both: Client, arcs: Pipeline, kind: str) -> None:
    request = {"tokens": [WORDS], "model": kind}
    (found,) = both.post("/api/parse", request).json["sentences"]
    (wanted,) = arcs.parse([SENTENCE], probabilities=True)
    for of, note in NOTES.items():
        assert found["probabilities"][of] == [float(each[note]) for each in wanted.notes]
    assert found["probabilities"]["tree"] == float(wanted.metadata[TREE_COMMENT])
    (plain,) = both.post("/api/parse", {**request, "probabilities": False}).json["sentences"]
    assert "probabilities" not in plain
    (ranked,) = both.post("/api/kbest", {**request, "k": 3}).json["sentences"]
    assert [each["probability"] for each in ranked["parses"]] == pytest.approx(
        arcs.kbest(SENTENCE, 3).probabilities
    )


def test_what_is_known_is_obeyed(both: Client, kind: str) -> None:
    known = [[{"word": 1, "head": 0}]]
    request = {"tokens": [WORDS], "model": kind, "constraints": known}
    (found,) = both.post("/api/parse", request).json["sentences"]
    assert found["heads"][0] == 0


@pytest.mark.parametrize(
    ("path", "more"),
    [
        ("/api/parse", {}),
        ("/api/kbest", {"k": 2}),
        ("/api/reorder", {}),
        ("/api/compare", {"others": [{"model": "en"}]}),
        ("/api/analyze", {"others": [{"model": "en"}]}),
        ("/api/compare-sentence", {"others": [], "n": 0}),
    ],
)
def test_a_beam_for_a_model_without_beams_is_refused(
    both: Client, kind: str, path: str, more: dict[str, Any]
) -> None:
    asked: dict[str, Any] = {"model": kind, "beam": 4}
    if "others" in more:
        asked = {"corpus": "toy", "systems": [*more["others"], asked]}
    else:
        asked["tokens"] = [WORDS]
    reply = both.post(path, {**asked, **{n: x for n, x in more.items() if n != "others"}})
    assert reply.status == 422, reply.data
    assert "beam says nothing to this model (it takes decode); leave it out" in reply.json["error"]
    assert "\n" not in reply.json["error"]
    if path in ("/api/compare", "/api/analyze"):
        assert reply.json["error"].startswith("systems[1]: ")


def test_an_analysis_has_what_doubts_are_worth(
    both: Client, arcs: Pipeline, kind: str, toy: list[Sentence]
) -> None:
    systems = [{"model": kind}, {"model": "en", "beam": 1}]
    job = both.done(both.post("/api/analyze", {"corpus": "toy", "systems": systems}))
    assert job["state"] == "done", job["error"]
    details = job["result"]["details"]
    parsed = list(arcs.parse(toy, retag=True, probabilities=True))
    wanted = measure(toy, parsed).reliability
    found = details[kind]["reliability"]
    assert {of: each["error"] for of, each in found.items()} == pytest.approx(
        {of: each.error() for of, each in wanted.items()}
    )
    assert "reliability" not in details["en (beam 1)"]
    # There is no beam to be widened.
    assert job["result"]["beams"] == []


def test_annotators_are_asked_by_its_doubts(both: Client, arcs: Pipeline, kind: str) -> None:
    request = {"name": "Doubts", "text": "The gardener shapes old pines.", "model": kind}
    made = both.post("/api/projects-create", request).json["id"]
    while not (found := both.get(f"/api/projects/{made}").json)["ranked"]:
        time.sleep(0.05)
    asked = both.get(f"/api/projects/{made}/sentences/0").json
    sentence = Sentence.from_words(asked["tokens"])
    shares = root_shares(arcs.kbest(sentence, 16))
    assert asked["roots"] == [
        pytest.approx(shares.get(word, 0.0), abs=1e-4) for word in range(1, len(sentence) + 1)
    ]
    assert found["rows"][0]["doubt"] == pytest.approx(1 - max(shares.values()), abs=1e-4)
    (parsed,) = arcs.parse([sentence], probabilities=True)
    assert asked["probabilities"]["arc"] == [float(each[NOTES["arc"]]) for each in parsed.notes]


@pytest.mark.slow
def test_it_is_adapted_and_stays_what_it_is(both: Client, kind: str) -> None:
    request = {"projects": [annotate(both, "Stops", kind, stop_last)]}
    job = both.done(both.post("/api/adapt-start", request))
    assert job["state"] == "done", (job["error"], job["lines"])
    (card,) = (
        each for each in both.get("/api/models").json if each["id"] == job["result"]["model"]
    )
    assert (card["kind"], card["options"], card["probabilities"]) == (kind, ["decode"], True)


def test_pages_show_a_beam_where_there_is_one(open_page: Any, both: Client, kind: str) -> None:
    page = open_page("/parse", client=both)
    assert page.locator("#beam").count() == 1
    assert page.inner_text("#facts").startswith("transition · system arc-standard")
    page.select_option("#beam", "1")
    page.select_option("#model", kind)
    page.wait_for_selector("#beam", state="detached")
    assert page.inner_text("#facts").startswith(f"{kind} · ")
    # The width that was chosen for the other model is not sent for this one.
    page.fill("#text", " ".join(WORDS))
    page.wait_for_selector("#results svg")
    assert page.locator("#fault").is_hidden()
    for path, row in (("/compare", '[data-side="b"]'), ("/analyze", '[data-system="0"]')):
        page = open_page(path, client=both)
        page.select_option(f'{row} [data-field="model"]', kind)
        page.wait_for_selector(f'{row} [data-field="beam"]', state="detached")
        page.select_option(f'{row} [data-field="model"]', "en")
        page.wait_for_selector(f'{row} [data-field="beam"]')
