"""What is said when a model is trained: all its scores, which epochs it is of, what to do next."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from niwaki.analysis.tables import Table
from niwaki.pipeline.pipeline import Pipeline
from niwaki.training.reporting import Kept, kept_epochs, log_of


def summary(model: Pipeline, output: str | os.PathLike[str]) -> Iterator[str]:
    """The lines of it."""
    path = os.fspath(output)
    scores: dict[str, dict[str, Any]] = model.config.get("scores_on_dev", {})
    if scores:
        yield from _scores(scores).to_text().splitlines()
    kept = kept_epochs(Path(log_of(path)).read_text(encoding="utf-8").splitlines())
    yield from map(_kept, kept)
    if not scores:
        # One that was trained on keeps the probabilities of its start.
        unsure = (
            "" if model.parser.gives_probabilities else ", and the model gives no probabilities"
        )
        yield f"no development data: nothing is scored{unsure}; give --dev, or training.dev"
    yield f"next: niwaki evaluate TEST.conllu -m {path}, niwaki parse FILE -m {path}"


def _scores(scores: dict[str, dict[str, Any]]) -> Table:
    metrics = list(dict.fromkeys(metric for found in scores.values() for metric in found))
    rows = [
        [way, *(f"{found[metric]:.2f}" if metric in found else "" for metric in metrics)]
        for way, found in scores.items()
    ]
    return Table("scores on the development data, in percent", ["", *metrics], rows)


def _kept(each: Kept) -> str:
    why = "the last one" if each.las is None else f"the best one, LAS {each.las:.2f}"
    return f"{each.stage}: epoch {each.epoch} of {each.epochs} is kept, {why}"
