"""A whole training run: data, what is learned one after the other, scores and the model file."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

# numpy would load it when it is first used, and an interrupt at that moment would be lost:
# compiled modules ignore errors while they set themselves up.
import numpy as np
import numpy.random

from niwaki.errors import ConfigError, shown
from niwaki.learning.checkpoint import Checkpoint
from niwaki.learning.corpus import Corpus
from niwaki.metrics.attachment import evaluate
from niwaki.parsers.base import (
    Family,
    MorphologyPlan,
    Parser,
    Plan,
    Setup,
    TaggingParser,
    load_family,
)
from niwaki.pipeline.pipeline import Pipeline, tag_batch
from niwaki.scale.engine import Crew, Engine, engine_of
from niwaki.scale.sharing import shared_file
from niwaki.segmenting.segmenter import Segmenter
from niwaki.segmenting.trainer import can_segment, train_segmenter
from niwaki.tagging.morphology import Morphology
from niwaki.tagging.tagger import AnyTagger, Tagger, Tags
from niwaki.tagging.trainer import (
    fold_name,
    folds_of,
    jackknife,
    tag_fold,
    train_morphology,
    train_tagger,
)
from niwaki.tagging.updates import TagUpdates, finetuned
from niwaki.training.card import card_of, upgraded
from niwaki.training.config import ARC_SELECTIONS, Config, TreebankConfig, continued
from niwaki.training.examples import CostData, load_costs, tag_costs
from niwaki.training.jobs.chains import Jobs, costs_after
from niwaki.training.jobs.data import TrainingData, read_data
from niwaki.training.jobs.shards import Order, Work
from niwaki.training.objectives import trained_tagger
from niwaki.training.reporting import Log, Quiet, Reporter, locked, log_of
from niwaki.typing import Arrays

TAGGER = "tagger"  # the stage of the checkpoint
# What workers are (`niwaki.scale.engine`); it needs this module, so it is known by name.
_SHARD_LEARNER = "niwaki.training.jobs.workers:ShardLearner"
_FOLD_TAGGER = "niwaki.training.jobs.workers:FoldTagger"


def train(
    config: Config,
    output: str | os.PathLike[str],
    reporter: Reporter | None = None,
    *,
    resume: bool = False,
    threads: int | None = None,
    init: Pipeline | None = None,
    tags: Tags | None = None,
    held_out: Mapping[str, frozenset[int]] | None = None,
    on_error: str = "fail",
    engine: str = "local",
) -> Pipeline:
    """Train a model and write it. A run that was broken off goes on with `resume`.

    The result depends on configuration, data and `init` only, not on threads, the engine or
    interruptions. What each epoch did is written beside the model, to OUTPUT.log.jsonl. A
    KeyboardInterrupt first saves how far the run came.

    init: a model to be trained on. It keeps its features, its labels and, if nothing else is
        said, its tagger, and its parser learns from where it is.
    tags: those of the treebank, if they were jackknifed before, for many runs.
    held_out: numbers of examples that are not learned from, by the names of costs.
    on_error: "skip" leaves out faulty lines of a file of word clusters, and links that do not
        fit their sentences; both are counted.
    engine: who runs the workers, if `training.workers` says that there are several.
    """
    reporter = reporter or Quiet()
    if init is not None:
        config = continued(config, upgraded(init.config))
    elif config.tagger.finetune_epochs:
        raise ConfigError(
            "tagger.finetune_epochs is for a model that is trained on; give one (--init), or leave "
            "it out"
        )
    costs = load_costs(config, held_out, init.segmenter if init else None)
    data = read_data(config, costs, reporter, init, skip=on_error == "skip")
    path = os.fspath(output)
    minutes = config.training.checkpoint_minutes
    checkpoint = Checkpoint(f"{path}.checkpoint", data.identity, minutes)
    if resume and not checkpoint.load():
        reporter.note(f"no checkpoint {checkpoint.path}; starting from the beginning")
    log = Log(log_of(path), reporter)
    try:
        with engine_for(config, engine) as started:
            run = Run(
                data, checkpoint, reporter, log, threads or os.cpu_count() or 1, tags, started
            )
            pipeline = run.pipeline()
        pipeline.save(output)
    except KeyboardInterrupt:
        if not checkpoint:
            raise
        checkpoint.save()
        raise KeyboardInterrupt(f"{checkpoint.path} is saved; --resume goes on from it") from None
    checkpoint.remove()
    return pipeline


def engine_for(config: Config, name: str) -> AbstractContextManager[Engine | None]:
    """The engine of this name, if a configuration says that there are several workers."""
    workers = config.training.workers
    return nullcontext() if workers == 1 else engine_of(name, workers)


# -- what is learned one after the other ---------------------------------------------------


@dataclass(frozen=True)
class Run:
    """A training run over its data: the parts of a pipeline, one after the other."""

    data: TrainingData
    checkpoint: Checkpoint
    reporter: Reporter
    log: Log
    threads: int
    tags: Tags | None = None  # of the treebank, if they were jackknifed before
    engine: Engine | None = None  # if there are several workers

    def pipeline(self) -> Pipeline:
        data, init = self.data, self.data.init
        family = load_family(data.config.model.kind)
        for each in data.costs:
            if each.config.select in ARC_SELECTIONS and not family.prices_arcs:
                raise ConfigError(
                    f"{each.config.kind}: select = {each.config.select!r} is for a parser that "
                    'scores arcs (model.kind = "graph" or "neural"); choose another'
                )
        plan = family.plan(self._setup())
        self._say_what_is_in(plan)
        if init is not None:
            self._check_labels(plan)
        segmenter = init.segmenter if init else self._segmenter()
        if family.tags_words:
            found = self._parser_that_tags(family, plan)
        else:
            found = self._tagger_and_parser(family, plan)
        card = self._card(found[-1])
        pipeline = Pipeline(card, *found, data.clusters, segmenter, data.learned)
        return with_scores(pipeline, data.dev) if data.dev is not None else pipeline

    def _tagger_and_parser(
        self, family: Family, plan: Plan
    ) -> tuple[AnyTagger | None, Morphology | None, Parser]:
        """The tagger first: the parser sees its tags."""
        data, init = self.data, self.data.init
        tagger = self._tagger()
        morphology = init.morphology if init else self._morphology(tagger)
        tags = self._training_tags(tagger, morphology, _morphology_seen(plan))
        costs = tag_costs(data.costs, tagger, morphology, plan.labels)
        dev_tags = self._dev_tags(tagger, morphology)
        jobs = self._jobs(plan, tagger, morphology, tags, costs, dev_tags)
        weights = jobs.train(self.reporter)
        parser = plan.finished(weights)
        taught = trained_tagger(self.checkpoint)
        if tagger is not None and taught is not None:
            tagger = tagger.with_model(taught)
            dev_tags = self._dev_tags(tagger, morphology)
        if data.dev is not None and dev_tags is not None:
            parser = family.calibrated(parser, data.dev, dev_tags)
        return tagger, morphology, parser

    def _parser_that_tags(
        self, family: Family, plan: Plan
    ) -> tuple[AnyTagger | None, Morphology | None, Parser]:
        """The parser alone; where costs look at tags before it knows any, a tagger gives them."""
        data, init = self.data, self.data.init
        tagger: AnyTagger | None = init.tagger if init else None
        morphology = None
        if data.costs and init is None and data.has_tags:
            first = self._train_tagger()
            tagger, morphology = first, self._morphology(first)
        costs = tag_costs(data.costs, tagger, morphology, plan.labels)
        dev_tags = self._dev_tags(None, None)
        jobs = self._jobs(plan, None, None, Tags.none(data.corpus.batch), costs, dev_tags)
        weights = jobs.train(self.reporter)
        parser = plan.finished(weights)
        if data.dev is not None and dev_tags is not None:
            parser = family.calibrated(parser, data.dev, dev_tags)
        return parser.tagger if isinstance(parser, TaggingParser) else None, None, parser

    def _setup(self) -> Setup:
        data, model, training = self.data, self.data.config.model, self.data.config.training
        treebanks = [x for x in data.config.objective if isinstance(x, TreebankConfig)]
        return Setup(
            config=data.config.family,
            corpus=data.corpus,
            features=model.features,
            more_features=model.more_features,
            lowercase=data.lowercase,
            max_rows=model.max_rows,
            has_tags=data.has_tags,
            clusters=data.clusters.kernel if data.clusters else None,
            epochs=training.epochs,
            seed=training.seed,
            init=data.init.parser if data.init else None,
            has_links=any(each.links for each in treebanks),
            selections=frozenset(each.config.select for each in data.costs),
            has_feats=data.config.tagger.feats,
            has_lemmas=data.config.tagger.lemmas,
            threads=self.threads,
        )

    def _say_what_is_in(self, plan: Plan) -> None:
        corpus, note = self.data.corpus, self.reporter.note
        if not corpus.sentences:
            return
        note(f"{len(corpus.sentences):,} sentences, {corpus.words:,} words")
        found = np.flatnonzero(corpus.batch.nonprojective()).tolist()
        nonprojective = sum(number not in corpus.constraints for number in found)
        if nonprojective:
            share = 100 * nonprojective / len(corpus.sentences)
            trees = "tree is" if nonprojective == 1 else "trees are"
            line = f"{nonprojective} {trees} non-projective ({share:.1f}%)"
            note(line + plan.of_nonprojective)
        if corpus.constraints:
            note(
                f"{len(corpus.constraints):,} partial trees: what is unknown is filled in by the "
                "best tree that obeys what is known"
            )
        if not corpus.is_tagged and self.data.config.tagger.tags:
            note("no UPOS tags in the data: the parser will do without a tagger")
        for line in plan.notes:
            note(line)

    def _check_labels(self, plan: Plan) -> None:
        """A model that is trained on keeps its labels: trees of another kind teach it none."""
        used = Counter(name for s in self.data.corpus.sentences for name in s.deprels)
        del used["_"]
        known = frozenset(plan.labels)
        unknown = {name: count for name, count in used.items() if name not in known}
        if not unknown:
            return
        first = shown(max(unknown, key=unknown.__getitem__))
        if len(unknown) == len(used):
            raise ConfigError(
                f"the model has none of the labels of these trees, {first} for instance; give "
                "trees with its labels, or train from the beginning"
            )
        count = sum(unknown.values())
        self.reporter.note(
            f"{count:,} words have labels that the model does not have, {first} for instance: of "
            "these it learns heads alone"
        )

    # -- words and tags ----------------------------------------------------------------

    def _segmenter(self) -> Segmenter | None:
        config, corpus = self.data.config.segmenter, self.data.corpus.that_trains("segments")
        if not config.enabled or not can_segment(corpus):
            return None
        self.reporter.stage("segmenter", config.epochs * len(corpus.sentences))
        seed = self.data.config.training.seed
        return train_segmenter(corpus, config, seed, self.reporter.advance)

    def _train_tagger(self) -> Tagger:
        data, corpus, config = self.data, self.data.corpus, self.data.config.tagger
        work = corpus.visits("tags") * config.visits + corpus.interpolated_visits("tags")
        self.reporter.stage("tagger", work)
        return train_tagger(
            corpus,
            config,
            data.config.training.seed,
            TAGGER,
            lowercase=data.lowercase,
            clusters=data.clusters.kernel if data.clusters else None,
            advance=self.reporter.advance,
            checkpoint=self.checkpoint,
        )

    def _tagger(self) -> Tagger | None:
        init = self.data.init
        if init is not None:
            assert init.tagger is None or isinstance(init.tagger, Tagger)
            return self._finetuned(init.tagger)
        return self._train_tagger() if self.data.has_tags else None

    def _finetuned(self, tagger: Tagger | None) -> Tagger | None:
        """The tagger of a model that is trained on, with what it learns from tags, if it does."""
        data, config = self.data, self.data.config.tagger
        if tagger is None or not config.finetune_epochs:
            return tagger
        corpus = data.corpus.that_trains("tags").and_also(
            sentence for each in data.costs for sentence in each.tagged
        )
        self.reporter.stage("tagger", corpus.visits("tags") * config.finetune_epochs)
        return finetuned(
            tagger,
            corpus,
            config,
            data.config.training.seed,
            TAGGER,
            advance=self.reporter.advance,
            checkpoint=self.checkpoint,
        )

    def _training_tags(
        self, tagger: Tagger | None, morphology: Morphology | None, seen: tuple[str, ...]
    ) -> Tags:
        """The tags of the corpus as the parser will meet them, with what it sees beside them."""
        data, corpus, config = self.data, self.data.corpus, self.data.config.tagger
        if tagger is None:
            return Tags.none(corpus.batch)
        if data.init is not None and self.tags is not None:
            return self.tags
        unseen = data.unseen
        if folds := len(folds_of(~unseen, config)):
            own = corpus.interpolated_visits("training-tags")
            work = corpus.visits("training-tags") * config.visits + own
            share = folds - float((~unseen).mean())  # each fold is left out once
            self.reporter.stage(f"tags of {folds} parts", int(work * share))
            self._tag_folds(folds)
        return jackknife(
            corpus,
            tagger,
            config,
            data.config.training.seed,
            morphology=None if morphology is None else morphology.only(seen),
            threads=self.threads,
            clusters=data.clusters.kernel if data.clusters else None,
            checkpoint=self.checkpoint,
            advance=locked(self.reporter.advance),
            unseen=unseen,
        )

    def _tag_folds(self, folds: int) -> None:
        """Have the folds tagged by workers, if there are any."""
        names = [fold_name(fold) for fold in range(folds)]
        missing = [fold for fold, name in enumerate(names) if name not in self.checkpoint]
        if self.engine is None or not missing:
            return
        with self.engine.crew(_FOLD_TAGGER, self._order()) as crew:
            for number, tags in Work(crew, missing).results(lambda: None):
                self.checkpoint.put(names[missing[number]], tags)
                if self.checkpoint.is_due:
                    self.checkpoint.save()

    def tag_fold(self, fold: int) -> Arrays:
        """In a worker: the tags of a fold of the treebank."""
        data, config = self.data, self.data.config
        tagger = self._tagger()
        assert tagger is not None
        part = folds_of(~data.unseen, config.tagger)[fold]
        clusters = data.clusters.kernel if data.clusters else None
        return tag_fold(
            data.corpus,
            part,
            tagger,
            config.tagger,
            config.training.seed,
            fold,
            clusters,
            self.reporter.advance,
            _morphology_seen(load_family(config.model.kind).plan(self._setup())),
        )

    def _tag_updates(self, tagger: Tagger | None) -> TagUpdates | None:
        """What the tagger learns beside the parser, where costs may choose tags."""
        if tagger is None or all(each.config.tags == 1 for each in self.data.costs):
            return None
        return TagUpdates(tagger, self.data.corpus, self.data.config.tagger)

    def _morphology(self, tagger: Tagger | None) -> Morphology | None:
        if tagger is None:
            return None
        config, corpus = self.data.config, self.data.corpus
        return train_morphology(
            corpus,
            tagger,
            config.tagger,
            config.training.seed,
            advance=self.reporter.advance,
            begin=partial(self.reporter.stage, "features and lemmas"),
        )

    def _dev_tags(self, tagger: Tagger | None, morphology: Morphology | None) -> Tags | None:
        dev = self.data.dev
        return None if dev is None else tag_batch(dev.batch, tagger, morphology, keep=False)

    # -- parsers -----------------------------------------------------------------------

    def jobs(self) -> Jobs:
        """In a worker: the jobs of a run whose tagger and tags are finished."""
        data, init = self.data, self.data.init
        plan = load_family(data.config.model.kind).plan(self._setup())
        tagger, morphology = self._tagger(), None
        if data.costs or _morphology_seen(plan):
            morphology = init.morphology if init else self._morphology(tagger)
        tags = self._training_tags(tagger, morphology, _morphology_seen(plan))
        costs = tag_costs(data.costs, tagger, morphology, plan.labels)
        return self._jobs(plan, tagger, morphology, tags, costs, None)

    def _jobs(
        self,
        plan: Plan,
        tagger: Tagger | None,
        morphology: Morphology | None,
        tags: Tags,
        costs: Sequence[CostData],
        dev_tags: Tags | None,
    ) -> Jobs:
        data = self.data
        chains = {chain[-1].stage: chain for chain in plan.chains(tags)}
        if costs and data.init is None and data.config.training.costs == "after":
            # As if a finished model were trained on.
            batch = data.corpus.batch
            own = tag_batch(batch, tagger, morphology, keep=False) if tagger else tags
            chains = {stage: costs_after(chain, own) for stage, chain in chains.items()}
        dev = None if data.dev is None or dev_tags is None else (data.dev, dev_tags)
        return Jobs(
            chains,
            data.config.training,
            costs,
            partial(self._tag_updates, tagger),
            dev,
            self.checkpoint,
            self.log,
            self.threads,
            self._crew if self.engine else None,
        )

    def _crew(self) -> Crew:
        assert self.engine is not None
        return self.engine.crew(_SHARD_LEARNER, self._order())

    def _order(self) -> Order:
        """This run up to now, for workers."""
        data = self.data
        held_out = {each.name: each.held_out for each in data.costs}
        init = shared_file(data.init.as_file()) if data.init else None
        folds = map(fold_name, range(data.config.tagger.folds))
        finished = self.checkpoint.of(TAGGER, *folds)
        # Development data are for the head alone.
        config = replace(data.config, training=replace(data.config.training, dev="", dev_links=""))
        sha256 = data.corpus.sha256
        return Order(config, held_out, data.skips, init, finished, self.tags, sha256)

    def _card(self, parser: Parser) -> dict[str, Any]:
        record, corpus, init = card_of(self.data.config), self.data.corpus, self.data.init
        # What the parser is: cards of older models may say that it has what it has not.
        record["model"] |= {name: x for name, x in parser.facts.items() if name in record["model"]}
        record["data"] = {
            "files": [os.path.basename(file) for file in corpus.files],
            "sentences": len(corpus.sentences),
            "words": corpus.words,
            "sha256": corpus.sha256,
        }
        if init is not None:
            name, data = init.config["card"]["name"], init.config.get("data", {})
            record["init"] = {"name": name, "data": data}
        return record


def _morphology_seen(plan: Plan) -> tuple[str, ...]:
    return plan.morphology_seen if isinstance(plan, MorphologyPlan) else ()


def with_scores(pipeline: Pipeline, dev: Corpus) -> Pipeline:
    """The card with the scores of the model as it is shipped, on the development data."""
    scores: dict[str, Any] = {}
    for name, search in pipeline.parser.ways.items():
        way = vars(search)
        parsed = pipeline.parse(dev.sentences, retag=True, **way)
        found = evaluate(dev.sentences, parsed).without(pipeline.unpredicted).scores
        scores[name] = {metric: round(value, 2) for metric, value in found.items()}
    return replace(pipeline, config={**pipeline.config, "scores_on_dev": scores})
