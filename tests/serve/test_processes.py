"""Processes of the workbench run what is installed, not what lies in the current folder."""

from __future__ import annotations

import ast
import asyncio
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from niwaki.serve import adapt
from niwaki.serve.errors import RequestError
from niwaki.serve.jobs import Job
from niwaki.serve.processes import settled_path
from niwaki.serve.registry import Registry
from tests.serve.conftest import Client, running

PACKAGE = Path(adapt.__file__).parents[1]

# Names that start a process, of whichever module.
STARTS = {
    *("Popen", "call", "check_call", "check_output", "getoutput", "getstatusoutput"),
    *("create_subprocess_exec", "create_subprocess_shell", "subprocess_exec", "subprocess_shell"),
    *("system", "popen", "fork", "forkpty", "posix_spawn", "posix_spawnp", "startfile"),
    *("execv", "execve", "execvp", "execvpe", "execl", "execle", "execlp", "execlpe"),
    *("spawnv", "spawnve", "spawnvp", "spawnl", "spawnle", "spawnlp", "ProcessPoolExecutor"),
}
# Who starts processes, and why that is no way in.
KNOWN = {
    ("serve/processes.py", "create_subprocess_exec"): "always with -P",
    ("serve/supervise.py", "Popen"): "what adapt.py made with python_command",
    ("objectives/command.py", "Popen"): "the program that the user's configuration names",
    ("scale/local.py", "Popen"): "always with -P",
    ("scale/local.py", "multiprocessing"): "only pipes to what Popen started",
    ("scale/local.py", "multiprocessing.connection"): "only pipes to what Popen started",
    ("scale/worker.py", "multiprocessing.connection"): "only the pipe to who started it",
}


def starts(path: Path) -> set[str]:
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call):
            name = getattr(node.func, "attr", getattr(node.func, "id", ""))
            module = getattr(getattr(node.func, "value", None), "id", "")
            if name in STARTS or (module, name) == ("subprocess", "run"):
                found.add(name)
        elif isinstance(node, ast.Import | ast.ImportFrom):
            names = [getattr(node, "module", "") or "", *(each.name for each in node.names)]
            found |= {each for each in names if each.partition(".")[0] == "multiprocessing"}
    return found


def test_all_places_that_start_a_process_are_known() -> None:
    found = {
        (path.relative_to(PACKAGE).as_posix(), name)
        for path in PACKAGE.rglob("*.py")
        for name in starts(path)
    }
    assert found == set(KNOWN)


@pytest.fixture
def trap(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with modules that say so when they are run; the path of modules leads there."""
    folder = tmp_path / "downloads"
    folder.mkdir()
    for name in ("hashlib", "json", "subprocess", "niwaki", "numpy"):
        said = f"open({str(tmp_path / 'ran')!r}, 'a').write({name!r})\nraise SystemExit(1)\n"
        (folder / f"{name}.py").write_text(said)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(["", ".", os.environ.get("PYTHONPATH", "")]))
    return folder


def test_workers_do_not_run_the_current_folder(
    trap: Path,
    tmp_path: Path,
    make_registry: Callable[[], Registry],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    registry = make_registry()
    monkeypatch.chdir(trap)
    with running(registry, tmp_path / "work") as client:
        assert client.post("/api/parse", {"tokens": [["Rain", "falls"]]}).status == 200
        made = client.post("/api/projects-create", {"name": "x", "corpus": "toy"})
        assert made.status == 200  # by the process for long work
    assert not (tmp_path / "ran").exists()


def test_training_does_not_run_its_folder(
    trap: Path, tmp_path: Path, model_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(trap)
    (trap / adapt.CONFIG).write_text("{}")
    with pytest.raises(RequestError, match="objective"):
        asyncio.run(adapt.adapt(Job("x", "adapt", "x", {}), trap, str(model_path), 0))
    assert not (tmp_path / "ran").exists()


def test_the_path_of_modules_means_the_same_everywhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert settled_path(":.:./:sub/..:") == ""
    assert settled_path("src:/usr/lib/x:") == f"{tmp_path / 'src'}:/usr/lib/x"
    assert settled_path(str(tmp_path)) == str(tmp_path)  # written out: somebody wants it


def test_no_client_chooses_what_training_runs(bench: Client) -> None:
    """A configuration may name a function or a program; those of the workbench cannot."""
    assert set(adapt.KINDS.values()) == {"partial", "reordering"}
    for more in (
        {"kind": "os:system"},
        {"objective": [{"kind": "os:system"}]},
        {"command": "true"},
        {"config": {}},
    ):
        reply = bench.post("/api/adapt-start", {"projects": ["x"], **more})
        assert (reply.status, "unknown key" in reply.json["error"]) == (422, True)
    for name in ("os:system", "package.module:function"):
        assert bench.post("/api/adapt-start", {"projects": ["x"], "rules": name}).status == 422
