"""The annotation projects of a work folder: found when the server starts, made whole or not."""

from __future__ import annotations

import logging
import re
import shutil
from pathlib import Path

from niwaki.data.files import atomic_write
from niwaki.errors import ConfigError, CorpusError, NiwakiError
from niwaki.serve.annotations import KINDS, Project
from niwaki.serve.errors import RequestError, unknown
from niwaki.serve.folder import WorkFolder
from niwaki.serve.frames import dump
from niwaki.serve.limits import Limits
from niwaki.serve.registry import is_name

log = logging.getLogger("niwaki.serve")


def _found_in(error: Exception) -> str:
    """What is wrong, without the path that only this machine knows."""
    if isinstance(error, CorpusError):
        return f"line {error.line}: {error.found}; {error.advice}"
    return str(error)


class Projects:
    """All projects of a work folder."""

    def __init__(self, work: WorkFolder, limits: Limits) -> None:
        self._work, self._limits = work, limits
        self._found: dict[str, Project] = {}
        self._aside: set[str] = set()

    @property
    def folder(self) -> Path:
        return self._work.path / "projects"

    def open(self) -> None:
        """Open the folder and what is in it; a project that is broken does not stop the others."""
        self._work.open()
        for path in sorted(self.folder.glob("*/project.json")):
            name = path.parent.name
            if not is_name(name):
                continue  # one that was being made when the server was killed
            try:
                self._found[name] = Project(path.parent)
            except Exception as error:
                known = isinstance(error, NiwakiError | OSError)
                log.warning("%s is set aside: %s", name, error if known else type(error).__name__)
                self._aside.add(name)

    def list(self) -> list[Project]:
        return list(self._found.values())

    def get(self, name: str) -> Project:
        if name in self._aside:
            raise RequestError(409, "this project could not be opened; the server's log says why")
        if name not in self._found:
            raise unknown("project", name)
        return self._found[name]

    def create(
        self, name: str, kind: str, model: str, files: dict[str, bytes], *, start: bool = False
    ) -> Project:
        """A new project from the bytes of its files; it appears whole or not at all.

        With `start`, heads that its sentences have are where annotators begin.
        """
        if kind not in KINDS:
            raise ConfigError(f"no kind {kind!r} of project")
        base = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")[:40] or "project"
        self._work.ensure()
        self.folder.mkdir(exist_ok=True)
        taken = {path.name for path in self.folder.iterdir()}
        key = next(
            each
            for n in range(1, 100_000)
            if (each := base if n == 1 else f"{base}-{n}") not in taken
        )
        made = self.folder / f".{key}.new"
        shutil.rmtree(made, ignore_errors=True)
        made.mkdir()
        record = {"name": name, "kind": kind, "model": model, **({"start": True} if start else {})}
        for file, content in {**files, "project.json": dump(record) + b"\n"}.items():
            with atomic_write(made / file) as out:
                out.write(content)
        try:
            Project(made)
        except (NiwakiError, ValueError) as error:
            shutil.rmtree(made)
            raise RequestError(
                422, f"no project can be made of this: {_found_in(error)}"
            ) from error
        made.rename(self.folder / key)
        project = self._found[key] = Project(self.folder / key)
        return project
