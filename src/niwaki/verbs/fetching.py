"""Models by name: what there is, fetched into the cache, and indexes of folders of models."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from niwaki.errors import ModelError, nearest
from niwaki.hub.cache import cached_models
from niwaki.hub.cards import entry_of, index_folder
from niwaki.hub.download import fetch
from niwaki.hub.index import Entry, read_entries
from niwaki.hub.sources import installed_sources, offers, sources
from niwaki.pipeline.store import bundled_models, packaged_models

Where = Literal["bundled", "package", "downloaded", "available"]


@dataclass(frozen=True)
class KnownModel:
    """A model that has a name: what its card or an index says of it, and where it is.

    `where` is "bundled", "package" (an installed package has it), "downloaded", or "available":
    `niwaki.download` would fetch it. `path` is None for the last. `newer` is the
    version that the index has, if it is newer than that which was downloaded.
    """

    entry: Entry
    where: Where
    path: Path | None = None
    newer: str = ""

    @property
    def name(self) -> str:
        return self.entry.name

    def to_json(self) -> dict[str, Any]:
        path = None if self.path is None else str(self.path)
        record = {**self.entry.to_json(), "where": self.where, "path": path}
        return {**record, "newer": self.newer} if self.newer else record


def models(index: str | os.PathLike[str] | None = None) -> list[KnownModel]:
    """All models that have a name: those at hand, then those that an index offers.

    `index` is as for `download`. Models for tasks, which parse nothing, are left out.

        >>> [model.name for model in models() if model.path is not None]
        ['en']
    """
    found = models_at_hand()
    offered = offers(index)
    by_name = {model.name: model for model in found}
    for name, offer in offered.items():
        known = by_name.get(name)
        if known is None:
            by_name[name] = KnownModel(offer.entry, "available")
        elif known.where == "downloaded" and _is_newer(offer.entry, known.entry):
            by_name[name] = KnownModel(known.entry, known.where, known.path, offer.entry.version)
    return list(by_name.values())


def _is_newer(offered: Entry, known: Entry) -> bool:
    """Versions count, unless they are no numbers: then another one is taken for a newer one."""
    if offered.version.isdecimal() and known.version.isdecimal():
        return int(offered.version) > int(known.version)
    return offered.sha256 != known.sha256


def models_at_hand() -> list[KnownModel]:
    """Those that `niwaki.load` finds without a connection."""
    found: dict[str, KnownModel] = {}
    for model in _local():
        found.setdefault(model.name, model)
    return list(found.values())


def _local() -> Iterator[KnownModel]:
    """In the order in which they are found by name."""
    places: tuple[tuple[Where, dict[str, Path]], ...] = (
        ("bundled", bundled_models()),
        ("package", packaged_models()),
    )
    for where, paths in places:
        for name, path in paths.items():
            entry = entry_of(path, name)
            if entry is not None:
                yield KnownModel(entry, where, path)
    for cached in cached_models().values():
        entry = None
        # A damaged one is not at hand; `download` fetches it again.
        with contextlib.suppress(ModelError):
            entry = entry_of(cached.path, cached.name, cached.version)
        if entry is not None:
            yield KnownModel(entry, "downloaded", cached.path)
    for source in installed_sources():
        for entry in read_entries(source.name, source.index()):
            yield KnownModel(entry, "package", source.path / entry.file)


def download(name: str, index: str | os.PathLike[str] | None = None) -> Path:
    """Fetch a model into the cache, from which `niwaki.load` takes it by its name; gives its file.

    `index` is a folder, a URL or the name of an installed package; without it `NIWAKI_INDEX` says
    which, and else all installed packages are asked. What comes is checked against the index (size,
    SHA-256) and for being a model. A download that breaks off goes on where it was when it
    is called again. A model that is there in the index's version is not fetched again.

        >>> download("te", "https://models.example.org/")
        >>> niwaki.load("te")
    """
    if name in bundled_models():
        raise ModelError(f"model {name!r} is bundled; there is nothing to download")
    offered = offers(index)
    if not offered and sources(index):
        raise ModelError("the index has no models; name another one (--index, NIWAKI_INDEX)")
    if not offered:
        raise ModelError(
            "no index of models: give --index FOLDER or URL (in Python: index=), set NIWAKI_INDEX, "
            "or install a package of models (in a checkout: make languages)"
        )
    if name not in offered:
        raise ModelError(f"no model {name!r} in the index; {nearest(name, offered)}")
    return fetch(offered[name]).path


def index_models(folder: str | os.PathLike[str]) -> list[KnownModel]:
    """Write `index.json` into a folder of models, which makes it one to download from.

    What it says comes from the cards of the models. A model is called as its file is; its version
    counts from 1 and goes up when its bytes change.

        >>> [model.name for model in index_models("models/")]
        ['af', 'te']
    """
    entries = index_folder(folder)
    return [KnownModel(entry, "available", Path(folder) / entry.file) for entry in entries]
