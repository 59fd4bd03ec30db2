"""The stages of a training run: what is learned one after the other, and from what."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Protocol

from niwaki.data.sentence import Sentence
from niwaki.data.tree import UNKNOWN
from niwaki.errors import ConfigError
from niwaki.features.arc_templates import load_arc_feature_set
from niwaki.features.clusters import WordClusters
from niwaki.features.templates import load_feature_set
from niwaki.kernel.features.words import Clusters
from niwaki.kernel.linear import SparseWeights
from niwaki.kernel.transition.systems import MOVES
from niwaki.learning.checkpoint import Checkpoint
from niwaki.learning.corpus import Corpus
from niwaki.parsers.graph.model import GraphParser, GraphSpec
from niwaki.parsers.graph.trainer import make_graph_spec
from niwaki.parsers.transition.model import (
    MAX_ENCODED_CLASSES,
    TransitionParser,
    TransitionSpec,
    make_transition_spec,
)
from niwaki.parsers.transition.pseudo_projective import encode_all
from niwaki.pipeline.pipeline import Pipeline, untagged
from niwaki.segmenting.segmenter import Segmenter
from niwaki.segmenting.trainer import can_segment, train_segmenter
from niwaki.tagging.morphology import Morphology
from niwaki.tagging.tagger import Tagger, Tags
from niwaki.tagging.trainer import jackknife, train_morphology, train_tagger
from niwaki.tagging.updates import TagLessons
from niwaki.training.config import Config
from niwaki.training.examples import CostObjective
from niwaki.training.loop import EpochReport


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
        if getattr(self.config.family, "nonprojective", "projectivize") == "projectivize":
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


def transition_spec(stages: Stages) -> TransitionSpec:
    """What the parsers will be; wrong features show here, before anything is trained."""
    if stages.init is not None:
        assert isinstance(stages.init.parser, TransitionParser)
        _check_links(stages, stages.init.parser)
        return stages.init.parser.spec
    model = stages.config.model
    features = "\n".join([load_feature_set(model.features), *model.more_features])
    spec = make_transition_spec(
        _with_known_arcs(stages.lessons),
        stages.config.family.system,
        features,
        degrees={
            "degree": stages.config.family.degree,
            "nonlexical-degree": stages.config.family.nonlexical_degree,
        },
        lowercase=stages.lowercase,
        crossing="encode" if stages.config.family.nonprojective == "pseudo-projective" else "lift",
        tags=stages.has_tags,
    )
    if len(spec.labels) > 256:
        raise ConfigError(f"{len(spec.labels)} labels, but at most 256 are possible")
    try:
        parser = TransitionParser(spec, SparseWeights(len(spec.classes)), stages.clusters)
    except ValueError as error:
        raise ConfigError(f"features: {error}") from error
    _check_links(stages, parser)
    return spec


def _check_links(stages: Stages, parser: TransitionParser) -> None:
    if (
        any(getattr(objective, "links", ()) for objective in stages.config.objective)
        and not parser.uses_links
    ):
        raise ConfigError(
            "links are given, but no feature of this parser uses them; add "
            'model.more_features = ["contiguous(s1,s0)", ...], and a system that does not swap'
        )


def graph_spec(stages: Stages) -> GraphSpec:
    """What the graph parser will be; wrong features show here, before anything is trained."""
    if stages.init is not None:
        assert isinstance(stages.init.parser, GraphParser)
        return stages.init.parser.spec
    model, graph = stages.config.model, stages.config.family
    return make_graph_spec(
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
    work = corpus.visits("tags") * config.passes + corpus.visits_alone("tags")
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
        alone = corpus.visits_alone("training-tags")
        work = corpus.visits("training-tags") * config.passes + alone
        stages.reporter.stage(f"tags of {folds} parts", work * (folds - 1))
    tags = jackknife(
        corpus,
        tagger,
        config,
        seed,
        threads=stages.threads,
        clusters=stages.clusters,
        checkpoint=stages.checkpoint,
        advance=locked(stages.reporter.advance),
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


def locked(function: Callable[[int], None]) -> Callable[[int], None]:
    """For use by several threads."""
    lock = threading.Lock()

    def called(count: int) -> None:
        with lock:
            function(count)

    return called
