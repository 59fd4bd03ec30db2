"""A small model of each script, trained in a moment."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

from niwaki.pipeline.pipeline import Pipeline
from niwaki.pipeline.store import load
from tests.scripts import SCRIPTS, Script
from tests.toy import quick_model, write


@dataclass(frozen=True)
class Trained:
    """A script, the files of its treebank and of a text, and a model of it."""

    script: Script
    trees: Path
    text: Path
    path: Path
    model: Pipeline


@pytest.fixture(scope="session", params=SCRIPTS, ids=lambda script: script.code)
def trained(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Trained:
    script: Script = request.param
    folder = tmp_path_factory.mktemp(script.code)
    trees = write(folder / "trees.conllu", script.sentences())
    text = folder / "text.txt"
    text.write_text(text_of(script) + "\n", encoding="utf-8")
    path = folder / f"{script.code}.niwaki"
    # With development data it is calibrated too.
    tables = {"card": {"name": script.code, "language": script.language}}
    training = {"dev": str(trees), "epochs": 3, "greedy_epochs": 3}
    quick_model(path, trees, training=training, **tables)
    return Trained(script, trees, text, path, load(path))


def text_of(script: Script, count: int = 3) -> str:
    return " ".join(sentence.text for sentence in script.sentences()[:count])
