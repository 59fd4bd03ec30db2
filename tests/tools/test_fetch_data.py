"""Data sets are downloaded whole, and only if they are those that were recorded."""

from __future__ import annotations

import functools
import gzip
import hashlib
import http.server
import importlib.util
import re
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

from tests.conftest import DATA, ROOT

TREES = b"1\tpines\tpine\tNOUN\tNNS\t_\t0\troot\t_\t_\n\n"


class _Silent(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def address(tmp_path: Path) -> Iterator[str]:
    """Of a server on this machine, with two files."""
    served = tmp_path / "served"
    served.mkdir()
    for name in ("train.conllu", "dev.conllu"):
        (served / name).write_bytes(TREES)
    handler = functools.partial(_Silent, directory=str(served))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()
        thread.join()


@pytest.fixture
def tool(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    spec = importlib.util.spec_from_file_location("fetch_data", ROOT / "tools" / "fetch_data.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    # Its dataclass is looked up by the name of its module.
    monkeypatch.setitem(__import__("sys").modules, "fetch_data", module)
    spec.loader.exec_module(module)
    monkeypatch.setattr(module, "LINK", tmp_path / "build" / "data")
    monkeypatch.setenv("NIWAKI_DATA", str(tmp_path / "data"))
    return module


def catalogue(tmp_path: Path, address: str, digest: str) -> str:
    path = tmp_path / "sets.toml"
    right = hashlib.sha256(TREES).hexdigest()
    about = 'licence = "CC0"\naddress = "https://example.org"\ndone = "compressed"\n'
    path.write_text(
        f'[[set]]\nname = "garden"\n{about}base = "{address}"\n[set.files]\n'
        f'"dev.conllu" = "{right}"\n"train.conllu.gz" = "{digest}"\n'
        f'[[set]]\nname = "manual"\n{about}'
    )
    return str(path)


def test_download(
    tool: ModuleType, address: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    sets = catalogue(tmp_path, address, hashlib.sha256(TREES).hexdigest())
    tool.main(["--catalogue", sets])
    listing = capsys.readouterr().out
    assert "garden: can be downloaded, 2 files\n  from: https://example.org" in listing
    assert "manual: to be made by hand" in listing and "licence: CC0" in listing
    assert not (tmp_path / "data").exists()
    tool.main(["all", "--catalogue", sets])
    made = tmp_path / "data" / "garden"
    assert (made / "dev.conllu").read_bytes() == TREES
    assert gzip.decompress((made / "train.conllu.gz").read_bytes()) == TREES
    assert (tmp_path / "build" / "data" / "garden" / "dev.conllu").read_bytes() == TREES
    assert "garden: is there" in capsys.readouterr().out
    # What is there is not asked for again.
    tool.main(["garden", "--catalogue", catalogue(tmp_path, "http://127.0.0.1:1/", "0")])
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize(
    ("names", "digest", "message"),
    [
        ("garden", "0" * 64, r"train\.conllu: has SHA-256 \w{64}, but 0{64} is recorded"),
        ("nothing", "", "no data set 'nothing'"),
        ("manual", "", "to be made by hand"),
    ],
)
def test_nothing_is_kept(
    tool: ModuleType, address: str, tmp_path: Path, names: str, digest: str, message: str
) -> None:
    sets = catalogue(tmp_path, address, digest)
    with pytest.raises(SystemExit, match=message):
        tool.main([names, "--catalogue", sets])
    assert list((tmp_path / "data").glob("*")) == []


def test_what_cannot_be_reached(tool: ModuleType, address: str, tmp_path: Path) -> None:
    sets = catalogue(tmp_path, address + "nowhere/", "")
    with pytest.raises(SystemExit, match="404"):
        tool.main(["garden", "--catalogue", sets])
    assert list((tmp_path / "data").glob("*")) == []


def test_the_catalogue(tool: ModuleType) -> None:
    known = tool.read_catalogue(tool.CATALOGUE)
    assert "ud-english-ewt" in known and "silver-amalgum" in known
    for data in known.values():
        assert data.address and data.licence and data.done
        assert all(re.fullmatch(r"[0-9a-f]{64}", digest) for digest in data.files.values())
        # A commit, which stays what it is.
        assert not data.files or re.fullmatch(r"https://\S+/[0-9a-f]{40}/", data.base), data.name


def test_every_folder_that_is_read_is_in_the_catalogue(tool: ModuleType) -> None:
    """Folders that benchmarks and configurations name."""
    known = {name.partition("/")[0] for name in tool.read_catalogue(tool.CATALOGUE)}
    found = set()
    for path in sorted((ROOT / "benchmarks").rglob("*.py")):
        found |= set(re.findall(r'\bDATA / "([\w-]+)"', path.read_text(encoding="utf-8")))
    for path in sorted((ROOT / "configs").glob("*.toml")):
        found |= set(re.findall(r"build/data/([\w-]+)/", path.read_text(encoding="utf-8")))
    assert {"ud-english-ewt", "questions"} <= found
    assert sorted(found - known) == []


def test_no_other_path_outside_the_repository() -> None:
    """The default of NIWAKI_DATA is all that is assumed, where it is read and told."""
    told = {
        *("Makefile", ".ci/run", "CONTRIBUTING.md", "CHANGELOG.md", "docs/benchmarks.md"),
        *("tools/fetch_data.py", "tools/make_language_models.py", "tests/conftest.py"),
        "tests/tools/test_fetch_data.py",
    }
    done = subprocess.run(
        ["git", "grep", "-l", "-F", "../shared"], cwd=ROOT, capture_output=True, text=True
    )
    if done.returncode:
        pytest.skip("no git repository")
    assert sorted(set(done.stdout.split()) - told) == []


@pytest.mark.skipif(not DATA.is_dir(), reason="the real corpora (NIWAKI_DATA) are missing")
def test_what_is_here_is_what_is_recorded(tool: ModuleType) -> None:
    data = tool.read_catalogue(tool.CATALOGUE)["ud-lithuanian-hse"]
    found = {n: hashlib.sha256((DATA / data.name / n).read_bytes()).hexdigest() for n in data.files}
    assert found == data.files
