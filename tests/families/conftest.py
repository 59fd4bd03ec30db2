"""The family of `plugin/`, installed for these tests and for all processes that they start."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from niwaki.pipeline.pipeline import Pipeline
from niwaki.pipeline.store import load
from niwaki.training.config import Config
from niwaki.training.config_file import make_config
from niwaki.training.run import train
from tests.toy import QUICK, TOY

PLUGIN = Path(__file__).parent / "plugin"


@pytest.fixture(scope="package", autouse=True)
def installed() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(PLUGIN)
        patch.setenv("PYTHONPATH", str(PLUGIN), prepend=os.pathsep)
        yield
    for name in [name for name in sys.modules if name.partition(".")[0] == "neighbour"]:
        del sys.modules[name]


def config_of(*objectives: dict[str, Any], **tables: dict[str, Any]) -> Config:
    """A configuration of the family: of the toy treebank, and of costs."""
    record: dict[str, Any] = {
        "model": {"kind": "neighbour"},
        "tagger": QUICK["tagger"],
        "objective": [{"data": str(TOY)}, *objectives],
        "training": {"epochs": 3},
    }
    return make_config(record | tables)


@pytest.fixture(scope="package")
def chain_path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model of the family, trained once."""
    path = tmp_path_factory.mktemp("family") / "chain.niwaki"
    train(config_of(), path, threads=1)
    return path


@pytest.fixture(scope="package")
def chain(chain_path: Path) -> Pipeline:
    return load(chain_path)
