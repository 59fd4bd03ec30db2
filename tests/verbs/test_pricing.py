"""Models are priced without training, and on some examples only where there are many."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import niwaki
from niwaki.cli import main
from niwaki.data.sentence import Sentence
from niwaki.errors import ConfigError
from niwaki.objectives import costs_of_trees, load_objective
from niwaki.parsers.base import Search
from niwaki.pipeline.pipeline import Pipeline
from niwaki.training import pricing
from niwaki.training.config_file import make_config
from niwaki.training.examples import load_costs, tag_costs
from tests.toy import TOY

KIND = f"{__name__}:depth"


def depth(sentence: Sentence, trees: niwaki.KBest) -> list[float]:
    """The share of words that do not hang from the root."""
    return [
        sum(head > 0 and tree.heads[head - 1] != 0 for head in tree.heads) / len(tree.heads)
        for tree in trees
    ]


def task(folder: Path) -> Path:
    path = folder / "task.toml"
    path.write_text(
        f'[[objective]]\ndata = "no-such-treebank.conllu"\n'
        f'[[objective]]\nkind = "{KIND}"\ndata = "{TOY}"\n'
    )
    return path


def wanted(model: Pipeline) -> np.ndarray[Any, Any]:
    objective = load_objective(KIND, [str(TOY)])
    return costs_of_trees(objective, list(model.parse(objective.sentences)))


def test_a_model_is_priced_without_training_or_treebank(tmp_path: Path, model: Pipeline) -> None:
    found = niwaki.price(task(tmp_path), model, samples=100)
    (evaluation,) = found.evaluations[f"1 {KIND}"]
    costs = wanted(model)
    assert evaluation.of("cost").tolist() == costs.tolist()
    assert evaluation.scores == pytest.approx(
        {"cost": costs.mean(), "perfect": (costs == 0).mean()}
    )
    low, high = evaluation.interval(100)["cost"]
    assert low < costs.mean() < high
    assert found.differences(f"1 {KIND}") == {}


def test_several_models_are_compared(tmp_path: Path, model_path: Path, model: Pipeline) -> None:
    found = niwaki.price(task(tmp_path), [model_path, "en"], samples=100)
    assert found.models == [str(model_path), "en"]
    (cost, _) = found.differences(f"1 {KIND}")[0, 1]
    apart = wanted(niwaki.load()).mean() - wanted(model).mean()
    assert cost.difference == pytest.approx(apart)
    assert cost.low <= cost.difference <= cost.high


def test_the_command(
    tmp_path: Path, model_path: Path, model: Pipeline, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["price", str(task(tmp_path)), "-m", str(model_path), "--samples", "50"]
    assert main(words) == 0
    costs = wanted(model)
    out = capsys.readouterr().out
    assert f"1 {KIND}: {len(costs)} examples\n" in out
    assert f"{costs.mean():8.4f}  [" in out and f"{100 * (costs == 0).mean():5.1f}%" in out
    assert main([*words, "-m", "en", "--json"]) == 0
    record = json.loads(capsys.readouterr().out)[f"1 {KIND}"]
    assert [each["model"] for each in record["models"]] == [str(model_path), "en"]
    assert record["differences"][0]["cost"]["low"] <= record["differences"][0]["cost"]["high"]


def test_what_cannot_be_priced(tmp_path: Path, model: Pipeline) -> None:
    with pytest.raises(ConfigError, match="no objective is a cost; nothing to price"):
        niwaki.price({"objective": [{"data": str(TOY)}]}, model)
    with pytest.raises(ConfigError, match="no model; give at least one"):
        niwaki.price(task(tmp_path), [])


def test_of_many_examples_some_are_priced(model: Pipeline, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pricing, "MOST_PRICED", 7)
    costs = load_costs(make_config({"objective": [{"kind": KIND, "data": str(TOY)}]}))
    (data,) = tag_costs(costs, model.tagger, model.morphology, model.parser.labels.names)
    sample = pricing.Sample(data.objective, data.taggings[0])
    assert len(sample) == 7
    every = wanted(model)
    chosen = [number * len(every) // 7 for number in range(7)]
    data.objective.open(data.taggings[0].sentences, model.parser.labels.names)
    assert sample.mean_cost(model.parser, Search()) == pytest.approx(every[chosen].mean())
