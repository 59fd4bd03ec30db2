"""Cards of models: old ones are read with the names of today, and say what they should."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from niwaki.data.modelfile import read_model_file
from niwaki.errors import ConfigError
from niwaki.parsers.graph.config import GraphConfig
from niwaki.parsers.transition.config import TransitionConfig
from niwaki.pipeline.store import find_model
from niwaki.training.card import card_of, upgraded, used_settings
from niwaki.training.config import Config, TreebankConfig, continued
from niwaki.training.config_file import make_config
from tests.toy import TOY

# What a model of an earlier version has kept, with all keys of all kinds.
OLD: dict[str, Any] = {
    "card": {"name": "old"},
    "model": {"kind": "transition", "system": "arc-eager", "beam": 4, "crossing": "encode"},
    "graph": {"trainer": "mira", "rate": 0.2, "c": 2.0},
    "segmenter": {"enabled": False, "rate": 0.3, "patience": 2},
    "tagger": {"rate": 0.4, "damping": 0.5, "patience": 3},
    "objective": [
        {
            "kind": "treebank",
            "data": ["a.conllu"],
            "soft": True,
            "teaches": ["trees"],
            "skip_bad": True,
            "alone": 0.5,
            "alone_epochs": 3,
            "scale": "usual",
            "rules": "",
        },
        {
            "kind": "reordering",
            "data": ["r.jsonl"],
            "rules": "ja",
            "scale": "usual",
            "teaches": ["trees"],
            "labelled": True,
            "command": [],
            "select": "hope-fear",
        },
        {"kind": "gone:cost", "data": [], "scale": 9.0, "own": 3},
    ],
    "uptraining": {"soft": False, "teaches": ["tags"]},
    "training": {"rate": 0.1, "damping": 0.2, "decay": 0.3, "patience": 3, "round": 8},
    "data": {"words": 9},
    "scores_on_dev": {"beam": {"LAS": 90.0}},
}


def test_an_old_card_has_the_names_of_today() -> None:
    found = upgraded(OLD)
    assert found["model"] == {
        "kind": "transition",
        "system": "arc-eager",
        "beam": 4,
        "nonprojective": "pseudo-projective",
    }
    assert "graph" not in found, "a transition parser has nothing to say of it"
    assert found["segmenter"] == {"enabled": False, "learning_rate": 0.3, "min_updates": 2}
    assert found["tagger"] == {"learning_rate": 0.4, "adagrad_epsilon": 0.5, "min_updates": 3}
    trees, order, gone = found["objective"]
    assert trees == {
        "kind": "treebank",
        "data": ["a.conllu"],
        "weight_by_confidence": True,
        "trains": ["trees"],
        "on_error": "skip",
        "interpolate": 0.5,
        "interpolate_epochs": 3,
    }
    assert order == {
        "kind": "reordering",
        "data": ["r.jsonl"],
        "rules": "ja",
        "scale": "auto",
        "select": "hope-fear",
    }
    assert gone == {"kind": "gone:cost", "data": [], "scale": 9.0, "own": 3}
    assert found["uptraining"] == {"weight_by_confidence": False, "trains": ["tags"]}
    rates = {"learning_rate": 0.1, "adagrad_epsilon": 0.2, "l2": 0.3}
    assert found["training"] == {**rates, "min_updates": 3, "batch_size": 8}
    assert (found["data"], found["scores_on_dev"]) == (OLD["data"], OLD["scores_on_dev"])
    assert upgraded(found) == found


def test_an_old_card_of_a_graph_parser() -> None:
    found = upgraded({**OLD, "model": {**OLD["model"], "kind": "graph"}})
    assert found["model"] == {"kind": "graph"}
    assert found["graph"] == {"trainer": "mira", "learning_rate": 0.2, "l2": 0.5}
    assert found["training"] == {"batch_size": 8}


def test_the_card_of_a_family_that_is_not_at_hand_stays() -> None:
    record = {**OLD, "model": {"kind": "of-dreams", "crossing": "lift"}}
    assert upgraded(record) == record
    assert used_settings(record)["model"] == record["model"]


@pytest.mark.parametrize(
    "wrong",
    [
        {"model": 3},
        {"model": {"kind": ["x"]}},
        {"tagger": [1], "segmenter": None},
        {"objective": {"kind": "treebank"}},
        {"objective": [3]},
        {"objective": [{"kind": 3, "scale": ["usual"]}]},
    ],
)
def test_a_damaged_card_stays_as_it_is(wrong: dict[str, Any]) -> None:
    assert upgraded(wrong) == wrong
    assert used_settings(wrong) == wrong


def test_a_card_imports_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A model may come from anywhere; what it names is not run."""
    (tmp_path / "trap.py").write_text("raise SystemExit('imported')")
    monkeypatch.syspath_prepend(tmp_path)
    record = {"objective": [{"kind": "trap:cost", "own": 1, "scale": "usual"}]}
    found = upgraded(record)
    assert found == {"objective": [{"kind": "trap:cost", "own": 1, "scale": "auto"}]}
    assert used_settings(found)["objective"] == found["objective"]


def test_the_card_of_the_model_in_the_box_is_a_configuration() -> None:
    card = upgraded(read_model_file(find_model("en")).config)
    tables = {name: card[name] for name in Config().to_json() if name != "objective"}
    treebank = {**card["objective"][2], "data": str(TOY)}
    for paths, key in (("model", "clusters"), ("training", "dev")):
        tables[paths] = {**tables[paths], key: ""}
    config = make_config({**used_settings(tables), "objective": [used_treebank(treebank)]})
    assert (config.family.min_updates, config.tagger.folds) == (3, 4)
    (objective,) = config.objective
    assert isinstance(objective, TreebankConfig)
    assert (objective.trains, objective.on_error) == (("tags", "trees"), "fail")


