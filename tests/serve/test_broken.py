"""What cannot be written is refused before it is kept; what is broken does not stop the rest."""

from __future__ import annotations

import ast
import json
import logging
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import niwaki
from niwaki.serve.folder import WorkFolder
from niwaki.serve.registry import Registry, named
from tests.serve.conftest import Client, running

PACKAGE = Path(niwaki.__file__).parent
TEXT = "The gardener shapes old pines. Rain falls."


def made(client: Client, name: str = "Letters", **more: Any) -> str:
    reply = client.post("/api/projects-create", {"name": name, "text": TEXT, **more})
    assert reply.status == 200, reply.data
    return str(reply.json["id"])


def say(client: Client, project: str, label: str, version: int = 0) -> int:
    body = {"version": version, "heads": [{"word": 1, "head": 0, "label": label}]}
    return client.post(f"/api/projects/{project}/sentences/0/answer", body).status


# -- labels and names -----------------------------------------------------------------


@pytest.mark.parametrize(
    "label", ["ro\0ot", "root\n", "\n", "a\tb", "a\rb", "a b", "a\x85", "\x1b"]
)
def test_a_label_that_no_field_can_hold_is_not_kept(bench: Client, label: str) -> None:
    project = made(bench)
    assert say(bench, project, label) == 422
    assert not (bench.folder / "projects" / project / "journal.jsonl").exists()
    assert say(bench, project, "root") == 200
    body = {"text": "Rain falls.", "constraints": [[{"word": 1, "labels": [label]}]]}
    assert bench.post("/api/parse", body).status == 422


def test_a_state_is_tried_before_it_is_kept(bench: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever the schema lets through: what the files cannot hold never reaches the journal."""
    from niwaki.serve import schema

    monkeypatch.setattr(schema, "_check_text", lambda *_: None)
    project = made(bench)
    assert say(bench, project, "ro\0ot") == 422
    assert not (bench.folder / "projects" / project / "journal.jsonl").exists()
    assert say(bench, project, "root") == 200


@pytest.mark.parametrize("name", ["foo\n", "foo\0", "foo\n\n", "\n", "foo\u2028"])
def test_names_are_checked_to_their_end(bench: Client, name: str) -> None:
    rules = bench.get("/api/rules/ja").json["text"]
    reply = bench.post("/api/rules-save", {"id": name, "text": rules})
    assert (reply.status, "must fit" in reply.json["error"]) == (422, True)
    folder = bench.folder / "rules"
    assert not folder.exists() or not [path for path in folder.iterdir() if "foo" in path.name]
    assert named(f"{name}=file.conllu")[0] != name


def _literals(tree: ast.AST) -> Iterator[tuple[str, str]]:
    """Calls that look for a pattern, with the pattern if it is written there."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            module = getattr(node.func.value, "id", "")
            first = node.args[0] if node.args else None
            text = first.value if isinstance(first, ast.Constant) else ""
            if module == "re":
                yield node.func.attr, str(text)


def test_no_pattern_ends_before_a_last_newline() -> None:
    """`$` is also true before a newline at the end: whole texts are checked by `fullmatch`."""
    paths = list(PACKAGE.rglob("*.py"))
    assert paths
    for path in paths:
        for call, pattern in _literals(ast.parse(path.read_text(encoding="utf-8"))):
            where = f"{path}: re.{call}({pattern!r})"
            assert call == "fullmatch" or not pattern.endswith("$"), where
            # What the API takes is checked as a whole or not by a pattern.
            assert path.parent.name not in ("serve", "api") or call not in ("match", "search"), (
                where
            )


# -- projects -------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize(
    "body",
    [
        {"source": "a\0b", "target": "c"},
        {"source": "a", "target": "\0"},
        {"source": "a\ud7ff\x1c", "target": "c"},
        {"conllu": "1\ta\0b\t_\t_\t_\t_\t0\troot\t_\t_\n\n"},
        {"tokens": [["a\nb"]]},
        {"tokens": [["a\tb"]]},
        {"tokens": [["\0"]]},
        {"lines": "a\0b"},
        {"text": "a\0b"},
    ],
)
def test_a_project_is_made_whole_or_not_at_all(
    body: dict[str, Any], make_registry: Callable[[], Registry], tmp_path: Path
) -> None:
    work = tmp_path / "work"
    with running(make_registry(), work) as client:
        reply = client.post("/api/projects-create", {"name": "x", **body})
        assert reply.status in (200, 422), reply.data
        left = sorted(path.name for path in (work / "projects").glob("*"))
        assert left == (["x"] if reply.status == 200 else [])
        assert str(tmp_path) not in reply.data.decode()
    with running(make_registry(), work) as client:
        assert len(client.get("/api/projects").json) == len(left)


