"""One record of a sentence: what the command, Python and HTTP give is what the schema says."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import niwaki
from niwaki.cli import main
from niwaki.data.probabilities import NOTES, without_probabilities
from niwaki.data.sentence import Sentence
from niwaki.pipeline.pipeline import Pipeline
from niwaki.serve.registry import Registry
from tests.serve.conftest import Client, running
from tests.toy import TOY

SCHEMA = Path(__file__).parents[2] / "docs" / "reference" / "sentence.schema.json"
TEXT = "The gardener who planted these trees knows where to cut. I can't see the heron."

_TYPES: dict[str, Callable[[Any], bool]] = {
    "object": lambda value: isinstance(value, dict),
    "array": lambda value: isinstance(value, list),
    "string": lambda value: isinstance(value, str),
    "integer": lambda value: isinstance(value, int) and not isinstance(value, bool),
    "number": lambda value: isinstance(value, int | float) and not isinstance(value, bool),
    "null": lambda value: value is None,
}


def faults(value: Any, schema: dict[str, Any], place: str = "$") -> Iterator[str]:
    """What JSON Schema has to say, in those of its words that the file uses."""
    unknown = set(schema) - {
        *("$schema", "title", "description", "type", "properties", "required", "oneOf"),
        *("additionalProperties", "items", "minItems", "maxItems", "minimum", "maximum"),
    }
    assert not unknown, f"the checker does not know {unknown}"
    kinds = schema.get("type", list(_TYPES))
    kinds = [kinds] if isinstance(kinds, str) else kinds
    if not any(_TYPES[kind](value) for kind in kinds):
        yield f"{place}: {value!r} is not {kinds}"
    elif isinstance(value, dict):
        known = schema.get("properties", {})
        yield from (f"{place}: no {key}" for key in schema.get("required", ()) if key not in value)
        if "oneOf" in schema:
            fit = [all(key in value for key in each["required"]) for each in schema["oneOf"]]
            if sum(fit) != 1:
                yield f"{place}: fits {sum(fit)} of oneOf"
        for key, each in value.items():
            if key in known:
                yield from faults(each, known[key], f"{place}.{key}")
            elif schema.get("additionalProperties") is False:
                yield f"{place}: {key} is unknown"
    elif isinstance(value, list):
        if not schema.get("minItems", 0) <= len(value) <= schema.get("maxItems", len(value)):
            yield f"{place}: {len(value)} items"
        for at, each in enumerate(value):
            yield from faults(each, schema["items"], f"{place}[{at}]")
    elif _TYPES["number"](value) and not (
        schema.get("minimum", value) <= value <= schema.get("maximum", value)
    ):
        yield f"{place}: {value} is out of range"


@pytest.fixture(scope="module")
def schema() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(SCHEMA.read_text("utf-8"))
    return found


def checked(records: list[dict[str, Any]], schema: dict[str, Any]) -> list[dict[str, Any]]:
    """The records, which obey the schema; columns have a value for each word."""
    for record in records:
        assert list(faults(record, schema)) == []
        words = len(record["tokens"])
        for name in ("offsets", "lemmas", "upos", "xpos", "feats", "deps", "misc"):
            assert len(record[name]) == words
        for tree in record.get("parses", [record]):
            assert len(tree["heads"]) == len(tree["deprels"]) == words
            for kind, numbers in tree.get("probabilities", {}).items():
                assert kind == "tree" or len(numbers) == words
    return records


@pytest.fixture(scope="module")
def english() -> Pipeline:
    return niwaki.load()


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    registry = Registry()
    registry.add_model("en", "en")
    with running(registry, tmp_path_factory.mktemp("work")) as found:
        yield found


def told(tmp_path: Path, *words: object) -> list[dict[str, Any]]:
    out = tmp_path / "out.json"
    assert main(["parse", *map(str, words), "-o", str(out)]) == 0
    return [json.loads(line) for line in out.read_text("utf-8").splitlines()]


def test_the_checker_finds_what_is_wrong(schema: dict[str, Any]) -> None:
    right = Sentence.from_words(["a", "b"]).to_dict()
    assert list(faults(right, schema)) == []
    wrongs: list[dict[str, Any]] = [
        {"heads": ["1", "2"]},
        {"heads": [-2, 0]},
        {"probabilities": {"tree": 1.5}},
        {"probabilities": {"arcs": []}},
        {"offsets": [[1], None]},
        {"arc_probabilities": []},
        {"parses": []},
    ]
    for wrong in wrongs:
        assert list(faults({**right, **wrong}, schema)), wrong
    assert list(faults({k: v for k, v in right.items() if k != "misc"}, schema))


def test_three_ways_to_one_record(
    tmp_path: Path, english: Pipeline, client: Client, schema: dict[str, Any]
) -> None:
    file = tmp_path / "text.txt"
    file.write_text(TEXT, "utf-8")
    written = told(tmp_path, file, "--from", "text", "--probabilities", "--to", "json")
    python = [each.to_dict() for each in english.parse(TEXT, probabilities=True)]
    answer = client.post("/api/parse", {"text": TEXT}).json["sentences"]
    for records in (written, python, answer):
        checked(records, schema)
    assert written == python
    assert [{k: v for k, v in each.items() if k != "conllu"} for each in answer] == python
    for record in python:
        assert set(record["probabilities"]) == {*NOTES, "tree"}
        assert None not in record["probabilities"]["arc"]
    assert [each["form"] for each in python[1]["multiword_tokens"]] == ["can't"]


def test_three_ways_to_the_best_trees(
    tmp_path: Path, english: Pipeline, client: Client, schema: dict[str, Any]
) -> None:
    file = tmp_path / "text.txt"
    file.write_text(TEXT, "utf-8")
    written = told(tmp_path, file, "--from", "text", "-k", 3)
    python = [english.kbest(each, 3).to_dict() for each in english.read(TEXT)]
    answer = client.post("/api/kbest", {"text": TEXT, "k": 3}).json["sentences"]
    for records in (written, python, answer):
        checked(records, schema)
    assert written == python == answer
    for record in python:
        assert sum(each["probability"] for each in record["parses"]) == pytest.approx(1)
        assert "probabilities" not in record


def test_probabilities_of_the_best_trees(tmp_path: Path, schema: dict[str, Any]) -> None:
    file = tmp_path / "text.txt"
    file.write_text(TEXT, "utf-8")
    words = (file, "--from", "text", "--probabilities")
    ranked = checked(told(tmp_path, *words, "-k", 3), schema)
    for record, plain in zip(ranked, told(tmp_path, *words, "--to", "json"), strict=True):
        known = plain["probabilities"]
        assert record["probabilities"] == {"tag": known.pop("tag")}
        for parse in record["parses"]:
            same = (parse["heads"], parse["deprels"]) == (plain["heads"], plain["deprels"])
            assert parse.get("probabilities") == (known if same else None)
        assert "ArcProb" not in "".join(record["misc"])


def test_one_tree_has_no_share(
    tmp_path: Path, english: Pipeline, client: Client, schema: dict[str, Any]
) -> None:
    file = tmp_path / "text.txt"
    file.write_text(TEXT, "utf-8")
    answer = client.post("/api/kbest", {"text": TEXT, "k": 1}).json["sentences"]
    for records in (told(tmp_path, file, "--from", "text", "-k", 1), answer):
        for record in checked(records, schema):
            assert [each["probability"] for each in record["parses"]] == [None]
    found = english.kbest(Sentence.from_words(["Snow", "fell", "."]), 1)
    assert [each.metadata.keys() & {"rank", "probability"} for each in found.ranked()] == [{"rank"}]


def test_what_was_not_asked_for_is_not_there(tmp_path: Path, schema: dict[str, Any]) -> None:
    for record in checked(told(tmp_path, TOY, "--to", "json"), schema):
        assert "probabilities" not in record and "probability" not in record


def test_probabilities_of_another_parse_do_not_stay(english: Pipeline) -> None:
    (first,) = english.parse([Sentence.from_words("We saw a heron .".split())], probabilities=True)
    noted = first.replace(misc=[f"Gloss=x|{each}" for each in first.misc])
    (again,) = english.parse([noted])
    assert set(again.misc) == {"Gloss=x"}
    assert "tree_probability" not in again.metadata
    (sure,) = english.parse([noted], probabilities=True)
    assert [each.partition("=")[0] for each in sure.comments].count("tree_probability ") == 1
    assert "probabilities" not in english.kbest(noted, 2).to_dict()
    assert "TagProb" in str(without_probabilities(noted, ("arc", "tree")))
    assert "ArcProb" not in str(without_probabilities(noted, ("arc", "tree")))
