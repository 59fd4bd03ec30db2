"""Examples of costs that are sums over arcs: exact expected costs, cost-augmented decoding."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from niwaki.data.kbest import KBest
from niwaki.parsers.arcs.candidates import ArcCandidates
from niwaki.parsers.arcs.parser import log_softmax
from niwaki.parsers.base import Slopes
from niwaki.parsers.decoding import Scores, decode, expected_cost
from niwaki.typing import FloatArray, IntArray

# Slopes that are smaller are left out: most arcs of a sentence are out of the question.
NEGLIGIBLE = 1e-4
LABEL_SLOPE = 1e-3
# By so much more does a cost weigh than any score when the cheapest tree is wanted.
_CHEAPEST = 1e6


class ArcExamples(ArcCandidates):
    """What of `niwaki.parsers.base.ArcTrainable` changes no weights."""

    auto_scale = 4.0

    def augmented(self, s: int, costs: FloatArray, scale: float) -> KBest:
        """The best tree, the one of hope and the one of fear: where score - scale * cost is
        highest, and where score + scale * cost is, among all trees.
        """
        scores = self._scores(s, costs)
        trees = [
            self._decoded(s, scores, scores.table + sign * costs) for sign in (0, -scale, scale)
        ]
        return self._as_candidates(s, trees)

    def expectation(self, s: int, costs: FloatArray, scale: float) -> tuple[KBest, Slopes, float]:
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
        labelled, label_slopes = arcs[:0], np.zeros((0, len(self._parser.labels)))
        if slopes.ndim == 2:
            every = _chosen_arcs(np.abs(slopes).max(axis=1) > NEGLIGIBLE, n)
            rows = every[:, 0] * n + every[:, 1] - 1
            # d score / d weight of a label is [this label] - p.
            shares = np.exp(self._label_logs(s, every))
            passed = slopes[rows] - shares * by_arc[rows, None]
            kept = np.abs(passed).max(axis=1, initial=0) > LABEL_SLOPE
            labelled, label_slopes = every[kept], passed[kept]
        taken = by_arc[arcs[:, 0] * n + arcs[:, 1] - 1]
        gradient = Slopes(s, arcs, taken, labelled, label_slopes)
        return self._as_candidates(s, trees), gradient, float(found[0])

    def _label_logs(self, s: int, parts: IntArray) -> FloatArray:
        """log p(label | arc) as it is learned: at no temperature."""
        return log_softmax(self._parser.scorer.labels_of_parts(self._batch, self._values, s, parts))

    def _scores(self, s: int, costs: FloatArray) -> Scores:
        """Scores of arcs, with labels if costs tell them apart."""
        if costs.ndim == 2:
            return self._parser.labelled_scores(self._batch, s, self._values)
        return self._parser.scores(self._batch, self._values, s)

    def _decoded(
        self, s: int, scores: Scores, table: FloatArray
    ) -> tuple[IntArray, IntArray, float]:
        """The best tree of a changed table, and its score under the model."""
        found = decode(
            Scores(table, scores.lengths, scores.siblings),
            projective=self._projective,
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

    def _as_candidates(self, s: int, trees: list[tuple[IntArray, IntArray, float]]) -> KBest:
        heads, labels, scores = zip(*trees, strict=True)
        names = self._parser.labels.names
        return KBest(np.stack(heads), np.stack(labels), np.array(scores), names, number=s)


def _chosen_arcs(wanted: NDArray[np.bool_], n: int) -> IntArray:
    """Parts of the arcs of a table that are wanted; a word is never its own head."""
    rows = np.flatnonzero(wanted)
    rows = rows[rows // n != rows % n + 1]
    parts = np.full((len(rows), 3), -1, dtype=np.int32)
    parts[:, 0], parts[:, 1] = rows // n, rows % n + 1
    return parts
