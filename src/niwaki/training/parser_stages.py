"""The last stage of a training run: parsers of all kinds, each with its epochs and its log."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from types import SimpleNamespace
from typing import Any

from niwaki.data.files import atomic_write
from niwaki.features.weights import Interpolation, PackedWeights
from niwaki.learning.corpus import Corpus
from niwaki.learning.workers import checked_first, run_all
from niwaki.parsers.graph.model import GraphParser, GraphSpec
from niwaki.parsers.graph.trainer import GraphTraining
from niwaki.parsers.transition.calibration import calibrate_graph
from niwaki.parsers.transition.model import DEPREL, Numbers, TransitionParser, TransitionSpec
from niwaki.parsers.transition.trainer import PART, ParserTraining
from niwaki.pipeline.pipeline import Parser, Pipeline, untagged
from niwaki.tagging.tagger import Tagger, Tags
from niwaki.tagging.updates import TagLessons
from niwaki.training.examples import CostData
from niwaki.training.loop import EpochReport, Weights, finished_reports, finished_weights_of
from niwaki.training.stages import Stages, locked


def finished_weights(pipeline: Pipeline) -> Weights:
    """The weights of a finished model's parser, by part."""
    parser = pipeline.parser
    found = dict(parser.weights) if isinstance(parser, GraphParser) else {PART: parser.model}
    weights = {part: each for part, each in found.items() if isinstance(each, PackedWeights)}
    if len(weights) < len(found):
        raise ValueError("only a finished model can be trained on")
    return weights


def transition_parsers_of(
    stages: Stages,
    spec: TransitionSpec,
    tagger: Tagger | None,
    tags: Tags,
    costs: Sequence[CostData],
    tag_lessons: TagLessons | None = None,
) -> tuple[TransitionParser, TransitionParser | None]:
    model = stages.config.model
    family = stages.config.family
    beams = {"parser": family.beam}
    if family.beam > 1 and family.greedy and not stages.init:
        beams["greedy"] = 1
    if costs and "greedy" in beams:
        del beams["greedy"]
        stages.reporter.note("costs need candidates: no second set of weights for greedy parsing")
    dev_tags = _dev_tags(stages, tagger)
    training = SimpleNamespace(**vars(stages.config.training), **vars(family))
    epochs = sum(training.epochs if b > 1 else training.greedy_epochs for b in beams.values())
    alone = len(beams) * stages.lessons.visits_alone("trees")
    stages.reporter.stage("parser", epochs * _epoch_size(stages, costs) + alone)
    advance = locked(stages.reporter.advance)
    log = _Log(stages)

    def training_of(
        stage: str, beam: int, lessons: Corpus, tags: Tags, how: Any, **more: Any
    ) -> ParserTraining:
        return ParserTraining(
            stage,
            spec,
            lessons,
            tags,
            how,
            beam=beam,
            max_rows=model.max_rows,
            least_weight=family.least_weight,
            clusters=stages.clusters,
            checkpoint=stages.checkpoint,
            threads=stages.threads,
            **more,
        )

    def interpolation_of(stage: str, check: Callable[[], None]) -> Interpolation | None:
        """What the sentences teach that are also learned alone."""
        found, alone = stages.lessons.that_is_alone("trees"), stages.lessons.alone
        if found is None or alone is None:
            return None
        lessons, chosen = found
        name = f"{stage}-alone"
        kept = f"{name}-learned"
        if kept not in stages.checkpoint:
            own = tags.only(stages.lessons.words_of(chosen))
            own_epochs = {"epochs": alone.epochs, "greedy_epochs": alone.epochs}
            how = SimpleNamespace(**{**vars(training), **own_epochs, "min_updates": 1})
            lonely = training_of(name, beams[stage], lessons, own, how)
            lonely.run(
                None,
                checked_first(advance, check),
                lambda epoch: log.report(epoch, lonely.reports),
            )
            interpolation = Interpolation.of(lonely.learner.export(), alone.share, model.max_rows)
            stages.checkpoint.put(kept, dict(interpolation.arrays))
        else:
            log.take_up(name)
        return Interpolation(alone.share, stages.checkpoint[kept])

    def train_one(stage: str, check: Callable[[], None]) -> TransitionParser:
        finished = finished_weights_of(stage, stages.checkpoint)
        if finished is not None:
            log.take_up(stage)
            return TransitionParser(spec, finished[PART], stages.clusters)
        lessons = training_of(
            stage,
            beams[stage],
            stages.lessons,
            tags,
            training,
            base=finished_weights(stages.init)[PART] if stages.init else None,
            interpolation=interpolation_of(stage, check),
            costs=costs,
            tag_lessons=tag_lessons,
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
    spec: GraphSpec,
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
            spec,
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
        finished = GraphParser(spec, weights, stages.clusters)
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
