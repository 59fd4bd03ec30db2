"""What the benchmarks of training for a task share: models that are kept, scores, gaps."""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from safetensors.numpy import load_file, save_file

import niwaki
from benchmarks.common import DATA, ROOT, need
from niwaki.data.sentence import Sentence
from niwaki.learning.checkpoint import Checkpoint, hash_of_files
from niwaki.metrics.attachment import evaluate
from niwaki.metrics.base import SAMPLES, Evaluation, resample
from niwaki.parsers.transition.parser import TransitionParser
from niwaki.pipeline.pipeline import Pipeline
from niwaki.pipeline.store import find_model
from niwaki.scale.engine import engine_of
from niwaki.tagging.config import TaggerConfig
from niwaki.tagging.tagger import Tags
from niwaki.tagging.trainer import jackknife
from niwaki.training.config_file import make_config
from niwaki.training.reporting import EpochReport
from niwaki.training.run import train
from niwaki.training.treebanks import read_treebank

# Models and files that a benchmark makes; the same settings find them again.
WORK = ROOT / "build" / "tasks"
EWT_TRAIN = DATA / "ud-english-ewt" / "en_ewt-ud-train.conllu"

# Three quarters of the features, one set of weights, nothing but tags and trees.
LEAN: dict[str, Any] = {
    "model": {"features": "lean", "case": "insensitive", "greedy": False},
    "segmenter": {"enabled": False},
    "tagger": {"lemmas": False, "folds": 4},
}
# The same as a graph parser, log-linear, of arcs alone.
GRAPH: dict[str, Any] = {**LEAN, "model": {"kind": "graph", "case": "insensitive"}}
GRAPH_EPOCHS = 4


def task_parser(description: str | None) -> argparse.ArgumentParser:
    """Arguments of a benchmark with a profile between minutes and hours."""
    made = argparse.ArgumentParser(description=description)
    made.add_argument("--profile", choices=["fast", "standard", "full"], default="standard")
    made.add_argument("--base", type=Path, help="a model of EWT to begin with, of the same kind")
    return made


def base_model(given: Path | None, epochs: int) -> Path:
    """A transition parser of EWT in lower case: a given one, or trained if it is not there."""
    record = {"objective": [{"data": str(need(EWT_TRAIN))}], **LEAN}
    return given or trained("ewt-lower", {**record, "training": {"epochs": epochs}})


def graph_model() -> Path:
    """A graph parser of the same."""
    record = {"objective": [{"data": str(need(EWT_TRAIN))}], **GRAPH}
    return trained("ewt-lower-graph", {**record, "training": {"epochs": GRAPH_EPOCHS}})


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


def trained(
    name: str,
    record: Mapping[str, Any],
    init: Path | None = None,
    tags: Tags | None = None,
    threads: int | None = None,
) -> Path:
    """The model of a configuration; trained if it is not there from an earlier run."""
    WORK.mkdir(parents=True, exist_ok=True)
    named = [objective["data"] for objective in record["objective"]]
    files = [file for each in named for file in ([each] if isinstance(each, str) else each)]
    begun_with = init.stem if init else ""
    # Where files lie does not matter, what is in them does.
    bare = [{**objective, "data": ""} for objective in record["objective"]]
    told = json.dumps(
        [{**record, "objective": bare}, begun_with, hash_of_files(files)], sort_keys=True
    )
    path = WORK / f"{name}-{hashlib.sha256(told.encode()).hexdigest()[:10]}.niwaki"
    if not path.exists():
        wanted = _Wanted(name, record, path, init, tags, threads)
        if _planned is None:
            make(wanted)
        else:
            _planned.append(wanted)
    return path


@dataclass(frozen=True)
class _Wanted:
    """A model that is not there yet, and what it is made of."""

    name: str
    record: Mapping[str, Any]
    path: Path
    init: Path | None
    tags: Tags | None
    threads: int | None


# What `trained` would train, while it is only asked for that.
_planned: list[_Wanted] | None = None


def make(wanted: _Wanted) -> None:
    """Train a model; a task of an engine, too."""
    begun = niwaki.load(wanted.init) if wanted.init else None
    config, told = make_config(wanted.record), Lines(wanted.name)
    train(
        config,
        wanted.path,
        told,
        init=begun,
        tags=wanted.tags,
        resume=True,
        threads=wanted.threads,
    )


