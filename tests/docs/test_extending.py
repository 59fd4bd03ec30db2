"""docs/explain/extending.md: its code is put where it says, and works."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import niwaki
from tests.conftest import ROOT
from tests.families.conftest import PLUGIN

pytestmark = pytest.mark.slow

PAGE = ROOT / "docs" / "explain" / "extending.md"
_FILE = re.compile(r"^```\w+ (\S+)\n(.*?)^```$", re.M | re.S)
_COMMANDS = re.compile(r"^```sh\n(.*?)^```$", re.M | re.S)
PACKAGE = "src/niwaki/"


def sections() -> dict[str, str]:
    _, *found = re.split(r"^## (.*)\n", PAGE.read_text(encoding="utf-8"), flags=re.M)
    return dict(zip(found[::2], found[1::2], strict=True))


def files(section: str = "") -> dict[str, str]:
    text = sections()[section] if section else PAGE.read_text(encoding="utf-8")
    return dict(_FILE.findall(text))


def commands(section: str) -> list[str]:
    return [line for body in _COMMANDS.findall(sections()[section]) for line in body.splitlines()]


def with_files(source: Path, target: Path, added: dict[str, str]) -> None:
    """A folder like another one, but with files added; what stays as it is, is a link to it."""
    target.mkdir()
    inside: dict[str, dict[str, str]] = {}
    for path, text in added.items():
        folder, _, rest = path.partition("/")
        if rest:
            inside.setdefault(folder, {})[rest] = text
        else:
            assert not (source / path).exists(), f"{path} is there already"
            (target / path).write_text(text, encoding="utf-8")
    for each in source.iterdir():
        if each.name in inside:
            with_files(each, target / each.name, inside[each.name])
        elif each.name != "__pycache__":
            (target / each.name).symlink_to(each)


class Copy:
    """A copy of the package with the page's files, and a folder in which commands are run."""

    def __init__(self, folder: Path) -> None:
        self.source, self.work = folder / "src", folder / "work"
        self.source.mkdir()
        shutil.copytree(ROOT / "examples", self.work / "examples")
        own: dict[str, str] = {}
        for path, text in files().items():
            if path.startswith(PACKAGE):
                own[path.removeprefix(PACKAGE)] = text
            else:
                (self.work / path).parent.mkdir(exist_ok=True)
                (self.work / path).write_text(text, encoding="utf-8")
        with_files(Path(niwaki.__file__).parent, self.source / "niwaki", own)
        shutil.copytree(PLUGIN / "neighbour-1.0.dist-info", self.work / "neighbour-1.0.dist-info")
        (self.work / "neighbour" / "__init__.py").touch()

    def python(self, *words: str, cwd: Path | None = None) -> str:
        places = [self.source, self.work, ROOT]
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, places))}
        done = subprocess.run(
            [sys.executable, *words],
            cwd=cwd or self.work,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def run(self, section: str) -> list[str]:
        """What the commands of a section print."""
        found = []
        for line in commands(section):
            name, *words = line.split()
            assert name == "niwaki"
            found.append(self.python("-m", "niwaki", *words))
        assert found
        return found

    def conforms(self, suite: str, name: str) -> None:
        """A conformance suite finds what was added, and is satisfied."""
        # Where nothing is found, pytest fails.
        self.python(
            *("-m", "pytest", f"tests/conformance/{suite}", "-k", name, "-p", "no:cacheprovider"),
            cwd=ROOT,
        )


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Copy:
    return Copy(tmp_path_factory.mktemp("extended"))


def test_all_kinds_are_there() -> None:
    assert list(sections()) == [
        "A task",
        "An objective",
        "A command",
        "A language's rules",
        "A transition system",
        "A family of parsers",
    ]
    for section in sections():
        assert files(section), section
        assert section == "A task" or commands(section)


def test_a_task(copy: Copy) -> None:
    found = copy.python(
        "-c",
        "import niwaki\n"
        "from niwaki.tasks.shorten import shortened\n"
        "sentence, *_ = niwaki.read_conllu('examples/garden.conllu')\n"
        "print(' '.join(shortened(sentence)))",
    )
    assert found == "The pine leans .\n"


def test_an_objective(copy: Copy) -> None:
    copy.run("An objective")
    log = (copy.work / "short.niwaki.log.jsonl").read_text(encoding="utf-8")
    costs = [record for line in log.splitlines() if "first_cost" in (record := json.loads(line))]
    assert [record["objective"] for record in costs] == [
        "parser: 1 shortening",
        "greedy: 1 shortening",
    ]
    assert costs[0]["updates"] > 0
    copy.conforms("test_objectives.py", "shortening")


def test_a_command(copy: Copy) -> None:
    shown, as_json, described = copy.run("A command")
    assert shown.startswith("The pine leans .\n")
    first = json.loads(as_json.splitlines()[0])
    assert first["tokens"][:2] == ["The", "pine"]
    assert "Words with labels that can be left out are dropped" in described
    assert "--traceback" in described


def test_rules(copy: Copy) -> None:
    (found,) = copy.run("A language's rules")
    assert "verb" in found
    copy.conforms("test_rules.py", "sov")


_BUILD = """
from Cython.Build import cythonize
from setuptools import Extension, setup
name = "niwaki.kernel.transition.systems.arc_standard_late"
extension = Extension(name, [name.replace(".", "/") + ".pyx"], include_dirs=["niwaki/kernel"])
setup(
    name="built", py_modules=[],
    ext_modules=cythonize([extension], compiler_directives={"language_level": 3}, quiet=True),
    script_args=["-q", "build_ext", "--inplace"],
)
"""

_WALK = """
from niwaki.kernel.transition.systems import load_system
from niwaki.kernel.transition.systems._view import View
from tests.reference.systems import SlowStandard, projective_trees
orders = set()
for n in range(1, 6):
    for tree in projective_trees(n):
        view, slow, moves = View(load_system("arc-standard-late"), n), SlowStandard.start(n), []
        while view.moves:
            assert set(view.moves) == set(slow.moves()) and view.stack == list(slow.stack)
            moves.append(view.oracle(tree))
            view, slow = view.move(moves[-1]), slow.moves()[moves[-1]]
        assert tuple(view.heads) == tuple(tree), (tree, moves)
        orders.add(tuple(moves))
# Two dependents on each side: left ones come last.
assert ("shift", "shift", "shift", "right", "left", "root") in orders
print(len(orders))
"""


def test_a_transition_system(copy: Copy) -> None:
    """Only this module is compiled; the kernel's others are there."""
    copy.python("-c", _BUILD, cwd=copy.source)
    assert int(copy.python("-c", _WALK)) > 50
    _, parsed = copy.run("A transition system")
    assert all(json.loads(line)["parses"] for line in parsed.splitlines())


def test_a_family_of_parsers(copy: Copy) -> None:
    for file in ("family.py", "model.py", "trainer.py"):
        shown = files("A family of parsers")[f"neighbour/{file}"]
        assert shown == (PLUGIN / "neighbour" / file).read_text(encoding="utf-8"), file
    entry = (PLUGIN / "neighbour-1.0.dist-info" / "entry_points.txt").read_text(encoding="utf-8")
    assert 'neighbour = "neighbour.family:FAMILY"' in files("A family of parsers")["pyproject.toml"]
    assert "neighbour = neighbour.family:FAMILY" in entry
    _, parsed, ranked, scores, _, card = copy.run("A family of parsers")
    assert "ArcProb=" in parsed
    assert len(json.loads(ranked.splitlines()[0])["parses"]) == 3
    assert "UAS" in scores
    assert "neighbour\n  by_tag: true\n  learning_rate: 0.3\n" in card


def test_what_is_written_from_keys_and_commands_has_them(copy: Copy) -> None:
    made = copy.python(
        "-c",
        "import runpy\n"
        f"found = runpy.run_path({str(ROOT / 'tools' / 'make_reference.py')!r})\n"
        "print(found['reference'](), found['configuration'](), found['all_keys']())",
    )
    assert "## niwaki shorten\n" in made
    assert made.count("Labels of words that can be left out.") == 2
    assert "[neighbour]" in made
