"""What the documentation shows is run: commands, Python, links, help texts."""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import niwaki
from niwaki import cli
from tests.conftest import ROOT

PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
_FENCE = re.compile(r"^```(\w+)\n(.*?)^```", re.M | re.S)


def examples(language: str) -> list[tuple[str, str]]:
    return [
        (f"{page.relative_to(ROOT)}:{number}", body)
        for page in PAGES
        for number, (kind, body) in enumerate(_FENCE.findall(page.read_text(encoding="utf-8")))
        if kind == language
    ]


def sessions() -> list[tuple[str, str]]:
    """The commands of each page, one after the other: later ones use files of earlier ones."""
    pages: dict[str, str] = {}
    for place, body in examples("console"):
        page = place.rpartition(":")[0]
        pages[page] = pages.get(page, "") + body
    return list(pages.items())


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working copy of what the documentation refers to."""
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.slow
@pytest.mark.parametrize(("place", "body"), examples("python"), ids=lambda value: value[:40])
def test_python(place: str, body: str, folder: Path) -> None:
    if "import spacy" in body:
        pytest.importorskip("spacy", reason="spaCy is missing: pip install niwaki[spacy]")
    command = [sys.executable, "-W", "error", "-c", body]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


@pytest.mark.slow
@pytest.mark.parametrize(("place", "body"), sessions(), ids=lambda value: value[:40])
def test_commands(place: str, body: str, folder: Path) -> None:
    """`niwaki` commands are run and their shown output compared; `make` targets must exist."""
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    bin_folder = Path(sys.executable).parent
    commands = re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", body, re.M)
    assert commands, f"{place}: a session without commands"
    for command, shown in commands:
        words = command.split("#")[0].split()
        if words[0] == "make":
            assert re.search(rf"^{words[1]}:", makefile, re.M), command
            continue
        assert words[0] == "niwaki", f"{place}: cannot check {command!r}"
        environment = {**os.environ, "PATH": f"{bin_folder}:{os.environ['PATH']}"}
        done = subprocess.run(
            command, shell=True, capture_output=True, text=True, env=environment, check=False
        )
        assert done.returncode == 0, done.stderr
        if shown:
            assert done.stdout == shown


def test_the_readme_shows_the_two_commands_first() -> None:
    first = _FENCE.search((ROOT / "README.md").read_text(encoding="utf-8"))
    assert first is not None
    assert re.findall(r"\$ (make \w+)", first[2]) == ["make demo", "make test"]


def test_the_changelog_tells_what_is_released() -> None:
    said = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    headings = re.findall(r"^## (.*)", said, re.M)
    assert headings[0] == "Unreleased"
    versions = [re.fullmatch(r"(\d+\.\d+\.\d+) \(\d{4}-\d\d-\d\d\)", each) for each in headings[1:]]
    assert None not in versions
    if "dev" not in niwaki.__version__:
        assert versions[0] is not None and versions[0][1] == niwaki.__version__


def test_links_lead_somewhere() -> None:
    found = [
        (page, target)
        for page in PAGES
        for target in re.findall(r"\]\(([^)#]+)[^)]*\)", page.read_text(encoding="utf-8"))
        if not target.startswith("http")
    ]
    assert found
    assert [each for each in found if not (each[0].parent / each[1]).exists()] == []


def test_every_table_of_results_names_its_command() -> None:
    """A section with a table names a command; and the benchmarks that are named exist."""
    text = (ROOT / "docs" / "benchmarks.md").read_text(encoding="utf-8")
    named = set(re.findall(r"python\s+-m\s+(benchmarks\.[\w.]+)", text))
    assert len(named) > 40
    missing = [each for each in named if not (ROOT / f"{each.replace('.', '/')}.py").exists()]
    assert missing == []
    _, *parts = re.split(r"^##+ (.*)\n", text, flags=re.M)
    sections = dict(zip(parts[::2], parts[1::2], strict=True))
    del sections["Which table was made when"]
    tables = {name: body for name, body in sections.items() if "\n| --- " in body}
    assert len(tables) > 30
    command = re.compile(r"python\s+-m\s+benchmarks\.|`(make|niwaki) [a-z]")
    assert [name for name, body in tables.items() if not command.search(body)] == []


def test_the_command_reference_is_up_to_date() -> None:
    spec = importlib.util.spec_from_file_location("reference", ROOT / "tools" / "make_reference.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    reference = module.reference()
    assert module.TARGET.read_text(encoding="utf-8") == reference
    assert all(f"## niwaki {name}" in reference for name in cli.command_names())
