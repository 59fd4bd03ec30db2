"""Training configurations: whatever is wrong is said in one line, before training starts."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from niwaki.errors import ConfigError
from niwaki.kernel.transition.systems import system_names
from niwaki.training.config import Config
from niwaki.training.config_file import make_config, read_config
from tests.conftest import ROOT
from tests.toy import TOY

WHOLE = {"objective": [{"data": str(TOY)}]}


def written(folder: Path, text: str) -> str:
    path = folder / "c.toml"
    path.write_text(text, encoding="utf-8")
    return str(path)


def refusal(record: dict[str, Any]) -> str:
    with pytest.raises(ConfigError) as caught:
        make_config({**WHOLE, **record}, "c.toml")
    message = str(caught.value)
    assert message.startswith("c.toml: ")
    assert len(message.splitlines()) == 1
    return message


# -- what is right ---------------------------------------------------------------


def test_data_alone_is_a_whole_configuration(tmp_path: Path) -> None:
    (tmp_path / "train.conllu").write_bytes(TOY.read_bytes())
    config = read_config(written(tmp_path, '[[objective]]\ndata = "train.conllu"\n'))
    assert config.objective[0].data == (str(tmp_path / "train.conllu"),)
    assert (config.family.beam, config.tagger.folds, config.training.seed) == (8, 10, 1)


def test_every_table(tmp_path: Path) -> None:
    for name in ("a.conllu", "b.conllu", "dev.conllu", "clusters", "own.txt"):
        (tmp_path / name).write_text("x")
    text = """
    [card]
    name = "toy"
    licences = ["CC0"]
    [model]
    system = "arc-eager"
    features = "own.txt"
    more_features = ["s0.form"]
    case = "insensitive"
    clusters = "clusters"
    [tagger]
    learning_rate = 1
    [[objective]]
    data = ["a.conllu"]
    [[objective]]
    data = "b.conllu"
    [training]
    dev = "dev.conllu"
    margin = 3
    """
    config = read_config(written(tmp_path, text))
    assert config.card.licences == ("CC0",)
    assert [each.data for each in config.objective] == [
        (str(tmp_path / name),) for name in ("a.conllu", "b.conllu")
    ]
    found = (config.model.features, config.model.clusters, config.training.dev)
    assert found == tuple(str(tmp_path / name) for name in ("own.txt", "clusters", "dev.conllu"))
    assert (config.tagger.learning_rate, config.family.margin) == (1.0, 3.0)
    assert isinstance(config.family.margin, float)
    assert json.loads(json.dumps(config.to_json()))["model"]["more_features"] == ["s0.form"]


@pytest.mark.parametrize(
    "path", sorted((ROOT / "configs").glob("*.toml")), ids=lambda path: path.name
)
def test_the_shipped_configurations_are_right(path: Path, tmp_path: Path) -> None:
    """All but their data, which need not be at hand."""
    text = path.read_text(encoding="utf-8")
    some_files = r'^(data|dev|clusters) *= *(".+"|\[[^]]+\])'
    text = re.sub(some_files, rf'\1 = "{TOY}"', text, flags=re.M)
    assert read_config(written(tmp_path, text)).objective


# -- what is wrong ---------------------------------------------------------------


@pytest.mark.parametrize(
    ("record", "message"),
    [
        ({"modle": {}}, "unknown key modle; did you mean 'model'?"),
        ({"model": {"beem": 4}}, "unknown key model.beem; did you mean 'beam'?"),
        ({"tagger": {"fold": 4}}, "unknown key tagger.fold; did you mean 'folds'?"),
        ({"training": {"Epochs": 4}}, "unknown key training.Epochs; did you mean 'epochs'?"),
        ({"objective": [{"data": str(TOY), "weigt": 1}]}, "unknown key objective[0].weigt"),
        ({"model": {"a\nb": 1}}, "unknown key"),
    ],
)
def test_unknown_keys(record: dict[str, Any], message: str) -> None:
    assert message in refusal(record)


@pytest.mark.parametrize(
    ("record", "message"),
    [
        ({"model": 3}, "model is '3'; make it a table"),
        ({"model": {"beam": "8"}}, "model.beam is '8'; give a whole number"),
        ({"model": {"beam": 8.0}}, "model.beam is '8.0'; give a whole number"),
        ({"model": {"beam": True}}, "model.beam is 'True'; give a whole number"),
        ({"model": {"greedy": 1}}, "model.greedy is '1'; give true or false"),
        ({"model": {"features": ["rich"]}}, "give a text"),
        ({"model": {"more_features": [3]}}, "model.more_features[0] is '3'; give a text"),
        ({"model": {"more_features": {}}}, "give a list"),
        ({"training": {"margin": "much"}}, "training.margin is 'much'; give a number"),
        ({"training": {"margin": True}}, "give a number"),
        ({"training": {"dev": 1}}, "training.dev is '1'; give a text"),
        ({"objective": {"data": str(TOY)}}, "give a list"),
        ({"objective": [3]}, "objective[0] is '3'; make it a table"),
        ({"card": {"name": "x\n" * 99, "language": 1}}, "card.language is '1'; give a text"),
    ],
)
def test_wrong_types(record: dict[str, Any], message: str) -> None:
    assert message in refusal(record)


@pytest.mark.parametrize(
    ("record", "message"),
    [
        ({"model": {"beam": 0}}, "model.beam is 0; give at least 1"),
        ({"model": {"beam": -4}}, "model.beam is -4; give at least 1"),
        ({"model": {"beam": 5000}}, "model.beam is 5000; give at most 4096"),
        ({"model": {"beam": 10**30}}, "give at most 4096"),
        ({"model": {"system": "arc-eagre"}}, "did you mean 'arc-eager'?"),
        ({"model": {"kind": "graf"}}, "model.kind is 'graf'; did you mean 'graph'? known: "),
        ({"model": {"case": "lower"}}, "give one of sensitive, insensitive"),
        ({"model": {"degree": 0}}, "give at least 1"),
        ({"model": {"max_rows": 0}}, "give at least 1"),
        ({"model": {"least_weight": 0}}, "give at least 1"),
        ({"model": {"least_weight": 128}}, "give at most 127"),
        ({"tagger": {"folds": -1}}, "give at least 0"),
        ({"tagger": {"epochs": 0}}, "give at least 1"),
        ({"tagger": {"learner": "svm"}}, "give one of logistic, perceptron, tnt"),
        ({"tagger": {"known_words": "some"}}, "tagger.known_words is 'some'; give one of seen"),
        (
            {"tagger": {"learner": "tnt", "smoothing": 0}},
            "tagger.smoothing is 0.0; give a number above 0",
        ),
        ({"training": {"greedy_learner": "tnt"}}, "give one of perceptron, maxent, svm"),
        ({"training": {"learning_rate": 0}}, "learning_rate is 0.0; give a number above 0"),
        ({"training": {"adagrad_epsilon": -1}}, "adagrad_epsilon is -1.0; give at least 0"),
        ({"training": {"l2": -0.1}}, "training.l2 is -0.1; give at least 0"),
        ({"training": {"l2": 2}}, "training.l2 is 2.0; give at most 1"),
        ({"training": {"epochs": 0}}, "training.epochs is 0; give at least 1"),
        ({"training": {"explore": 1.5}}, "training.explore is 1.5; give at most 1"),
        ({"training": {"explore": -0.5}}, "give at least 0"),
        ({"training": {"update": "late"}}, "give one of max-violation, early"),
        ({"training": {"checkpoint_minutes": -1}}, "give at least 0"),
        ({"objective": []}, "nothing to learn from; add [[objective]]"),
        ({"objective": [{}]}, "nothing to learn from"),
        ({"objective": [{"kind": "luck", "data": str(TOY)}]}, "objective[0].kind"),
    ],
)
def test_impossible_values(record: dict[str, Any], message: str) -> None:
    assert message in refusal(record)


@pytest.mark.parametrize(
    ("table", "key", "value"),
    [
        ("training", "seed", -1),
        ("training", "seed", 2**70),
        ("training", "margin", float("nan")),
        ("training", "explore", float("nan")),
        ("tagger", "learning_rate", -1.0),
        ("tagger", "adagrad_epsilon", -1.0),
    ],
)
def test_numbers_with_which_nothing_can_be_learned(table: str, key: str, value: float) -> None:
    assert f"{table}.{key} is" in refusal({table: {key: value}})


@pytest.mark.parametrize(
    ("record", "key"),
    [
        ({"objective": [{"data": "no.conllu"}]}, "objective[0].data"),
        ({"objective": [{"data": [str(TOY), "no.conllu"]}]}, "objective[0].data"),
        ({"training": {"dev": "no.conllu"}}, "training.dev"),
        ({"model": {"clusters": "no.clusters"}}, "model.clusters"),
        ({"model": {"features": "no/features"}}, "model.features"),
    ],
)
def test_missing_files(record: dict[str, Any], key: str) -> None:
    message = refusal(record)
    assert f"{key}: no file" in message
    assert "paths are relative to c.toml" in message


def test_costs_are_not_learned_by_local_classifiers() -> None:
    record = {
        "model": {"beam": 1},
        "training": {"greedy_learner": "svm"},
        "objective": [{"data": str(TOY)}, {"kind": "arc-length", "data": str(TOY)}],
    }
    assert "greedy_learner is svm, but costs are learned by perceptron steps" in refusal(record)
    assert "a model.beam above 1 and model.greedy = false" in refusal({**record, "model": {}})
    only_beam = make_config({**record, "model": {"greedy": False}})
    assert only_beam.family.greedy_learner == "svm"


def test_a_folder_is_no_file(tmp_path: Path) -> None:
    assert "no file" in refusal({"training": {"dev": str(tmp_path)}})


def test_text_that_is_not_toml(tmp_path: Path) -> None:
    for text in ("model.beam 3", "[model]\nbeam = 1\nbeam = 2", "[model"):
        path = written(tmp_path, text)
        with pytest.raises(ConfigError) as caught:
            read_config(path)
        assert str(caught.value).startswith(f"{path}: not TOML: ")
        assert len(str(caught.value).splitlines()) == 1
    Path(path).write_bytes(b'name = "\xff"')
    with pytest.raises(ConfigError, match="not TOML"):
        read_config(path)
    with pytest.raises(FileNotFoundError):
        read_config(str(tmp_path / "no.toml"))


# -- overrides -------------------------------------------------------------------


def overridden(tmp_path: Path, *overrides: str) -> Config:
    path = written(tmp_path, f'[model]\nbeam = 2\n[[objective]]\ndata = "{TOY}"\n')
    return read_config(path, overrides)


def test_overrides(tmp_path: Path) -> None:
    config = overridden(
        tmp_path,
        "model.beam=16",
        "model.system=arc-eager",
        "model.greedy=false",
        'card.name="a=b"',
        "training.margin = 2.5",
        'model.more_features=["s0.form"]',
        "training.seed=1",
        "training.seed=2",
    )
    assert (config.family.beam, config.family.system) == (16, "arc-eager")
    assert config.family.greedy is False
    assert config.card.name == "a=b"
    assert config.family.margin == 2.5
    assert config.model.more_features == ("s0.form",)
    assert config.training.seed == 2, "the last one holds"
    assert overridden(tmp_path).family.beam == 2


def test_what_an_override_makes_pointless_is_left_out(tmp_path: Path) -> None:
    lines = [
        *("[tagger]", "epochs = 2", "folds = 2", "[training]", "greedy_epochs = 3", "epochs = 3"),
        *("[[objective]]", f'data = "{TOY}"', "interpolate = 0.5", "interpolate_epochs = 2"),
    ]
    path = written(tmp_path, "\n".join(lines))
    tnt = read_config(path, ["tagger.learner=tnt", "objective.0.interpolate=0"])
    assert (tnt.tagger.learner, tnt.tagger.folds) == ("tnt", 2)
    graph = read_config(path, ["model.kind=graph", "objective.0.interpolate=0"])
    assert (graph.model.kind, graph.training.epochs) == ("graph", 3)
    assert not read_config(path, ["tagger.tags=false"]).tagger.tags
    for overrides, message in (
        (["model.kind=graph"], "interpolate does not go with"),
        (["model.kind=graph", "model.beam=3"], 'model.beam goes with model.kind = "transition"'),
        (["tagger.learner=tnt", "tagger.margin=3"], 'margin says nothing with learner = "tnt"'),
        (["tagger.margin=3"], 'margin says nothing with learner = "logistic"'),
    ):
        with pytest.raises(ConfigError, match=message):
            read_config(path, overrides)


def test_overrides_of_an_entry(tmp_path: Path) -> None:
    (tmp_path / "b.conllu").write_bytes(TOY.read_bytes())
    config = overridden(tmp_path, "objective.0.data=b.conllu")
    assert config.objective[0].data == (str(tmp_path / "b.conllu"),)


@pytest.mark.parametrize(
    ("override", "message"),
    [
        ("model.beam", "--set model.beam: write key=value"),
        ("model.beem=3", "unknown key model.beem; did you mean 'beam'?"),
        ("model.beam=0", "model.beam is 0; give at least 1"),
        ("model.beam=many", "model.beam is 'many'; give a whole number"),
        ("model.beam.width=3", "is not a key"),
        ("model.beam.width.more=3", "is not a key"),
        ("objective.7.data=x", "no entry '7'"),
        ("objective.data=x", "is not a key"),
        ("=3", "unknown key"),
        ("model=3", "model is '3'; make it a table"),
    ],
)
def test_bad_overrides(tmp_path: Path, override: str, message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        overridden(tmp_path, override)
    assert message in str(caught.value)
    assert len(str(caught.value).splitlines()) == 1


def test_all_systems_can_be_named() -> None:
    assert system_names() == ["arc-eager", "arc-hybrid", "arc-standard", "arc-standard-swap"]
    for name in system_names():
        assert make_config({**WHOLE, "model": {"system": name}}).family.system == name


def test_half_a_surrogate_pair_is_no_text(tmp_path: Path) -> None:
    """It could not be written to the model after all the training."""
    path = tmp_path / "c.json"
    path.write_text('{"card": {"name": "\\ud800"}}')
    with pytest.raises(ConfigError, match=r"c.json: card.name is .*; give Unicode text"):
        read_config(str(path))
    path.write_text("{}")
    with pytest.raises(ConfigError, match=r"card.name is .*; give Unicode text"):
        read_config(str(path), ["card.name=\udcff"])
