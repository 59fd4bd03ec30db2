"""What is installed, shipped and said about it: the lock file, the bill of materials, wheels."""

from __future__ import annotations

import re
import runpy
import tomllib
import zipfile
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement

from tests.conftest import ROOT

LOCKS = sorted((ROOT / "requirements").glob("*.lock"))
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def tool(name: str) -> dict[str, Any]:
    return runpy.run_path(str(ROOT / "tools" / f"{name}.py"))


def requirements() -> list[Requirement]:
    """What developers need, as pyproject.toml says it."""
    extras = PROJECT["optional-dependencies"]
    wanted = [*PROJECT["dependencies"], *extras["dev"], *extras["serve"], *extras["accurate"]]
    return [each for each in map(Requirement, wanted) if each.name != "niwaki"]


@pytest.mark.parametrize("path", LOCKS, ids=lambda path: path.stem)
def test_each_locked_package_has_a_hash_and_no_address(path: Path) -> None:
    lines = [line for line in path.read_text().splitlines() if not line.startswith("#")]
    assert lines
    for line in lines:
        assert re.fullmatch(r"[a-z0-9-]+==[0-9][\w.]* --hash=sha256:[0-9a-f]{64}", line)


@pytest.mark.parametrize("path", LOCKS, ids=lambda path: path.stem)
def test_what_is_locked_is_what_is_required(path: Path) -> None:
    tools = tool("make_sbom")
    locked = tools["read_lock"](path)
    assert not [
        str(each)
        for each in requirements()
        if not each.specifier.contains(locked[tools["normalized"](each.name)].version)
    ]


def test_the_bill_names_every_package_and_leads_to_each() -> None:
    tools = tool("make_sbom")
    path = tools["lock_file"]()
    if not path.exists():
        pytest.skip("this interpreter has no lock file")
    locked = tools["read_lock"](path)
    if any(version(name) != each.version for name, each in locked.items()):
        pytest.skip("what is installed is not what is locked")
    found = tools["bill"](locked)
    refs = [each["bom-ref"] for each in found["components"]]
    assert sorted(refs) == sorted(each.purl for each in locked.values())
    own = found["metadata"]["component"]["bom-ref"]
    edges = {each["ref"]: each["dependsOn"] for each in found["dependencies"]}
    assert set(edges) == {own, *refs}
    reached, waiting = set(), [own]
    while waiting:
        reached.add(ref := waiting.pop())
        waiting += [each for each in edges[ref] if each not in reached]
    assert reached == {own, *refs}
    scopes = {each["name"]: each["scope"] for each in found["components"]}
    assert {name for name in scopes if scopes[name] == "required"} == {"numpy", "safetensors"}
    assert (scopes["starlette"], scopes["pytest"]) == ("optional", "excluded")


def wheel(path: Path, content: str, year: int = 2024) -> Path:
    with zipfile.ZipFile(path, "w") as file:
        file.writestr(zipfile.ZipInfo("a.py", (year, 1, 1, 0, 0, 0)), content)
    return path


def test_wheels_are_equal_or_it_is_said_where_they_differ(tmp_path: Path) -> None:
    differences = tool("make_wheel")["differences"]
    one = wheel(tmp_path / "one.whl", "x = 1")
    assert differences(one, wheel(tmp_path / "same.whl", "x = 1")) == []
    assert differences(one, wheel(tmp_path / "more.whl", "x = 2")) == ["a.py: other contents"]
    later = wheel(tmp_path / "later.whl", "x = 1", 2025)
    assert differences(one, later) == ["a.py: another time or mode"]
