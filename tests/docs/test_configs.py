"""The example configurations are what they say, and what is generated is up to date."""

from __future__ import annotations

import dataclasses
import importlib.util
import re
from pathlib import Path
from types import ModuleType

import pytest

from niwaki.keys import keys_of
from niwaki.parsers.base import family_names, load_family
from niwaki.training.config import OWNERS, Config, objective_owners
from niwaki.training.config_file import read_config
from tests.conftest import DATA, ROOT

ALL = ROOT / "configs" / "all.toml"


@pytest.fixture(scope="module")
def generator() -> ModuleType:
    spec = importlib.util.spec_from_file_location("reference", ROOT / "tools" / "make_reference.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("name", ["docs/reference/configuration.md", "configs/all.toml"])
def test_what_is_generated_is_up_to_date(generator: ModuleType, name: str) -> None:
    path = ROOT / name
    assert path.read_text(encoding="utf-8") == generator.GENERATED[path]()


def test_all_toml_loads_with_every_default() -> None:
    config = read_config(str(ALL))
    assert dataclasses.replace(config, objective=()) == Config()
    (objective,) = config.objective
    assert dataclasses.replace(objective, data=()) == type(objective)()


def test_every_key_is_listed_and_explained() -> None:
    text = ALL.read_text(encoding="utf-8")
    page = (ROOT / "docs" / "reference" / "configuration.md").read_text(encoding="utf-8")
    families = [load_family(name).config for name in family_names()]
    owners = [*OWNERS.values(), *families, *(owner for _, owner in objective_owners())]
    listed = re.findall(r"^#?(\w+) = ", text, re.M)
    explained = re.findall(r"^\| `(\w+)` \|", page, re.M)
    wanted = sorted(key.name for owner in owners for key in keys_of(owner))
    assert sorted(listed) == sorted(explained) == wanted


def test_what_is_commented_out_is_toml(tmp_path: Path) -> None:
    """The tables of another family and of costs can be taken over as they stand."""
    text = ALL.read_text(encoding="utf-8")
    whole = re.sub(r"^#(?! )", "", text, flags=re.M)
    assert whole.count("\n[[objective]]\n") == 2
    assert "\n[graph]\n" in whole
    for block in whole.split("\n\n"):
        path = tmp_path / "c.toml"
        path.write_text(block, encoding="utf-8")
        with pytest.raises(Exception, match=r"c\.toml") as caught:
            read_config(str(path))
        assert "not TOML" not in str(caught.value)


@pytest.mark.skipif(not DATA.is_dir(), reason="the treebanks (NIWAKI_DATA) are missing")
def test_the_configuration_of_the_english_model_is_sound(tmp_path: Path) -> None:
    text = (ROOT / "configs" / "en-ewt.toml").read_text(encoding="utf-8")
    path = tmp_path / "en-ewt.toml"
    path.write_text(text.replace("../build/data", str(DATA)), encoding="utf-8")
    assert read_config(str(path)).card.name == "en-ewt"
