"""Starts Python processes that import from the installation, never from the current folder.

`python -m` and `python FILE` put a folder first on the path of modules: a `hashlib.py` that
lies where the server is started would run in every worker. `-P` leaves that folder out.
"""

from __future__ import annotations

import asyncio
import os
import sys
from typing import Any


async def start_python(
    *arguments: str, nice: int = 0, environment: dict[str, str] | None = None, **more: Any
) -> asyncio.subprocess.Process:
    """A Python process with these arguments; `more` is for `asyncio.create_subprocess_exec`."""
    command = python_command(*arguments, nice=nice)
    return await asyncio.create_subprocess_exec(
        *command, env=_environment() | (environment or {}), **more
    )


def python_command(*arguments: str, nice: int = 0) -> list[str]:
    """The same as a command, for another process to start."""
    lower = ["nice", "-n", str(nice)] if nice else []
    return [*lower, sys.executable, "-P", *arguments]


def _environment() -> dict[str, str]:
    found = dict(os.environ)
    if "PYTHONPATH" in found:
        found["PYTHONPATH"] = settled_path(found["PYTHONPATH"])
    return found


def settled_path(given: str) -> str:
    """PYTHONPATH that means the same in every folder, without the current one.

    An empty entry, as `PYTHONPATH=$PYTHONPATH:/more` leaves it, and `.` are the current folder by
    accident; who wants it on the path writes it out.
    """
    here = os.getcwd()
    entries = []
    for entry in given.split(os.pathsep):
        path = os.path.abspath(entry)
        if os.path.isabs(entry) or path != here:
            entries.append(path)
    return os.pathsep.join(entries)
