"""Where models that were fetched lie: one file each, whose name says which and of which version."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

SUFFIX = ".niwaki"
# Names of models and versions become names of files: no separators, no leading dots.
NAME = re.compile(r"[a-z0-9][a-z0-9_-]*(?:\.[a-z0-9_-]+)*")
VERSION = re.compile(r"[A-Za-z0-9][A-Za-z0-9_+-]*(?:\.[A-Za-z0-9_+-]+)*")
LONGEST_NAME, LONGEST_VERSION = 64, 40
_FILE = re.compile(rf"({NAME.pattern})@({VERSION.pattern}){re.escape(SUFFIX)}")


@dataclass(frozen=True)
class CachedModel:
    """A model that was fetched."""

    name: str
    version: str
    path: Path


def cache_folder(
    environment: Mapping[str, str] | None = None, platform: str = sys.platform
) -> Path:
    """`NIWAKI_CACHE`, or where the platform keeps what can be fetched again."""
    told = os.environ if environment is None else environment
    if told.get("NIWAKI_CACHE"):
        return Path(told["NIWAKI_CACHE"]).expanduser()
    home = Path(os.path.expanduser("~"))
    if platform == "win32":
        return Path(told.get("LOCALAPPDATA") or home / "AppData" / "Local") / "niwaki" / "Cache"
    if platform == "darwin":
        return home / "Library" / "Caches" / "niwaki"
    # The convention says that a relative path is to be ignored.
    named = told.get("XDG_CACHE_HOME", "")
    return (Path(named) if os.path.isabs(named) else home / ".cache") / "niwaki"


def models_folder() -> Path:
    return cache_folder() / "models"


def cached_path(name: str, version: str) -> Path:
    return models_folder() / f"{name}@{version}{SUFFIX}"


def cached_models() -> dict[str, CachedModel]:
    """The models that were fetched, by name; of two versions the newer one."""
    found: dict[str, CachedModel] = {}
    try:
        paths = sorted(models_folder().iterdir(), key=_age)
    except OSError:
        return {}  # nothing was ever fetched, or it is not ours to read
    for path in paths:
        said = _FILE.fullmatch(path.name)
        if said and path.is_file():
            found[said[1]] = CachedModel(said[1], said[2], path)
    return found


def remove_other_versions(kept: CachedModel) -> None:
    """What a newer version of a model has replaced."""
    for path in models_folder().glob(f"{kept.name}@*{SUFFIX}"):
        if path != kept.path:
            path.unlink(missing_ok=True)


def _age(path: Path) -> tuple[int, str]:
    try:
        return path.stat().st_mtime_ns, path.name
    except OSError:
        return 0, path.name
