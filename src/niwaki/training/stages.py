"""The stages of a training run: what is learned one after the other, and from what."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Protocol

from niwaki.data.files import atomic_write
from niwaki.data.sentence import Sentence
from niwaki.data.tree import UNKNOWN
from niwaki.errors import ConfigError
from niwaki.kernel.linear import Learner
from niwaki.kernel.systems import MOVES
from niwaki.kernel.words import Clusters
from niwaki.models.arc_features import load_arc_feature_set
from niwaki.models.clusters import WordClusters
from niwaki.models.features import load_feature_set
from niwaki.models.graph import GraphDesign, GraphParser
from niwaki.models.morphology import Morphology
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
from niwaki.models.weights import Compressed
from niwaki.training.calibration import calibrate_graph
from niwaki.training.checkpoint import Checkpoint
from niwaki.training.config import Config
from niwaki.training.corpus import Corpus
from niwaki.training.costdata import CostData, CostObjective
from niwaki.training.graph import GraphTraining, design_graph, finished_graph
from niwaki.training.parsing import (
    EpochReport,
    ParserTraining,
    finished_parser,
    finished_reports,
)
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


class Quiet:
    """A reporter that tells nobody."""

    def stage(self, name: str, total: int) -> None: ...

    def advance(self, sentences: int) -> None: ...

    def epoch(self, report: EpochReport) -> None: ...

    def note(self, line: str) -> None: ...


@dataclass(frozen=True)
class Stages:
    """What all stages share."""

    config: Config
    corpus: Corpus
    dev: Corpus | None
    word_clusters: WordClusters | None
    checkpoint: Checkpoint
    reporter: Reporter
    threads: int
    init: Pipeline | None
    costs: Sequence[CostObjective]
    log: str
    tags: Tags | None  # of the treebank, if they were jackknifed before

    @cached_property
    def lessons(self) -> Corpus:
        """The corpus with trees as the parsers learn them."""
        if self.config.model.crossing == "lift" or self.config.model.kind == "graph":
            return self.corpus
        arcs = MAX_ENCODED_CLASSES - len(MOVES)
        known = self.corpus.constraints
        encoded = encode_all(self.corpus.sentences, arcs, partial=known)
        return replace(self.corpus, sentences=tuple(encoded))

    @property
    def lowercase(self) -> bool:
        return self.config.model.case == "insensitive"

    @property
    def has_tags(self) -> bool:
        """Whether the model will have a tagger."""
        return self.config.tagger.tags and self.corpus.is_tagged

    @property
    def clusters(self) -> Clusters | None:
        return self.word_clusters.kernel if self.word_clusters else None


def design_transition_parser(stages: Stages) -> Design:
    """What the parsers will be; wrong features show here, before anything is trained."""
    if stages.init is not None:
        return _transition_parser(stages.init).design
    model = stages.config.model
    features = "\n".join([load_feature_set(model.features), *model.more_features])
    design = design_parser(
        _with_known_arcs(stages.lessons),
        model.system,
        features,
        degrees={"degree": model.degree, "nonlexical-degree": model.nonlexical_degree},
        lowercase=stages.lowercase,
        crossing=model.crossing,
        tags=stages.has_tags,
    )
    if len(design.labels) > 256:
        raise ConfigError(f"{len(design.labels)} labels, but at most 256 are possible")
    try:
        TransitionParser(design, Learner(len(design.classes)), stages.clusters)
    except ValueError as error:
        raise ConfigError(f"features: {error}") from error
    return design


def design_graph_parser(stages: Stages) -> GraphDesign:
    """What the graph parser will be; wrong features show here, before anything is trained."""
    model, graph = stages.config.model, stages.config.graph
    return design_graph(
        _with_known_arcs(stages.corpus),
        graph,
        features="\n".join([load_arc_feature_set(model.features), *model.more_features]),
        label_features=load_arc_feature_set(graph.label_features),
        lowercase=stages.lowercase,
        tags=stages.has_tags,
        clusters=stages.clusters,
    )


def _with_known_arcs(corpus: Corpus) -> Iterator[Sentence]:
    """The sentences; in partial trees, arcs whose label is unknown say nothing of labels."""
    for number, sentence in enumerate(corpus.sentences):
        if number in corpus.constraints:
            arcs = zip(sentence.heads, sentence.deprels, strict=True)
            yield sentence.replace(heads=[UNKNOWN if x == "_" else head for head, x in arcs])
        else:
            yield sentence


def _transition_parser(pipeline: Pipeline) -> TransitionParser:
    if not isinstance(pipeline.parser, TransitionParser):
        raise ConfigError("a graph parser cannot be trained on; train it from the beginning")
    return pipeline.parser


def finished_weights(pipeline: Pipeline) -> Compressed:
    model = _transition_parser(pipeline).model
    if not isinstance(model, Compressed):
        raise ValueError("only a finished model can be trained on")
    return model


def segmenter_of(stages: Stages) -> Segmenter | None:
    config, corpus = stages.config.segmenter, stages.corpus.that_teaches("segments")
    if not config.enabled or not can_segment(corpus):
        return None
    stages.reporter.stage("segmenter", config.epochs * len(corpus.sentences))
    return train_segmenter(corpus, config, stages.config.training.seed, stages.reporter.advance)


def tagger_of(stages: Stages) -> tuple[Tagger | None, Tags]:
    if stages.init is not None and stages.tags is not None:
        return stages.init.tagger, stages.tags
    config, corpus, seed = stages.config.tagger, stages.corpus, stages.config.training.seed
    folds = min(config.folds, len(corpus.sentences))
    work = corpus.visits("tags") * config.epochs
    if stages.init is not None:
        tagger = stages.init.tagger
        if tagger is None:
            return None, untagged(corpus.batch)
    elif not stages.has_tags:
        return None, untagged(corpus.batch)
    else:
        stages.reporter.stage("tagger", work)
        tagger = train_tagger(
            corpus,
            config,
            seed,
            "tagger",
            lowercase=stages.lowercase,
            clusters=stages.clusters,
            advance=stages.reporter.advance,
            checkpoint=stages.checkpoint,
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


def morphology_of(stages: Stages, tagger: Tagger | None) -> Morphology | None:
    if tagger is None:
        return None
    config = stages.config
    visits = stages.corpus.that_teaches("morphology").visits("morphology")
    stages.reporter.stage("features and lemmas", 8 * visits)
    return train_morphology(
        stages.corpus,
        tagger,
        config.tagger,
        config.training.seed,
        advance=stages.reporter.advance,
    )


def transition_parsers_of(
    stages: Stages,
    design: Design,
    tagger: Tagger | None,
    tags: Tags,
    costs: Sequence[CostData],
) -> tuple[TransitionParser, TransitionParser | None]:
    model = stages.config.model
    beams = {"parser": model.beam}
    if model.beam > 1 and model.greedy and not stages.init:
        beams["greedy"] = 1
    if costs and "greedy" in beams:
        del beams["greedy"]
        stages.reporter.note("costs need candidates: no second set of weights for greedy parsing")
    dev_tags = _dev_tags(stages, tagger)
    training = stages.config.training
    epochs = sum(training.epochs if b > 1 else training.greedy_epochs for b in beams.values())
    visits = stages.corpus.visits("trees")
    size = visits or costs[0].batch.sentences
    per_epoch = visits + sum(size * x.config.schedule for x in costs)
    stages.reporter.stage("parser", int(epochs * per_epoch))
    advance = _locked(stages.reporter.advance)
    lock = threading.Lock()
    logs: dict[str, list[str]] = {stage: [] for stage in beams}

    def train_one(stage: str, check: Callable[[], None]) -> TransitionParser:
        finished = finished_parser(stage, design, stages.checkpoint, stages.clusters)
        if finished is not None:
            logs[stage] = finished_reports(stage, stages.checkpoint)
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
            base=finished_weights(stages.init) if stages.init else None,
            costs=costs,
            threads=stages.threads,
        )

        def score(parser: TransitionParser) -> tuple[float, float]:
            assert stages.dev is not None
            assert dev_tags is not None
            return _score(parser, stages.dev, dev_tags, beams[stage])

        def report(epoch: EpochReport, so_far: list[str]) -> None:
            with lock:
                stages.reporter.epoch(epoch)
                logs[stage] = so_far
                with atomic_write(stages.log) as file:
                    file.writelines(f"{x}\n".encode() for lines in logs.values() for x in lines)

        return lessons.run(score if stages.dev else None, checked_first(advance, check), report)

    parsers = run_all(train_one, beams, min(stages.threads, len(beams)))
    return parsers["parser"], parsers.get("greedy")


def graph_parser_of(
    stages: Stages, design: GraphDesign, tagger: Tagger | None, tags: Tags
) -> GraphParser:
    config, dev = stages.config, stages.dev
    finished = finished_graph("graph", design, stages.checkpoint, stages.clusters)
    dev_tags = _dev_tags(stages, tagger)
    if finished is None:
        visits = stages.corpus.visits("trees")
        stages.reporter.stage("parser", config.training.epochs * visits)
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


def _dev_tags(stages: Stages, tagger: Tagger | None) -> Tags | None:
    if stages.dev is None:
        return None
    return tagger.tag(stages.dev.batch, keep=False) if tagger else untagged(stages.dev.batch)


def _score(parser: TransitionParser, dev: Corpus, tags: Tags, beam: int) -> tuple[float, float]:
    return _accuracy(parser, dev, *parser.parse(dev.batch, tags, beam))


def _accuracy(parser: Parser, dev: Corpus, heads: Numbers, labels: Numbers) -> tuple[float, float]:
    right = heads == dev.batch.given_heads()
    labelled = right & (labels == dev.batch.numbers(DEPREL, parser.labels.symbols))
    return 100 * float(right.mean()), 100 * float(labelled.mean())


def _locked(function: Callable[[int], None]) -> Callable[[int], None]:
    """For use by several threads."""
    lock = threading.Lock()

    def locked(count: int) -> None:
        with lock:
            function(count)

    return locked
