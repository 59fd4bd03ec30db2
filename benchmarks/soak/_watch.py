"""What processes use, and whether it stays what it was."""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import median

MEGABYTE = 1024  # what /proc counts in: kilobytes
BAR = 0.10  # how far a measure may be from where it began


def children(parent: int) -> Iterator[int]:
    """The processes below one, and those below them."""
    for path in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            if path.read_text().rpartition(") ")[2].split()[1] == str(parent):
                yield int(path.parent.name)
                yield from children(int(path.parent.name))


def megabytes(process: int) -> float:
    """Resident memory, of which shared pages count in part (PSS); 0 if the process has ended."""
    with contextlib.suppress(OSError):
        found = re.search(r"^Pss:\s+(\d+)", Path(f"/proc/{process}/smaps_rollup").read_text(), re.M)
        return int(found[1]) / MEGABYTE if found else 0.0
    return 0.0


def processor_seconds(server: int) -> tuple[float, float]:
    """What a process has used, and what those below it have, the ended ones among them."""
    tick = os.sysconf("SC_CLK_TCK")
    own = below = 0
    for process in (server, *children(server)):
        with contextlib.suppress(OSError):
            fields = Path(f"/proc/{process}/stat").read_text().rpartition(") ")[2].split()
            # utime, stime, and of children that were waited for: cutime, cstime.
            used, waited_for = (sum(map(int, fields[at : at + 2])) for at in (11, 13))
            own += used if process == server else 0
            below += waited_for + (0 if process == server else used)
    return own / tick, below / tick


def steadiness(values: Sequence[float]) -> dict[str, float | bool]:
    """How the last third of a series compares with its first third, by their medians."""
    third = max(1, len(values) // 3)
    first, last = median(values[:third]), median(values[-third:])
    return {
        "first_third": round(first, 3),
        "last_third": round(last, 3),
        "drift": round(last / first - 1, 4),
        "highest": round(max(values) / first - 1, 4),
        "flat": abs(last / first - 1) <= BAR,
    }
