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
from niwaki.training.epochs import EpochReport, Weights, finished_reports, finished_weights_of
from niwaki.training.graph import GraphTraining, design_graph
from niwaki.training.parsing import PART, ParserTraining
from niwaki.training.segmenting import can_segment, train_segmenter
from niwaki.training.tag_lessons import TagLessons
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
        assert isinstance(stages.init.parser, TransitionParser)
        _check_links(stages, stages.init.parser)
        return stages.init.parser.design
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
        parser = TransitionParser(design, Learner(len(design.classes)), stages.clusters)
    except ValueError as error:
        raise ConfigError(f"features: {error}") from error
    _check_links(stages, parser)
    return design


def _check_links(stages: Stages, parser: TransitionParser) -> None:
    if any(objective.links for objective in stages.config.objective) and not parser.uses_links:
        raise ConfigError(
            "links are given, but no feature of this parser uses them; add "
            'model.more_features = ["contiguous(s1,s0)", ...], and a system that does not swap'
        )


def design_graph_parser(stages: Stages) -> GraphDesign:
    """What the graph parser will be; wrong features show here, before anything is trained."""
    if stages.init is not None:
        assert isinstance(stages.init.parser, GraphParser)
        return stages.init.parser.design
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


def finished_weights(pipeline: Pipeline) -> Weights:
    """The weights of a finished model's parser, by part."""
    parser = pipeline.parser
    found = dict(parser.weights) if isinstance(parser, GraphParser) else {PART: parser.model}
    weights = {part: each for part, each in found.items() if isinstance(each, Compressed)}
    if len(weights) < len(found):
        raise ValueError("only a finished model can be trained on")
    return weights


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
    work = corpus.visits("tags") * config.passes
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
        work = corpus.visits("training-tags") * config.passes
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


def tag_lessons_of(stages: Stages, tagger: Tagger | None) -> TagLessons | None:
    """What the tagger learns beside the parser, where costs may choose tags."""
    if tagger is None or all(each.config.tags == 1 for each in stages.costs):
        return None
    return TagLessons(tagger, stages.corpus, stages.config.tagger)


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
    tag_lessons: TagLessons | None = None,
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
    stages.reporter.stage("parser", epochs * _epoch_size(stages, costs))
    advance = _locked(stages.reporter.advance)
    log = _Log(stages)

    def train_one(stage: str, check: Callable[[], None]) -> TransitionParser:
        finished = finished_weights_of(stage, stages.checkpoint)
        if finished is not None:
            log.take_up(stage)
            return TransitionParser(design, finished[PART], stages.clusters)
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
            base=finished_weights(stages.init)[PART] if stages.init else None,
            costs=costs,
            tag_lessons=tag_lessons,
            threads=stages.threads,
        )

        def score(parser: TransitionParser) -> tuple[float, float]:
            assert stages.dev is not None
            assert dev_tags is not None
            return _score(parser, stages.dev, dev_tags, beams[stage])

        return lessons.run(
            score if stages.dev else None,
            checked_first(advance, check),
            lambda epoch: log.report(epoch, lessons.reports),
        )

    parsers = run_all(train_one, beams, min(stages.threads, len(beams)))
    return parsers["parser"], parsers.get("greedy")


def graph_parser_of(
    stages: Stages,
    design: GraphDesign,
    tagger: Tagger | None,
    tags: Tags,
    costs: Sequence[CostData],
    tag_lessons: TagLessons | None = None,
) -> GraphParser:
    config, dev = stages.config, stages.dev
    dev_tags = _dev_tags(stages, tagger)
    log = _Log(stages)

    def score(parser: GraphParser) -> tuple[float, float]:
        assert dev is not None
        assert dev_tags is not None
        return _accuracy(parser, dev, *parser.parse(dev.batch, dev_tags))

    def train_one(stage: str, check: Callable[[], None]) -> GraphParser:
        lessons = GraphTraining(
            stage,
            design,
            stages.corpus,
            tags,
            config,
            clusters=stages.clusters,
            checkpoint=stages.checkpoint,
            base=finished_weights(stages.init) if stages.init else None,
            costs=costs,
            tag_lessons=tag_lessons,
            threads=stages.threads,
        )
        return lessons.run(
            score if dev else None,
            checked_first(stages.reporter.advance, check),
            lambda epoch: log.report(epoch, lessons.reports),
        )

    weights = finished_weights_of("graph", stages.checkpoint)
    if weights is not None:
        log.take_up("graph")
        finished = GraphParser(design, weights, stages.clusters)
    else:
        stages.reporter.stage("parser", config.training.epochs * _epoch_size(stages, costs))
        # In a thread, so that an interruption never breaks off an update.
        finished = run_all(train_one, ["graph"], 1)["graph"]
    if dev is not None and dev_tags is not None:
        return calibrate_graph(finished, dev, dev_tags)
    return finished


def _epoch_size(stages: Stages, costs: Sequence[CostData]) -> int:
    """Sentences and examples that an epoch visits."""
    visits = stages.corpus.visits("trees")
    size = visits or costs[0].size
    return int(visits + sum(size * each.config.schedule for each in costs))


class _Log:
    """Tells the reporter what epochs do, and keeps it in the file beside the model."""

    def __init__(self, stages: Stages) -> None:
        self._stages, self._lock = stages, threading.Lock()
        self._lines: dict[str, list[str]] = {}

    def take_up(self, stage: str) -> None:
        """Of a stage that an earlier run has finished."""
        self._lines[stage] = finished_reports(stage, self._stages.checkpoint)

    def report(self, epoch: EpochReport, so_far: list[str]) -> None:
        with self._lock:
            self._stages.reporter.epoch(epoch)
            self._lines[epoch.stage] = so_far
            with atomic_write(self._stages.log) as file:
                for stage in sorted(self._lines, reverse=True):  # "parser" before "greedy"
                    file.writelines(f"{line}\n".encode() for line in self._lines[stage])


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
