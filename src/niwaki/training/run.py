"""A whole training run: data, tagger, parsers, scores and the model file."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Protocol

# numpy would load it when it is first used, and an interrupt at that moment would be lost:
# compiled modules ignore errors while they set themselves up.
import numpy.random  # noqa: F401

from niwaki.data.sentence import Sentence
from niwaki.data.tree import UNKNOWN
from niwaki.errors import ConfigError
from niwaki.kernel.linear import Learner
from niwaki.kernel.systems import MOVES, load_system
from niwaki.kernel.words import Clusters
from niwaki.metrics.attachment import evaluate
from niwaki.models.arc_features import load_arc_feature_set
from niwaki.models.clusters import WordClusters, read_clusters
from niwaki.models.features import load_feature_set
from niwaki.models.graph import GraphDesign, GraphParser
from niwaki.models.pipeline import Parser, Pipeline, untagged
from niwaki.models.pseudo_projective import encode_all
from niwaki.models.segmenter import Segmenter
from niwaki.models.tagger import Tagger, Tags
from niwaki.models.transition import (
    DEPREL,
    MAX_ENCODED_CLASSES,
    Design,
    Numbers,
    TransitionParser,
    design_parser,
)
from niwaki.training.calibration import calibrate, calibrate_graph
from niwaki.training.checkpoint import Checkpoint
from niwaki.training.config import Config
from niwaki.training.corpus import Corpus, read_treebank
from niwaki.training.graph import GraphTraining, design_graph, finished_graph
from niwaki.training.parsing import EpochReport, ParserTraining, finished_parser
from niwaki.training.segmenting import can_segment, train_segmenter
from niwaki.training.tagging import jackknife, train_morphology, train_tagger
from niwaki.training.workers import checked_first, run_all


class Reporter(Protocol):
    """Who is told how training goes; the command line prints it."""

    def stage(self, name: str, total: int) -> None:
        """A piece of work begins; `total` sentences will be looked at."""

    def advance(self, sentences: int) -> None: ...

    def epoch(self, report: EpochReport) -> None: ...

    def note(self, line: str) -> None:
        """Something that the user should know."""


@dataclass(frozen=True)
class _Stages:
    """What all stages share."""

    config: Config
    corpus: Corpus
    dev: Corpus | None
    word_clusters: WordClusters | None
    checkpoint: Checkpoint
    reporter: Reporter
    threads: int

    @cached_property
    def lessons(self) -> Corpus:
        """The corpus with trees as the parsers learn them."""
        if self.config.model.crossing == "lift" or self.config.model.kind == "graph":
            return self.corpus
        arcs = MAX_ENCODED_CLASSES - len(MOVES)
        known = self.corpus.constraints
        encoded = encode_all(self.corpus.sentences, arcs, partial=known)
        return Corpus(self.corpus.files, tuple(encoded), known)

    @property
    def lowercase(self) -> bool:
        return self.config.model.case == "insensitive"

    @property
    def clusters(self) -> Clusters | None:
        return self.word_clusters.kernel if self.word_clusters else None


def train(
    config: Config,
    output: str | os.PathLike[str],
    reporter: Reporter,
    *,
    resume: bool = False,
    threads: int | None = None,
) -> Pipeline:
    """Train a model and write it. A run that was broken off goes on with `resume`.

    The result depends on the configuration and the data only, not on threads or on
    interruptions. A KeyboardInterrupt first saves how far the run came.
    """
    corpus = read_treebank(
        [file for objective in config.objective for file in objective.data],
        partial={file for each in config.objective if each.partial for file in each.data},
    )
    dev = read_treebank([config.training.dev]) if config.training.dev else None
    _say_what_is_in(corpus, config, reporter)
    identity = {
        "config": _plain(config.to_json()),
        "data": corpus.sha256,
        "dev": dev.sha256 if dev else "",
    }
    checkpoint = Checkpoint(
        f"{os.fspath(output)}.checkpoint", identity, config.training.checkpoint_minutes
    )
    if resume and not checkpoint.load():
        reporter.note(f"no checkpoint {checkpoint.path}; starting from the beginning")
    clusters = read_clusters(config.model.clusters) if config.model.clusters else None
    stages = _Stages(
        config, corpus, dev, clusters, checkpoint, reporter, threads or os.cpu_count() or 1
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


def _train_all(stages: _Stages) -> Pipeline:
    config, corpus, dev = stages.config, stages.corpus, stages.dev
    is_graph = config.model.kind == "graph"
    design = _design_graph(stages) if is_graph else _design(stages)
    segmenter = _train_segmenter(stages)
    tagger, tags = _train_tagger(stages)
    morphology = None
    if tagger is not None:
        stages.reporter.stage("features and lemmas", 8 * len(corpus.sentences))
        morphology = train_morphology(
            corpus, tagger, config.tagger, config.training.seed, advance=stages.reporter.advance
        )
    parser: Parser
    greedy = None
    if isinstance(design, GraphDesign):
        parser = _train_graph(stages, design, tagger, tags)
    else:
        parser, greedy = _train_parsers(stages, design, tagger, tags)
    pipeline = Pipeline(
        _card(stages), tagger, morphology, parser, greedy, stages.word_clusters, segmenter
    )
    if dev is not None:
        if not is_graph:
            pipeline = replace(pipeline, confidence=calibrate(pipeline, dev))
        pipeline = _with_scores(pipeline, dev)
    return pipeline


def _say_what_is_in(corpus: Corpus, config: Config, reporter: Reporter) -> None:
    crossing = sum(
        not sentence.tree.is_projective
        for number, sentence in enumerate(corpus.sentences)
        if number not in corpus.constraints
    )
    reporter.note(f"{len(corpus.sentences):,} sentences, {corpus.words:,} words")
    if crossing:
        share = 100 * crossing / len(corpus.sentences)
        trees, have = ("tree", "has") if crossing == 1 else ("trees", "have")
        line = f"{crossing} {trees} ({share:.1f}%) {have} crossing arcs"
        if config.model.kind == "graph":
            if config.graph.projective:
                line += ", of which the nearest trees without are learned"
        elif config.model.crossing == "encode":
            line += ", which are lifted, and put back after parsing by what labels tell"
        elif not load_system(config.model.system).crosses:
            line += (
                f", which {config.model.system} cannot build; it learns the nearest trees without"
            )
        reporter.note(line)
    if corpus.constraints:
        reporter.note(
            f"{len(corpus.constraints):,} partial trees: what is unknown is filled in by the "
            "best tree that obeys what is known"
        )
    if not corpus.is_tagged and config.tagger.tags:
        reporter.note("no UPOS tags in the data: the parser will do without a tagger")


def _train_segmenter(stages: _Stages) -> Segmenter | None:
    config, corpus = stages.config.segmenter, stages.corpus
    if not config.enabled or not can_segment(corpus):
        return None
    stages.reporter.stage("segmenter", config.epochs * len(corpus.sentences))
    return train_segmenter(corpus, config, stages.config.training.seed, stages.reporter.advance)


def _train_tagger(stages: _Stages) -> tuple[Tagger | None, Tags]:
    config, corpus, seed = stages.config.tagger, stages.corpus, stages.config.training.seed
    if not config.tags or not corpus.is_tagged:
        return None, untagged(corpus.batch)
    folds = min(config.folds, len(corpus.sentences))
    work = len(corpus.sentences) * config.epochs
    stages.reporter.stage("tagger", work)
    tagger = train_tagger(
        corpus,
        config,
        seed,
        "tagger",
        lowercase=stages.lowercase,
        clusters=stages.clusters,
        advance=stages.reporter.advance,
    )
    if folds >= 2:
        stages.reporter.stage(f"tags of {folds} parts", work * (folds - 1))
    tags = jackknife(
        corpus,
        tagger,
        config,
        seed,
        threads=stages.threads,
        clusters=stages.clusters,
        checkpoint=stages.checkpoint,
        advance=_locked(stages.reporter.advance),
    )
    return tagger, tags


def _train_parsers(
    stages: _Stages, design: Design, tagger: Tagger | None, tags: Tags
) -> tuple[TransitionParser, TransitionParser | None]:
    model = stages.config.model
    beams = {"parser": model.beam}
    if model.beam > 1 and model.greedy:
        beams["greedy"] = 1
    dev_tags = _dev_tags(stages, tagger)
    training = stages.config.training
    epochs = sum(training.epochs if b > 1 else training.greedy_epochs for b in beams.values())
    stages.reporter.stage("parser", epochs * len(stages.corpus.sentences))
    advance = _locked(stages.reporter.advance)
    lock = threading.Lock()

    def train_one(stage: str, check: Callable[[], None]) -> TransitionParser:
        finished = finished_parser(stage, design, stages.checkpoint, stages.clusters)
        if finished is not None:
            return finished
        lessons = ParserTraining(
            stage,
            design,
            stages.lessons,
            tags,
            training,
            beam=beams[stage],
            max_rows=model.max_rows,
            clusters=stages.clusters,
            checkpoint=stages.checkpoint,
        )

        def score(parser: TransitionParser) -> tuple[float, float]:
            assert stages.dev is not None
            assert dev_tags is not None
            return _score(parser, stages.dev, dev_tags, beams[stage])

        def report(epoch: EpochReport) -> None:
            with lock:
                stages.reporter.epoch(epoch)

        return lessons.run(score if stages.dev else None, checked_first(advance, check), report)

    parsers = run_all(train_one, beams, min(stages.threads, len(beams)))
    return parsers["parser"], parsers.get("greedy")


def _dev_tags(stages: _Stages, tagger: Tagger | None) -> Tags | None:
    if stages.dev is None:
        return None
    return tagger.tag(stages.dev.batch, keep=False) if tagger else untagged(stages.dev.batch)


def _train_graph(
    stages: _Stages, design: GraphDesign, tagger: Tagger | None, tags: Tags
) -> GraphParser:
    config, dev = stages.config, stages.dev
    finished = finished_graph("graph", design, stages.checkpoint, stages.clusters)
    dev_tags = _dev_tags(stages, tagger)
    if finished is None:
        stages.reporter.stage("parser", config.training.epochs * len(stages.corpus.sentences))
        lessons = GraphTraining(
            "graph",
            design,
            stages.corpus,
            tags,
            config,
            clusters=stages.clusters,
            checkpoint=stages.checkpoint,
        )

        def score(parser: GraphParser) -> tuple[float, float]:
            assert dev is not None
            assert dev_tags is not None
            return _accuracy(parser, dev, *parser.parse(dev.batch, dev_tags))

        def work(stage: str, check: Callable[[], None]) -> GraphParser:
            advance = checked_first(stages.reporter.advance, check)
            return lessons.run(score if dev else None, advance, stages.reporter.epoch)

        # In a thread, so that an interruption never breaks off an update.
        finished = run_all(work, ["graph"], 1)["graph"]
    if dev is not None and dev_tags is not None:
        return calibrate_graph(finished, dev, dev_tags)
    return finished


def _design_graph(stages: _Stages) -> GraphDesign:
    """What the graph parser will be; wrong features show here, before anything is trained."""
    model, graph = stages.config.model, stages.config.graph
    return design_graph(
        _with_known_arcs(stages.corpus),
        graph,
        features="\n".join([load_arc_feature_set(model.features), *model.more_features]),
        label_features=load_arc_feature_set(graph.label_features),
        lowercase=stages.lowercase,
        clusters=stages.clusters,
    )


def _design(stages: _Stages) -> Design:
    """What the parsers will be; wrong features show here, before anything is trained."""
    model = stages.config.model
    features = "\n".join([load_feature_set(model.features), *model.more_features])
    design = design_parser(
        _with_known_arcs(stages.lessons),
        model.system,
        features,
        degrees={"degree": model.degree, "nonlexical-degree": model.nonlexical_degree},
        lowercase=stages.lowercase,
        crossing=model.crossing,
    )
    if len(design.labels) > 256:
        raise ConfigError(f"{len(design.labels)} labels, but at most 256 are possible")
    try:
        TransitionParser(design, Learner(len(design.classes)), stages.clusters)
    except ValueError as error:
        raise ConfigError(f"features: {error}") from error
    return design


def _with_known_arcs(corpus: Corpus) -> Iterator[Sentence]:
    """The sentences; in partial trees, arcs whose label is unknown say nothing of labels."""
    for number, sentence in enumerate(corpus.sentences):
        if number in corpus.constraints:
            arcs = zip(sentence.heads, sentence.deprels, strict=True)
            yield sentence.replace(heads=[UNKNOWN if x == "_" else head for head, x in arcs])
        else:
            yield sentence


def _score(parser: TransitionParser, dev: Corpus, tags: Tags, beam: int) -> tuple[float, float]:
    return _accuracy(parser, dev, *parser.parse(dev.batch, tags, beam))


def _accuracy(parser: Parser, dev: Corpus, heads: Numbers, labels: Numbers) -> tuple[float, float]:
    right = heads == dev.batch.given_heads()
    labelled = right & (labels == dev.batch.numbers(DEPREL, parser.labels.symbols))
    return 100 * float(right.mean()), 100 * float(labelled.mean())


def _with_scores(pipeline: Pipeline, dev: Corpus) -> Pipeline:
    """The card with the scores of the model as it is shipped, on the development data."""
    scores: dict[str, Any] = {}
    ways = {"beam": pipeline.beam, "greedy": 1}
    if isinstance(pipeline.parser, GraphParser):
        ways = {pipeline.parser.design.decode: 1}
    for name, beam in ways.items():
        parsed = pipeline.parse(dev.sentences, beam=beam, retag=True)
        found = evaluate(dev.sentences, parsed).scores
        scores[name] = {metric: round(value, 2) for metric, value in found.items()}
    return replace(pipeline, config={**pipeline.config, "scores_on_dev": scores})


def _card(stages: _Stages) -> dict[str, Any]:
    record: dict[str, Any] = _plain(stages.config.to_json())
    files = [os.path.basename(file) for file in stages.corpus.files]
    record["data"] = {
        "files": files,
        "sentences": len(stages.corpus.sentences),
        "words": stages.corpus.words,
        "sha256": stages.corpus.sha256,
    }
    for objective in record["objective"]:
        # Where the files lay on somebody's disk is nobody's business.
        objective["data"] = [os.path.basename(file) for file in objective["data"]]
    for table, key in (("training", "dev"), ("model", "clusters"), ("model", "features")):
        record[table][key] = os.path.basename(record[table][key])
    return record


def _plain(value: Any) -> Any:
    """The same value as JSON would give it back."""
    if isinstance(value, Mapping):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return value


def _locked(function: Callable[[int], None]) -> Callable[[int], None]:
    """For use by several threads."""
    lock = threading.Lock()

    def locked(count: int) -> None:
        with lock:
            function(count)

    return locked
