"""A graph parser that is taught by costs: its candidates, and what costs that are sums over
arcs allow besides - exact expected costs and cost-augmented decoding.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from niwaki.data.constraints import Constraints
from niwaki.data.kbest import CandidateArrays
from niwaki.kernel.batch import Batch
from niwaki.kernel.graph.arc_learning import ArcLearner
from niwaki.kernel.linear import SparseWeights
from niwaki.parsers.decoding import Scores, decode, expected_cost
from niwaki.parsers.graph.config import GraphConfig
from niwaki.parsers.graph.model import Floats, GraphParser, Numbers, normalised
from niwaki.parsers.graph.search import graph_kbest
from niwaki.parsers.graph.training_data import NEGLIGIBLE, OnlineLessons, Pupil, arc_parts
from niwaki.parsers.transition.candidates import Slopes
from niwaki.tagging.tagger import Tags

# Slopes of labels that are smaller are left out: every feature would weigh every label.
LABEL_NEGLIGIBLE = 0.03
_LABEL_SLOPE = 1e-3
# By so much more does a cost weigh than any score when the cheapest tree is wanted.
_CHEAPEST = 1e6


class GraphCandidates:
    """The k best trees of a graph parser in the sentences of a data set."""

    usual_scale = 4.0

    def __init__(self, parser: GraphParser, batch: Batch, tags: Tags) -> None:
        self._parser, self._batch = parser, batch
        self._values = parser.attribute_values(batch, tags)
        self.labels = parser.labels.names

    def candidates(self, s: int, k: int) -> CandidateArrays:
        found = self._parser.kbest(self._batch, s, self._values, k)
        assert found.labels is not None
        return CandidateArrays(s, found.heads, found.labels, found.scores.astype(np.float32))

    def obeying(self, s: int, constraints: Constraints) -> CandidateArrays:
        """The argmax among the trees that obey (Hall et al. 2011, footnote 2)."""
        (found,) = graph_kbest(
            self._parser, self._batch, s, self._values, 1, constraints=constraints
        )
        labels = [self._parser.labels.number(name) for name in found.tree.deprels]
        return CandidateArrays(
            s,
            np.array([found.tree.heads], dtype=np.int32),
            np.array([labels], dtype=np.int32),
            np.array([found.score], dtype=np.float32),
        )


class GraphTrainee(GraphCandidates):
    """The same while the parser is being taught.

    Candidates are found by `parser`, whose temperatures are those of a calibrated model;
    `taught` has the same weights without them, as the treebank is learned.
    """

    def __init__(
        self,
        parser: GraphParser,
        taught: GraphParser,
        weights: dict[str, SparseWeights],
        batch: Batch,
        tags: Tags,
        lessons: OnlineLessons,
        config: GraphConfig,
    ) -> None:
        super().__init__(parser, batch, tags)
        starts = np.concatenate([[0], np.cumsum(batch.lengths)]).astype(np.int64)
        unknown = np.full(batch.words, -1, dtype=np.int32)
        self._pupil = Pupil(taught, weights["arcs"], batch, self._values, unknown, starts)
        self._label_learner = ArcLearner(taught.label_model, weights["labels"], batch, self._values)
        self._lessons, self._graph = lessons, config

    def update(self, candidates: CandidateArrays, towards: int, away: int, step: float) -> None:
        s = candidates.number
        heads, labels = (each[[towards, away]] for each in (candidates.heads, candidates.labels))
        for arc_learner, parts, signs in self._pupil.differences(heads[0], heads[1]):
            self._lessons.along(arc_learner, s, parts, signs, step)
        # On the same arc, the gradients of the two log p(label | arc) have p in common.
        same = (heads[0] == heads[1]) & (labels[0] != labels[1])
        if same.any():
            words = np.flatnonzero(same).astype(np.int32)
            slopes = np.zeros((len(words), len(self.labels)))
            for chosen, sign in zip(labels[:, words], (1.0, -1.0), strict=True):
                known = np.flatnonzero(chosen >= 0)
                slopes[known, chosen[known]] += sign
            self._climb_labels(s, arc_parts(heads[0], words), slopes, step, LABEL_NEGLIGIBLE)
        for own, names, sign in zip(heads, labels, (1.0, -1.0), strict=True):
            words = np.flatnonzero((heads[0] != heads[1]) & (names >= 0)).astype(np.int32)
            if len(words):
                parts = arc_parts(own, words)
                slopes = -sign * np.exp(self._label_logs(s, parts))
                slopes[np.arange(len(words)), names[words]] += sign
                self._climb_labels(s, parts, slopes, step, LABEL_NEGLIGIBLE)

    def _label_logs(self, s: int, parts: Numbers) -> Floats:
        model = self._pupil.parser.label_model
        return normalised(model.listed(self._batch, self._values, s, parts))

    def _climb_labels(
        self, s: int, parts: Numbers, slopes: Floats, step: float, least: float
    ) -> None:
        rate = self._graph.learning_rate * step
        self._label_learner.climb(s, parts, slopes, least, 0.0, rate, self._graph.adagrad_epsilon)

    # -- costs that are sums over arcs ---------------------------------------------

    def augmented(self, s: int, costs: Floats, scale: float) -> CandidateArrays:
        """The best tree, the one of hope and the one of fear: where score - scale * cost is
        highest, and where score + scale * cost is, among all trees.
        """
        scores = self._scores(s, costs)
        trees = [
            self._decoded(s, scores, scores.table + sign * costs) for sign in (0, -scale, scale)
        ]
        return self._as_candidates(s, trees)

    def expectation(
        self, s: int, costs: Floats, scale: float
    ) -> tuple[CandidateArrays, Slopes, float]:
        """The best tree and the cheapest one; the gradient of the expected cost under
        p(tree) ~ exp(score / scale), and that cost.
        """
        scores = self._scores(s, costs)
        found, slopes = expected_cost(
            Scores(scores.table / scale, scores.lengths),
            costs,
            projective=self._parser.spec.projective,
            too_long="spanning",
        )
        large = _CHEAPEST * (1 + np.abs(scores.table).max())
        trees = [self._decoded(s, scores, scores.table - each * costs) for each in (0, large)]
        n = int(scores.lengths[0])
        by_arc = slopes if slopes.ndim == 1 else slopes.sum(axis=1)
        arcs = _chosen_arcs(np.abs(by_arc) > NEGLIGIBLE, n)
        labelled, label_slopes = arcs[:0], np.zeros((0, len(self.labels)))
        if slopes.ndim == 2:
            every = _chosen_arcs(np.abs(slopes).max(axis=1) > NEGLIGIBLE, n)
            rows = every[:, 0] * n + every[:, 1] - 1
            # d score / d weight of a label is [this label] - p.
            shares = np.exp(self._label_logs(s, every))
            passed = slopes[rows] - shares * by_arc[rows, None]
            kept = np.abs(passed).max(axis=1, initial=0) > _LABEL_SLOPE
            labelled, label_slopes = every[kept], passed[kept]
        taken = by_arc[arcs[:, 0] * n + arcs[:, 1] - 1]
        gradient = Slopes(s, arcs, taken, labelled, label_slopes)
        return self._as_candidates(s, trees), gradient, float(found[0])

    def descend(self, slopes: Slopes, step: float) -> None:
        """Move the weights down a gradient."""
        s = slopes.number
        self._lessons.along(self._pupil.arc_learner, s, slopes.arcs, -slopes.arc_slopes, step)
        if len(slopes.labelled):
            downhill = np.ascontiguousarray(-slopes.label_slopes)
            self._climb_labels(
                s, np.ascontiguousarray(slopes.labelled), downhill, step, _LABEL_SLOPE
            )

    def _scores(self, s: int, costs: Floats) -> Scores:
        """Scores of arcs, with labels if costs tell them apart."""
        if costs.ndim == 2:
            return self._parser.labelled_scores(self._batch, s, self._values)
        return self._parser.scores(self._batch, self._values, s)

    def _decoded(self, s: int, scores: Scores, table: Floats) -> tuple[Numbers, Numbers, float]:
        """The best tree of a changed table, and its score under the model."""
        projective = self._parser.spec.decode == "eisner" or scores.siblings is not None
        found = decode(
            Scores(table, scores.lengths, scores.siblings),
            projective=projective,
            too_long="spanning",
        )
        rows = scores.arcs_of_words(found.heads)
        if found.labels is not None:
            score = float(scores.table[rows, found.labels].sum())
            return found.heads, found.labels, score
        every = np.arange(len(found.heads), dtype=np.int32)
        logs = self._parser.label_logs(self._batch, self._values, s, found.heads, every + 1)
        labels = logs.argmax(axis=1).astype(np.int32)
        score = float(scores.table[rows].sum() + logs.max(axis=1).sum())
        return found.heads, labels, score

    def _as_candidates(
        self, s: int, trees: list[tuple[Numbers, Numbers, float]]
    ) -> CandidateArrays:
        heads, labels, scores = zip(*trees, strict=True)
        return CandidateArrays(
            s, np.stack(heads), np.stack(labels), np.array(scores, dtype=np.float32)
        )


def _chosen_arcs(wanted: NDArray[np.bool_], n: int) -> Numbers:
    """Parts of the arcs of a table that are wanted; a word is never its own head."""
    rows = np.flatnonzero(wanted)
    rows = rows[rows // n != rows % n + 1]
    parts = np.full((len(rows), 3), -1, dtype=np.int32)
    parts[:, 0], parts[:, 1] = rows // n, rows % n + 1
    return parts
