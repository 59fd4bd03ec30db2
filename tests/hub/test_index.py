"""Indexes: written from cards, read as foreign input."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from niwaki.data.modelfile import write_model_file
from niwaki.errors import ModelError
from niwaki.hub.cards import index_folder
from niwaki.hub.index import Entry, read_entries, to_bytes
from niwaki.hub.sources import source_of
from tests.apart import put_together, taken_apart

ENTRY = Entry("te", "1", "te.niwaki", 12, "0" * 64, "Telugu", "CC BY-SA 4.0", "te_mtg", {"LAS": 80})


def changed(**changes: Any) -> bytes:
    record = json.loads(to_bytes([ENTRY]))
    record["models"][0].update(changes)
    return json.dumps(record).encode()


def test_what_is_written_is_read() -> None:
    other = Entry("af", "2.1", "af.niwaki", 1, "f" * 64)
    assert read_entries("i", to_bytes([ENTRY, other])) == [other, ENTRY]
    assert to_bytes([ENTRY, other]) == to_bytes([other, ENTRY])
    # Keys of a later day do no harm.
    assert read_entries("i", changed(colour="green")) == [ENTRY]


@pytest.mark.parametrize(
    "changes",
    [
        {"name": "../te"},
        {"name": "a/b"},
        {"name": ".hidden"},
        {"name": "a..b"},
        {"name": "te\n"},
        {"name": "t" * 65},
        {"name": 3},
        {"version": ""},
        {"version": "../1"},
        {"version": None},
        {"file": "../te.niwaki"},
        {"file": "/etc/passwd"},
        {"file": "..\\te.niwaki"},
        {"file": "C:te.niwaki"},
        {"file": "https://elsewhere.example/te.niwaki"},
        {"file": "%2e%2e/te.niwaki"},
        {"file": ".."},
        {"size": -1},
        {"size": 0},
        {"size": True},
        {"size": 1e3},
        {"size": 1 << 60},
        {"sha256": "0" * 63},
        {"sha256": "G" * 64},
        {"licence": "a\x1b[2J"},
        {"licence": ["CC"]},
        {"language": "\u202eesrever"},
        {"scores": [1]},
        {"scores": {"LAS": "80"}},
        {"scores": {"LAS": float("nan")}},
        {"scores": {"\x07": 1}},
    ],
)
def test_what_an_index_must_not_say(changes: dict[str, Any]) -> None:
    with pytest.raises(ModelError, match=r"^there: model 1: not an index of models: ") as caught:
        read_entries("there", changed(**changes))
    assert str(caught.value).isprintable()


@pytest.mark.parametrize(
    "data",
    [
        *(b"", b"<html>", b"[]", b'{"models": 3}', b"\xff\xfe", b"[" * 100_000),
        json.dumps({"format": 1, "models": [3]}).encode(),
        json.dumps({"format": 1, "models": [ENTRY.to_json()] * 2}).encode(),
        b" " * (5 << 20),
    ],
)
def test_what_is_no_index(data: bytes) -> None:
    with pytest.raises(ModelError, match="not an index of models") as caught:
        read_entries("there", data)
    assert str(caught.value).isprintable()


def test_an_index_of_another_format() -> None:
    with pytest.raises(ModelError, match="format '2', but this niwaki reads index format 1"):
        read_entries("there", json.dumps({"format": 2, "models": []}).encode())


def test_entries_come_from_cards(tmp_path: Path, model_path: Path) -> None:
    parts = taken_apart(model_path)
    parts["config.json"]["card"].update(language="Telugu", licences=["model: X", "data: Y"])
    parts["config.json"]["data"]["files"] = ["te_mtg-ud-train.conllu.gz"]
    put_together(tmp_path / "te.niwaki", parts)
    (entry,) = index_folder(tmp_path)
    assert (entry.name, entry.file, entry.version) == ("te", "te.niwaki", "1")
    assert (entry.language, entry.licence) == ("Telugu", "model: X; data: Y")
    assert entry.treebank == "te_mtg"
    assert entry.size == (tmp_path / "te.niwaki").stat().st_size


def test_a_version_counts_changes(collection: Path, model_path: Path) -> None:
    before = (collection / "index.json").read_bytes()
    index_folder(collection)
    assert (collection / "index.json").read_bytes() == before
    parts = taken_apart(model_path)
    parts["config.json"]["card"]["description"] = "Another one."
    put_together(collection / "toy.niwaki", parts)
    (entry,) = index_folder(collection)
    assert entry.version == "2"


def test_folders_that_cannot_be_indexed(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="no folder"):
        index_folder(tmp_path / "lost")
    with pytest.raises(ModelError, match=r"no files \*\.niwaki"):
        index_folder(tmp_path)
    write_model_file(tmp_path / "task.niwaki", {"config.json": {"kind": "roles"}})
    with pytest.raises(ModelError, match="a model for a task"):
        index_folder(tmp_path)
    (tmp_path / "task.niwaki").rename(tmp_path / "Task 1.niwaki")
    write_model_file(tmp_path / "Task 1.niwaki", {"config.json": {}})
    with pytest.raises(ModelError, match="Task 1' is no name of a model; rename the file"):
        index_folder(tmp_path)
    assert not (tmp_path / "index.json").exists()


@pytest.mark.parametrize("score", [10**400, 1e308, -1, 100.1, float("nan"), True])
def test_scores_are_percentages(score: float) -> None:
    with pytest.raises(ModelError, match="the score 'LAS' is"):
        read_entries("here", changed(scores={"LAS": score}))


def test_what_follows_a_url_stays_behind_it() -> None:
    assert source_of("https://host/models/?key=1").name == "https://host/models/index.json?key=1"
    assert source_of("https://host/models").name == "https://host/models/index.json"


@pytest.mark.parametrize(
    ("location", "message"),
    [
        ("file:///etc", "give a URL that begins with https://"),
        ("ftp://host/models", "give a URL that begins with https://"),
        ("https://", "give a URL that begins with https://"),
        ("https://me:secret@host/", "the index at host: a URL with a password"),
        ("no-such-folder", "no index 'no-such-folder': give a folder, a URL or an installed"),
    ],
)
def test_locations_that_are_none(location: str, message: str) -> None:
    with pytest.raises(ModelError) as caught:
        source_of(location)
    assert message in str(caught.value)
    assert "secret" not in str(caught.value)
