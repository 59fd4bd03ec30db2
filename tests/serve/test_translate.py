"""Translations over HTTP: what the library makes, with the order and phrases they are made of."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from niwaki.errors import ConfigError, ModelError
from niwaki.serve.registry import Registry
from niwaki.tasks.translate.features import write_weights
from niwaki.tasks.translate.system import CONFIG, WEIGHTS, System
from niwaki.verbs.translating import translate_run
from tests.serve.conftest import Client, running

MakeRegistry = Callable[[], Registry]
LINES = ["the monks see the pines", "the rabbits paint the foxes"]
TOKENS = [line.split() for line in LINES]


def translated(bench: Client, **given: Any) -> list[Any]:
    reply = bench.post("/api/translate", given)
    assert reply.status == 200, reply.data
    return list(reply.json["sentences"])


@pytest.mark.parametrize("name", ["ordered", "plain"])
@pytest.mark.parametrize("options", [{}, {"limit": 0}, {"limit": 3, "nbest": 4}])
def test_it_is_what_the_library_translates(
    bench: Client, make_registry: MakeRegistry, name: str, options: dict[str, int]
) -> None:
    found = translated(bench, tokens=TOKENS, translator=name, **options)
    wanted = list(translate_run(LINES, make_registry().translators[name], **options))
    for one, other in zip(found, wanted, strict=True):
        assert [each["text"] for each in one["translations"]] == [
            each.text for each in other.hypotheses
        ]
        assert [one["tokens"][at] for at in one["order"]] == list(other.ordered.tokens)
        best = one["translations"][0]
        assert [tuple(each) for each in best["phrases"]] == list(other.hypotheses[0].phrases)
        parts = best["features"].values()
        total = sum(each["value"] * each["weight"] for each in parts)
        assert total == pytest.approx(best["score"], abs=1e-3)


def test_words_are_moved_only_where_the_translator_does(bench: Client) -> None:
    ordered, plain = (
        translated(bench, tokens=TOKENS, translator=name)[0] for name in ("ordered", "plain")
    )
    assert plain["order"] == [0, 1, 2, 3, 4] and plain["moves"] == []
    assert ordered["order"] != [0, 1, 2, 3, 4] == sorted(ordered["order"])
    assert any(move["moved"] for move in ordered["moves"])
    assert len(ordered["heads"]) == 5
    assert plain["translations"][0]["text"] == "soryo wa matsu o miru"


def test_phrases_cover_the_words_of_both_sides_once(bench: Client) -> None:
    for name in ("ordered", "plain"):
        for each in translated(bench, tokens=TOKENS, translator=name):
            best = each["translations"][0]
            spans = sorted((begin, end) for begin, end, *_ in best["phrases"])
            covered = [at for begin, end in spans for at in range(begin, end)]
            assert covered == list(range(len(each["tokens"])))
            said = [at for *_, begin, end in best["phrases"] for at in range(begin, end)]
            assert said == list(range(len(best["tokens"])))


def test_unknown_words_are_copied_and_named(bench: Client) -> None:
    (found,) = translated(bench, tokens=[["the", "herons", "see", "the", "pines"]])
    best = found["translations"][0]
    assert [found["tokens"][found["order"][at]] for at in best["copied"]] == ["herons"]
    assert "herons" in best["tokens"]
    assert best["features"]["unknown-penalty"]["value"] == -1


def test_lower_case_text_and_another_model(bench: Client) -> None:
    (shouted,) = translated(bench, tokens=[[word.upper() for word in TOKENS[0]]], lowercase=True)
    (plain,) = translated(bench, tokens=[TOKENS[0]])
    assert shouted == plain
    # `en` is what the translator was trained with, here under its registered name.
    assert translated(bench, tokens=[TOKENS[0]], model="en") == [plain]
    sentences = translated(bench, text="The monks see the pines. Rain falls.", lowercase=True)
    assert [each["tokens"][-1] for each in sentences] == [".", "."]
    assert translated(bench, text=" ") == []


@pytest.mark.parametrize(
    ("body", "status", "message"),
    [
        ({"tokens": TOKENS, "translator": "other"}, 404, "no translator 'other'"),
        ({"tokens": TOKENS, "model": "other"}, 404, "no model 'other'"),
        ({"tokens": TOKENS, "translator": "../plain"}, 422, "translator: found"),
        ({"tokens": TOKENS, "limit": 65}, 422, "limit: found 65; give 0 to 64"),
        ({"tokens": TOKENS, "nbest": 0}, 422, "nbest: found 0; give 1 to 20"),
        ({"tokens": TOKENS, "text": "Rain falls."}, 422, "give exactly one of"),
        ({"tokens": [["a"] * 1000] * 5}, 413, "more than 4000 words"),
    ],
)
def test_what_is_wrong_is_said(
    bench: Client, body: dict[str, Any], status: int, message: str
) -> None:
    reply = bench.post("/api/translate", body)
    assert (reply.status, message in reply.json["error"]) == (status, True), reply.data
    assert "\n" not in reply.json["error"]


@pytest.mark.parametrize("parser", [None, "/secret/place/gone.niwaki"])
def test_a_parser_that_is_gone_is_told_without_its_place(
    make_registry: MakeRegistry, tmp_path: Path, parser: str | None
) -> None:
    registry = make_registry()
    folder = tmp_path / "own"
    shutil.copytree(registry.translators["ordered"], folder)
    config = json.loads((folder / CONFIG).read_bytes())
    (folder / CONFIG).write_text(json.dumps({**config, "parser": parser}))
    registry.translators = {"own": str(folder)}
    with running(registry, tmp_path / "work") as client:
        reply = client.post("/api/translate", {"tokens": TOKENS})
        assert (reply.status, "choose a model" in reply.json["error"]) == (422, True)
        assert "secret" not in reply.json["error"]
        assert translated(client, tokens=TOKENS, model="en")


def test_without_a_translator_there_is_advice(make_registry: MakeRegistry, tmp_path: Path) -> None:
    registry = make_registry()
    registry.translators.clear()
    with running(registry, tmp_path / "work") as client:
        found = client.get("/api/translators").json
        reply = client.post("/api/translate", {"tokens": TOKENS})
    assert found["translators"] == []
    assert (reply.status, reply.json["error"]) == (404, found["missing"])
    for part in ("niwaki translate train", "niwaki serve --translator"):
        assert part in found["missing"]


def test_only_translators_are_registered(
    bench: Client, make_registry: MakeRegistry, tmp_path: Path
) -> None:
    found = bench.get("/api/translators").json
    assert found["missing"] is None
    assert [each["id"] for each in found["translators"]] == ["ordered", "plain"]
    ordered, plain = found["translators"]
    assert plain["rules"] is None and "verb" in ordered["rules"]
    assert ordered["lowercase"] and ordered["phrases"] > 10
    registry = make_registry()
    with pytest.raises(ModelError, match="no translation system"):
        registry.add_translator("wrong", str(tmp_path))
    with pytest.raises(ConfigError, match="two things are called 'plain'"):
        registry.add_translator("plain", registry.translators["plain"])


def test_weights_that_were_tuned_again_are_taken(
    make_registry: MakeRegistry, tmp_path: Path
) -> None:
    registry = make_registry()
    folder = tmp_path / "own"
    shutil.copytree(registry.translators["plain"], folder)
    registry.translators = {"own": str(folder)}
    with running(registry, tmp_path / "work") as client:
        before = translated(client, tokens=TOKENS)[0]["translations"][0]
        weights = {name: 2 * each for name, each in System.load(folder).weights.items()}
        write_weights(weights, folder / WEIGHTS)
        after = translated(client, tokens=TOKENS)[0]["translations"][0]
    assert after["text"] == before["text"]
    assert after["score"] == pytest.approx(2 * before["score"], abs=1e-3)
