"""Writes the lock file of this Python and platform: what `niwaki[dev]` is installed from, each
package with its version and the hash of its wheel. With --keep, packages that are locked keep their
versions, and only what is new in pyproject.toml is added.

The name of the file says for which interpreter it holds, as the names of compiled modules do.
There are no addresses in it: which index the files come from is everybody's own affair, the
hashes say that they are the same.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "requirements"
# Only wheels: to install them runs no code of theirs.
_RESOLVE = ("install", "--dry-run", "--ignore-installed", "--only-binary", ":all:", "--quiet")

_OPENING = """\
# What niwaki[dev] is installed from with {tag}.
# `make lock` writes this file anew, with the newest versions that pyproject.toml allows;
# `make build LOCK=` installs without it.
"""


def lock_file() -> Path:
    return FOLDER / f"{sysconfig.get_config_var('SOABI')}.lock"


def kept() -> list[str]:
    """The versions of the lock file as pip's constraints, which have no hashes."""
    known = lock_file()
    lines = known.read_text(encoding="utf-8").splitlines() if known.exists() else []
    return [line.split()[0] for line in lines if not line.startswith("#")]


def resolve(constraints: list[str]) -> list[dict[str, Any]]:
    """What pip would install, as its report tells it; the project itself is left out."""
    with tempfile.TemporaryDirectory() as scratch:
        report, known = Path(scratch) / "report.json", Path(scratch) / "constraints.txt"
        known.write_text("".join(f"{each}\n" for each in constraints), encoding="utf-8")
        subprocess.run(
            [sys.executable, "-m", "pip", *_RESOLVE, "-c", known, "--report", report, ".[dev]"],
            cwd=ROOT,
            env={**os.environ, "NIWAKI_NO_KERNEL": "1"},
            check=True,
        )
        found = json.loads(report.read_text(encoding="utf-8"))["install"]
    return [package for package in found if "archive_info" in package["download_info"]]


def entry(package: dict[str, Any]) -> str:
    metadata = package["metadata"]
    digest = package["download_info"]["archive_info"]["hashes"]["sha256"]
    return f"{normalized(metadata['name'])}=={metadata['version']} --hash=sha256:{digest}"


def normalized(name: str) -> str:
    """A package's name as indexes compare names."""
    return re.sub(r"[-_.]+", "-", name).lower()


def write(keep: bool = False) -> None:
    target = lock_file()
    lines = sorted(map(entry, resolve(kept() if keep else [])))
    opening = _OPENING.format(tag=target.stem)
    FOLDER.mkdir(exist_ok=True)
    target.write_text(opening + "".join(f"{line}\n" for line in lines), encoding="utf-8")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--keep", action="store_true", help="keep the versions that are locked")
    write(parser.parse_args().keep)
