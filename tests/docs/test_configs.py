"""The example configurations are what they say."""

from __future__ import annotations

import dataclasses

import pytest

from niwaki.training.config import Config
from niwaki.training.config_file import read_config
from tests.conftest import ROOT, SHARED


def test_all_toml_lists_every_key_with_its_default() -> None:
    path = ROOT / "configs" / "all.toml"
    config = read_config(str(path))
    assert dataclasses.replace(config, objective=()) == Config()
    text = path.read_text(encoding="utf-8")
    for table in dataclasses.fields(Config):
        value = getattr(config, table.name)
        for key in dataclasses.fields(value[0] if isinstance(value, tuple) else value):
            assert f"\n{key.name} = " in text


@pytest.mark.skipif(not SHARED.is_dir(), reason="the treebanks (../shared/data) are missing")
def test_the_configuration_of_the_english_model_is_sound() -> None:
    assert read_config(str(ROOT / "configs" / "en-ewt.toml")).card.name == "en-ewt"
