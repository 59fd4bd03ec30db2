"""Several runs over the same sentences in other orders, whose weights are averaged."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from niwaki.data.conllu import read_conllu
from niwaki.errors import ConfigError
from niwaki.features.weights import PackedWeights, average
from niwaki.learning.workers import Stopped
from niwaki.metrics.attachment import evaluate
from niwaki.parsers.transition import trainer as transition
from niwaki.tagging import trainer as tagging
from niwaki.training.config_file import make_config
from niwaki.training.run import train
from niwaki.typing import Arrays
from tests.toy import QUICK, TOY, Log, quick_model


def record(parser: int, tagger: int, **training: Any) -> dict[str, Any]:
    return {
        "model": QUICK["model"],
        "tagger": {**QUICK["tagger"], "runs": tagger},
        "training": {**QUICK["training"], "runs": parser, **training},
        "objective": [{"data": str(TOY)}],
    }


def test_one_run_is_as_if_nothing_were_said(tmp_path: Path) -> None:
    train(make_config({**QUICK, "objective": [{"data": str(TOY)}]}), tmp_path / "unsaid")
    train(make_config(record(1, 1)), tmp_path / "said")
    assert (tmp_path / "said").read_bytes() == (tmp_path / "unsaid").read_bytes()


@pytest.mark.parametrize("module", [transition, tagging])
def test_weights_are_the_mean_of_those_of_all_runs(
    module: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    runs: list[Arrays] = []
    packed: list[PackedWeights] = []
    noted, compress = module.noted, module.compress

    def watched_noted(learned: Arrays, max_rows: int) -> Arrays:
        runs.append(learned)
        return noted(learned, max_rows)

    def watched_compress(learned: Arrays, *arguments: Any) -> PackedWeights:
        found = compress(learned, *arguments)
        if not packed:  # what follows are classifiers of FEATS and lemmas
            runs.append(learned)
            packed.append(found)
        return found

    monkeypatch.setattr(module, "noted", watched_noted)
    monkeypatch.setattr(module, "compress", watched_compress)
    made = record(3, 3)
    made["model"] = {**made["model"], "greedy": False, "least_weight": 1}
    made["tagger"] = {**made["tagger"], "folds": 0}
    train(make_config(made), tmp_path / "m", threads=1)
    assert len(runs) == 3
    slow: dict[tuple[int, int], float] = {}
    for learned in runs:
        of_row = np.repeat(learned["keys"], learned["counts"]).tolist()
        weights = average(learned).tolist()
        for key, number, weight in zip(of_row, learned["classes"].tolist(), weights, strict=True):
            slow[key, number] = slow.get((key, number), 0.0) + weight / 3
    table, step = packed[0].compile(), packed[0].scale
    found = {key: table.scores(np.array([key], dtype=np.uint64)) for key, _ in slow}
    errors = [abs(found[key][number] - weight) for (key, number), weight in slow.items()]
    # Rounded to 8 bits; what rounds to nothing in one run is left out of the mean.
    assert np.mean(np.array(errors) <= 1.5 * step) > 0.99
    assert max(abs(weight) for weight in slow.values()) > 20 * step


@pytest.mark.parametrize("stage", ["parser-run2", "greedy-run3", "parser"])
def test_a_run_that_was_stopped_ends_with_the_same_model(stage: str, tmp_path: Path) -> None:
    class Stopper(Log):
        def epoch(self, report: Any) -> None:
            super().epoch(report)
            if (report.stage, report.epoch) == (stage, 2):
                raise KeyboardInterrupt

    config = make_config(record(3, 2, checkpoint_minutes=0))
    train(config, tmp_path / "whole", threads=1)
    with pytest.raises((KeyboardInterrupt, Stopped)):
        train(config, tmp_path / "parts", Stopper(), threads=1)
    train(config, tmp_path / "parts", Log(), resume=True, threads=1)
    assert (tmp_path / "parts").read_bytes() == (tmp_path / "whole").read_bytes()


def test_progress_counts_all_runs(tmp_path: Path) -> None:
    class Counter(Log):
        counts: dict[str, list[int]]

        def stage(self, name: str, total: int) -> None:
            self.counts = {**getattr(self, "counts", {}), name: [total, 0]}
            self.now = name

        def advance(self, sentences: int) -> None:
            self.counts[self.now][1] += sentences

    log = Counter()
    train(make_config(record(3, 2)), tmp_path / "m", log, threads=1)
    for name in ("tagger", "tags of 2 parts", "parser"):
        total, done = log.counts[name]
        assert done == total > 0, name
    runs = [e.epoch for e in log.epochs if e.stage == "parser-run3"]
    assert runs == [1, 2, 3]


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"training": {"runs": 0}}, r"training.runs is 0; give at least 1"),
        ({"tagger": {"runs": 101}}, r"tagger.runs is 101; give at most 100"),
        (
            {"model": {"kind": "graph"}, "training": {"runs": 2}},
            'training.runs goes with model.kind = "transition"',
        ),
        (
            {"tagger": {"learner": "tnt", "runs": 2}},
            'tagger.runs says nothing with learner = "tnt"',
        ),
        (
            {"training": {"runs": 2}, "objective": [{"data": str(TOY), "interpolate": 0.5}]},
            "training.runs does not go with interpolate",
        ),
        (
            {"tagger": {"runs": 2}, "objective": [{"data": str(TOY), "interpolate": 0.5}]},
            "interpolate does not go with tagger.runs",
        ),
        (
            {
                "training": {"runs": 2, "costs": "throughout"},
                "objective": [
                    {"data": str(TOY)},
                    {"data": str(TOY), "kind": "partial"},
                ],
            },
            "runs is 2, but costs are learned by the last run alone",
        ),
    ],
)
def test_what_cannot_be(changed: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        make_config({"objective": [{"data": str(TOY)}], **changed})


def test_a_model_that_is_trained_on_has_no_runs(tmp_path: Path) -> None:
    model = quick_model(tmp_path / "m")
    with pytest.raises(ConfigError, match=r"training\.runs is for models trained from nothing"):
        train(make_config(record(2, 1)), tmp_path / "on", init=model)


def test_a_model_of_several_runs_can_be_trained_on(tmp_path: Path) -> None:
    model = train(make_config(record(2, 2)), tmp_path / "m")
    on = train(make_config({"objective": [{"data": str(TOY)}]}), tmp_path / "on", init=model)
    gold = list(read_conllu(TOY))
    assert evaluate(gold, on.parse(gold)).scores["LAS"] > 90
