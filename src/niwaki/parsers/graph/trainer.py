"""Teaches a graph-based parser, epoch by epoch, and keeps the best."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from niwaki.data.constraints import Constraints
from niwaki.data.sentence import Sentence
from niwaki.errors import ConfigError
from niwaki.features.vocabulary import Vocabulary
from niwaki.features.weights import PackedWeights, compress, compress_onto
from niwaki.kernel.features.words import Clusters
from niwaki.kernel.graph.arc_learning import ArcLearner
from niwaki.kernel.linear import SparseWeights
from niwaki.learning.checkpoint import Checkpoint
from niwaki.learning.corpus import Corpus
from niwaki.parsers.graph.config import GraphConfig
from niwaki.parsers.graph.costs import LABEL_NEGLIGIBLE, GraphTrainee
from niwaki.parsers.graph.learners import learns_online, make_lessons, make_online_lessons
from niwaki.parsers.graph.model import GraphParser, GraphSpec, normalised
from niwaki.parsers.graph.search import graph_kbest
from niwaki.parsers.graph.training_data import Pupil, arc_parts
from niwaki.parsers.transition.model import DEPREL
from niwaki.parsers.transition.trainer import projective_heads
from niwaki.tagging.tagger import Tags
from niwaki.tagging.updates import TagLessons
from niwaki.training.config import Config
from niwaki.training.examples import CostData, Tagging
from niwaki.training.loop import Arrays, EpochTraining, Weights, below
from niwaki.training.objectives import CostLessons, CostTraining

# Rows of arcs that are kept for each of `max_rows`: they hold one weight, not one for each move.
_ARC_ROWS = 4


def make_graph_spec(
    sentences: Iterable[Sentence],
    config: GraphConfig,
    *,
    features: str,
    label_features: str,
    lowercase: bool = False,
    tags: bool = True,
    clusters: Clusters | None = None,
) -> GraphSpec:
    """What a parser for a treebank will be: its labels, and what it looks at."""
    labels = Counter(
        label
        for sentence in sentences
        for head, label in zip(sentence.heads, sentence.deprels, strict=True)
        if head >= 0
    )
    if not labels:
        raise ConfigError("the training data has no arcs; give sentences with heads")
    if len(labels) > 256:
        raise ConfigError(f"{len(labels)} labels, but at most 256 are possible")
    spec = GraphSpec(
        labels=Vocabulary(sorted(labels)).names,
        order=config.order,
        latent=config.latent,
        projective=config.projective,
        decode=config.decode,
        features=features,
        label_features=label_features,
        lowercase=lowercase,
        tags=tags,
    )
    try:
        GraphParser(spec, _new_weights(spec), clusters)
    except ValueError as error:
        raise ConfigError(f"features: {error}") from error
    return spec


def _new_weights(
    spec: GraphSpec, base: Mapping[str, PackedWeights] | None = None
) -> dict[str, SparseWeights]:
    classes = {"arcs": spec.latent, "labels": len(spec.labels)}
    return {
        part: SparseWeights(count, base=base[part].compile() if base else None)
        for part, count in classes.items()
    }


class GraphTraining(EpochTraining[GraphParser]):
    """The training of a graph parser, from nothing or from finished weights (`base`)."""

    def __init__(
        self,
        stage: str,
        spec: GraphSpec,
        corpus: Corpus,
        tags: Tags,
        config: Config,
        *,
        clusters: Clusters | None,
        checkpoint: Checkpoint,
        base: Mapping[str, PackedWeights] | None = None,
        costs: Sequence[CostData] = (),
        tag_lessons: TagLessons | None = None,
        threads: int = 1,
    ) -> None:
        self._graph, self._base, self._max_rows = config.family, base, config.model.max_rows
        _check_that_it_learns(config.family, corpus, base, costs)
        self._weights = _new_weights(spec, base)
        self._spec = spec
        # Probabilities are calibrated when all is learned; scores are learned as they are.
        plain = replace(spec, temperature=1.0, label_temperature=1.0)
        self._parser = GraphParser(plain, self._weights, clusters)
        self._values = self._parser.attribute_values(corpus.batch, tags)
        heads = projective_heads(corpus) if spec.projective else corpus.batch.given_heads()
        self._labels = corpus.batch.numbers(DEPREL, self._parser.labels.symbols)
        self._pupil = Pupil(
            self._parser, self._weights["arcs"], corpus.batch, self._values, heads, corpus.starts
        )
        self._label_learner = ArcLearner(
            self._parser.label_model, self._weights["labels"], corpus.batch, self._values
        )
        self._lessons = make_lessons(self._pupil, config.family, config.training.seed)
        learners = list(self._weights.values())
        super().__init__(
            stage,
            corpus,
            config.training,
            epochs=config.training.epochs,
            costs=CostTraining(
                [CostLessons.of(each, self._trainee, tag_lessons) for each in costs],
                learners,
                config.training.seed,
                tag_lessons,
            ),
            checkpoint=checkpoint,
            threads=threads,
        )

    def _trainee(self, data: Tagging) -> GraphTrainee:
        return GraphTrainee(
            self._with(self._weights),
            self._parser,
            self._weights,
            data.batch,
            data.tags,
            make_online_lessons(self._pupil, self._graph, 0),
            self._graph,
        )

    def _with(self, weights: Mapping[str, SparseWeights | PackedWeights]) -> GraphParser:
        temperatures = {
            "temperature": self._spec.temperature,
            "label_temperature": self._spec.label_temperature,
        }
        return self._parser.with_weights(weights, **temperatures)

    def _learn(self, part: NDArray[np.int32]) -> int:
        return sum(self.learn(s) for s in part.tolist())

    def learn(self, s: int) -> bool:
        """Learn the arcs and the labels of a sentence; whether arcs had to be changed."""
        known = self._corpus.constraints.get(s)
        if known is not None:
            self._complete(s, known)
        changed = self._lessons.learn(s)
        self._learn_labels(s)
        return changed

    def _complete(self, s: int, known: Constraints) -> None:
        """Make the best tree that obeys what is known the one to learn."""
        (best,) = graph_kbest(
            self._parser, self._corpus.batch, s, self._values, 1, constraints=known
        )
        words = slice(self._corpus.starts[s], self._corpus.starts[s + 1])
        self._pupil.heads[words] = best.tree.heads
        self._labels[words] = [self._parser.labels.number(x) for x in best.tree.deprels]

    def _learn_labels(self, s: int) -> None:
        """AdaGrad on log p(label | arc) for the arcs of the gold tree."""
        words = slice(self._corpus.starts[s], self._corpus.starts[s + 1])
        gold = self._labels[words]
        known = np.flatnonzero(gold >= 0).astype(np.int32)
        parts = arc_parts(self._pupil.gold(s), known)
        scores = self._parser.label_model.listed(self._corpus.batch, self._values, s, parts)
        gradients = -np.exp(normalised(scores))
        gradients[np.arange(len(known)), gold[known]] += 1
        self._label_learner.climb(
            s,
            parts,
            gradients,
            LABEL_NEGLIGIBLE,
            0.0,
            self._graph.learning_rate,
            self._graph.adagrad_epsilon,
        )
        self._weights["labels"].tick()

    def _end_epoch(self) -> None:
        self._lessons.finish()

    def _rows(self) -> int:
        return len(self._weights["arcs"])

    def _compressed(self) -> Weights:
        exported = {"arcs": self._lessons.exported(), "labels": self._weights["labels"].export()}
        if self._base is not None:
            return {part: compress_onto(self._base[part], exported[part]) for part in exported}
        rows = {"arcs": _ARC_ROWS * self._max_rows, "labels": self._max_rows}
        return {
            part: compress(learned, self._weights[part].classes, rows[part])
            for part, learned in exported.items()
        }

    def _state(self) -> Arrays:
        labels = self._weights["labels"].export()
        return {
            **{f"arcs.{name}": array for name, array in self._lessons.state().items()},
            **{f"labels.{name}": array for name, array in labels.items()},
        }

    def _restore_state(self, state: Arrays) -> None:
        self._lessons.restore(below(state, "arcs"))
        self._weights["labels"].restore(**below(state, "labels"))


def _check_that_it_learns(
    graph: GraphConfig,
    corpus: Corpus,
    base: Mapping[str, PackedWeights] | None,
    costs: Sequence[CostData],
) -> None:
    """Raises ConfigError if this way to learn cannot do what is asked for."""
    online = "train by perceptron, mira, or log-linear with adagrad"
    if not learns_online(graph):
        if corpus.constraints:
            raise ConfigError(
                f"partial trees are completed while one learns from sentence to sentence; {online}"
            )
        if costs:
            raise ConfigError(f"costs change weights from sentence to sentence; {online}")
        if base is not None:
            raise ConfigError(f"a model is trained on from sentence to sentence; {online}")
    if costs and graph.latent > 1:
        raise ConfigError(f"costs go with graph.latent = 1, not {graph.latent}; leave one out")
    if graph.order == 2 and any(each.config.select == "exact" for each in costs):
        raise ConfigError('select = "exact" sums over trees, which needs graph.order = 1')
