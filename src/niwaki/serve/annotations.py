"""Annotation projects: what people said about sentences, written down as they say it.

Every change goes to a journal first, then into plain files that any tool can read:
`partial.conllu` for trees; `links.pharaoh` and `references.jsonl` for links. When a
server was killed in between, the plain files are made again from the journal.

Everybody who annotates has a layer (`layers.py`). A sentence of it has a version, which every
change must name. Of two tabs that change the same version, the second is refused and told what the
first did.
"""

from __future__ import annotations

import threading
from collections import Counter
from pathlib import Path
from typing import Any

from niwaki.data.bilingual.bitext import Links, read_bitext, write_links
from niwaki.data.bilingual.references import Reference, write_references
from niwaki.data.conllu import read_conllu, write_conllu
from niwaki.data.sentence import Sentence
from niwaki.data.tree import UNKNOWN
from niwaki.errors import CorpusError
from niwaki.serve.errors import RequestError, unknown
from niwaki.serve.frames import dump
from niwaki.serve.journal import Journal
from niwaki.serve.layers import Layers, State
from niwaki.serve.schema import load_json
from niwaki.tasks.reorder.references import make_reference

KINDS = ("trees", "links")
# What is asked about a sentence: its main word, all its heads, or its links.
QUESTIONS = {"trees": ("root", "tree"), "links": ("links",)}
# What may be known of one, beside that nobody can tell.
_PARTS: dict[str, dict[str, type]] = {
    "trees": {"heads": dict, "labels": dict},
    "links": {"links": list},
}
_LONGEST_NAME = 40


