"""What a model's own card says of it, as an entry of an index; an index of a folder of models."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from niwaki.data.files import atomic_write
from niwaki.data.modelfile import read_model_file
from niwaki.errors import ModelError
from niwaki.hub.cache import LONGEST_NAME, NAME, SUFFIX
from niwaki.hub.index import INDEX_FILE, Entry, read_entries, to_bytes
from niwaki.hub.sources import Folder

# How the files of a UD treebank are called; what stands before is the treebank.
_TRAINING_PART = "-ud-train"


def entry_of(path: Path, name: str, version: str = "") -> Entry | None:
    """What the card of a model says; None if it is a model for a task, which parses nothing."""
    file = read_model_file(path)
    config = file.config
    if "kind" in config:
        return None
    card = _table(config, "card")
    licences = card.get("licences", [])
    return Entry(
        name=name,
        version=version,
        file=path.name,
        size=path.stat().st_size,
        sha256=_digest(path),
        language=str(card.get("language", "")),
        licence="; ".join(map(str, licences)) if isinstance(licences, list) else "",
        treebank=_treebank(config),
        scores=_scores(config),
    )


def index_folder(folder: str | os.PathLike[str]) -> list[Entry]:
    """Write the index of the models that lie in a folder, and give its entries.

    A model is called as its file is. Its version counts: it is that of the index that was there
    while the bytes are the same, and the next one when they are not.
    """
    place = Path(folder)
    if not place.is_dir():
        raise ModelError(f"{place}: no folder; give one with files *{SUFFIX}")
    former = {entry.name: entry for entry in _former(place)}
    entries = []
    for path in sorted(place.glob(f"*{SUFFIX}")):
        name = path.name.removesuffix(SUFFIX)
        if not NAME.fullmatch(name) or len(name) > LONGEST_NAME:
            raise ModelError(
                f"{path}: {name!r} is no name of a model; rename the file: small letters, digits, "
                f"`-`, `_` and `.`, at most {LONGEST_NAME}"
            )
        entry = entry_of(path, name)
        if entry is None:
            raise ModelError(f"{path}: a model for a task, which parses nothing; move it elsewhere")
        entries.append(_numbered(entry, former.get(name)))
    if not entries:
        raise ModelError(f"{place}: no files *{SUFFIX}; `niwaki train -o` writes them")
    data = to_bytes(entries)
    # What is written can be read: names and cards may hold anything.
    found = read_entries(str(place / INDEX_FILE), data)
    with atomic_write(place / INDEX_FILE) as out:
        out.write(data)
    return found


def _former(folder: Path) -> list[Entry]:
    if not (folder / INDEX_FILE).exists():
        return []
    return read_entries(str(folder / INDEX_FILE), Folder(str(folder), folder).index())


def _numbered(entry: Entry, former: Entry | None) -> Entry:
    version = "1"
    if former is not None:
        version = former.version
        if former.sha256 != entry.sha256:
            if not version.isdecimal():
                raise ModelError(
                    f"{entry.file}: changed since version {version!r}, which is no number; "
                    "write the new version into the index by hand"
                )
            version = str(int(version) + 1)
    return Entry(**{**entry.to_json(), "version": version})


def _digest(path: Path) -> str:
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _table(config: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    found = config.get(name)
    return found if isinstance(found, dict) else {}


def _treebank(config: Mapping[str, Any]) -> str:
    """The treebank by its UD name; of several files their names."""
    files = _table(config, "data").get("files", [])
    if not isinstance(files, list):
        return ""
    return ", ".join(str(file).partition(_TRAINING_PART)[0] for file in files)


def _scores(config: Mapping[str, Any]) -> dict[str, float]:
    """Those on development data of the way to search that is the default, the first one."""
    ways = [each for each in _table(config, "scores_on_dev").values() if isinstance(each, dict)]
    return {str(name): score for name, score in next(iter(ways), {}).items() if _is_number(score)}


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