_STATE = {"heads": {"1": 0}, "labels": {"1": "ro\0ot"}}
BREAKS: dict[str, tuple[str, Any]] = {
    "a label with NUL": ("journal.jsonl", {"sentence": 0, "version": 1, "state": _STATE}),
    "no such sentence": ("journal.jsonl", {"sentence": 99, "version": 1, "state": {}}),
    "no state": ("journal.jsonl", {"sentence": 0, "version": 1}),
    "a state of another kind": ("journal.jsonl", {"sentence": 0, "version": 1, "state": [1]}),
    "heads of another kind": (
        "journal.jsonl",
        {"sentence": 0, "version": 1, "state": {"heads": [1]}},
    ),
    "nothing to undo": ("journal.jsonl", {"sentence": 0, "version": 1, "undo": True}),
    "a version that cannot follow": (
        "journal.jsonl",
        {"sentence": 0, "version": 2, "state": {"skipped": True}},
    ),
    "a word that is not there": (
        "journal.jsonl",
        {"sentence": 0, "version": 1, "state": {"heads": {"99": 0}}},
    ),
    "a state that no client can be told": (
        "journal.jsonl",
        {"sentence": 0, "version": 1, "state": {"skipped": "\ud800"}},
    ),
    "a name that no client can be told": (
        "project.json",
        {"name": "\ud800", "model": "en", "kind": "trees"},
    ),
    "no project": ("project.json", []),
    "a project without a kind": ("project.json", {"name": "x", "model": "en"}),
    "another kind": ("project.json", {"name": "x", "model": "en", "kind": "other"}),
    "no sentences": ("sentences.conllu", "1\tx"),
}


@pytest.fixture(scope="module")
def left(
    make_registry: Callable[[], Registry], tmp_path_factory: pytest.TempPathFactory
) -> tuple[Path, str, str]:
    """What a server with two projects leaves behind: its folder, and the projects."""
    work = tmp_path_factory.mktemp("left") / "work"
    with running(make_registry(), work) as client:
        return work, made(client, "Broken"), made(client, "Sound")


@pytest.mark.slow
@pytest.mark.parametrize("what", BREAKS)
def test_a_broken_project_is_set_aside(
    what: str,
    left: tuple[Path, str, str],
    make_registry: Callable[[], Registry],
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
) -> None:
    whole, broken, sound = left
    work = shutil.copytree(whole, tmp_path / "work")
    file, content = BREAKS[what]
    text = content if isinstance(content, str) else json.dumps(content) + "\n"
    (work / "projects" / broken / file).write_text(text)
    (work / "projects" / ".half.new").mkdir()
    (work / "projects" / ".half.new" / "project.json").write_text("{}")
    with running(make_registry(), work) as client:
        assert [each["id"] for each in client.get("/api/projects").json] == [sound]
        assert say(client, sound, "root") == 200
        reply = client.get(f"/api/projects/{broken}")
        assert (reply.status, "log" in reply.json["error"]) == (409, True)
        assert made(client, "Broken") == f"{broken}-2"
    (line,) = [each.getMessage() for each in caplog.records if each.levelno == logging.WARNING]
    assert line.startswith(f"{broken} is set aside: ")
    assert "\n" not in line
    assert (work / "projects" / broken / file).read_text() == text


def test_a_project_is_made_while_many_jobs_run(bench: Client) -> None:
    """Its doubts are looked for later: nobody is told to try again and makes it twice."""
    before = len(bench.get("/api/projects").json)
    names = [made(bench, f"Many {number}") for number in range(12)]
    assert len(bench.get("/api/projects").json) == before + 12
    while not bench.get(f"/api/projects/{names[-1]}").json["ranked"]:
        time.sleep(0.05)


# -- the start ------------------------------------------------------------------------


def start(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """`niwaki serve` that should not get far."""
    command = [sys.executable, "-m", "niwaki", "serve", "--port", "0", *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=120)


def refused(done: subprocess.CompletedProcess[str], *words: str) -> None:
    assert (done.returncode, done.stdout) == (1, "")
    (line,) = done.stderr.splitlines()
    assert line.startswith("niwaki: ")
    for word in words:
        assert word in line


def test_a_locked_folder_is_said_before_anything_is_open(tmp_path: Path) -> None:
    lock = WorkFolder(tmp_path / "work")
    lock.ensure()
    refused(start(tmp_path, "--work", "work"), "work", "another server")
    lock.close()


def test_what_is_no_folder_is_said(tmp_path: Path) -> None:
    (tmp_path / "work").write_text("")
    refused(start(tmp_path, "--work", "work"), "work", "folder")


def test_a_port_that_is_taken_leaves_the_folder_free(tmp_path: Path, bench: Client) -> None:
    (tmp_path / "work").mkdir()
    refused(start(tmp_path, "--port", str(bench.port), "--work", "work"), "--port")


def test_workers_that_do_not_start_are_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A `sitecustomize` that ends every process but the first one."""
    hook = "import os, sys\nif 'niwaki.serve.worker' in sys.orig_argv: os._exit(1)\n"
    (tmp_path / "hooks").mkdir()
    (tmp_path / "hooks" / "sitecustomize.py").write_text(hook)
    path = os.pathsep.join([str(tmp_path / "hooks"), os.environ.get("PYTHONPATH", "")])
    monkeypatch.setenv("PYTHONPATH", path)
    refused(start(tmp_path), "worker")
