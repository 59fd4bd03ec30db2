"""The work folder: where projects, edited rules and adapted models are kept, by one server."""

from __future__ import annotations

import os
from pathlib import Path

from niwaki.data.system import try_to_lock
from niwaki.errors import ConfigError


class WorkFolder:
    """Made when something is first to be kept; locked as long as the server lives.

    The lock is the kernel's, so it also goes away with a server that was killed.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock: int | None = None

    def open(self) -> None:
        """Lock the folder if it is there."""
        if self.path.is_dir():
            self.ensure()
        elif self.path.exists():
            raise ConfigError(f"{self.path}: this is no folder; give another with --work FOLDER")

    def ensure(self) -> Path:
        """The folder, made and locked if it was not."""
        if self._lock is None:
            self.path.mkdir(parents=True, exist_ok=True)
            lock = os.open(self.path / ".lock", os.O_RDWR | os.O_CREAT, 0o600)
            if not try_to_lock(lock):
                os.close(lock)
                raise ConfigError(
                    f"{self.path}: another server uses this folder; stop it or give --work FOLDER"
                )
            self._lock = lock
        return self.path

    def close(self) -> None:
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None
