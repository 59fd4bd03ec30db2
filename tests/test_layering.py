"""Imports go one way; this is the plan of docs/explain/architecture.md, enforced."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

PACKAGE = Path(__file__).parents[1] / "src" / "niwaki"

BELOW_MODELS = {"errors", "kernel", "data"}
BELOW_OBJECTIVES = BELOW_MODELS | {"tasks", "metrics"}
BELOW_TRAINING = BELOW_OBJECTIVES | {"models", "objectives"}
BELOW_APPLICATIONS = BELOW_TRAINING | {"draw", "training"}

MAY_IMPORT = {
    "errors": set(),
    "kernel": {"errors"},
    "data": {"errors", "kernel"},
    "draw": {"errors", "data"},
    "models": BELOW_MODELS,
    "tasks": BELOW_MODELS,
    "metrics": BELOW_MODELS,
    "objectives": BELOW_OBJECTIVES,
    "training": BELOW_TRAINING,
    "analysis": BELOW_APPLICATIONS,
    "scale": BELOW_APPLICATIONS,
    "serve": BELOW_APPLICATIONS | {"analysis"},
    "integrations": BELOW_APPLICATIONS,
    "cli": BELOW_APPLICATIONS | {"analysis", "scale", "serve"},
}

_CIMPORT = re.compile(r"^\s*(?:from\s+(niwaki[\w.]*)\s+c?import|c?import\s+(niwaki[\w.]*))", re.M)


def imported_rooms(path: Path) -> Iterator[str]:
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".py":
        names = []
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.ImportFrom):
                assert node.level == 0, f"{path}: write imports out"
                module = node.module or ""
                names += (
                    [f"{module}.{a.name}" for a in node.names] if module == "niwaki" else [module]
                )
            elif isinstance(node, ast.Import):
                names += [alias.name for alias in node.names]
    else:
        names = [one or other for one, other in _CIMPORT.findall(text)]
    for name in names:
        if name.startswith("niwaki."):
            yield name.split(".")[1]


def sources() -> list[Path]:
    return [p for p in sorted(PACKAGE.rglob("*")) if p.suffix in (".py", ".pyx", ".pxd")]


def test_imports_go_one_way() -> None:
    wrong = []
    for path in sources():
        inside = path.relative_to(PACKAGE).parts
        room = inside[0].removesuffix(".py")
        if room in ("__init__", "__main__"):
            continue
        assert room in MAY_IMPORT, f"give {room} a place in the plan"
        for other in imported_rooms(path):
            if other != room and other not in MAY_IMPORT[room] and not other.startswith("__"):
                wrong.append(f"{'/'.join(inside)} imports {other}")
    assert not wrong


def test_the_check_can_fail() -> None:
    assert "cli" not in MAY_IMPORT["data"]
    assert set(imported_rooms(PACKAGE / "cli" / "draw.py")) >= {"cli", "data", "errors"}
    rooms = {path.relative_to(PACKAGE).parts[0].removesuffix(".py") for path in sources()}
    assert {"kernel", "data", "draw", "cli"} <= rooms


def test_foreign_libraries_stay_in_their_integration() -> None:
    for path in sources():
        if path.parent.name != "integrations" and path.suffix == ".py":
            assert not re.search(
                r"^\s*(?:import|from) spacy\b", path.read_text(encoding="utf-8"), re.M
            ), path


def test_nothing_below_the_command_line_prints_or_exits() -> None:
    for path in sources():
        if path.suffix == ".py" and path.relative_to(PACKAGE).parts[0] not in (
            "cli",
            "__main__.py",
        ):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                    assert node.func.id not in ("print", "exit", "breakpoint"), path


def test_every_module_says_what_it_is_for() -> None:
    for path in sources():
        text = path.read_text(encoding="utf-8").lstrip()
        assert text.startswith(('"""', 'r"""', "#")), f"{path} has no opening sentence"


def test_stubs_stand_beside_what_python_may_call() -> None:
    for path in PACKAGE.rglob("*.pyx"):
        if re.search(r"^(def|cpdef|class|cdef class) ", path.read_text(encoding="utf-8"), re.M):
            assert path.with_suffix(".pyi").exists(), path
