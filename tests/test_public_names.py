"""The public list is what it says, and each name can be explained."""

from __future__ import annotations

import ast
import importlib
import importlib.util
import inspect
import re
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

import niwaki
from niwaki import errors
from niwaki.errors import KernelMissingError

ROOT = Path(__file__).parents[1]
API = ROOT / "docs" / "reference" / "api.md"


def test_all_names_exist_and_are_documented() -> None:
    assert sorted(niwaki.__all__) == niwaki.__all__
    for name in niwaki.__all__:
        assert getattr(niwaki, name).__doc__, name


def test_names_that_others_rely_on() -> None:
    assert {
        *("read_conllu", "write_conllu", "validate", "Sentence", "Tree", "KBest", "load"),
        *("train", "evaluate", "compare", "reorder", "align", "cluster", "Config", "Objective"),
    } <= set(niwaki.__all__)


def test_all_errors_are_public() -> None:
    classes = {
        name
        for name, each in vars(errors).items()
        if inspect.isclass(each) and issubclass(each, niwaki.NiwakiError)
    }
    assert len(classes) >= 10
    assert classes <= set(niwaki.__all__)


def test_a_star_import_gives_all_names() -> None:
    names: dict[str, object] = {}
    exec("from niwaki import *", names)
    assert set(niwaki.__all__) <= set(names)
    assert set(niwaki.__all__) <= set(dir(niwaki))


def test_a_name_that_there_is_not() -> None:
    with pytest.raises(AttributeError, match="module 'niwaki' has no attribute 'trian'"):
        niwaki.trian  # noqa: B018
    with pytest.raises(ImportError):
        exec("from niwaki import trian")


def test_type_checkers_see_what_is_imported_later() -> None:
    """The imports for them, the table for Python and `__all__` say the same."""
    text = Path(niwaki.__file__).read_text(encoding="utf-8")
    (checked,) = (
        node
        for node in ast.parse(text).body
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
    )
    seen = {
        alias.asname or alias.name: (node.module, alias.name)
        for node in checked.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    assert seen == niwaki._PLACES
    assert set(seen) <= set(niwaki.__all__)


def test_importing_it_imports_no_room_that_not_everyone_needs() -> None:
    code = "import sys, niwaki; print(*(name for name in sys.modules if 'niwaki.' in name))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    rooms = {name.split(".")[1] for name in done.stdout.split()}
    assert rooms == {"errors"}


def test_the_command_line_is_up_before_the_rest_is_imported() -> None:
    """Ctrl-C is answered in one line from here on."""
    code = "import sys, niwaki.cli; print(*({'numpy', 'niwaki.kernel'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "\n"


def test_a_sentence_draws_itself_in_a_notebook() -> None:
    code = "import niwaki; print(niwaki.Sentence.from_words(['a'])._repr_html_()[:4])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "<div\n"


# -- docs/reference/api.md ------------------------------------------------------------------


def test_the_page_is_current() -> None:
    assert API.read_text(encoding="utf-8") == make_reference().api()


def make_reference() -> ModuleType:
    spec = importlib.util.spec_from_file_location("made", ROOT / "tools" / "make_reference.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_page_lists_all_public_names() -> None:
    listed = re.findall(r"^\| `(\w+)` \|", API.read_text(encoding="utf-8"), re.M)
    assert sorted(listed) == niwaki.__all__


def test_rooms_that_are_not_public_say_so() -> None:
    """A room is in the page's list of public ones, or its first lines say that it is not."""
    public = set(re.findall(r"^\* `niwaki\.(\w+)", API.read_text(encoding="utf-8"), re.M))
    package = Path(niwaki.__file__).parent
    rooms = {path.parent.name: path for path in package.glob("*/__init__.py")}
    assert public <= {*rooms, *(path.stem for path in package.glob("*.py"))}
    for room, path in rooms.items():
        docstring = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
        says = "Not public" in docstring
        assert says != (room in public), f"{room} is public, or says that it is not"


def test_public_modules_exist() -> None:
    modules = re.findall(r"^\* `(niwaki[\w.]*)`", API.read_text(encoding="utf-8"), re.M)
    assert modules
    for module in modules:
        assert importlib.import_module(module).__doc__


def test_a_missing_kernel_names_the_build_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "niwaki.kernel.conllu", None)
    with pytest.raises(KernelMissingError, match="make build"):
        importlib.reload(sys.modules["niwaki.kernel"])
