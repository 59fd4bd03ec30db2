"""Writes the lock file of this Python and platform: what `niwaki[dev]` is installed from, each
package with its version and the hash of its wheel.

The name of the file says for which interpreter it holds, as the names of compiled modules do.
There are no addresses in it: which index the files come from is everybody's own affair, the
hashes say that they are the same.
"""

from __future__ import annotations

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


def resolve() -> list[dict[str, Any]]:
    """What pip would install, as its report tells it; the project itself is left out."""
    with tempfile.TemporaryDirectory() as scratch:
        report = Path(scratch) / "report.json"
        subprocess.run(
            [sys.executable, "-m", "pip", *_RESOLVE, "--report", report, ".[dev]"],
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


def write() -> None:
    target = lock_file()
    lines = sorted(map(entry, resolve()))
    opening = _OPENING.format(tag=target.stem)
    FOLDER.mkdir(exist_ok=True)
    target.write_text(opening + "".join(f"{line}\n" for line in lines), encoding="utf-8")


if __name__ == "__main__":
    write()
