"""Annotation projects: what people said about sentences, written down as they say it.

Every change goes to a journal first, then into plain files that any tool can read:
`partial.conllu` for trees; `links.pharaoh` and `references.jsonl` for links. When a
server was killed in between, the plain files are made again from the journal.

A sentence has a version, which every change must name. Of two tabs that change the same
version, the second is refused and told what the first did.
"""

from __future__ import annotations

import logging
import re
import shutil
import threading
from collections import Counter
from pathlib import Path
from typing import Any

from niwaki.data.bilingual.bitext import Links, read_bitext, write_links
from niwaki.data.bilingual.references import Reference, write_references
from niwaki.data.conllu import read_conllu, write_conllu
from niwaki.data.files import atomic_write
from niwaki.data.sentence import Sentence
from niwaki.data.tree import UNKNOWN
from niwaki.errors import ConfigError, CorpusError, NiwakiError
from niwaki.serve.errors import RequestError, unknown
from niwaki.serve.folder import WorkFolder
from niwaki.serve.frames import dump
from niwaki.serve.journal import Journal
from niwaki.serve.limits import Limits
from niwaki.serve.registry import is_name
from niwaki.serve.schema import load_json
from niwaki.tasks.reorder.references import make_reference

log = logging.getLogger("niwaki.serve")

KINDS = ("trees", "links")
# What is asked about a sentence: its main word, all its heads, or its links.
QUESTIONS = {"trees": ("root", "tree"), "links": ("links",)}
# What may be known of one, beside that nobody can tell.
_PARTS: dict[str, dict[str, type]] = {
    "trees": {"heads": dict, "labels": dict},
    "links": {"links": list},
}
State = dict[str, Any]


