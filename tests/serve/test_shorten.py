"""Shorter sentences over HTTP: what the library keeps, with the text that is left."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from niwaki.data.compressions import kept_of
from niwaki.data.conllu import read_conllu
from niwaki.errors import ConfigError, ModelError
from niwaki.serve.registry import Registry
from niwaki.verbs.compressing import compress
from tests.serve.conftest import Client, running
from tests.shorter import aside, documents, told

MakeRegistry = Callable[[], Registry]
STORY = f"{told(13).sentence}{aside(14).sentence}"
BOTH = "".join(str(each.sentence) for block in documents(2) for each in block)


def shortened(bench: Client, **given: Any) -> list[Any]:
    reply = bench.post("/api/shorten", given)
    assert reply.status == 200, reply.data
    return list(reply.json["sentences"])


def words(found: list[Any]) -> list[int]:
    return [sum(each["kept"]) for each in found]


def test_words_that_people_drop_are_dropped(bench: Client) -> None:
    first, second = shortened(bench, conllu=STORY)
    assert first["tokens"] == ["Ono", "said", "she", "often", "waters", "lanterns", "."]
    assert first["kept"] == list(told(13).references[0])
    assert first["shorter"] == "she waters lanterns ."
    assert second["kept"] == list(aside(14).references[0])
    (marked,) = read_conllu(io.BytesIO(second["conllu"].encode()))
    assert kept_of(marked) == aside(14).references[0]
    assert list(marked.heads) == second["heads"] == list(aside(14).sentence.heads)


@pytest.mark.parametrize(
    "options", [{}, {"rate": 0.5}, {"rate": 0.4, "document": True}, {"rate": 0.01}, {"rate": 1}]
)
def test_it_is_what_the_library_keeps(
    bench: Client, make_registry: MakeRegistry, options: dict[str, Any]
) -> None:
    found = shortened(bench, conllu=BOTH, **options)
    path = make_registry().compressors["shorter"]
    wanted = list(compress(io.BytesIO(BOTH.encode()), path, **options))
    assert "".join(each["conllu"] for each in found) == "".join(map(str, wanted))
    assert min(words(found)) > 0


def test_a_share_of_each_document_or_of_each_sentence(bench: Client) -> None:
    assert words(shortened(bench, conllu=BOTH, rate=0.4)) == [3, 3, 3, 3]
    whole = words(shortened(bench, conllu=BOTH, rate=0.4, document=True))
    assert [sum(whole[:2]), sum(whole[2:])] == [6, 6]


def test_marks_that_are_there_are_made_anew(bench: Client) -> None:
    """So that what came back can be sent again at another rate."""
    once = shortened(bench, conllu=STORY, rate=0.3)
    again = shortened(bench, conllu="".join(each["conllu"] for each in once))
    assert again == shortened(bench, conllu=STORY)


def test_text_is_parsed_and_keeps_its_spaces(bench: Client) -> None:
    text = "The gardener shapes old pines. Rain falls."
    parsed = bench.post("/api/parse", {"text": text}).json["sentences"]
    found = shortened(bench, text=text, rate=1)
    assert [each["heads"] for each in found] == [each["heads"] for each in parsed]
    assert [each["shorter"] for each in found] == [each["text"] for each in parsed]
    assert shortened(bench, text=" ") == []


@pytest.mark.parametrize(
    ("body", "status", "message"),
    [
        ({"conllu": STORY, "compressor": "other"}, 404, "no compressor 'other'"),
        ({"conllu": STORY, "model": "other"}, 404, "no model 'other'"),
        ({"conllu": STORY, "compressor": "../s.niwaki"}, 422, "compressor: found"),
        ({"conllu": STORY, "rate": 0}, 422, "rate: found 0; give 0.01 to 1"),
        ({"conllu": STORY, "rate": "gold"}, 422, "give a number"),
        ({"conllu": STORY, "text": "Rain falls."}, 422, "give exactly one of"),
        ({"tokens": [["a"] * 1000] * 21}, 413, "more than 20000 words"),
    ],
)
def test_what_is_wrong_is_said(
    bench: Client, body: dict[str, Any], status: int, message: str
) -> None:
    reply = bench.post("/api/shorten", body)
    assert (reply.status, message in reply.json["error"]) == (status, True), reply.data
    assert "\n" not in reply.json["error"]


def test_without_a_compressor_there_is_advice(make_registry: MakeRegistry, tmp_path: Path) -> None:
    registry = make_registry()
    registry.compressors.clear()
    with running(registry, tmp_path / "work") as client:
        found = client.get("/api/compressors").json
        reply = client.post("/api/shorten", {"conllu": STORY})
    assert found["compressors"] == []
    assert (reply.status, reply.json["error"]) == (404, found["missing"])
    for part in ("niwaki train-compressor", "niwaki serve --compressor"):
        assert part in found["missing"]


def test_only_compressors_are_registered(bench: Client, make_registry: MakeRegistry) -> None:
    assert bench.get("/api/compressors").json == {"compressors": ["shorter"], "missing": None}
    registry = make_registry()
    with pytest.raises(ModelError, match="no compressor"):
        registry.add_compressor("wrong", registry.roles["stories"])
    with pytest.raises(ConfigError, match="two things are called 'shorter'"):
        registry.add_compressor("shorter", registry.compressors["shorter"])
