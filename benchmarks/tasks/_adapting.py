"""What the benchmarks of training for a task share: models that are kept, scores, gaps."""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import niwaki
from benchmarks.common import ROOT
from niwaki.data.sentence import Sentence
from niwaki.metrics.attachment import evaluate
from niwaki.metrics.significance import SAMPLES, resample
from niwaki.models.pipeline import Pipeline
from niwaki.training.config import make_config
from niwaki.training.parsing import EpochReport
from niwaki.training.run import train

# Models and files that a benchmark makes; the same settings find them again.
WORK = ROOT / "build" / "tasks"

# Three quarters of the features, one set of weights, nothing but tags and trees.
LEAN: dict[str, Any] = {
    "model": {"features": "lean", "case": "insensitive", "greedy": False},
    "segmenter": {"enabled": False},
    "tagger": {"lemmas": False},
}
# A model that is trained on: tags of the treebank come from two halves instead of ten parts.
ON: dict[str, Any] = {"tagger": {"folds": 2}}


class Lines:
    """Says on stderr what epochs do."""

    def __init__(self, name: str) -> None:
        self._name = name
        self.epochs: list[EpochReport] = []

    def stage(self, name: str, total: int) -> None: ...

    def advance(self, sentences: int) -> None: ...

    def note(self, line: str) -> None: ...

    def epoch(self, report: EpochReport) -> None:
        costs = [f"{o.name} {o.updates}/{o.examples} {o.first:.4f}" for o in report.objectives]
        print(self._name, report.epoch, report.updates, *costs, file=sys.stderr, flush=True)


def trained(name: str, record: Mapping[str, Any], init: Path | None = None) -> Path:
    """The model of a configuration; trained if it is not there from an earlier run."""
    WORK.mkdir(parents=True, exist_ok=True)
    told = json.dumps([record, init.stem if init else ""], sort_keys=True)
    path = WORK / f"{name}-{hashlib.sha256(told.encode()).hexdigest()[:10]}.niwaki"
    if not path.exists():
        begun = niwaki.load(init) if init else None
        train(make_config(record), path, Lines(name), init=begun, resume=True)
    return path


def write(path: Path, sentences: Iterable[Sentence]) -> Path:
    WORK.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"".join(sentence.source for sentence in sentences))
    return path


def parse(model: Path, sentences: Sequence[Sentence], *, retag: bool = True) -> list[Sentence]:
    return list(niwaki.load(model).parse(sentences, retag=retag))


# -- scores of trees --------------------------------------------------------------


def tree_counts(gold: Sequence[Sentence], system: Sequence[Sentence]) -> NDArray[np.int64]:
    """Sentences x (UAS, LAS, root, nsubj) x (right, gold, system)."""
    attachment = evaluate(gold, system).counts[:, :2]
    rest = []
    for one, other in zip(gold, system, strict=True):
        wanted, found = (
            {
                (i, h)
                for i, (h, x) in enumerate(zip(s.heads, s.deprels, strict=True))
                if x == "nsubj"
            }
            for s in (one, other)
        )
        right = one.heads.index(0) == other.heads.index(0)
        rest.append([(int(right), 1, 1), (len(wanted & found), len(wanted), len(found))])
    return np.concatenate([attachment, np.array(rest, dtype=np.int64)], axis=1)


TREE_METRICS = ("UAS", "LAS", "root", "nsubj")


def f1(sums: NDArray[Any]) -> NDArray[np.float64]:
    right, gold, system = np.moveaxis(np.asarray(sums, dtype=np.float64), -1, 0)
    return np.asarray(100 * 2 * right / np.maximum(gold + system, 1))


def closed_gaps(
    low: NDArray[np.int64], high: NDArray[np.int64], found: NDArray[np.int64]
) -> dict[str, Any]:
    """How much of the way from one model to another a third one goes, with intervals."""
    drawn = f1(resample(np.stack([low, high, found], axis=1), SAMPLES, 1))
    sums = f1(np.stack([low, high, found], axis=1).sum(axis=0))
    result = {}
    for at, metric in enumerate(TREE_METRICS):
        gains = drawn[:, 2, at] - drawn[:, 0, at]
        result[metric] = {
            "gain": round(float(sums[2, at] - sums[0, at]), 2),
            "interval": [round(float(x), 2) for x in np.percentile(gains, [2.5, 97.5])],
            "gap": round(float(sums[1, at] - sums[0, at]), 2),
            "closed": round(
                100 * float((sums[2, at] - sums[0, at]) / (sums[1, at] - sums[0, at])), 1
            ),
        }
    return result


def tree_scores(counts: NDArray[np.int64]) -> dict[str, float]:
    return dict(zip(TREE_METRICS, f1(counts.sum(axis=0)).round(2).tolist(), strict=True))


def loaded(path: Path) -> Pipeline:
    return niwaki.load(path)
