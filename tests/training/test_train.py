"""Whole training runs on toy data: the same model always, of every kind."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from niwaki.data.sentence import Sentence
from niwaki.errors import ConfigError
from niwaki.features.brown import cluster
from niwaki.features.clusters import write_clusters
from niwaki.features.templates import feature_set_names
from niwaki.features.weights import PackedWeights
from niwaki.kernel.transition.systems import system_names
from niwaki.metrics.attachment import evaluate
from niwaki.pipeline.pipeline import Pipeline
from niwaki.pipeline.store import load
from niwaki.tagging.trigrams import Trigrams
from niwaki.training.config_file import make_config
from niwaki.training.run import train
from tests.toy import (
    NEW,
    TOY,
    Log,
    check,
    quick_model,
    write,
)


def weights(model: Pipeline) -> dict[str, bytes]:
    assert isinstance(model.parser.model.weights, PackedWeights)
    return {name: array.tobytes() for name, array in model.parser.model.weights.arrays.items()}


# -- the same model always -------------------------------------------------------


def test_a_seed_makes_a_model(model_path: Path, tmp_path: Path) -> None:
    path = tmp_path / "m.niwaki"
    quick_model(path)
    assert path.read_bytes() == model_path.read_bytes()
    other = quick_model(path, training={"seed": 2})
    assert weights(other) != weights(load(model_path))


@pytest.mark.parametrize("threads", [2, 7])
def test_threads_do_not_matter(model_path: Path, tmp_path: Path, threads: int) -> None:
    path = tmp_path / "m.niwaki"
    quick_model(path, threads=threads)
    assert path.read_bytes() == model_path.read_bytes()


def test_checkpoints_do_not_matter(model: Pipeline, tmp_path: Path) -> None:
    """What is learned does not depend on how often it is written down."""
    often = quick_model(tmp_path / "m", training={"checkpoint_minutes": 0}, threads=2)
    assert weights(often) == weights(model)
    assert sorted(os.listdir(tmp_path)) == ["m", "m.log.jsonl"], "no checkpoint is left"


# -- kinds of parsers ------------------------------------------------------------


def test_greedy_search_looks_at_less_than_the_beam(tmp_path: Path) -> None:
    features = tmp_path / "own.txt"
    features.write_text("s0.tag + b0.tag\ns1.tag + s0.tag\nbeam: s0.form + b0.form + s1.case\n")
    path = tmp_path / "m"
    table = {"features": str(features), "beam": 4, "more_features": ["s0.lefts"]}
    quick_model(path, model=table, training={"dev": str(TOY)})
    again = make_config({"objective": [{"data": str(TOY)}], "training": {"epochs": 1}})
    fine_tuned = train(again, tmp_path / "again", Log(), init=load(path))
    for model in (load(path), fine_tuned, load(tmp_path / "again")):
        counts = [
            x.kernel.program.template_count for x in (model.parser.model, model.parser.greedy)
        ]
        assert counts == [4, 3]
        check(model)
    # A model without a beam is greedy.
    alone = quick_model(tmp_path / "g", model={**table, "beam": 1})
    assert alone.parser.model.kernel.program.template_count == 3


@pytest.mark.parametrize("system", system_names())
@pytest.mark.parametrize("features", feature_set_names())
def test_every_system_and_feature_set_learns(
    tmp_path: Path, toy: list[Sentence], system: str, features: str
) -> None:
    path = tmp_path / "m"
    log = Log()
    write_clusters(cluster(toy, 12, min_count=2), tmp_path / "clusters.txt")
    # Sets without tags need clusters. The smaller one is made for arc-eager, and for others too
    # poor to learn every sentence.
    clusters = str(tmp_path / "clusters.txt") if features in ("alshawi2011", "words") else ""
    is_poor = features == "alshawi2011"
    for update in ("early", "max-violation"):
        quick_model(
            path,
            log=log,
            model={"system": system, "features": features, "beam": 3, "clusters": clusters},
            tagger={"folds": 0, "epochs": 2},
            training={"update": update, "epochs": 5, "greedy_epochs": 5},
        )
        model = load(path)
        check(model)
        for width in (1, 3):
            assert evaluate(toy, model.parse(toy, beam=width)).scores["LAS"] > (
                30 if is_poor else 55
            )
        for stage in ("parser", "greedy"):
            reports = [report for report in log.epochs if report.stage == stage]
            assert [report.epoch for report in reports] == list(range(1, 6))
            fewer = reports[-1].updates < reports[0].updates
            assert fewer or is_poor, "it makes fewer mistakes"
        log.epochs.clear()


@pytest.mark.parametrize("system", system_names())
def test_a_beam_of_one_is_greedy(tmp_path: Path, toy: list[Sentence], system: str) -> None:
    log = Log()
    quick_model(tmp_path / "m", log=log, model={"system": system, "beam": 1})
    model = load(tmp_path / "m")
    assert model.parser.greedy is None
    assert {report.stage for report in log.epochs} == {"parser"}
    assert evaluate(toy, model.parse(toy)).scores["LAS"] > 55
    check(model)


def test_the_updates_differ(model: Pipeline, tmp_path: Path) -> None:
    early = quick_model(tmp_path / "m", training={"update": "early"})
    assert weights(early) != weights(model)


def test_without_a_greedy_parser_the_other_one_serves(tmp_path: Path) -> None:
    quick_model(tmp_path / "m", model={"greedy": False})
    model = load(tmp_path / "m")
    assert model.parser.greedy is None
    check(model)


@pytest.mark.parametrize("learner", ["logistic", "perceptron"])
def test_both_taggers_learn(tmp_path: Path, toy: list[Sentence], learner: str) -> None:
    model = quick_model(tmp_path / "m", tagger={"learner": learner})
    assert evaluate(toy, model.parse(toy, retag=True)).scores["XPOS"] > 90


@pytest.mark.parametrize("known_words", ["seen", "all"])
def test_a_trigram_tagger_serves_like_the_others(
    tmp_path: Path, toy: list[Sentence], known_words: str
) -> None:
    path = tmp_path / "m"
    trained = quick_model(
        path,
        tagger={"learner": "tnt", "known_words": known_words},
        training={"dev": str(TOY)},
        threads=2,
    )
    model = load(path)
    assert model.tagger is not None
    assert isinstance(model.tagger.model, Trigrams)
    assert (model.tagger.model.smoothing > 0) == (known_words == "all")
    assert [s.source for s in model.parse(toy)] == [s.source for s in trained.parse(toy)]
    scores = evaluate(toy, model.parse(toy, retag=True)).scores
    assert scores["UPOS"] > 90
    assert scores["XPOS"] > 90
    assert scores["LAS"] > 55
    parsed = check(model)
    assert "_" not in parsed.upos
    (sure,) = model.parse([NEW], probabilities=True)
    assert all("TagProb=" in misc for misc in sure.misc)
    for likely in model.likely_tags(NEW, 2):
        assert likely[0][2] >= likely[1][2]
    # Tags that are given stay.
    given = NEW.replace(upos=["X"] * len(NEW))
    (kept,) = model.parse([given])
    assert set(kept.upos) == {"X"}


def test_folds_of_a_model_that_is_trained_on_have_its_kind_of_tagger(
    tmp_path: Path,
) -> None:
    def trained_on(init: Pipeline, learner: str) -> Pipeline:
        epochs = {} if learner == "tnt" else {"epochs": 1}
        record = {
            "tagger": {"folds": 2, "learner": learner, **epochs},
            "training": {"epochs": 1},
            "objective": [{"data": str(TOY)}],
        }
        return train(make_config(record), tmp_path / "n", Log(), init=init)

    tnt = quick_model(tmp_path / "m", tagger={"learner": "tnt"}, model={"greedy": False})
    on = trained_on(tnt, "logistic")
    assert on.tagger is not None
    assert isinstance(on.tagger.model, Trigrams)
    linear = quick_model(tmp_path / "m", model={"greedy": False})
    on = trained_on(linear, "tnt")
    assert on.tagger is not None
    assert isinstance(on.tagger.model, PackedWeights)


def test_more_pairs_of_tags_than_trigrams_can_hold(tmp_path: Path, toy: list[Sentence]) -> None:
    """UPOS by trigrams, and XPOS chosen afterwards."""
    numbered = [
        s.replace(xpos=[f"{(n + k) % 95}" for n in range(len(s))]) for k, s in enumerate(toy * 3)
    ]
    data = write(tmp_path / "fine.conllu", numbered)
    model = quick_model(tmp_path / "m", data, tagger={"learner": "tnt", "folds": 0})
    assert model.tagger is not None
    assert not len(model.tagger.xpos)
    assert evaluate(toy, model.parse(toy, retag=True)).scores["UPOS"] > 90
    parsed = check(model)
    assert "_" not in parsed.xpos


@pytest.mark.parametrize("learner", ["maxent", "svm"])
@pytest.mark.parametrize("system", system_names())
def test_local_classifiers_learn(
    tmp_path: Path, toy: list[Sentence], learner: str, system: str
) -> None:
    log = Log()
    path = tmp_path / "m"
    quick_model(
        path,
        log=log,
        model={"system": system, "features": "lean", "beam": 1},
        training={"greedy_learner": learner, "greedy_epochs": 6, "learning_rate": 0.3},
    )
    model = load(path)
    assert evaluate(toy, model.parse(toy)).scores["LAS"] > 70
    assert log.epochs[-1].updates < log.epochs[0].updates / 4
    check(model)


def test_clusters_and_own_features(tmp_path: Path, toy: list[Sentence]) -> None:
    clusters = tmp_path / "the-clusters"
    forms = sorted({form for sentence in toy for form in sentence.forms})
    clusters.write_text("".join(f"{i % 8:04b}\t{form}\t1\n" for i, form in enumerate(forms)))
    own = tmp_path / "own.txt"
    own.write_text("s0.tag\nb0.tag\ns1.tag\ns0.cluster4 + s1.tag\n")
    path = tmp_path / "m"
    trained = quick_model(
        path,
        model={
            "clusters": str(clusters),
            "features": str(own),
            "more_features": ["s0.form + b0.form"],
        },
    )
    clusters.unlink()
    own.unlink()
    model = load(path)
    assert [s.source for s in model.parse(toy)] == [s.source for s in trained.parse(toy)]
    assert "s0.form + b0.form" in model.parser.model.spec.features
    assert model.clusters is not None and len(model.clusters.paths) == len(forms)
    check(model)
    assert str(tmp_path) not in str(model.config), "the card names no folder"


@pytest.mark.parametrize(
    ("model", "message"),
    [
        ({"features": "ritch"}, "did you mean 'rich'"),
        ({"more_features": ["s9.form"]}, "no place 's9'"),
        ({"more_features": ["s0.form + s0.form"]}, "a part stands twice"),
        ({"features": "hall2011", "degree": 4}, "templates"),
    ],
)
def test_bad_features_are_refused_before_anything_is_learned(
    tmp_path: Path, model: dict[str, Any], message: str
) -> None:
    log = Log()
    with pytest.raises(ConfigError, match=message) as caught:
        quick_model(tmp_path / "m", log=log, model=model)
    assert len(str(caught.value).splitlines()) == 1
    assert not log.stages


def test_tiny_tables_still_parse(tmp_path: Path) -> None:
    check(quick_model(tmp_path / "m", model={"max_rows": 1}, tagger={"max_rows": 1}))


def test_small_weights_are_kept_if_wanted(tmp_path: Path) -> None:
    def smallest(least: int) -> int:
        nlp = quick_model(tmp_path / f"m{least}", model={"least_weight": least})
        return min(abs(nlp.parser.model.weights.arrays["entry_weights"].astype(int)))

    assert [smallest(least) for least in (1, 2, 20)] == [1, 2, 20]


def test_dev_chooses_the_epoch(tmp_path: Path, toy: list[Sentence]) -> None:
    dev = write(tmp_path / "dev.conllu", toy[20:])
    data = write(tmp_path / "train.conllu", toy[:20])
    log = Log()
    model = quick_model(
        tmp_path / "m", data, log, training={"dev": str(dev), "epochs": 6, "greedy_epochs": 6}
    )
    for stage, name in (("parser", "beam"), ("greedy", "greedy")):
        best = max(report.las or 0 for report in log.epochs if report.stage == stage)
        assert model.config["scores_on_dev"][name]["LAS"] == pytest.approx(best, abs=0.01)
