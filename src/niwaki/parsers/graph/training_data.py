"""Sentences that a graph parser learns arcs from, and steps between their trees."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from niwaki.features.vocabulary import Values
from niwaki.kernel.batch import Batch
from niwaki.kernel.graph.arc_learning import ArcLearner
from niwaki.kernel.linear import SparseWeights
from niwaki.parsers.decoding import Scores
from niwaki.parsers.graph.model import GraphParser
from niwaki.parsers.graph.scorer import LinearScorer
from niwaki.typing import FloatArray, IntArray


@dataclass(frozen=True)
class LabelledArcs:
    """Arcs with their labels, 1 or -1 for whose they are, and whether both trees have the arc."""

    parts: IntArray
    labels: IntArray
    signs: FloatArray
    same_arc: NDArray[np.bool_]


@dataclass
class ArcTrainingData:
    """A linear scorer with growing weights, and the sentences that it learns from."""

    parser: GraphParser
    scorer: LinearScorer
    weights: SparseWeights
    batch: Batch
    values: list[Values]
    heads: IntArray  # of all words; completed while learning where trees are partial
    starts: NDArray[np.int64]

    def __post_init__(self) -> None:
        self.arc_learner = ArcLearner(self.scorer.arc_model, self.weights, self.batch, self.values)
        self.sibling_learner: ArcLearner | None = None
        if self.scorer.sibling_model is not None:
            self.sibling_learner = ArcLearner(
                self.scorer.sibling_model, self.weights, self.batch, self.values
            )

    def gold(self, s: int) -> IntArray:
        return self.heads[self.starts[s] : self.starts[s + 1]]

    def scores(self, s: int) -> Scores:
        return self.parser.scores(self.batch, self.values, s)

    def differences(
        self, towards: IntArray, away: IntArray
    ) -> Iterator[tuple[ArcLearner, IntArray, FloatArray]]:
        """The parts by which two trees differ, with 1 for those of the first and -1 for those
        of the second; arcs, then siblings, each with who can change their weights.
        """
        words = np.flatnonzero(towards != away).astype(np.int32)
        if not len(words):
            return
        pairs = [(self.arc_learner, arc_parts(towards, words), arc_parts(away, words))]
        if self.sibling_learner is not None:
            plus, minus = sibling_parts(towards), sibling_parts(away)
            changed = (plus != minus).any(axis=1)
            pairs.append((self.sibling_learner, plus[changed], minus[changed]))
        for arc_learner, plus, minus in pairs:
            yield arc_learner, np.concatenate([plus, minus]), np.repeat([1.0, -1.0], len(plus))

    def tree_differences(
        self, heads: IntArray, labels: IntArray
    ) -> tuple[list[tuple[ArcLearner, IntArray, FloatArray]], LabelledArcs]:
        """The same of two labelled trees, one row each: also the arcs whose labels, or whose
        heads, are not those of the other tree. Labels of -1 are unknown.
        """
        differ = (heads[0] != heads[1]) | (labels[0] != labels[1])
        words = [np.flatnonzero(differ & (row >= 0)).astype(np.int32) for row in labels]
        chosen = np.concatenate(words)
        return list(self.differences(*heads)), LabelledArcs(
            np.concatenate([arc_parts(*each) for each in zip(heads, words, strict=True)]),
            np.concatenate([row[own] for row, own in zip(labels, words, strict=True)]).astype(
                np.int32
            ),
            np.repeat([1.0, -1.0], [len(own) for own in words]),
            (heads[0] == heads[1])[chosen],
        )

    def update(self, s: int, towards: IntArray, away: IntArray, step: float = 1.0) -> None:
        """Add `step` times the difference of the features of two trees."""
        for arc_learner, parts, signs in self.differences(towards, away):
            add_steps(arc_learner, s, parts, step * signs)


def add_steps(arc_learner: ArcLearner, s: int, parts: IntArray, steps: FloatArray) -> None:
    """Add a step to the weights of each part."""
    classes = np.zeros(len(parts), dtype=np.int32)
    arc_learner.add(s, parts, classes, steps.astype(np.float32))


def arc_parts(heads: IntArray, words: IntArray) -> IntArray:
    """Parts as the kernel takes them, of the arcs of some words (counted from 0)."""
    parts = np.full((len(words), 3), -1, dtype=np.int32)
    parts[:, 0] = heads[words]
    parts[:, 1] = words + 1
    return parts


def sibling_parts(heads: IntArray) -> IntArray:
    """Each word with its head and the dependent before it, 0 if it is the nearest one.

    >>> sibling_parts(np.array([2, 0, 2, 2], dtype=np.int32)).tolist()
    [[2, 1, 0], [0, 2, 0], [2, 3, 0], [2, 4, 3]]
    """
    n = len(heads)
    parts = np.zeros((n, 3), dtype=np.int32)
    parts[:, 0], parts[:, 1] = heads, np.arange(1, n + 1)
    nearest = [0] * (n + 1)  # the last dependent met of each head, going away from it
    for word, head in enumerate(heads.tolist(), start=1):
        if head < word:
            parts[word - 1, 2] = nearest[head]
            nearest[head] = word
    nearest = [0] * (n + 1)
    for word in range(n, 0, -1):
        head = int(heads[word - 1])
        if head > word:
            parts[word - 1, 2] = nearest[head]
            nearest[head] = word
    return parts


def tree_score(scores: Scores, heads: IntArray) -> float:
    """What a tree scores."""
    total = float(scores.table[scores.arcs_of_words(heads)].sum())
    if scores.siblings is not None:
        n = len(heads)
        head, word, sibling = sibling_parts(heads).T.astype(np.int64)
        total += float(scores.siblings[(head * n + word - 1) * (n + 1) + sibling].sum())
    return total
