"""The models of other languages: what is made, what is said of it, and what is shipped."""

from __future__ import annotations

import hashlib
import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

from niwaki.hub.index import read_entries
from niwaki.pipeline.store import load
from tests.conftest import ROOT

PACKAGE = ROOT / "packages" / "niwaki-models"
SHIPPED = PACKAGE / "src" / "niwaki_models"
# Treebanks that may not be used for everything are left out.
OPEN = {"CC BY 4.0", "CC BY-SA 4.0", "CC BY-SA 3.0", "LGPL-LR"}


@pytest.fixture(scope="module")
def tool() -> ModuleType:
    path = ROOT / "tools" / "make_language_models.py"
    spec = importlib.util.spec_from_file_location("make_language_models", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    # Dataclasses look their module up.
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def test_the_package_says_what_is_in_it(tool: ModuleType) -> None:
    readme = (PACKAGE / "README.md").read_text(encoding="utf-8")
    notice = (PACKAGE / "NOTICE").read_text(encoding="utf-8").split("\n")
    assert len(tool.LANGUAGES) >= 8
    for code, each in tool.LANGUAGES.items():
        assert each.licence in OPEN
        assert f"| {code} | {each.name} | {each.treebank} | {each.licence} |" in readme
        said = [line.split(None, 1)[1] for line in notice if line.startswith(f"    {code}.niwaki")]
        assert ["  ".join(x.split("  ")[:1]) for x in said] == [each.treebank]
        assert said[0].endswith(each.licence)
    assert readme.count("| UD ") == len(tool.LANGUAGES)


def test_unknown_languages_and_missing_data_are_one_line(
    tool: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NIWAKI_DATA", str(tmp_path))
    monkeypatch.setattr(sys, "argv", ["tool", str(tmp_path / "a"), str(tmp_path / "b"), "tlh"])
    with pytest.raises(SystemExit, match="no tlh; known: af cy"):
        tool.main()
    monkeypatch.setattr(sys, "argv", ["tool", str(tmp_path / "a"), str(tmp_path / "b"), "te"])
    with pytest.raises(SystemExit, match="NIWAKI_DATA names the folder"):
        tool.main()
    assert list(tmp_path.iterdir()) == []


def test_what_is_shipped_is_small_and_what_the_index_says(tool: ModuleType) -> None:
    index = SHIPPED / "index.json"
    if not index.is_file():
        pytest.skip("the models are not there yet: make language-models makes them")
    entries = read_entries(str(index), index.read_bytes())
    assert len(entries) >= 8
    for entry in entries:
        data = (SHIPPED / entry.file).read_bytes()
        assert len(data) == entry.size <= 2_500_000
        assert hashlib.sha256(data).hexdigest() == entry.sha256
        language = tool.LANGUAGES[entry.name]
        assert entry.language == language.name
        assert f"{language.treebank}: {language.licence}" in entry.licence
        model = load(SHIPPED / entry.file)
        assert model.segmenter is not None and model.parser.gives_probabilities
