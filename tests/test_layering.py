"""Imports go one way; this is the plan of docs/explain/architecture.md, enforced."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

PACKAGE = Path(__file__).parents[1] / "src" / "niwaki"

# What any room may use.
GROUND = {"errors", "typing", "keys"}
DATA = GROUND | {"kernel", "data"}
LEARNING = DATA | {"features", "learning"}
MODELS = LEARNING | {"hub", "tagging", "segmenting", "parsers", "pipeline"}
JUDGING = DATA | {"tasks", "metrics"}
BELOW_TRAINING = MODELS | JUDGING | {"objectives", "scale"}
BELOW_APPLICATIONS = BELOW_TRAINING | {"training", "draw"}

MAY_IMPORT = {
    "errors": set(),
    "typing": set(),
    "keys": {"errors", "typing"},
    "kernel": {"errors"},
    "data": GROUND | {"kernel"},
    "draw": {"errors", "data"},
    "hub": DATA,
    "features": DATA,
    "learning": DATA,
    "tagging": LEARNING,
    "segmenting": LEARNING,
    "parsers": LEARNING | {"tagging"},
    "pipeline": LEARNING | {"hub", "tagging", "segmenting", "parsers"},
    "tasks": DATA | {"learning"},
    "metrics": DATA,
    "objectives": JUDGING,
    "scale": MODELS | JUDGING,
    "training": BELOW_TRAINING,
    "analysis": BELOW_APPLICATIONS,
    "adapting": BELOW_APPLICATIONS,
    "verbs": BELOW_APPLICATIONS | {"adapting", "analysis", "serve"},
    "serve": BELOW_APPLICATIONS | {"adapting", "analysis"},
    "integrations": BELOW_APPLICATIONS,
    "cli": BELOW_APPLICATIONS | {"adapting", "analysis", "verbs"},
}

# Who knows a family of parsers by its name, and why. All others see `parsers/base.py`.
KNOW_A_FAMILY = {
    "analysis/bilingual.py": "its tables are about the moves of transition parsers",
}

_CIMPORT = re.compile(r"^\s*(?:from\s+(niwaki[\w.]*)\s+c?import|c?import\s+(niwaki[\w.]*))", re.M)


def imported_modules(path: Path) -> Iterator[str]:
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
    return (name for name in names if name.startswith("niwaki."))


def imported_rooms(path: Path) -> Iterator[str]:
    for name in imported_modules(path):
        yield name.split(".")[1]


def sources() -> list[Path]:
    found = [p for p in sorted(PACKAGE.rglob("*")) if p.suffix in (".py", ".pyx", ".pxd")]
    assert found
    return found


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
    assert set(imported_rooms(PACKAGE / "cli" / "draw.py")) >= {"cli", "data", "verbs"}
    rooms = {path.relative_to(PACKAGE).parts[0].removesuffix(".py") for path in sources()}
    assert {"kernel", "data", "draw", "cli"} <= rooms


def families() -> list[str]:
    return [path.parent.name for path in sorted(PACKAGE.glob("parsers/*/family.py"))]


def outside_parsers() -> list[tuple[str, Path]]:
    found = [("/".join(path.relative_to(PACKAGE).parts), path) for path in sources()]
    return [(name, path) for name, path in found if not name.startswith("parsers/")]


def test_a_family_is_known_to_itself_only() -> None:
    assert len(families()) >= 2
    rooms = tuple(f"niwaki.parsers.{family}" for family in families())
    knowing = {
        name
        for name, path in outside_parsers()
        if any(module.startswith(rooms) for module in imported_modules(path))
    }
    assert knowing == set(KNOW_A_FAMILY)


def test_families_do_not_know_each_other() -> None:
    assert len(families()) >= 2
    for family in families():
        others = tuple(f"niwaki.parsers.{other}" for other in families() if other != family)
        for path in (PACKAGE / "parsers" / family).rglob("*.py"):
            assert not [name for name in imported_modules(path) if name.startswith(others)], path


def test_training_sees_parsers_by_their_protocol_only() -> None:
    modules = list((PACKAGE / "training").rglob("*.py"))
    assert modules
    for path in modules:
        parsers = [name for name in imported_modules(path) if name.startswith("niwaki.parsers")]
        assert set(parsers) <= {"niwaki.parsers.base"}, path


def test_nobody_asks_which_family_a_parser_is_of() -> None:
    classes = r"(TransitionParser|GraphParser|TransitionModel|GraphModel)"
    of_a_class = re.compile(rf"isinstance\([^()]*(\([^()]*\))*[^()]*{classes}")
    by_name = re.compile(rf"(kind|family)\b[^\n]*[=!]= *[\"'](?:{'|'.join(families())})[\"']")
    asking = {
        name
        for name, path in outside_parsers()
        for pattern in (of_a_class, by_name)
        if pattern.search(path.read_text(encoding="utf-8"))
    }
    assert asking <= set(KNOW_A_FAMILY)
    assert of_a_class.search("isinstance(f(x), GraphParser)")
    assert by_name.search('if config.model.kind == "graph":')


def test_training_is_small() -> None:
    assert len(list((PACKAGE / "training").glob("*.py"))) <= 15


def test_foreign_libraries_stay_in_their_integration() -> None:
    for path in sources():
        if path.parent.name != "integrations" and path.suffix == ".py":
            assert not re.search(
                r"^\s*(?:import|from) (?:spacy|pandas|networkx)\b",
                path.read_text(encoding="utf-8"),
                re.M,
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
    for path in [p for p in sources() if p.suffix == ".pyx"]:
        if re.search(r"^(def|cpdef|class|cdef class) ", path.read_text(encoding="utf-8"), re.M):
            assert path.with_suffix(".pyi").exists(), path
