"""Builds the wheel twice, in two folders with other names, and compares the bytes.

The same commit, compiler and lock file give the same wheel: whoever has them can check that a
wheel was built from this source and from nothing else. Written to dist/ only if both are equal.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

from commit_time import ROOT, commit_time

SHOWN = 20
_BUILD = ("wheel", "--quiet", "--no-deps", "--no-build-isolation", "--disable-pip-version-check")


def copy_source(target: Path) -> None:
    """The files that git knows, as they are now."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True)
    for name in filter(None, listed.stdout.decode().split("\0")):
        if (ROOT / name).is_file():
            place = target / name
            place.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / name, place)


def build(folder: Path, moment: int) -> Path:
    """The wheel of the source in a folder, whose files are from this moment."""
    subprocess.run(
        [sys.executable, "-m", "pip", *_BUILD, "--wheel-dir", folder / "out", folder / "source"],
        env={**os.environ, "SOURCE_DATE_EPOCH": str(moment)},
        check=True,
    )
    (wheel,) = (folder / "out").glob("*.whl")
    return wheel


def differences(one: Path, other: Path) -> list[str]:
    """What is in one wheel and not, or not the same, in the other; empty for equal bytes."""
    if one.read_bytes() == other.read_bytes():
        return []
    with zipfile.ZipFile(one) as a, zipfile.ZipFile(other) as b:
        names = [each.namelist() for each in (a, b)]
        found = [f"{name}: only in one" for name in sorted(set(names[0]) ^ set(names[1]))]
        for name in sorted(set(names[0]) & set(names[1])):
            if a.read(name) != b.read(name):
                found.append(f"{name}: other contents")
            elif (a.getinfo(name).date_time, a.getinfo(name).external_attr) != (
                b.getinfo(name).date_time,
                b.getinfo(name).external_attr,
            ):
                found.append(f"{name}: another time or mode")
    return found or ["the order or the packing of the files"]


def main() -> None:
    with tempfile.TemporaryDirectory() as scratch:
        folders = [Path(scratch) / name for name in ("one", "another/and-deeper")]
        # First of all: nothing that is changed or committed meanwhile may come between them.
        moment = commit_time()
        for folder in folders:
            copy_source(folder / "source")
        wheels = [build(folder, moment) for folder in folders]
        found = differences(*wheels)
        if found:
            more = [f"and {len(found) - SHOWN} more"] if len(found) > SHOWN else []
            raise SystemExit("\n".join(["two builds differ:", *found[:SHOWN], *more]))
        target = ROOT / "dist" / wheels[0].name
        target.parent.mkdir(exist_ok=True)
        shutil.copyfile(wheels[0], target)
    digest = hashlib.sha256(target.read_bytes()).hexdigest()
    print(f"{target.relative_to(ROOT)}: two builds, the same bytes\nsha256 {digest}")


if __name__ == "__main__":
    main()
