"""Where models come from: a folder, an installed package, or a web server."""

from __future__ import annotations

import contextlib
import hashlib
import os
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Protocol

from niwaki.data.files import atomic_write
from niwaki.errors import ModelError, nearest, shown
from niwaki.hub.cache import cache_folder
from niwaki.hub.index import INDEX_FILE, LARGEST_INDEX, Entry, is_index_file, read_entries

# Indexes of installed packages: the entry point `NAME = package:FOLDER` gives the folder.
GROUP = "niwaki.indexes"
VARIABLE = "NIWAKI_INDEX"


class Readable(Protocol):
    """Gives bytes; none at the end, or when the way to them breaks off."""

    def read(self, size: int, /) -> bytes: ...


@dataclass(frozen=True)
class Opened:
    """A file that is being read from byte `start` on.

    `size` is that of the whole file, if it is known; `validator` is what a later request shows to
    be answered with the rest of this very file.
    """

    stream: Readable
    start: int = 0
    size: int | None = None
    validator: str = ""


class Source(Protocol):
    """An index and the files beside it."""

    @property
    def name(self) -> str:
        """How messages call it."""
        ...

    def index(self) -> bytes:
        """The bytes of the index, or a few too many."""
        ...

    def open(
        self, file: str, have: int = 0, validator: str = ""
    ) -> contextlib.AbstractContextManager[Opened]:
        """A file beside the index; of what is there already, `have` bytes may be left out."""
        ...


@dataclass(frozen=True)
class Folder:
    """An index in a folder."""

    name: str
    path: Path
    index_file: str = INDEX_FILE

    def index(self) -> bytes:
        with self.open(self.index_file) as opened:
            return opened.stream.read(LARGEST_INDEX + 1)

    @contextlib.contextmanager
    def open(self, file: str, have: int = 0, validator: str = "") -> Iterator[Opened]:
        path = self.path / file
        # A FIFO that nobody writes to is not waited for.
        if not path.is_file():
            raise ModelError(f"{self.name}: no file {file!r} in {str(self.path)!r}")
        with open(path, "rb") as stream:
            yield Opened(stream, 0, path.stat().st_size)


@dataclass(frozen=True)
class Offer:
    """A model that a source has."""

    entry: Entry
    source: Source


def offers(index: str | os.PathLike[str] | None = None) -> dict[str, Offer]:
    """What there is to fetch, by name; the first of several sources that has a name gives it."""
    found: dict[str, Offer] = {}
    for source in sources(index):
        data = source.index()
        for entry in read_entries(source.name, data):
            found.setdefault(entry.name, Offer(entry, source))
        if not isinstance(source, Folder):
            _remember(source, data)
    return found


def known_names() -> set[str]:
    """The names of models that can be fetched, as far as no server needs to be asked."""
    found: set[str] = set()
    # What one of them cannot tell hides no name of the others.
    for listed in (installed_sources, sources):
        with contextlib.suppress(ModelError, OSError):
            for source in listed():
                is_near = isinstance(source, Folder)
                data = source.index() if is_near else _kept(source).read_bytes()
                found |= {entry.name for entry in read_entries(source.name, data)}
    return found


def _remember(source: Source, data: bytes) -> None:
    """Keep a copy of an index, so that names in it are known without a connection."""
    with contextlib.suppress(OSError):
        _kept(source).parent.mkdir(parents=True, exist_ok=True)
        with atomic_write(_kept(source)) as out:
            out.write(data)


def _kept(source: Source) -> Path:
    digest = hashlib.sha256(source.name.encode()).hexdigest()
    return cache_folder() / "indexes" / f"{digest[:16]}.json"


def sources(index: str | os.PathLike[str] | None = None) -> list[Source]:
    """The source that is named, by `NIWAKI_INDEX` if by nobody; else all installed packages."""
    named = os.fspath(index) if index is not None else os.environ.get(VARIABLE, "")
    return [source_of(named)] if named else list(installed_sources())


def source_of(location: str) -> Source:
    """A source by its URL, its path, or the name of an installed package."""
    if "://" in location:
        # Only who asks for it waits for the modules that speak HTTP.
        from niwaki.hub.web import Website

        return Website.of(location)
    path = Path(location)
    if is_index_file(path) and path.is_file():
        return Folder(location, path.parent, path.name)
    if path.is_dir():
        return Folder(location, path)
    packages = metadata.entry_points(group=GROUP)
    if location in packages.names:
        return _package(packages[location])
    known = nearest(location, packages.names) if packages.names else "none is installed"
    raise ModelError(
        f"no index {shown(location)}: give a folder, a URL or an installed package ({known})"
    )


def installed_model(name: str) -> Path | None:
    """The file of a model that the index of an installed package has."""
    for source in installed_sources():
        for entry in read_entries(source.name, source.index()):
            if entry.name == name:
                return source.path / entry.file
    return None


def installed_sources() -> Iterator[Folder]:
    for entry in metadata.entry_points(group=GROUP):
        yield _package(entry)


def _package(entry: metadata.EntryPoint) -> Folder:
    """The folder that the package of an entry point names; its code may do anything."""
    try:
        return Folder(f"package {entry.name}", Path(entry.load()))
    except Exception as error:
        reason = shown(f"{type(error).__name__}: {error}", 200)
        raise ModelError(
            f"index {entry.name!r} ({entry.value}): its package fails with {reason}; "
            "install the package again"
        ) from error
