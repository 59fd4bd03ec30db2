"""Work folders of the workbench: a damaged project is set aside, and the others open."""

from __future__ import annotations

import atexit
import json
import logging
import os
import shutil
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

from niwaki.data.bilingual.references import read_references
from niwaki.data.conllu import read_conllu
from niwaki.errors import NiwakiError
from niwaki.serve.annotations import Project
from niwaki.serve.errors import RequestError
from niwaki.serve.frames import dump
from niwaki.serve.layers import ADJUDICATED
from niwaki.serve.limits import Limits
from niwaki.serve.registry import Registry, is_name
from niwaki.serve.state import AppState
from tests.fuzz.choices import ODD, Choices

_SEPARATOR = b"\x1e"
_ROWS = [
    b"1\tRain\t_\t_\t_\t_\t_\t_\t_\t_\n2\tfalls\t_\t_\t_\t_\t_\t_\t_\t_\n\n",
    b"1-2\tDon't\t_\t_\t_\t_\t_\t_\t_\t_\n1\tDo\t_\t_\t_\t_\t_\t_\t_\t_\n"
    b"2\tn't\t_\t_\t_\t_\t_\t_\t_\t_\n\n",
    b"1\tNow\t_\t_\t_\t_\t_\t_\t_\t_\n\n",
]
# What is in sound projects of each kind; the journal is first, because it is what changes.
SOUND: dict[str, dict[str, bytes]] = {
    "trees": {
        "journal.jsonl": (
            b'{"sentence":0,"version":1,"state":{"heads":{"1":2},"labels":{"1":"nsubj"}}}\n'
            b'{"sentence":2,"version":1,"state":{"skipped":true}}\n'
            b'{"sentence":2,"version":2,"undo":true}\n'
            b'{"by":"Mori","sentence":0,"version":1,"state":{"heads":{"1":0,"2":1},"labels":{}}}\n'
            b'{"by":"adjudicated","sentence":0,"version":1,"state":{"heads":{"2":0}}}\n'
        ),
        "project.json": b'{"name":"Trees","kind":"trees","model":"en"}\n',
        "sentences.conllu": b"".join(_ROWS),
    },
    "links": {
        "journal.jsonl": b'{"sentence":1,"version":1,"state":{"links":[[0,1],[1,0]]}}\n',
        "project.json": b'{"name":"Links","kind":"links","model":"en"}\n',
        "source.txt": b"Rain falls\na pine\n",
        "target.txt": b"ame ga furu\nmatsu no\n",
    },
}
_JSON_ODD = [value for value in ODD if not isinstance(value, bytes)]


