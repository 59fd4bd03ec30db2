"""Where fetched models lie, by the conventions of platforms."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from niwaki.hub.cache import cache_folder, cached_models, cached_path

HOME = Path(os.path.expanduser("~"))


@pytest.mark.parametrize(
    ("platform", "environment", "folder"),
    [
        ("linux", {}, HOME / ".cache" / "niwaki"),
        ("linux", {"XDG_CACHE_HOME": "/somewhere"}, Path("/somewhere/niwaki")),
        ("linux", {"XDG_CACHE_HOME": "relative"}, HOME / ".cache" / "niwaki"),
        ("darwin", {"XDG_CACHE_HOME": "/other"}, HOME / "Library" / "Caches" / "niwaki"),
        ("win32", {"LOCALAPPDATA": "/local"}, Path("/local/niwaki/Cache")),
        ("win32", {}, HOME / "AppData" / "Local" / "niwaki" / "Cache"),
        ("win32", {"NIWAKI_CACHE": "/mine", "LOCALAPPDATA": "/local"}, Path("/mine")),
    ],
)
def test_the_folder_is_where_the_platform_wants_it(
    platform: str, environment: dict[str, str], folder: Path
) -> None:
    assert cache_folder(environment, platform) == folder


def test_what_is_not_a_model_is_left_alone(cache: Path) -> None:
    assert cached_models() == {}
    folder = cached_path("te", "1").parent
    folder.mkdir(parents=True)
    for name in ("te@1.niwaki.part", "te.niwaki", ".te@1.niwaki.0123abcd.tmp", "notes"):
        (folder / name).write_bytes(b"")
    (folder / "wo@1.niwaki").mkdir()
    assert cached_models() == {}


def test_of_two_versions_the_newer_one_is_found(cache: Path) -> None:
    for seconds, version in ((20, "9"), (30, "10"), (10, "11")):
        path = cached_path("te", version)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"")
        os.utime(path, (seconds, seconds))
    assert cached_models()["te"].version == "10"