def by_seeds(
    train_one: Callable[[int], Path], seeds: Sequence[int], workers: int, engine: str
) -> list[Path]:
    """The models of some seeds; several workers train them side by side, as tasks of an engine.

    `train_one` ends with a call of `trained`.
    """
    global _planned
    if workers > 1:
        _planned = []
        try:
            for seed in seeds:
                train_one(seed)
            wanted = [replace(each, threads=1) for each in _planned]
        finally:
            _planned = None
        with engine_of(engine, workers) as started:
            done = sum(1 for _ in started.map(f"{__name__}:make", wanted))
        assert done == len(wanted)
    return [train_one(seed) for seed in seeds]


def add_workers(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--workers", type=int, default=1, help="seeds that are trained at a time")
    parser.add_argument("--engine", default="local", help="local, ray or ray://HOST")


def write(path: Path, sentences: Iterable[Sentence]) -> Path:
    WORK.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"".join(sentence.source for sentence in sentences))
    return path


def beam_alone(model: str) -> Path:
    """A model without the weights of greedy search: training them takes as long as the others, and
    the scores of these benchmarks do not use them.
    """
    pipeline = niwaki.load(model)
    parser = pipeline.parser
    if not isinstance(parser, TransitionParser) or parser.greedy is None:
        return find_model(model)
    path = WORK / f"{Path(model).stem}-beam.niwaki"
    WORK.mkdir(parents=True, exist_ok=True)
    replace(pipeline, parser=replace(parser, greedy=None)).save(path)
    return path


def without_tags(sentence: Sentence) -> Sentence:
    """An example as a user has it: the parser that is trained tags it, as it will tag later."""
    blank = ["_"] * len(sentence)
    return sentence.replace(lemmas=blank, upos=blank, xpos=blank, feats=blank)


@dataclass(frozen=True)
class TaggedTreebank:
    """A treebank to be trained on beside a task, with tags like those of unseen text; none for
    parsers that look at words.
    """

    file: Path
    tags: Tags | None


def tagged_treebank(name: str, model: Path, treebank: Path, share: int) -> TaggedTreebank:
    """One in so many sentences of a treebank.

    Tags are predicted for each half of it by a tagger of the other half. They are the
    same for all runs, so they are kept.
    """
    corpus = read_treebank([str(treebank)])
    path = WORK / f"{name}-tags.safetensors"
    if not path.exists():
        tagger = loaded(model).tagger
        assert tagger is not None
        made = jackknife(
            corpus,
            tagger,
            TaggerConfig(folds=2),
            1,
            threads=1,
            clusters=None,
            checkpoint=Checkpoint(f"{path}.checkpoint", {}, 1e9),
            advance=lambda count: None,
        )
        WORK.mkdir(parents=True, exist_ok=True)
        save_file(vars(made), path)
    words = np.concatenate(
        [np.arange(*corpus.starts[at : at + 2]) for at in range(0, len(corpus.sentences), share)]
    )
    part = {key: np.ascontiguousarray(array[words]) for key, array in load_file(path).items()}
    file = write(WORK / f"{name}-{share}.conllu", corpus.sentences[::share])
    return TaggedTreebank(file, Tags(**part))


def lower_case(
    arguments: argparse.Namespace, profile: Mapping[str, Any]
) -> tuple[Path, TaggedTreebank]:
    """What to begin with in lower case, and what of EWT to train on with beside the task."""
    base = base_model(arguments.base, profile["epochs"])
    return base, tagged_treebank("ewt-lower", base, EWT_TRAIN, profile["share"])


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
        gain, gap = float(sums[2, at] - sums[0, at]), float(sums[1, at] - sums[0, at])
        result[metric] = {
            "gain": round(gain, 2),
            "interval": [round(float(x), 2) for x in np.percentile(gains, [2.5, 97.5])],
            "gap": round(gap, 2),
            "closed": round(100 * gain / gap, 1) if gap else None,
        }
    return result


def tree_scores(counts: NDArray[np.int64]) -> dict[str, float]:
    return dict(zip(TREE_METRICS, f1(counts.sum(axis=0)).round(2).tolist(), strict=True))


def over_seeds(found: Sequence[Evaluation]) -> Evaluation:
    """An evaluation whose scores are means over seeds; sentences are drawn with all of them."""
    return replace(found[0], counts=np.sum([each.counts for each in found], axis=0))


def loaded(path: Path) -> Pipeline:
    return niwaki.load(path)