class _Lines(logging.Handler):
    """Keeps what the server says."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.found: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.found.append(record.getMessage())


@cache
def place() -> Path:
    """A folder in memory, where the system has one: what is fuzzed is no disk."""
    memory = "/dev/shm"
    found = tempfile.mkdtemp(prefix="niwaki-fuzz-", dir=memory if os.path.isdir(memory) else None)
    atexit.register(shutil.rmtree, found, ignore_errors=True)
    return Path(found)


def write_project(folder: Path, files: dict[str, bytes]) -> None:
    folder.mkdir(parents=True)
    for name, content in files.items():
        (folder / name).write_bytes(content)


def check(data: bytes) -> None:
    kind = "links" if data[:1] and data[0] & 1 else "trees"
    files = dict(SOUND[kind])
    if data[:1] and data[0] & 2:
        choices = Choices(data[1:])
        entries = [_entry(choices) for _ in range(1 + choices.below(6))]
        files["journal.jsonl"] = "".join(map(_line, entries)).encode("utf-8", "surrogatepass")
    else:
        # Pieces that are empty leave a file as it was.
        for name, piece in zip(files, data[1:].split(_SEPARATOR), strict=False):
            files[name] = piece or files[name]
    work = place() / "work"
    shutil.rmtree(work, ignore_errors=True)
    for name, sound in SOUND.items():
        write_project(work / "projects" / name, sound)
    write_project(work / "projects" / "fuzzed", files)
    for name in (b"a.toml", b"\xff.toml", data[1:9].translate(None, b"/\0") + b".toml"):
        os.makedirs(os.fsencode(work / "rules"), exist_ok=True)
        Path(os.fsdecode(os.fsencode(work / "rules") + b"/" + name)).touch()
    _open(work, files)


def _entry(choices: Choices) -> Any:
    """A line of a journal, in which something may be odd."""
    number, version = choices.of([0, 1, 2, 3, True, 0.0, -1]), choices.of([1, 2, 0, -1, 10**30])
    entry: dict[str, Any] = {"sentence": number, "version": version}
    if choices.below(4) == 0:
        entry["undo"] = choices.of([True, 1, False, None, "x"])
    state: dict[str, Any] = {}
    if choices.below(2):
        keys = ["1", "2", "3", "01", "", "x"]
        state["heads"] = {
            choices.of(keys): choices.of([0, 1, 2, 3, -1, -2, True, 1.0, None, "0"])
            for _ in range(choices.below(4))
        }
        labels = ["root", "", "_", "a b", "a\tb", "a\n", "\0", "\ud800", None, 5, []]
        state["labels"] = {choices.of(keys): choices.of(labels) for _ in range(choices.below(4))}
    if choices.below(2):
        ends = [0, 1, 2, -1, True, 0.5, "a", None, 10**30]
        state["links"] = [
            [choices.of(ends) for _ in range(choices.of([2, 2, 2, 0, 1, 3]))]
            for _ in range(choices.below(4))
        ]
    if choices.below(3) == 0:
        state[choices.of(["skipped", "heads", "labels", "links", "x"])] = choices.of(_JSON_ODD)
    entry["state"] = state
    if choices.below(6) == 0:
        entry[choices.of(["state", "sentence", "version", "x"])] = choices.of(_JSON_ODD)
    if choices.below(3) == 0:
        entry["by"] = choices.of(["Mori", ADJUDICATED, "", "a" * 41, "\n", "\ud800", None, 5])
    return choices.of([entry, entry, entry, entry, entry, choices.of(_JSON_ODD)])


def _line(entry: Any) -> str:
    try:
        return json.dumps(entry) + "\n"
    except ValueError:
        return "7" * 5000 + "\n"  # a number that JSON has and Python does not write


def _open(work: Path, files: dict[str, bytes]) -> None:
    lines, log = _Lines(), logging.getLogger("niwaki.serve")
    log.addHandler(lines)
    app = AppState(Registry(), Limits(), work)
    try:
        app.open()
    finally:
        app.work.close()
        log.removeHandler(lines)
    found = {each.id: each for each in app.projects.list()}
    assert set(SOUND) <= set(found), "the others open"
    assert all(is_name(name) for name in app.registry.rules)
    dump([each.id for each in app.corpora])
    folder = work / "projects" / "fuzzed"
    if "fuzzed" in found:
        assert not lines.found
        _use(found["fuzzed"])
        return
    (line,) = lines.found
    assert line.startswith("fuzzed is set aside: ")
    assert line.isprintable()
    assert len(line) < 1000
    for name, content in files.items():
        kept = (folder / name).read_bytes()
        # What is cut off is a last line that was never confirmed.
        assert content.startswith(kept)
        assert b"\n" not in content[len(kept) :]
    try:
        Project(folder)
    except (NiwakiError, OSError):
        return
    raise AssertionError("set aside for no reason")


def _use(project: Project) -> None:
    """What was opened can be shown, changed, taken back and opened again."""
    everything = _shown(project)
    again = Project(project.folder)
    assert _shown(again) == everything
    if project.annotated:
        read = read_conllu if project.kind == "trees" else read_references
        assert len(list(read(project.result_file))) == len(project.annotated)  # type: ignore[operator]
    if not len(project):
        return
    state = {"heads": {"1": 0}, "labels": {}} if project.kind == "trees" else {"links": [[0, 0]]}
    before, version = project.state(0), project.version(0)
    try:
        version = project.change(0, version, state)
    except RequestError:
        return  # a pair without words, for one
    assert project.state(0) == state
    project.undo(0, version)
    assert project.state(0) == before
    assert _shown(Project(project.folder)) == _shown(project)


def _shown(project: Project) -> bytes:
    """All that the server would tell of a project."""
    numbers = range(len(project))
    made = [
        project.partial(n).source.decode()
        if project.kind == "trees"
        else project.reference(n).order
        for n in numbers
    ]
    told = [
        *(project.id, project.name, project.kind, project.model, project.serial, project.counts()),
        *(project.annotated, project.useful, made),
        *([project.layers.said(n), project.layers.result(n)] for n in numbers),
        *(_layer(project, who) for who in ["", ADJUDICATED, *project.layers.people]),
    ]
    return dump(told)


def _layer(project: Project, who: str) -> list[Any]:
    """All that the server would tell somebody of their answers."""
    states = [project.state(n, who) for n in range(len(project))]
    answered = [project.answered(n, state) for n, state in enumerate(states)]
    versions = [project.version(n, who) for n in range(len(project))]
    changed = project.layers.changed_since(0, who)
    return [who, states, answered, versions, changed, project.counts(who)]