class Project:
    """One project: its sentences, the state of each, and the files that hold it all."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.id = folder, folder.name
        self.name, self.kind, self.model, self.has_start = _read_record(folder / "project.json")
        self.doubts: list[list[float]] | None = None
        self._lock = threading.Lock()
        if self.kind == "trees":
            self.sentences = list(read_conllu(self.sentence_file, multi_root=True))
            self.pairs = []
        else:
            self.sentences = []
            self.pairs = list(read_bitext(folder / "source.txt", folder / "target.txt"))
        self._journal = Journal(folder / "journal.jsonl")
        self.layers = Layers(self._start)
        for line, entry in enumerate(self._journal.read(), start=1):
            try:
                self._check_entry(entry)
                self.layers.take(entry)
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

    # -- states -------------------------------------------------------------------

    @property
    def serial(self) -> int:
        return self.layers.serial

    def state(self, number: int, who: str = "") -> State:
        """What somebody said of a sentence; empty if nothing was said."""
        return self.layers.state(number, who)

    def version(self, number: int, who: str = "") -> int:
        return self.layers.version(number, who)

    def _start(self, number: int) -> State:
        """What the file that the project was made of says of a tree, if that is to be kept."""
        if not self.has_start:
            return {}
        sentence = self.sentences[number]
        rows = list(enumerate(zip(sentence.heads, sentence.deprels, strict=True), start=1))
        heads = {str(word): head for word, (head, _) in rows if head != UNKNOWN}
        labels = {str(word): label for word, (_, label) in rows if label != "_"}
        kept = {word: label for word, label in labels.items() if word in heads}
        return {"heads": heads, "labels": kept} if heads else {}

    def _known(self) -> list[int]:
        """The sentences of which something may be known."""
        return list(range(len(self))) if self.has_start else self.layers.numbers

    @property
    def annotated(self) -> list[int]:
        return [n for n in self._known() if is_annotated(self.layers.result(n))]

    @property
    def useful(self) -> list[int]:
        """The annotated sentences that a parser can learn from: one linked word has no order."""
        if self.kind == "trees":
            return self.annotated
        linked = {n: self.layers.result(n)["links"] for n in self.annotated}
        return [n for n, links in linked.items() if len({i for i, _ in links}) > 1]

    def answered(self, number: int, state: State) -> list[str]:
        """The questions about a sentence that a state answers."""
        if self.kind == "links":
            return ["links"] if state.get("links") else []
        heads = state.get("heads", {})
        whole = len(heads) == len(self.sentences[number])
        return ["root"] * (0 in heads.values()) + ["tree"] * whole

    def counts(self, who: str | None = None) -> dict[str, Any]:
        """How far somebody is; without a name, the project."""
        layers, known = self.layers, self._known()
        states = {n: layers.result(n) if who is None else layers.state(n, who) for n in known}
        answered = Counter(kind for n, state in states.items() for kind in self.answered(n, state))
        return {
            "sentences": len(self),
            "annotated": sum(map(is_annotated, states.values())),
            "skipped": sum(bool(state.get("skipped")) for state in states.values()),
            "answered": {kind: answered[kind] for kind in QUESTIONS[self.kind]},
        }

    def change(self, number: int, version: int, state: State, who: str = "") -> int:
        """Set what somebody says of a sentence; returns its new version."""
        with self._lock:
            self._check(number, version, who)
            entry = {**_by(who), "sentence": number, "version": version + 1, "state": state}
            try:
                # Before the journal: what is in it must be possible to write for ever after.
                self._check_entry(entry)
            except ValueError as error:
                raise RequestError(422, str(error)) from error
            return self._record(entry)

    def undo(self, number: int, version: int, who: str = "") -> int:
        """Take somebody's last change of a sentence back."""
        with self._lock:
            self._check(number, version, who)
            if not self.layers.can_undo(number, who):
                raise RequestError(409, "there is nothing to undo in this sentence")
            entry = {**_by(who), "sentence": number, "version": version + 1, "undo": True}
            return self._record(entry)

    def _check(self, number: int, version: int, who: str) -> None:
        if not 0 <= number < len(self):
            raise unknown("sentence", str(number))
        now = self.layers.version(number, who)
        if version != now:
            raise RequestError(
                409,
                "this sentence was changed in another tab; nothing was overwritten",
                conflict={"version": now, "state": self.layers.state(number, who)},
            )

    def _check_entry(self, entry: dict[str, Any]) -> None:
        """Raise if a change cannot be made, or cannot be written to the plain files."""
        number, version, who = entry["sentence"], entry["version"], entry.get("by", "")
        if not isinstance(who, str) or len(who) > _LONGEST_NAME or not who.isprintable():
            raise ValueError("a name that is none")
        if type(number) is not int or not 0 <= number < len(self):
            raise ValueError(f"no sentence {number!r}")
        # Each change names the one before it: none is lost, none is there twice.
        if type(version) is not int or version != self.layers.version(number, who) + 1:
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
        self.layers.take(entry)
        try:
            self._write_files()
        except OSError as error:
            # It is safe in the journal; the plain files follow when there is room.
            raise RequestError(
                507, f"kept in the journal, but the files could not be written: {error.strerror}"
            ) from error
        return int(entry["version"])

    # -- files --------------------------------------------------------------------

    def _write_files(self) -> None:
        if self.kind == "trees":
            write_conllu(
                [self.partial(number) for number in self.annotated], self.folder / "partial.conllu"
            )
            return
        found = [_links(self.layers.result(number)) for number in range(len(self.pairs))]
        write_links(found, self.folder / "links.pharaoh")
        write_references(
            [self.reference(number) for number in self.annotated], self.folder / "references.jsonl"
        )

    def reference(self, number: int, state: State | None = None) -> Reference:
        """The order that the links of a pair make of its source sentence."""
        links = _links(self.layers.result(number) if state is None else state)
        return make_reference(self.pairs[number].source, links, id=str(number + 1))

    def partial(self, number: int, state: State | None = None) -> Sentence:
        """A sentence with what is known of its tree, and nothing else of it."""
        sentence = self.sentences[number]
        state = self.layers.result(number) if state is None else state
        heads, labels = state.get("heads", {}), state.get("labels", {})
        words = range(1, len(sentence) + 1)
        return sentence.replace(
            heads=[heads.get(str(word), UNKNOWN) for word in words],
            deprels=[labels.get(str(word), "_") for word in words],
        )


def _by(who: str) -> dict[str, str]:
    """How an entry names a person; nobody is the usual one."""
    return {"by": who} if who else {}


def _read_record(path: Path) -> tuple[str, str, str, bool]:
    """Name, kind and model of a project, and whether its sentences come with a start."""
    try:
        record = load_json(path.read_bytes())
        name, kind, model = record["name"], record["kind"], record["model"]
        start = record.get("start", False)
        # Half of a surrogate pair can be read, but never be told to anybody.
        dump([name, model])
    except (ValueError, LookupError, TypeError) as error:
        raise CorpusError(str(path), 1, "FILE", "no project", "repair or move it") from error
    if kind not in KINDS or not all(isinstance(each, str) for each in (name, model)):
        raise CorpusError(str(path), 1, "FILE", "no known kind of project", "repair or move it")
    return name, kind, model, start is True and kind == "trees"


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
