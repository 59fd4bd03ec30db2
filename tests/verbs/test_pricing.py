"""Models are priced without training, and on some examples only where there are many."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import niwaki
from niwaki.analysis.tradeoff import as_text
from niwaki.cli import main
from niwaki.data.bilingual.references import Reference, write_references
from niwaki.data.sentence import Sentence
from niwaki.errors import ConfigError
from niwaki.objectives import costs_of_trees, load_objective
from niwaki.parsers.base import Search
from niwaki.pipeline.pipeline import Pipeline
from niwaki.training import pricing
from niwaki.training.config_file import make_config
from niwaki.training.examples import load_costs, tag_costs
from niwaki.training.run import train
from tests.toy import TOY, Log, write

KIND = f"{__name__}:depth"
ONE = {"training": {"epochs": 1}}


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


def known_roots(folder: Path, toy: list[Sentence]) -> Path:
    """A task whose examples say where the root is; the second and the third say nothing."""
    examples = [
        s.replace(
            heads=[h if h == 0 and n not in (1, 2) else -1 for h in s.heads],
            deprels=["_"] * len(s),
        )
        for n, s in enumerate(toy)
    ]
    write(folder / "roots.conllu", examples)
    path = folder / "roots.toml"
    path.write_text('[[objective]]\nkind = "partial"\ndata = "roots.conllu"\n')
    return path


def test_examples_that_say_nothing_are_counted(
    tmp_path: Path,
    toy: list[Sentence],
    model_path: Path,
    model: Pipeline,
    capsys: pytest.CaptureFixture[str],
) -> None:
    path, size = known_roots(tmp_path, toy), len(toy)
    file = tmp_path / "roots.conllu"
    line = list(niwaki.read_conllu(file, unknown_heads=True))[1].line
    note = f"{size - 2} examples; 2 left out: nothing is known of them (the first: {file}:{line})"
    assert main(["price", str(path), "-m", str(model_path), "--samples", "50"]) == 0
    assert f"0 partial: {note}\n" in capsys.readouterr().out
    found = niwaki.price(path, model, samples=50)
    left_out = found.to_json()["0 partial"]["left_out"]
    assert left_out == {
        "count": 2,
        "reason": "nothing is known of them",
        "first": f"{file}:{line}",
    }
    log = Log()
    train(make_config({"objective": [{"kind": "partial", "data": str(file)}], **ONE}),
          tmp_path / "m", log, init=model, threads=1)  # fmt: skip
    assert f"partial: {note}" in log.notes
    weighed = niwaki.trade_off(TOY, path, model, model, samples=20)
    assert weighed.to_json()["left_out"] == {"0 partial": left_out}
    assert f"note: examples of 0 partial: {note.partition('; ')[2]}" in as_text(weighed)


def test_references_without_links_are_counted(tmp_path: Path) -> None:
    words = ("a", "b", "c")
    references = [
        Reference("good", words, (2, 1, 0), linked=(0, 2)),
        Reference("one", words, (0, 1, 2), linked=(1,)),
        Reference("none", words, (0, 1, 2), linked=()),
    ]
    write_references(references, tmp_path / "r.jsonl")
    record = {"kind": "reordering", "data": str(tmp_path / "r.jsonl"), "rules": "ja"}
    (linked,) = load_costs(make_config({"objective": [record]}))
    assert str(linked) == (
        "reordering: 1 examples; 2 left out: fewer than two linked words to put in order "
        "(the first: 'one')"
    )
    (every,) = load_costs(make_config({"objective": [{**record, "words": "all"}]}))
    assert str(every) == "reordering: 3 examples"


def test_differences_have_their_intervals_in_the_text(
    tmp_path: Path, model_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["price", str(task(tmp_path)), "-m", str(model_path), "-m", "en", "--samples", "50"]
    assert main(words) == 0
    out = capsys.readouterr().out
    found = niwaki.price(task(tmp_path), [model_path, "en"], samples=50)
    cost, perfect = found.differences(f"1 {KIND}")[0, 1]
    assert f"en - {model_path}: {cost.difference:+.4f}" in out
    assert f"[{cost.low:+.4f}, {cost.high:+.4f}]" in out
    assert f"en - {model_path}, % at 0: {100 * perfect.difference:+.1f}" in out
    assert f"[{100 * perfect.low:+.1f}, {100 * perfect.high:+.1f}]" in out


def test_what_cannot_be_priced(tmp_path: Path, model: Pipeline) -> None:
    with pytest.raises(ConfigError, match="no objective is a cost; nothing to price"):
        niwaki.price({"objective": [{"data": str(TOY)}]}, model)
    with pytest.raises(ConfigError, match="no model; give at least one"):
        niwaki.price(task(tmp_path), [])


def test_of_many_examples_some_are_priced(model: Pipeline, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pricing, "MOST_PRICED", 7)
    costs = load_costs(make_config({"objective": [{"kind": KIND, "data": str(TOY)}]}))
    (data,) = tag_costs(costs, model.tagger, model.morphology, model.parser.labels.names)
    sample = pricing.Sample(data.objective, data.taggings[0], data.numbers)
    assert len(sample) == 7
    every = wanted(model)
    chosen = [number * len(every) // 7 for number in range(7)]
    data.objective.open(data.taggings[0].sentences, model.parser.labels.names)
    assert sample.mean_cost(model.parser, Search()) == pytest.approx(every[chosen].mean())
