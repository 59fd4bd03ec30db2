"""A whole training run: data, tagger, parsers, scores and the model file."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Protocol

# numpy would load it when it is first used, and an interrupt at that moment would be lost:
# compiled modules ignore errors while they set themselves up.
import numpy.random  # noqa: F401

from niwaki.data.files import atomic_write
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
from niwaki.training.calibration import calibrate, calibrate_graph
from niwaki.training.checkpoint import Checkpoint, hash_of_arrays, hash_of_files
from niwaki.training.config import Config, ModelConfig
from niwaki.training.corpus import Corpus, read_treebank
from niwaki.training.costdata import CostData, CostObjective, load_costs, tag_costs
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
    init: Pipeline | None = None,
    tags: Tags | None = None,
) -> Pipeline:
    """Train a model and write it. A run that was broken off goes on with `resume`.

    With `init`, a trained model is trained on: it keeps its tagger, its features and its
    labels, and its parser learns from where it is. `tags` are those of the treebank if
    they were jackknifed before, for many runs. The result depends on the configuration,
    the data and that model only, not on threads or on interruptions. What each epoch did
    is written beside the model, to OUTPUT.log.jsonl.
    A KeyboardInterrupt first saves how far the run came.
    """
    if init is not None:
        config = _continued(config, init)
    treebanks = [objective for objective in config.objective if not objective.is_cost]
    corpus = read_treebank(
        [file for objective in treebanks for file in objective.data],
        partial={file for each in treebanks if each.partial for file in each.data},
    )
    if not corpus.sentences and init is None:
        raise ConfigError("no trees to learn from; add a treebank, or begin with a model (--init)")
    costs = load_costs(config)
    dev = read_treebank([config.training.dev]) if config.training.dev else None
    if corpus.sentences:
        _say_what_is_in(corpus, config, reporter)
    for each in costs:
        reporter.note(f"{each.config.kind}: {len(each.objective.sentences):,} examples")
    checkpoint = Checkpoint(
        f"{os.fspath(output)}.checkpoint",
        _identity(config, corpus, dev, costs, init),
        config.training.checkpoint_minutes,
    )
    if resume and not checkpoint.load():
        reporter.note(f"no checkpoint {checkpoint.path}; starting from the beginning")
    if init is not None:
        clusters = init.clusters
    else:
        clusters = read_clusters(config.model.clusters) if config.model.clusters else None
    stages = _Stages(
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


def _train_all(stages: _Stages) -> Pipeline:
    config, dev = stages.config, stages.dev
    is_graph = config.model.kind == "graph"
    if is_graph and stages.costs:
        raise ConfigError('costs go with model.kind = "transition"; leave one out')
    design = _design_graph(stages) if is_graph else _design(stages)
    segmenter = stages.init.segmenter if stages.init else _train_segmenter(stages)
    tagger, tags = _train_tagger(stages)
    morphology = stages.init.morphology if stages.init else _train_morphology(stages, tagger)
    parser: Parser
    greedy = None
    if isinstance(design, GraphDesign):
        parser = _train_graph(stages, design, tagger, tags)
    else:
        data = tag_costs(stages.costs, tagger, morphology, design.labels)
        parser, greedy = _train_parsers(stages, design, tagger, tags, data)
    pipeline = Pipeline(
        _card(stages), tagger, morphology, parser, greedy, stages.word_clusters, segmenter
    )
    if dev is not None:
        if not is_graph:
            pipeline = replace(pipeline, confidence=calibrate(pipeline, dev))
        pipeline = _with_scores(pipeline, dev)
    return pipeline


def _continued(config: Config, init: Pipeline) -> Config:
    """A configuration for training a model on: the model is what it is."""
    usual = ModelConfig()
    changed = [key for key, value in vars(config.model).items() if value != getattr(usual, key)]
    if changed:
        raise ConfigError(
            f"model.{changed[0]} cannot be chosen with --init: the model keeps its own; "
            "leave it out, or train from the beginning"
        )
    known = {name: init.config["model"].get(name, value) for name, value in vars(usual).items()}
    known = {name: tuple(x) if isinstance(x, list) else x for name, x in known.items()}
    return replace(config, model=ModelConfig(**known))


def _identity(
    config: Config,
    corpus: Corpus,
    dev: Corpus | None,
    costs: Sequence[CostObjective],
    init: Pipeline | None,
) -> dict[str, Any]:
    """What a run is, so that a checkpoint of another one is not taken up."""
    identity = {
        "config": _plain(config.to_json()),
        "data": corpus.sha256,
        "dev": dev.sha256 if dev else "",
    }
    if costs:
        identity["costs"] = [hash_of_files(each.config.data) for each in costs]
    if init is not None:
        identity["init"] = hash_of_arrays(_weights_of(init).arrays)
    return identity


def _transition_parser(pipeline: Pipeline) -> TransitionParser:
    if not isinstance(pipeline.parser, TransitionParser):
        raise ConfigError("a graph parser cannot be trained on; train it from the beginning")
    return pipeline.parser


def _weights_of(pipeline: Pipeline) -> Compressed:
    model = _transition_parser(pipeline).model
    if not isinstance(model, Compressed):
        raise ValueError("only a finished model can be trained on")
    return model


def _train_morphology(stages: _Stages, tagger: Tagger | None) -> Morphology | None:
    if tagger is None:
        return None
    config = stages.config
    stages.reporter.stage("features and lemmas", 8 * len(stages.corpus.sentences))
    return train_morphology(
        stages.corpus,
        tagger,
        config.tagger,
        config.training.seed,
        advance=stages.reporter.advance,
    )


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
    if stages.init is not None and stages.tags is not None:
        return stages.init.tagger, stages.tags
    config, corpus, seed = stages.config.tagger, stages.corpus, stages.config.training.seed
    folds = min(config.folds, len(corpus.sentences))
    work = len(corpus.sentences) * config.epochs
    if stages.init is not None:
        tagger = stages.init.tagger
        if tagger is None:
            return None, untagged(corpus.batch)
    elif not config.tags or not corpus.is_tagged:
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
    stages: _Stages,
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
    size = len(stages.corpus.sentences) or costs[0].batch.sentences
    per_epoch = len(stages.corpus.sentences) + sum(size * x.config.schedule for x in costs)
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
            base=_weights_of(stages.init) if stages.init else None,
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
        objective["rules"] = os.path.basename(objective["rules"])
        objective["command"] = [os.path.basename(word) for word in objective["command"][:1]]
    if stages.init is not None:
        record["init"] = {
            "name": stages.init.config["card"]["name"],
            "data": stages.init.config.get("data", {}),
        }
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
