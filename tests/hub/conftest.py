"""A cache of one's own, and a small collection of models."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from niwaki.hub.cards import index_folder
from tests.hub.serving import Site, serving
from tests.installed import hide_models


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache; nobody's index is asked."""
    folder = tmp_path / "cache"
    monkeypatch.setenv("NIWAKI_CACHE", str(folder))
    monkeypatch.setenv("no_proxy", "*")
    monkeypatch.delenv("NIWAKI_INDEX", raising=False)
    hide_models(monkeypatch)
    return folder


@pytest.fixture
def collection(tmp_path: Path, model_path: Path) -> Path:
    """A folder with an index of the model `toy`."""
    folder = tmp_path / "collection"
    folder.mkdir()
    shutil.copy(model_path, folder / "toy.niwaki")
    index_folder(folder)
    return folder


@pytest.fixture
def site(collection: Path) -> Iterator[Site]:
    """The collection on a web server."""
    with serving(Site({f"/{path.name}": path.read_bytes() for path in collection.iterdir()})) as it:
        yield it
