"""The index of a collection of models: a JSON file that says what each is and how it is checked.

    {"format": 1, "models": [{"name": "te", "version": "1", "language": "Telugu",
      "licence": "CC BY-SA 4.0", "treebank": "te_mtg", "scores": {"LAS": 80.2},
      "size": 2431000, "sha256": "…", "file": "te.niwaki"}]}

Files lie beside the index. It is foreign input: what it says becomes names of files, and text on
a terminal.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from niwaki.errors import ModelError, shown, written
from niwaki.hub.cache import LONGEST_NAME, LONGEST_VERSION, NAME, VERSION

INDEX_FILE = "index.json"
FORMAT = 1
LARGEST_INDEX = 4 << 20
_LARGEST_MODEL = 8 << 30
_FILE = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_@+-]*(?:\.[A-Za-z0-9_@+-]+)*")
_SHA256 = re.compile(r"[0-9a-f]{64}")
_TEXTS = ("language", "licence", "treebank")
_LONGEST_TEXT, _LONGEST_FILE, _MOST_SCORES = 2000, 120, 40


@dataclass(frozen=True)
class Entry:
    """What an index says of a model. Scores are those on development data, in percent."""

    name: str
    version: str
    file: str
    size: int
    sha256: str
    language: str = ""
    licence: str = ""
    treebank: str = ""
    scores: Mapping[str, float] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


def to_bytes(entries: Sequence[Entry]) -> bytes:
    """An index as a file; the same entries give the same bytes."""
    models = [entry.to_json() for entry in sorted(entries, key=lambda each: each.name)]
    record = {"format": FORMAT, "models": models}
    return (json.dumps(record, ensure_ascii=False, indent=1) + "\n").encode()


def read_entries(where: str, data: bytes) -> list[Entry]:
    """The entries of an index; `where` it lies is for messages."""
    if len(data) > LARGEST_INDEX:
        raise _wrong(where, f"more than {LARGEST_INDEX:,} bytes")
    try:
        record = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise _wrong(where, f"it is not JSON; it begins with {shown(data[:40])}") from error
    if not isinstance(record, dict) or not isinstance(record.get("models"), list):
        raise _wrong(where, "it has no list `models`")
    if record.get("format") != FORMAT:
        raise ModelError(
            f"{where}: format {written(record.get('format'))}, but this niwaki reads index format "
            f"{FORMAT}; use a newer niwaki"
        )
    entries = [_entry(f"{where}: model {n}", each) for n, each in enumerate(record["models"], 1)]
    if len({entry.name for entry in entries}) < len(entries):
        raise _wrong(where, "two models have one name")
    return entries


def _entry(where: str, record: Any) -> Entry:
    if not isinstance(record, dict):
        raise _wrong(where, "it is no object")
    size = record.get("size")
    if type(size) is not int or not 0 < size <= _LARGEST_MODEL:
        raise _wrong(where, f"size is {written(size)}")
    return Entry(
        name=_matching(where, record, "name", NAME, LONGEST_NAME),
        version=_matching(where, record, "version", VERSION, LONGEST_VERSION),
        file=_matching(where, record, "file", _FILE, _LONGEST_FILE),
        size=size,
        sha256=_matching(where, record, "sha256", _SHA256, 64),
        scores=_scores(where, record.get("scores", {})),
        **{key: _text(where, key, record.get(key, "")) for key in _TEXTS},
    )


def _matching(
    where: str, record: Mapping[str, Any], key: str, pattern: re.Pattern[str], longest: int
) -> str:
    value = record.get(key)
    if not isinstance(value, str) or len(value) > longest or not pattern.fullmatch(value):
        raise _wrong(where, f"{key} is {written(value)}")
    return value


def _text(where: str, key: str, value: Any) -> str:
    if not isinstance(value, str) or len(value) > _LONGEST_TEXT or not value.isprintable():
        raise _wrong(where, f"{key} is {written(value)}")
    return value


def _scores(where: str, value: Any) -> dict[str, float]:
    if not isinstance(value, dict) or len(value) > _MOST_SCORES:
        raise _wrong(where, f"scores are {written(value)}")
    for name, score in value.items():
        _text(where, "the name of a score", name)
        if type(score) not in (int, float) or not 0 <= score <= 100:
            raise _wrong(where, f"the score {shown(name)} is {written(score)}")
    return value


def is_index_file(location: str | os.PathLike[str]) -> bool:
    """Whether a location names the file itself, not the folder that it lies in."""
    return os.fspath(location).endswith(".json")


def _wrong(where: str, found: str) -> ModelError:
    return ModelError(f"{where}: not an index of models: {found}; `niwaki index-models` writes one")
