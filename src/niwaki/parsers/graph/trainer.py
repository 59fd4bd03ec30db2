"""Trains the weights of a graph-based parser: arcs in one of several ways, labels by AdaGrad."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from niwaki.data.constraints import Constraints
from niwaki.data.faults import DEPREL
from niwaki.features.weights import PackedWeights, compress, compress_onto, pack, unpack
from niwaki.kernel.batch import Batch
from niwaki.kernel.features.words import Clusters
from niwaki.kernel.graph.arc_learning import ArcLearner
from niwaki.kernel.linear import SparseWeights
from niwaki.learning.checkpoint import below
from niwaki.learning.corpus import Corpus, projective_heads
from niwaki.parsers.arcs.parser import log_softmax
from niwaki.parsers.base import Search
from niwaki.parsers.graph.config import GraphConfig
from niwaki.parsers.graph.costs import LABEL_NEGLIGIBLE, GraphExamples
from niwaki.parsers.graph.learners import make_online_update, make_update
from niwaki.parsers.graph.model import GraphParser, linear_parser
from niwaki.parsers.graph.scorer import TABLES, LinearScorer
from niwaki.parsers.graph.spec import GraphSpec
from niwaki.parsers.graph.training_data import ArcTrainingData, arc_parts
from niwaki.tagging.tagger import Tags
from niwaki.typing import Arrays, IntArray

# Rows of arcs that are kept for each of `max_rows`: they hold one weight, not one for each move.
_ARC_ROWS = 4


@dataclass(frozen=True)
class GraphWeightsPlan:
    """What the weights are to be, and how large."""

    spec: GraphSpec
    config: GraphConfig
    max_rows: int
    clusters: Clusters | None
    seed: int


def new_weights(
    spec: GraphSpec, base: Mapping[str, PackedWeights] | None = None
) -> dict[str, SparseWeights]:
    classes = {"arcs": spec.latent, "labels": len(spec.labels)}
    return {
        part: SparseWeights(count, base=base[part].compile() if base else None)
        for part, count in classes.items()
    }


def unpack_weights(finished: Arrays) -> dict[str, PackedWeights]:
    """The tables of a finished training."""
    return {part: unpack(below(finished, part)) for part in TABLES}


class GraphTrainer:
    """Learns from nothing, or as differences to finished weights (`base`)."""

    def __init__(
        self,
        plan: GraphWeightsPlan,
        corpus: Corpus,
        tags: Tags,
        *,
        base: Mapping[str, PackedWeights] | None = None,
    ) -> None:
        self._plan, self._corpus, self._base = plan, corpus, base
        self._weights = new_weights(plan.spec, base)
        self._scorer = LinearScorer(plan.spec, self._weights, plan.clusters)
        # Probabilities are calibrated when all is learned; scores are learned as they are.
        plain = replace(plan.spec, temperature=1.0, label_temperature=1.0)
        self._parser = GraphParser(plain, self._scorer)
        self._values = self._scorer.values(corpus.batch, tags)
        self._candidates = self._parser.candidates(corpus.batch, tags, Search())
        is_projective = plan.spec.projective
        heads = projective_heads(corpus) if is_projective else corpus.batch.given_heads()
        self._labels = corpus.batch.numbers(DEPREL, self._parser.labels.symbols)
        self._data = ArcTrainingData(
            self._parser,
            self._scorer,
            self._weights["arcs"],
            corpus.batch,
            self._values,
            heads,
            corpus.starts,
        )
        self._label_learner = ArcLearner(
            self._scorer.label_model, self._weights["labels"], corpus.batch, self._values
        )
        self._update = make_update(self._data, plan.config, plan.seed)

    @property
    def rows(self) -> int:
        return len(self._weights["arcs"])

    @property
    def tables(self) -> dict[str, SparseWeights]:
        return self._weights

    def examples(self, batch: Batch, tags: Tags) -> GraphExamples:
        plan = self._plan
        return GraphExamples(
            GraphParser(plan.spec, self._scorer),
            self._parser,
            self._scorer,
            self._weights,
            batch,
            tags,
            make_online_update(self._data, plan.config, 0),
            plan.config,
        )

    def tick(self) -> None:
        for weights in self._weights.values():
            weights.tick()

    def begin_epoch(self, epoch: int) -> None:
        pass

    def end_epoch(self) -> None:
        self._update.finish()

    def learn(self, sentences: IntArray) -> int:
        return sum(self._learn(s) for s in sentences.tolist())

    def _learn(self, s: int) -> bool:
        """Learn the arcs and the labels of a sentence; whether arcs had to be changed."""
        known = self._corpus.constraints.get(s)
        if known is not None:
            self._complete(s, known)
        changed = self._update.learn(s)
        self._learn_labels(s)
        return changed

    def _complete(self, s: int, known: Constraints) -> None:
        """Make the best tree that obeys what is known the one to learn."""
        (best,) = self._candidates.kbest(s, 1, known)
        words = slice(self._corpus.starts[s], self._corpus.starts[s + 1])
        self._data.heads[words] = best.heads
        self._labels[words] = [self._parser.labels.number(x) for x in best.deprels]

    def _learn_labels(self, s: int) -> None:
        """AdaGrad on log p(label | arc) for the arcs of the gold tree."""
        words = slice(self._corpus.starts[s], self._corpus.starts[s + 1])
        gold, config = self._labels[words], self._plan.config
        known = np.flatnonzero(gold >= 0).astype(np.int32)
        parts = arc_parts(self._data.gold(s), known)
        scores = self._scorer.labels_of_parts(self._corpus.batch, self._values, s, parts)
        gradients = -np.exp(log_softmax(scores))
        gradients[np.arange(len(known)), gold[known]] += 1
        rate, epsilon = config.learning_rate, config.adagrad_epsilon
        self._label_learner.climb(s, parts, gradients, LABEL_NEGLIGIBLE, 0.0, rate, epsilon)
        self._weights["labels"].tick()

    def _packed(self) -> dict[str, PackedWeights]:
        exported = {"arcs": self._update.exported(), "labels": self._weights["labels"].export()}
        if self._base is not None:
            return {part: compress_onto(self._base[part], exported[part]) for part in exported}
        rows = {"arcs": _ARC_ROWS * self._plan.max_rows, "labels": self._plan.max_rows}
        return {
            part: compress(learned, self._weights[part].classes, rows[part])
            for part, learned in exported.items()
        }

    def finished(self) -> Arrays:
        tables = {part: pack(table) for part, table in self._packed().items()}
        return {f"{part}.{n}": x for part, arrays in tables.items() for n, x in arrays.items()}

    def parser(self, finished: Arrays) -> GraphParser:
        return linear_parser(self._plan.spec, unpack_weights(finished), self._plan.clusters)

    def export(self) -> Arrays:
        labels = self._weights["labels"].export()
        return {
            **{f"arcs.{name}": array for name, array in self._update.state().items()},
            **{f"labels.{name}": array for name, array in labels.items()},
        }

    def restore(self, arrays: Arrays) -> None:
        self._update.restore(below(arrays, "arcs"))
        self._weights["labels"].restore(**below(arrays, "labels"))

    def continued(self, finished: Arrays, tags: Tags) -> GraphTrainer:
        return GraphTrainer(self._plan, self._corpus, tags, base=unpack_weights(finished))
