"""A whole training run: data, stages, scores and the model file."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

# numpy would load it when it is first used, and an interrupt at that moment would be lost:
# compiled modules ignore errors while they set themselves up.
import numpy as np
import numpy.random

from niwaki.errors import ConfigError, CorpusError
from niwaki.features.clusters import WordClusters, read_clusters
from niwaki.kernel.transition.systems import load_system
from niwaki.learning.checkpoint import Checkpoint, hash_of_arrays, hash_of_files
from niwaki.learning.corpus import Corpus, read_treebanks
from niwaki.metrics.attachment import TAG_METRICS, evaluate
from niwaki.parsers.graph.model import GraphParser, GraphSpec
from niwaki.parsers.transition.calibration import calibrate
from niwaki.pipeline.pipeline import Parser, Pipeline
from niwaki.tagging.tagger import Tags
from niwaki.training.card import card_of, upgraded
from niwaki.training.config import (
    ARC_SELECTIONS,
    Config,
    TreebankConfig,
    continued,
)
from niwaki.training.examples import CostObjective, load_costs, tag_costs
from niwaki.training.loop import taught_tagger
from niwaki.training.parser_stages import (
    finished_weights,
    graph_parser_of,
    transition_parsers_of,
)
from niwaki.training.stages import (
    Reporter,
    Stages,
    graph_spec,
    morphology_of,
    segmenter_of,
    tag_lessons_of,
    tagger_of,
    transition_spec,
)


def train(
    config: Config,
    output: str | os.PathLike[str],
    reporter: Reporter,
    *,
    resume: bool = False,
    threads: int | None = None,
    init: Pipeline | None = None,
    tags: Tags | None = None,
    skip_bad: bool = False,
) -> Pipeline:
    """Train a model and write it. A run that was broken off goes on with `resume`.

    The result depends on configuration, data and `init` only, not on threads or on
    interruptions. What each epoch did is written beside the model, to OUTPUT.log.jsonl. A
    KeyboardInterrupt first saves how far the run came.

    init: a model to be trained on. It keeps its tagger, its features and its labels, and its
        parser learns from where it is.
    tags: those of the treebank, if they were jackknifed before, for many runs.
    skip_bad: leave out faulty lines of a file of word clusters, and links that do not fit
        their sentences; both are counted.
    """
    if init is not None:
        config = continued(config, upgraded(init.config))
    treebanks = [each for each in config.objective if isinstance(each, TreebankConfig)]
    skipped: list[CorpusError] = []
    faults: list[CorpusError] = []
    bad = faults.append if skip_bad else None
    corpus = read_treebanks(treebanks, skipped.append, bad)
    if not corpus.sentences and init is None:
        raise ConfigError("no trees to learn from; add a treebank, or begin with a model (--init)")
    costs = load_costs(config)
    dev = None
    if config.training.dev:
        links = (config.training.dev_links,) if config.training.dev_links else ()
        dev_file = TreebankConfig(data=(config.training.dev,), links=links)
        dev = read_treebanks([dev_file], on_bad_links=bad)
    if faults:
        reporter.note(f"{len(faults):,} lines of links do not fit, the first: {faults[0]}")
    if corpus.sentences:
        _say_what_is_in(corpus, config, reporter)
    if corpus.left_out:
        reporter.note(f"{corpus.left_out:,} sentences are left out by `leave_out`")
    if skipped:
        reporter.note(f"{len(skipped):,} sentences are bad and left out; the first: {skipped[0]}")
    for each in costs:
        reporter.note(f"{each.config.kind}: {len(each.objective.sentences):,} examples")
    checkpoint = Checkpoint(
        f"{os.fspath(output)}.checkpoint",
        _identity(config, corpus, dev, costs, init),
        config.training.checkpoint_minutes,
    )
    if resume and not checkpoint.load():
        reporter.note(f"no checkpoint {checkpoint.path}; starting from the beginning")
    clusters = init.clusters if init else _read_clusters(config, reporter, skip_bad)
    stages = Stages(
        config,
        corpus,
        dev,
        clusters,
        checkpoint,
        reporter,
        threads or os.cpu_count() or 1,
        init,
        costs,
        f"{os.fspath(output)}.log.jsonl",
        tags,
    )
    try:
        pipeline = _train_all(stages)
        pipeline.save(output)
    except KeyboardInterrupt:
        if not checkpoint:
            raise
        checkpoint.save()
        raise KeyboardInterrupt(f"{checkpoint.path} is saved; --resume goes on from it") from None
    checkpoint.remove()
    return pipeline


def _read_clusters(config: Config, reporter: Reporter, skip_bad: bool) -> WordClusters | None:
    if not config.model.clusters:
        return None
    faults: list[CorpusError] = []
    clusters = read_clusters(config.model.clusters, faults.append if skip_bad else None)
    reporter.note(f"{clusters.kernel.count:,} words in clusters")
    if faults:
        reporter.note(f"skipped {len(faults):,} lines of clusters, the first: {faults[0]}")
    return clusters


def _train_all(stages: Stages) -> Pipeline:
    config, dev = stages.config, stages.dev
    is_graph = config.model.kind == "graph"
    for each in stages.costs:
        if each.config.select in ARC_SELECTIONS and not is_graph:
            raise ConfigError(
                f"{each.config.kind}: select = {each.config.select!r} is for a graph parser; "
                "choose another"
            )
    spec = graph_spec(stages) if is_graph else transition_spec(stages)
    segmenter = stages.init.segmenter if stages.init else segmenter_of(stages)
    tagger, tags = tagger_of(stages)
    morphology = stages.init.morphology if stages.init else morphology_of(stages, tagger)
    parser: Parser
    greedy = None
    data = tag_costs(stages.costs, tagger, morphology, spec.labels)
    tag_lessons = tag_lessons_of(stages, tagger)
    if isinstance(spec, GraphSpec):
        parser = graph_parser_of(stages, spec, tagger, tags, data, tag_lessons)
    else:
        parser, greedy = transition_parsers_of(stages, spec, tagger, tags, data, tag_lessons)
    taught = taught_tagger(stages.checkpoint)
    if tagger is not None and taught is not None:
        tagger = tagger.with_model(taught)
    pipeline = Pipeline(
        _card(stages), tagger, morphology, parser, greedy, stages.word_clusters, segmenter
    )
    if dev is not None:
        if not is_graph:
            pipeline = replace(pipeline, confidence=calibrate(pipeline, dev))
        pipeline = _with_scores(pipeline, dev)
    return pipeline


def _identity(
    config: Config,
    corpus: Corpus,
    dev: Corpus | None,
    costs: Sequence[CostObjective],
    init: Pipeline | None,
) -> dict[str, Any]:
    """What a run is, so that a checkpoint of another one is not taken up."""
    identity = {
        "config": config.to_json(),
        "data": corpus.sha256,
        "dev": dev.sha256 if dev else "",
    }
    if config.model.clusters and init is None:
        identity["clusters"] = hash_of_files([config.model.clusters])
    if costs:
        identity["costs"] = [hash_of_files(each.config.data) for each in costs]
    if init is not None:
        arrays = {
            f"{part}.{name}": array
            for part, weights in finished_weights(init).items()
            for name, array in weights.arrays.items()
        }
        identity["init"] = hash_of_arrays(arrays)
    return identity


def _say_what_is_in(corpus: Corpus, config: Config, reporter: Reporter) -> None:
    crossing = sum(
        number not in corpus.constraints
        for number in np.flatnonzero(corpus.batch.nonprojective()).tolist()
    )
    reporter.note(f"{len(corpus.sentences):,} sentences, {corpus.words:,} words")
    if crossing:
        share = 100 * crossing / len(corpus.sentences)
        trees, have = ("tree", "has") if crossing == 1 else ("trees", "have")
        line = f"{crossing} {trees} ({share:.1f}%) {have} crossing arcs"
        if config.model.kind == "graph":
            if config.family.projective:
                line += ", of which the nearest trees without are learned"
        elif config.family.nonprojective == "pseudo-projective":
            line += ", which are lifted, and put back after parsing by what labels tell"
        elif not load_system(config.family.system).nonprojective:
            line += (
                f", which {config.family.system} cannot build; it learns the nearest trees without"
            )
        reporter.note(line)
    if corpus.constraints:
        reporter.note(
            f"{len(corpus.constraints):,} partial trees: what is unknown is filled in by the "
            "best tree that obeys what is known"
        )
    if not corpus.is_tagged and config.tagger.tags:
        reporter.note("no UPOS tags in the data: the parser will do without a tagger")


def _with_scores(pipeline: Pipeline, dev: Corpus) -> Pipeline:
    """The card with the scores of the model as it is shipped, on the development data."""
    scores: dict[str, Any] = {}
    ways = {"beam": pipeline.beam, "greedy": 1}
    if isinstance(pipeline.parser, GraphParser):
        ways = {pipeline.parser.spec.decode: 1}
    for name, beam in ways.items():
        parsed = pipeline.parse(dev.sentences, beam=beam, retag=True)
        found = evaluate(dev.sentences, parsed).scores
        if pipeline.tagger is None:
            found = {metric: value for metric, value in found.items() if metric not in TAG_METRICS}
        scores[name] = {metric: round(value, 2) for metric, value in found.items()}
    return replace(pipeline, config={**pipeline.config, "scores_on_dev": scores})


def _card(stages: Stages) -> dict[str, Any]:
    record: dict[str, Any] = card_of(stages.config)
    files = [os.path.basename(file) for file in stages.corpus.files]
    record["data"] = {
        "files": files,
        "sentences": len(stages.corpus.sentences),
        "words": stages.corpus.words,
        "sha256": stages.corpus.sha256,
    }
    if stages.init is not None:
        record["init"] = {
            "name": stages.init.config["card"]["name"],
            "data": stages.init.config.get("data", {}),
        }
    return record
