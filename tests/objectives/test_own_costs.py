"""Costs of users: where their modules lie, and examples that are texts."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import niwaki
from niwaki.errors import ConfigError, CorpusError
from niwaki.objectives import load_objective
from niwaki.training.config_file import read_config

COST = """
def cost(example, candidates):
    root = candidates.sentence.forms.index(example["root"])
    return [float(tree.heads[root] != 0) for tree in candidates]
"""


@pytest.fixture(autouse=True)
def own_imports() -> Iterator[None]:
    """Modules and places of a test are gone after it."""
    path, names = list(sys.path), set(sys.modules)
    yield
    sys.path[:] = path
    for name in set(sys.modules) - names:
        if name.startswith("own_"):
            del sys.modules[name]


def task(folder: Path, module: str, records: list[dict[str, object]]) -> Path:
    folder.mkdir(exist_ok=True)
    (folder / f"{module}.py").write_text(COST)
    (folder / "data.jsonl").write_text("".join(json.dumps(each) + "\n" for each in records))
    file = folder / "task.toml"
    file.write_text(f'[[objective]]\nkind = "{module}:cost"\ndata = "data.jsonl"\n')
    return file


TOKENS = {"tokens": ["Koi", "swim", "."], "root": "swim"}
TEXT = {"text": "Koi\nswim. They do.", "root": "swim"}


def test_a_module_stands_beside_the_configuration(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    monkeypatch.chdir(elsewhere)
    file = task(tmp_path / "job", "own_beside", [TOKENS])
    (found,) = niwaki.price(file, ["en"]).evaluations.values()
    assert found[0].sentences == 1 and found[0].scores["cost"] in (0, 1)


def test_it_still_may_stand_where_the_command_is_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = task(tmp_path / "job", "own_here", [TOKENS])
    (tmp_path / "job" / "own_here.py").rename(tmp_path / "own_here.py")
    monkeypatch.chdir(tmp_path)
    (cost,) = read_config(str(file)).costs.values()
    assert cost.kind == "own_here:cost"


def test_a_module_of_the_same_name_is_not_taken_for_it(tmp_path: Path) -> None:
    read_config(str(task(tmp_path / "one", "own_twice", [TOKENS])))
    other = str(task(tmp_path / "other", "own_twice", [TOKENS]))
    with pytest.raises(ConfigError, match=r"one/own_twice\.py has this name, too; give own_twice"):
        read_config(other)


def test_a_module_that_there_is_not(tmp_path: Path) -> None:
    file = task(tmp_path / "job", "own_missing", [TOKENS])
    (tmp_path / "job" / "own_missing.py").unlink()
    with pytest.raises(ConfigError, match="can be imported from here, or from beside the file"):
        read_config(str(file))


def test_a_text_is_one_sentence_and_is_split_into_words(tmp_path: Path) -> None:
    file = task(tmp_path / "job", "own_text", [TEXT, TOKENS])
    read_config(str(file))
    data = [str(tmp_path / "job" / "data.jsonl")]
    objective = load_objective("own_text:cost", data, segmenter=niwaki.load().segmenter)
    first, second = objective.sentences
    assert first.forms == ("Koi", "swim", ".", "They", "do", ".")
    assert second.forms == ("Koi", "swim", ".")
    (found,) = niwaki.price(file, ["en"]).evaluations.values()
    assert found[0].sentences == 2


def test_a_text_needs_a_model_that_splits_it(tmp_path: Path) -> None:
    file = task(tmp_path / "job", "own_unsplit", [TEXT])
    with pytest.raises(CorpusError, match=r"data\.jsonl:1:text: there is no model yet .*--init"):
        niwaki.train(file, tmp_path / "m.niwaki")
    for wrong in (3, " "):
        task(tmp_path / "job", "own_unsplit", [{"text": wrong}])
        with pytest.raises(CorpusError, match="give a text"):
            niwaki.price(file, ["en"])


def test_training_on_with_texts(tmp_path: Path) -> None:
    file = task(tmp_path / "job", "own_trained", [TEXT])
    once = ["training.epochs=1"]
    model = niwaki.train(file, tmp_path / "m.niwaki", init="en", overrides=once, threads=1)
    assert model.learned is not None and len(niwaki.load()("Koi swim.")) == 1
