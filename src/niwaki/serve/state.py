"""Everything that the endpoints work with, started and stopped together."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

from niwaki.serve.errors import RequestError, unknown
from niwaki.serve.folder import WorkFolder
from niwaki.serve.jobs import Jobs
from niwaki.serve.limits import Limits
from niwaki.serve.pool import Pool
from niwaki.serve.projects import Projects
from niwaki.serve.registry import Corpus, Registry, is_name

# Marks what was made in a project among the corpora; no registered name ends so by chance.
_MADE = {"links": (".links", "references"), "trees": (".known", "partial")}


class AppState:
    """The registered things, the workers, the projects and the jobs of one server."""

    def __init__(self, registry: Registry, limits: Limits, folder: Path) -> None:
        self.registry, self.limits = registry, limits
        self.work = WorkFolder(folder)
        self.pool = Pool(limits.workers, limits.waiting, limits.seconds)
        # Long work has a process of its own, which gives way to people who wait.
        self.background = Pool(1, 1_000, limits.background_seconds, nice=5, finishes=False)
        self.projects = Projects(self.work, limits)
        self.jobs = Jobs(limits.jobs_kept)

    def open(self) -> None:
        """Lock the work folder and find what was made before; raises if that cannot be done."""
        self.projects.open()
        self._find_earlier()

    async def start(self) -> None:
        first = ("models", {"entries": list(self.registry.models.items())[:1]})
        await self.pool.start(first)
        self.background.prepare(first)

    async def stop(self) -> None:
        await self.jobs.stop()
        await self.pool.stop()
        await self.background.stop()
        self.work.close()

    def _find_earlier(self) -> None:
        """Rules that were edited and models that were adapted before."""
        for path in sorted((self.work.path / "rules").glob("*.toml")):
            if is_name(path.stem):
                self.registry.rules.setdefault(path.stem, str(path.resolve()))
        for path in sorted((self.work.path / "models").glob("*/model.niwaki")):
            if is_name(path.parent.name):
                self.registry.models.setdefault(path.parent.name, str(path.resolve()))

    def refusal(self) -> RequestError | None:
        """Why no more work is taken just now."""
        return self.pool.refusal() if self.pool.is_full else None

    @property
    def corpora(self) -> list[Corpus]:
        """What is registered, and the references and partial trees that were made here."""
        made = []
        for each in self.projects.list():
            if each.useful:
                end, kind = _MADE[each.kind]
                made.append(Corpus(each.id + end, kind, (str(each.result_file),)))
        return [*self.registry.corpora.values(), *made]

    def corpus(self, name: str, *kinds: str) -> Corpus:
        """Data by its name, if it is of one of these kinds."""
        for each in self.corpora:
            if each.id == name and each.kind in kinds:
                return each
        raise unknown(" or ".join(kinds), name)

    @property
    def word_limits(self) -> dict[str, int]:
        known = asdict(self.limits)
        return {name: known[name] for name in ("sentence_words", "request_words")}

    def given(self, body: dict[str, Any]) -> dict[str, Any]:
        """The part of a request that says which sentences."""
        return {k: body[k] for k in ("text", "lines", "tokens", "conllu") if k in body}