def used_treebank(record: dict[str, Any]) -> dict[str, Any]:
    (found,) = used_settings({"objective": [record]})["objective"]
    assert isinstance(found, dict)
    return found


def test_a_card_shows_what_says_something() -> None:
    objective = {"data": str(TOY), "weight": 3, "trains": ["trees"], "label_map": {"a": "b"}}
    config = make_config(
        {
            "objective": [objective, {"kind": "arc-length", "data": str(TOY)}],
            "segmenter": {"enabled": False},
            "tagger": {"learner": "tnt"},
        }
    )
    shown = used_settings(card_of(config))
    assert shown["segmenter"] == {"enabled": False}
    assert {"epochs", "learning_rate", "margin"}.isdisjoint(shown["tagger"])
    assert {"known_words", "smoothing"} <= set(shown["tagger"])
    trees, lengths = shown["objective"]
    assert (trees["weight"], trees["trains"], trees["label_map"]) == (3.0, ["trees"], {"a": "b"})
    assert {"links", "tag_map", "leave_out", "interpolate_epochs", "k"}.isdisjoint(trees)
    assert lengths["labelled"] is True
    assert {"max_k", "rules"}.isdisjoint(lengths)
    assert "explore" in shown["training"] and "l2" not in shown["training"]


def test_files_are_kept_by_their_last_part(tmp_path: Path) -> None:
    own = tmp_path / "own.txt"
    own.write_text("h.form")
    said = {"kind": "command", "command": ["/usr/bin/judge", "--secret"]}
    config = make_config(
        {
            "model": {"kind": "graph", "clusters": str(own)},
            "graph": {"label_features": str(own)},
            "objective": [{"data": [str(TOY)]}, {**said, "data": str(TOY)}],
            "training": {"dev": str(TOY)},
        }
    )
    card = card_of(config)
    assert card["objective"][0]["data"] == [TOY.name]
    assert str(tmp_path) not in json.dumps(card)
    assert (card["model"]["features"], card["model"]["clusters"]) == ("rich", "own.txt")
    assert card["graph"]["label_features"] == "own.txt"
    assert card["objective"][1]["command"] == ["judge"]
    assert card["training"]["dev"] == TOY.name
    assert json.loads(json.dumps(card)) == card


# -- training on -------------------------------------------------------------------

TREES = {"objective": [{"data": str(TOY)}]}


def test_a_transition_parser_stays_what_it_is() -> None:
    made = make_config({**TREES, "model": {"beam": 3, "max_rows": 9, "more_features": ["s0.form"]}})
    card = json.loads(json.dumps(card_of(made)))
    on = continued(make_config({**TREES, "training": {"margin": 7}}), card)
    assert (on.family.beam, on.model.max_rows, on.model.more_features) == (3, 9, ("s0.form",))
    assert on.family.margin == 7.0, "how it learns is as configured"
    assert continued(on, card) == on
    same = make_config({**TREES, "model": {"beam": 3}})
    assert continued(same, card).family.beam == 3, "what it is may be said"
    for wrong in ({"beam": 8}, {"system": "arc-eager"}, {"features": "lean"}):
        (key,) = wrong
        with pytest.raises(ConfigError, match=f"model.{key} cannot be chosen with --init"):
            continued(make_config({**TREES, "model": wrong}), card)


def test_a_graph_parser_learns_on_with_smaller_steps() -> None:
    made = make_config(
        {
            **TREES,
            "model": {"kind": "graph"},
            "graph": {"trainer": "mira", "k": 3, "decode": "eisner", "learning_rate": 0.5},
        }
    )
    card = card_of(made)
    on = continued(make_config(TREES), card)
    assert on.model.kind == "graph"
    assert isinstance(on.family, GraphConfig)
    assert (on.family.trainer, on.family.k, on.family.decode) == ("mira", 3, "eisner")
    assert (on.family.learning_rate, on.family.adagrad_epsilon) == (0.05, 1.0)
    said = {"model": {"kind": "graph"}, "graph": {"learning_rate": 0.2, "trainer": "perceptron"}}
    on = continued(make_config({**TREES, **said}), card)
    assert (on.family.learning_rate, on.family.trainer) == (0.2, "perceptron")
    with pytest.raises(ConfigError, match=r"graph\.decode cannot be chosen with --init"):
        continued(make_config({**TREES, **said, "graph": {"decode": "mst"}}), card)
    with pytest.raises(ConfigError, match=r"training\.margin does not go with --init"):
        continued(make_config({**TREES, "training": {"margin": 3}}), card)
    with pytest.raises(ConfigError, match=r"model\.kind does not go with --init"):
        continued(make_config({**TREES, "model": {"kind": "transition"}}), card)
    siblings = make_config(
        {**TREES, "model": {"kind": "graph"}, "graph": {"trainer": "mira", "order": 2}}
    )
    other = make_config({**TREES, **said, "graph": {"trainer": "log-linear"}})
    with pytest.raises(ConfigError, match=r"graph\.order is 2, but log-linear knows arcs only"):
        continued(other, card_of(siblings))


def test_what_is_said_in_python_counts_too() -> None:
    card = card_of(make_config(TREES))
    config = replace(Config(), family=TransitionConfig(beam=3))
    with pytest.raises(ConfigError, match=r"model\.beam cannot be chosen"):
        continued(config, card)
    with pytest.raises(ConfigError, match="`interpolate` is for models that are trained from"):
        continued(replace(Config(), objective=(TreebankConfig(interpolate=0.5),)), card)
