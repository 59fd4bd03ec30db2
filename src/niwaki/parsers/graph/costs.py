"""A graph parser that is trained by costs: how its weights change."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from niwaki.data.kbest import KBest
from niwaki.kernel.batch import Batch
from niwaki.kernel.graph.arc_learning import ArcLearner
from niwaki.kernel.linear import SparseWeights
from niwaki.parsers.arcs.costs import LABEL_SLOPE, ArcExamples
from niwaki.parsers.base import Search, Slopes
from niwaki.parsers.graph.config import GraphConfig
from niwaki.parsers.graph.learners import OnlineUpdate
from niwaki.parsers.graph.model import GraphParser
from niwaki.parsers.graph.scorer import LinearScorer
from niwaki.parsers.graph.training_data import ArcTrainingData, add_steps, arc_parts
from niwaki.tagging.tagger import Tags
from niwaki.typing import FloatArray, IntArray

# Slopes of labels that are smaller are left out: every feature would weigh every label.
LABEL_NEGLIGIBLE = 0.03


class GraphExamples(ArcExamples):
    """Examples of a cost, and the weights that are trained by them.

    Candidates are found by `parser`, whose temperatures are those of a calibrated model;
    `trained` has the same weights without them, as the treebank is learned.
    """

    def __init__(
        self,
        parser: GraphParser,
        trained: GraphParser,
        scorer: LinearScorer,
        weights: Mapping[str, SparseWeights],
        batch: Batch,
        tags: Tags,
        online: OnlineUpdate,
        config: GraphConfig,
    ) -> None:
        super().__init__(parser, batch, tags, Search())
        starts = np.concatenate([[0], np.cumsum(batch.lengths)]).astype(np.int64)
        unknown = np.full(batch.words, -1, dtype=np.int32)
        self._data = ArcTrainingData(
            trained, scorer, weights["arcs"], batch, self._values, unknown, starts
        )
        self._label_learner = ArcLearner(scorer.label_model, weights["labels"], batch, self._values)
        self._online, self._config = online, config

    def update(self, kbest: KBest, towards: int, away: int, step: float) -> None:
        heads, labels = self._pair(kbest, towards, away)
        for arc_learner, parts, signs in self._data.differences(*heads):
            self._online.along(arc_learner, kbest.number, parts, signs, step)
        for parts, slopes in self._label_slopes(kbest.number, heads, labels):
            self._climb_labels(kbest.number, parts, slopes, step, LABEL_NEGLIGIBLE)

    def raise_lead(self, kbest: KBest, towards: int, away: int, by: float) -> None:
        """Plain steps, not those of AdaGrad, so that it is known how far they go. Features that
        both trees have are counted as if each had them alone: the lead rises by less.
        """
        s, spec = kbest.number, self._parser.spec
        arcs, labelled = self._data.tree_differences(*self._pair(kbest, towards, away))
        features = sum(len(self._keys(learner, s, parts)[0]) for learner, parts, _ in arcs)
        distance = features / spec.temperature
        if len(labelled.parts):
            # d log p(label | arc) / d score is 1 - p; two labels of one arc have p in common.
            every = np.arange(len(labelled.parts))
            shares = np.exp(self._label_logs(s, labelled.parts)[every, labelled.labels])
            _, counts = self._keys(self._label_learner, s, labelled.parts)
            slopes = np.where(labelled.same_arc, 1.0, 1 - shares)
            distance += float(counts @ slopes) / spec.label_temperature
        if not distance:
            return
        steps = (by / distance * labelled.signs).astype(np.float32)
        self._label_learner.add(s, labelled.parts, labelled.labels, steps)
        for arc_learner, parts, signs in arcs:
            add_steps(arc_learner, s, parts, by / distance * signs)

    def _keys(self, learner: ArcLearner, s: int, parts: IntArray) -> tuple[Any, IntArray]:
        return learner.model.keys(self._batch, self._values, s, parts)

    def _pair(self, kbest: KBest, towards: int, away: int) -> tuple[IntArray, IntArray]:
        """Heads and labels of two candidates, one row each."""
        heads, labels = (each[[towards, away]] for each in (kbest.heads, kbest.labels))
        # A label that constraints put in is none of the model's.
        return heads, np.where(labels < len(self._parser.labels), labels, -1)

    def _label_slopes(
        self, s: int, heads: IntArray, labels: IntArray
    ) -> Iterator[tuple[IntArray, FloatArray]]:
        """Arcs, and the slopes of the first tree's lead by the scores of their labels."""
        # On the same arc, the gradients of the two log p(label | arc) have p in common.
        same = (heads[0] == heads[1]) & (labels[0] != labels[1])
        if same.any():
            words = np.flatnonzero(same).astype(np.int32)
            slopes = np.zeros((len(words), len(self._parser.labels)))
            for chosen, sign in zip(labels[:, words], (1.0, -1.0), strict=True):
                known = np.flatnonzero(chosen >= 0)
                slopes[known, chosen[known]] += sign
            yield arc_parts(heads[0], words), slopes
        for own, names, sign in zip(heads, labels, (1.0, -1.0), strict=True):
            words = np.flatnonzero((heads[0] != heads[1]) & (names >= 0)).astype(np.int32)
            if len(words):
                parts = arc_parts(own, words)
                slopes = -sign * np.exp(self._label_logs(s, parts))
                slopes[np.arange(len(words)), names[words]] += sign
                yield parts, slopes

    def _climb_labels(
        self, s: int, parts: IntArray, slopes: FloatArray, step: float, least: float
    ) -> None:
        rate = self._config.learning_rate * step
        self._label_learner.climb(s, parts, slopes, least, 0.0, rate, self._config.adagrad_epsilon)

    def descend(self, slopes: Slopes, step: float) -> None:
        """Move the weights down a gradient."""
        s = slopes.number
        self._online.along(self._data.arc_learner, s, slopes.arcs, -slopes.arc_slopes, step)
        if len(slopes.labelled):
            downhill = np.ascontiguousarray(-slopes.label_slopes)
            self._climb_labels(
                s, np.ascontiguousarray(slopes.labelled), downhill, step, LABEL_SLOPE
            )
