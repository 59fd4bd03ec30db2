"""The scorer of CoNLL 2018, as the command udeval of the package udtools.

It is under the GPL: it is called as a command, never imported.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

# What it calls our metrics.
OFFICIAL = {
    "UAS": "UAS",
    "LAS_universal": "LAS",
    "CLAS": "CLAS",
    "MLAS": "MLAS",
    "BLEX": "BLEX",
    "UPOS": "UPOS",
    "XPOS": "XPOS",
    "FEATS": "UFeats",
    "LEMMA": "Lemmas",
    "AllTags": "AllTags",
}


def official_counts(gold: Path, system: Path) -> dict[str, tuple[int, int, int]]:
    """What is right, what gold has and what the system has, by the scorer's names."""
    beside_python = shutil.which("udeval", path=str(Path(sys.executable).parent))
    udeval = beside_python or shutil.which("udeval")
    assert udeval, "the command udeval is missing; make build installs it"
    command = [udeval, "--counts", "--no-enhanced", str(gold), str(system)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    rows = [[cell.strip() for cell in line.split("|")] for line in done.stdout.splitlines()]
    return {
        row[0]: (int(row[1]), int(row[2]), int(row[3]))
        for row in rows
        if len(row) > 3 and row[1].isdecimal()
    }
