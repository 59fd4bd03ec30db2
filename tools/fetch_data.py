"""Lists the public data that benchmarks and acceptance tests read, and downloads what it can.

tools/fetch_data.py                   list the data sets: address, licence, what is done to them
tools/fetch_data.py ud-english-ewt    download some of them; `all`: all that can be

They go into the folder NIWAKI_DATA (default: ../shared/data), each into a folder of its own, whole
or not at all, and only if every file is the one that tools/data.toml records. build/data is then a
link to that folder, through which configurations find it.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import http.client
import os
import sys
import tempfile
import tomllib
import urllib.request
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CATALOGUE = ROOT / "tools" / "data.toml"
LINK = ROOT / "build" / "data"
_SECONDS = 60


@dataclass(frozen=True)
class DataSet:
    """A folder of data: where it comes from, and what must be done to it."""

    name: str
    address: str
    licence: str
    done: str
    base: str = ""
    files: Mapping[str, str] = field(default_factory=dict)  # SHA-256 as downloaded

    def shown(self, folder: Path) -> str:
        state = "to be made by hand"
        if (folder / self.name).exists():
            state = "is there"
        elif self.files:
            state = f"can be downloaded, {len(self.files)} files"
        return (
            f"{self.name}: {state}\n  from: {self.address}\n"
            f"  licence: {self.licence}\n  what is done: {self.done}\n"
        )


def data_folder() -> Path:
    return Path(os.environ.get("NIWAKI_DATA") or ROOT.parent / "shared" / "data").absolute()


def read_catalogue(path: Path) -> dict[str, DataSet]:
    with path.open("rb") as file:
        return {each["name"]: DataSet(**each) for each in tomllib.load(file)["set"]}


def download(address: str, digest: str) -> bytes:
    """What lies at an address, if it is what is recorded."""
    try:
        with urllib.request.urlopen(address, timeout=_SECONDS) as answer:
            content: bytes = answer.read()
    except (OSError, http.client.HTTPException) as error:
        raise SystemExit(f"{address}: {error}; nothing of this set was kept") from None
    found = hashlib.sha256(content).hexdigest()
    if found != digest:
        raise SystemExit(
            f"{address}: has SHA-256 {found}, but {digest} is recorded; it is another file: "
            "nothing of this set was kept"
        )
    return content


def fetch(data: DataSet, folder: Path) -> None:
    """Makes the folder of a data set, whole or not at all."""
    target = folder / data.name
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=target.parent) as scratch:
        made = Path(scratch) / "made"
        made.mkdir()
        for name, digest in data.files.items():
            content = download(data.base + name.removesuffix(".gz"), digest)
            if name.endswith(".gz"):
                content = gzip.compress(content, mtime=0)
            (made / name).write_bytes(content)
        made.rename(target)


def chosen(names: Sequence[str], known: Mapping[str, DataSet], folder: Path) -> list[DataSet]:
    """The sets of these names that are not there; `all` is those that can be downloaded."""
    if "all" in names:
        names = [name for name, data in known.items() if data.files]
    for name in names:
        if name not in known:
            raise SystemExit(f"no data set {name!r}; without names, all are listed")
        if not known[name].files:
            raise SystemExit(f"{known[name].shown(folder)}Nothing was downloaded.")
    return [known[name] for name in names if not (folder / name).exists()]


def link(folder: Path) -> None:
    """Lets build/data be the folder; what is there and is no link stays."""
    LINK.parent.mkdir(exist_ok=True)
    if LINK.is_symlink():
        LINK.unlink()
    if not LINK.exists():
        LINK.symlink_to(folder, target_is_directory=True)


def main(words: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("names", metavar="SET", nargs="*", help="default: list all")
    parser.add_argument("--link", action="store_true", help="only make the link build/data")
    parser.add_argument("--catalogue", type=Path, default=CATALOGUE, help=argparse.SUPPRESS)
    given = parser.parse_args(words)
    folder, known = data_folder(), read_catalogue(given.catalogue)
    if not (given.names or given.link):
        sys.stdout.write("\n".join(data.shown(folder) for data in known.values()))
        return
    for data in chosen(given.names, known, folder):
        fetch(data, folder)
        sys.stdout.write(data.shown(folder))
    link(folder)


if __name__ == "__main__":
    main()
