"""Prints how much of the package the tests run, and fails below the floors of pyproject.toml.

Python's share is what coverage.py counted: lines, and the ways out of each. The kernel's is what
gcov counted: lines of .pyx, .pxd and .h files. Cython says before each piece of C which line of
which file it was made of; a line is run if some C of it is.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
SOURCE = ROOT / "src"
PACKAGE = SOURCE / "niwaki"
KERNEL = PACKAGE / "kernel"
# Where `make asan` leaves objects and counts.
OBJECTS = ROOT / "build" / "asan"

_MADE_OF = re.compile(r'\s*/\* "([^"]+\.p(?:yx|xd))":(\d+)$')
# What follows belongs to a function as a whole, or to none.
_NO_LINE = ("  /* function exit code */", "}")

Hits = dict[str, dict[int, bool]]


@dataclass
class Share:
    """How much there is, and how much of it was run: lines, and with `ways` also branches."""

    lines: int = 0
    missed: int = 0
    ways: int = 0
    missed_ways: int = 0

    def add(self, other: Share) -> None:
        self.lines += other.lines
        self.missed += other.missed
        self.ways += other.ways
        self.missed_ways += other.missed_ways

    @property
    def percent(self) -> float:
        whole = self.lines + self.ways
        return 100.0 * (whole - self.missed - self.missed_ways) / whole if whole else 100.0


Shares = dict[str, Share]


def python_shares() -> Shares:
    """Of each room, from the data of coverage.py; a file beside the rooms is one of its own."""
    with tempfile.TemporaryDirectory() as scratch:
        report = Path(scratch) / "coverage.json"
        # Not of copies of the package that a test made, to extend or to install it: by now they
        # may be gone.
        only = f"--include={PACKAGE.relative_to(ROOT)}/*"
        command = [sys.executable, "-m", "coverage", "json", "--quiet", only, "-o", str(report)]
        subprocess.run(command, cwd=ROOT, check=True)
        files = json.loads(report.read_text(encoding="utf-8"))["files"]
    shares: Shares = {}
    for name, file in files.items():
        path = ROOT / name
        found = file["summary"]
        share = Share(
            found["num_statements"],
            found["missing_lines"],
            found["num_branches"],
            found["missing_branches"],
        )
        room = path.relative_to(PACKAGE).parts[0]
        shares.setdefault(room, Share()).add(share)
    return shares


def lines_of_c(text: str) -> Iterator[tuple[int, str, int]]:
    """For each line of C that was made of a line of Cython: its number, that file, that line."""
    made_of: tuple[str, int] | None = None
    for number, line in enumerate(text.splitlines(), 1):
        if found := _MADE_OF.match(line):
            made_of = found[1], int(found[2])
        elif line.startswith(_NO_LINE):
            made_of = None
        elif made_of:
            yield number, *made_of


def gcov(objects: Path) -> Iterator[dict[str, Any]]:
    """What gcov says of each file that was compiled."""
    counted = sorted(str(path) for path in objects.rglob("*.gcda"))
    if not counted:
        raise SystemExit(f"{objects}: no counts of lines; `make asan` makes them")
    command = ["gcov", "--json-format", "--stdout", *counted]
    said = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    for document in said.splitlines():
        if document:
            yield from json.loads(document)["files"]


def kernel_hits(files: Iterable[Mapping[str, Any]]) -> Hits:
    """Which lines of the kernel were run, out of those that became code."""
    hits: Hits = {}

    def note(name: str, line: int, run: bool) -> None:
        known = hits.setdefault(name, {})
        known[line] = known.get(line, False) or run

    for file in files:
        path = ROOT / file["file"]
        counts = {line["line_number"]: line["count"] for line in file["lines"]}
        if path.suffix == ".h" and path.is_relative_to(KERNEL):
            for line, count in counts.items():
                note(str(path.relative_to(SOURCE)), line, count > 0)
        elif path.suffix == ".c" and path.is_file():
            for number, name, line in lines_of_c(path.read_text(encoding="utf-8")):
                if number in counts and (SOURCE / name).is_file():
                    note(name, line, counts[number] > 0)
    return hits


def kernel_shares(hits: Hits) -> Shares:
    """Of each folder of the kernel; a file beside them is one of its own."""
    shares: Shares = {}
    for name, lines in hits.items():
        folder = (SOURCE / name).relative_to(KERNEL).parts[0]
        missed = sum(not run for run in lines.values())
        shares.setdefault(folder, Share()).add(Share(len(lines), missed))
    return shares


def table(title: str, shares: Shares) -> tuple[str, float]:
    """The shares as text, and the share of all of them."""
    total = Share()
    rows = [f"{title:24} {'lines':>7} {'missed':>7} {'branches':>9} {'missed':>7} {'%':>6}"]
    for name, share in [*sorted(shares.items()), ("all", total)]:
        if share is not total:
            total.add(share)
        rows.append(
            f"  {name:22} {share.lines:7} {share.missed:7} {share.ways:9} {share.missed_ways:7}"
            f" {share.percent:6.1f}"
        )
    return "\n".join(rows), total.percent


def floors() -> dict[str, float]:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    return dict(project["tool"]["niwaki"]["coverage"])


def main() -> int:
    failed = 0
    measured = {"python": python_shares(), "kernel": kernel_shares(kernel_hits(gcov(OBJECTS)))}
    for part, floor in floors().items():
        text, percent = table(part, measured[part])
        print(text, flush=True)
        if percent < floor:
            print(f"{part}: {percent:.2f} % is run by tests, below the floor of {floor} %")
            failed = 1
    return failed


if __name__ == "__main__":
    sys.exit(main())