class Project:
    """One project: its sentences, the state of each, and the files that hold it all."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.id = folder, folder.name
        self.name, self.kind, self.model = _read_record(folder / "project.json")
        self.doubts: list[list[float]] | None = None
        self._lock = threading.Lock()
        if self.kind == "trees":
            self.sentences = list(read_conllu(self.sentence_file, multi_root=True))
            self.pairs = []
        else:
            self.sentences = []
            self.pairs = list(read_bitext(folder / "source.txt", folder / "target.txt"))
        self._journal = Journal(folder / "journal.jsonl")
        self._states: dict[int, list[State]] = {}
        self._versions: dict[int, int] = {}
        self._changed: list[int] = []  # the sentence of each change, in order
        for line, entry in enumerate(self._journal.read(), start=1):
            try:
                self._check_entry(entry)
                self._take(entry)
            except (ValueError, LookupError, TypeError, AttributeError) as error:
                raise CorpusError(
                    str(folder / "journal.jsonl"),
                    line,
                    "LINE",
                    "not a change of this project",
                    "repair or move the project",
                ) from error
        self._write_files()

    @property
    def sentence_file(self) -> Path:
        return self.folder / "sentences.conllu"

    @property
    def result_file(self) -> Path:
        """What training reads."""
        return self.folder / ("partial.conllu" if self.kind == "trees" else "references.jsonl")

    def __len__(self) -> int:
        return len(self.sentences) or len(self.pairs)

    @property
    def serial(self) -> int:
        return len(self._changed)

    # -- states -------------------------------------------------------------------

    def state(self, number: int) -> State:
        """What is known of a sentence now; empty if nothing was said."""
        history = self._states.get(number)
        return history[-1] if history else {}

    def version(self, number: int) -> int:
        return self._versions.get(number, 0)

    def changed_since(self, serial: int) -> dict[int, int]:
        """The versions of the sentences that were changed after a serial number."""
        return {number: self.version(number) for number in self._changed[serial:]}

    @property
    def annotated(self) -> list[int]:
        return [n for n in sorted(self._states) if is_annotated(self.state(n))]

    @property
    def useful(self) -> list[int]:
        """The annotated sentences that a parser can learn from: one linked word has no order."""
        if self.kind == "trees":
            return self.annotated
        return [n for n in self.annotated if len({i for i, _ in self.state(n)["links"]}) > 1]

    def answered(self, number: int) -> list[str]:
        """The questions about a sentence that have an answer."""
        state = self.state(number)
        if self.kind == "links":
            return ["links"] if state.get("links") else []
        heads = state.get("heads", {})
        whole = len(heads) == len(self.sentences[number])
        return ["root"] * (0 in heads.values()) + ["tree"] * whole

    @property
    def counts(self) -> dict[str, Any]:
        states = [self.state(number) for number in self._states]
        answered = Counter(kind for number in self._states for kind in self.answered(number))
        return {
            "sentences": len(self),
            "annotated": sum(map(is_annotated, states)),
            "skipped": sum(bool(state.get("skipped")) for state in states),
            "answered": {kind: answered[kind] for kind in QUESTIONS[self.kind]},
        }

    def change(self, number: int, version: int, state: State) -> int:
        """Set the state of a sentence; returns its new version."""
        with self._lock:
            self._check(number, version)
            entry = {"sentence": number, "version": version + 1, "state": state}
            try:
                # Before the journal: what is in it must be possible to write for ever after.
                self._check_entry(entry)
            except ValueError as error:
                raise RequestError(422, str(error)) from error
            return self._record(entry)

    def undo(self, number: int, version: int) -> int:
        """Take the last change of a sentence back."""
        with self._lock:
            self._check(number, version)
            if not self._states.get(number):
                raise RequestError(409, "there is nothing to undo in this sentence")
            return self._record({"sentence": number, "version": version + 1, "undo": True})

    def _check(self, number: int, version: int) -> None:
        if not 0 <= number < len(self):
            raise unknown("sentence", str(number))
        if version != self.version(number):
            raise RequestError(
                409,
                "this sentence was changed in another tab; nothing was overwritten",
                conflict={"version": self.version(number), "state": self.state(number)},
            )

    def _check_entry(self, entry: dict[str, Any]) -> None:
        """Raise if a change cannot be made, or cannot be written to the plain files."""
        number, version = entry["sentence"], entry["version"]
        if type(number) is not int or not 0 <= number < len(self):
            raise ValueError(f"no sentence {number!r}")
        # Each change names the one before it: none is lost, none is there twice.
        if type(version) is not int or version != self.version(number) + 1:
            raise ValueError(f"no version {version!r} can follow")
        if entry.get("undo"):
            return
        state = entry["state"]
        _check_state(state, self.kind)
        if self.kind == "trees":
            words = {str(word) for word in range(1, len(self.sentences[number]) + 1)}
            if not words >= {*state.get("heads", ()), *state.get("labels", ())}:
                raise ValueError("a word that is not there")
            self.partial(number, state)
            return
        pair = self.pairs[number]
        if any(i >= len(pair.source) or j >= len(pair.target) for i, j in _links(state).all):
            raise ValueError("a link to a word that is not there")
        self.reference(number, state)

    def _record(self, entry: dict[str, Any]) -> int:
        try:
            self._journal.append(entry)
        except OSError as error:
            raise RequestError(507, f"the change could not be written: {error.strerror}") from error
        self._take(entry)
        try:
            self._write_files()
        except OSError as error:
            # It is safe in the journal; the plain files follow when there is room.
            raise RequestError(
                507, f"kept in the journal, but the files could not be written: {error.strerror}"
            ) from error
        return int(entry["version"])

    def _take(self, entry: dict[str, Any]) -> None:
        number = entry["sentence"]
        history = self._states.setdefault(number, [])
        if entry.get("undo"):
            history.pop()
        else:
            history.append(entry["state"])
        self._versions[number] = entry["version"]
        self._changed.append(number)

    # -- files --------------------------------------------------------------------

    def _write_files(self) -> None:
        if self.kind == "trees":
            write_conllu(
                [self.partial(number) for number in self.annotated], self.folder / "partial.conllu"
            )
            return
        found = [_links(self.state(number)) for number in range(len(self.pairs))]
        write_links(found, self.folder / "links.pharaoh")
        write_references(
            [self.reference(number) for number in self.annotated], self.folder / "references.jsonl"
        )

    def reference(self, number: int, state: State | None = None) -> Reference:
        """The order that the links of a pair make of its source sentence."""
        links = _links(self.state(number) if state is None else state)
        return make_reference(self.pairs[number].source, links, id=str(number + 1))

    def partial(self, number: int, state: State | None = None) -> Sentence:
        """A sentence with what is known of its tree, and nothing else of it."""
        sentence, state = self.sentences[number], self.state(number) if state is None else state
        heads, labels = state.get("heads", {}), state.get("labels", {})
        words = range(1, len(sentence) + 1)
        return sentence.replace(
            heads=[heads.get(str(word), UNKNOWN) for word in words],
            deprels=[labels.get(str(word), "_") for word in words],
        )


def _read_record(path: Path) -> tuple[str, str, str]:
    """Name, kind and model of a project."""
    try:
        record = load_json(path.read_bytes())
        name, kind, model = record["name"], record["kind"], record["model"]
        # Half of a surrogate pair can be read, but never be told to anybody.
        dump([name, model])
    except (ValueError, LookupError, TypeError) as error:
        raise CorpusError(str(path), 1, "FILE", "no project", "repair or move it") from error
    if kind not in KINDS or not isinstance(name, str) or not isinstance(model, str):
        raise CorpusError(str(path), 1, "FILE", "no known kind of project", "repair or move it")
    return name, kind, model


def _check_state(state: Any, kind: str) -> None:
    """Raise if this is nothing that is said of a sentence: what is kept goes out to clients."""
    parts = _PARTS[kind]
    if not isinstance(state, dict) or not all(
        isinstance(value, parts.get(key, ())) if key != "skipped" else value is True
        for key, value in state.items()
    ):
        raise ValueError("no state of a sentence")
    heads, labels = state.get("heads", {}), state.get("labels", {})
    ends = [end for link in state.get("links", []) for end in link]
    if not all(type(number) is int and number >= 0 for number in [*heads.values(), *ends]):
        raise ValueError("something else than a word's number")
    if not all(isinstance(text, str) for text in labels.values()):
        raise ValueError("something else than a label")
    dump(state)


def is_annotated(state: State) -> bool:
    return bool(state.get("heads") or state.get("links"))


def _links(state: State) -> Links:
    return Links(frozenset((i, j) for i, j in state.get("links", [])))


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

    def create(self, name: str, kind: str, model: str, files: dict[str, bytes]) -> Project:
        """A new project from the bytes of its files; it appears whole or not at all."""
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
        record = {"name": name, "kind": kind, "model": model}
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
