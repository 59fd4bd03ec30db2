"""What Windows and other systems do in different ways: locks, and folders on the disk."""

from __future__ import annotations

import os
import sys
from pathlib import Path

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl


def try_to_lock(file: int) -> bool:
    """Lock a file until it is closed; False if somebody has, or the disk knows no locks."""
    try:
        if sys.platform == "win32":
            msvcrt.locking(file, msvcrt.LK_NBLCK, 1)
        else:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def sync_folder(path: Path) -> None:
    """See to it that a file's new name is on the disk. Windows opens no folders, and needs none."""
    if sys.platform == "win32":
        return
    folder = os.open(path, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
