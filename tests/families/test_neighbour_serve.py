"""The workbench serves any family."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from niwaki.data.sentence import Sentence
from niwaki.pipeline.pipeline import Pipeline
from niwaki.serve.registry import Registry
from tests.serve.conftest import Client, annotate, running
from tests.toy import TOY

WORDS = "The gardener shapes old pines .".split()


@pytest.fixture(scope="module")
def client(
    chain_path: Path, model_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Client]:
    registry = Registry()
    registry.add_model("en", str(model_path))
    registry.add_model("chain", str(chain_path))
    registry.add_corpus("toy", "trees", [str(TOY)])
    with running(registry, tmp_path_factory.mktemp("work")) as found:
        yield found


def test_its_card_is_shown(client: Client, chain: Pipeline) -> None:
    cards = {each["id"]: each for each in client.get("/api/models").json}
    card = cards["chain"]
    assert (card["kind"], card["options"], card["probabilities"]) == ("neighbour", [], True)
    assert card["facts"] == chain.parser.facts
    assert card["labels"] == list(chain.parser.label_names)


def test_it_parses_and_ranks(client: Client, chain: Pipeline) -> None:
    request = {"tokens": [WORDS], "model": "chain"}
    sentence = Sentence.from_words(WORDS)
    (found,) = client.post("/api/parse", request).json["sentences"]
    (wanted,) = chain.parse([sentence], probabilities=True)
    assert found["heads"] == list(wanted.heads)
    assert found["probabilities"]["arc"] == [float(each["ArcProb"]) for each in wanted.notes]
    (ranked,) = client.post("/api/kbest", {**request, "k": 4}).json["sentences"]
    assert [each["probability"] for each in ranked["parses"]] == pytest.approx(
        chain.kbest(sentence, 4).probabilities
    )


def test_a_beam_is_refused(client: Client) -> None:
    reply = client.post("/api/parse", {"tokens": [WORDS], "model": "chain", "beam": 4})
    assert reply.status == 422
    assert "beam says nothing to this model" in reply.json["error"]


@pytest.mark.parametrize(
    ("path", "more"),
    [
        ("/api/analyze", {"systems": [{"model": "chain"}, {"model": "en"}]}),
        ("/api/compare", {"systems": [{"model": "en"}, {"model": "chain"}]}),
    ],
)
def test_it_is_compared(client: Client, path: str, more: dict[str, Any]) -> None:
    job = client.done(client.post(path, {"corpus": "toy", **more}))
    assert job["state"] == "done", job["error"]


def test_it_is_adapted(client: Client) -> None:
    """Stops hang from the word before them already: it is told that sentences begin with a root."""
    made = annotate(client, "R", "chain", lambda words: {"word": 1, "head": 0, "label": "root"})
    job = client.done(client.post("/api/adapt-start", {"projects": [made]}))
    assert job["state"] == "done", (job["error"], job["lines"])
    cards = {each["id"]: each for each in client.get("/api/models").json}
    assert cards[job["result"]["model"]]["kind"] == "neighbour"
