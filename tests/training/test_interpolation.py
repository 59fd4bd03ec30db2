"""Weights of one treebank interpolated with those of all: a small one is heard beside much text."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from niwaki.data.sentence import Sentence
from niwaki.errors import ConfigError
from niwaki.learning.workers import Stopped
from niwaki.metrics.attachment import evaluate
from niwaki.pipeline.pipeline import Pipeline
from niwaki.pipeline.store import load
from niwaki.training.config import TreebankConfig
from niwaki.training.config_file import make_config
from niwaki.training.run import train
from niwaki.training.treebanks import read_treebanks
from tests.toy import QUICK, TOY, Log, quick_model, write


def in_another_way(sentence: Sentence) -> Sentence:
    """Another convention: nouns are named otherwise, and so is what they are."""
    return sentence.replace(
        upos=["PROPN" if tag == "NOUN" else tag for tag in sentence.upos],
        deprels=["dep" if x == "nsubj" else x for x in sentence.deprels],
    )


def trained(folder: Path, toy: list[Sentence], share: float, **tagger: Any) -> Pipeline:
    much = write(folder / "much.conllu", [in_another_way(s) for s in toy])
    record: dict[str, Any] = {
        **QUICK,
        "tagger": tagger or QUICK["tagger"],
        "objective": [{"data": str(TOY), "interpolate": share}, {"data": str(much), "weight": 4.0}],
    }
    path = folder / f"{share}.niwaki"
    train(make_config(record), path, Log())
    return load(path)


def test_the_small_treebank_is_heard_by_the_tagger(tmp_path: Path, toy: list[Sentence]) -> None:
    low, high = (
        evaluate(toy, trained(tmp_path, toy, share).parse(toy, retag=True)).scores["UPOS"]
        for share in (0.0, 0.9)
    )
    assert low < 80
    assert high > 95


@pytest.mark.parametrize("beam", [1, 4])
def test_it_is_heard_by_the_parser(beam: int, tmp_path: Path, toy: list[Sentence]) -> None:
    def subjects(share: float) -> int:
        model = trained(tmp_path, toy, share, tags=False)
        return sum(x == "nsubj" for s in model.parse(toy, beam=beam) for x in s.deprels)

    wanted = sum(x == "nsubj" for s in toy for x in s.deprels)
    assert subjects(0.0) < wanted / 4
    assert subjects(0.9) > 3 * wanted / 4


def test_its_passes_are_reported(tmp_path: Path) -> None:
    log = Log()
    record = {**QUICK, "objective": [{"data": str(TOY), "interpolate": 0.5}, {"data": str(TOY)}]}
    train(make_config(record), tmp_path / "m", log)
    for stage in ("parser-alone", "greedy-alone"):
        assert [e.epoch for e in log.epochs if e.stage == stage] == [1, 2, 3, 4, 5, 6]


@pytest.mark.parametrize("stage", ["parser-alone", "greedy-alone", "parser"])
def test_a_run_that_was_stopped_ends_with_the_same_model(
    stage: str, tmp_path: Path, toy: list[Sentence]
) -> None:
    class Stopper(Log):
        def epoch(self, report: Any) -> None:
            super().epoch(report)
            if (report.stage, report.epoch) == (stage, 2):
                raise KeyboardInterrupt

    record = {
        **QUICK,
        "objective": [{"data": str(TOY), "interpolate": 0.5}, {"data": str(TOY)}],
        "training": {**QUICK["training"], "checkpoint_minutes": 0},
    }
    config = make_config(record)
    train(config, tmp_path / "whole", Log(), threads=1)
    with pytest.raises((KeyboardInterrupt, Stopped)):
        train(config, tmp_path / "parts", Stopper(), threads=1)
    train(config, tmp_path / "parts", Log(), resume=True, threads=1)
    assert (tmp_path / "parts").read_bytes() == (tmp_path / "whole").read_bytes()


def test_only_what_sentences_train_is_interpolated(tmp_path: Path) -> None:
    corpus = read_treebanks(
        [
            TreebankConfig(data=(str(TOY),), weight=3.0),
            TreebankConfig(data=(str(TOY),), interpolate=0.5, trains=("tags",), weight=2.0),
        ]
    )
    size = len(corpus.sentences) // 2
    assert corpus.interpolated_part("trees") is None
    found = corpus.interpolated_part("tags")
    assert found is not None
    own, chosen = found
    assert np.flatnonzero(chosen).tolist() == list(range(size, 2 * size))
    assert own.sentences == corpus.sentences[size:]
    # Once a pass, whatever they weigh among the others.
    assert own.visits("tags") == size
    assert corpus.interpolated_visits("tags") == 6 * size
    assert corpus.words_of(chosen).sum() == own.words
    # Of a half of the corpus, half are interpolated.
    half = corpus.part(np.arange(0, 2 * size, 2)).interpolated_part("tags")
    assert half is not None
    assert half[0].sentences == corpus.sentences[size + size % 2 :: 2]


@pytest.mark.parametrize(
    ("record", "message"),
    [
        (
            {"objective": [{"interpolate": 1.0}]},
            r"objective\[0\].interpolate is 1.0; give a number below 1",
        ),
        (
            {"objective": [{"interpolate": -0.1}]},
            r"objective\[0\].interpolate is -0.1; give at least 0",
        ),
        (
            {"objective": [{"interpolate": 0.5, "interpolate_epochs": 0}]},
            "interpolate_epochs is 0; give at least 1",
        ),
        (
            {"objective": [{"interpolate": 0.5}, {"interpolate": 0.2}]},
            "interpolate is given to two objectives",
        ),
        (
            {"objective": [{"interpolate": 0.5}], "model": {"kind": "graph"}},
            "does not go with model.kind",
        ),
        (
            {"objective": [{"interpolate": 0.5}], "tagger": {"learner": "tnt"}},
            "does not go with tagger",
        ),
        (
            {"objective": [{"interpolate": 0.5}, {"kind": "partial"}]},
            "does not go with costs",
        ),
        (
            {"objective": [{"kind": "partial", "interpolate": 0.5}]},
            'interpolate goes with kind = "treebank"',
        ),
    ],
)
def test_what_cannot_be(record: dict[str, Any], message: str) -> None:
    objectives = [{"data": str(TOY), **each} for each in record["objective"]]
    with pytest.raises(ConfigError, match=message):
        make_config({**record, "objective": objectives})


def test_a_model_that_is_trained_on_knows_nothing_of_it(tmp_path: Path) -> None:
    config = make_config({"objective": [{"data": str(TOY), "interpolate": 0.5}]})
    with pytest.raises(ConfigError, match="trained from nothing"):
        train(config, tmp_path / "on", Log(), init=quick_model(tmp_path / "m"))
