"""Four classifiers of binary features, and the mean of what they believe.

Naive Bayes, maximum entropy, and AdaBoost.MH over stumps (Schapire and Singer 1999) are all linear
in the features once they are learned. The fourth is the nearest neighbours among examples that
kernel PCA has brought into a few dimensions (Wu, Su and Carpuat 2004).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from niwaki.learning.lbfgs import LBFGS
from niwaki.typing import FloatArray

Numbers = NDArray[np.float32]
Labels = NDArray[np.int64]

# Added to counts of a feature with a class.
_SMOOTHING = 0.5
_L2, _PASSES = 1.0, 40
_ROUNDS = 40
# Kernel PCA: examples that are kept, dimensions, neighbours that vote, and how the votes of those
# that are nearer count more.
EXAMPLES, DIMENSIONS, _NEIGHBOURS, _SHARPNESS = 40, 8, 5, 8.0


@dataclass(frozen=True)
class Linear:
    """Scores of classes: `weights[:, :-1]` of features that are there, the last for all."""

    weights: Numbers

    def scores(self, present: FloatArray) -> FloatArray:
        return np.asarray(self.weights[:, :-1] @ present + self.weights[:, -1], np.float64)


def naive_bayes(rows: FloatArray, labels: Labels, classes: int) -> Linear:
    """log P(class) + sum over features of log P(feature is there or not | class)."""
    counts = np.bincount(labels, minlength=classes).astype(np.float64)
    right = np.eye(classes)[labels]
    there = (right.T @ rows + _SMOOTHING) / (counts + 2 * _SMOOTHING)[:, None]
    prior = np.log((counts + _SMOOTHING) / (counts + _SMOOTHING).sum())
    absent = np.log1p(-there)
    weights = np.concatenate([np.log(there) - absent, (prior + absent.sum(1))[:, None]], axis=1)
    return Linear(weights.astype(np.float32))


def maximum_entropy(rows: FloatArray, labels: Labels, classes: int) -> Linear:
    """Least `l2 |w|^2 / 2 - sum log P(class | features)`."""
    inputs = np.concatenate([rows, np.ones((len(rows), 1))], axis=1)
    right = np.eye(classes)[labels]
    search = LBFGS(np.zeros(classes * inputs.shape[1]))
    for _ in range(_PASSES):
        weights = search.point.reshape(classes, -1)
        logs = log_softmax(inputs @ weights.T)
        value = _L2 / 2 * float(np.square(weights).sum()) - float((right * logs).sum())
        gradient = (np.exp(logs) - right).T @ inputs + _L2 * weights
        search.tell(value, gradient.reshape(-1))
    return Linear(search.best.reshape(classes, -1).astype(np.float32))


def boosted_stumps(rows: FloatArray, labels: Labels, classes: int) -> Linear:
    """AdaBoost.MH: a stump asks for one feature, and answers all classes with real numbers."""
    signs = 2 * np.eye(classes)[labels] - 1
    shares = np.full(signs.shape, 1 / signs.size)
    weights = np.zeros((classes, rows.shape[1] + 1))
    least = 1 / signs.size
    for _ in range(_ROUNDS):
        right, wrong = shares * (signs > 0), shares * (signs < 0)
        # Weights of right and wrong labels, with the feature and without it: features x classes.
        with_right, with_wrong = rows.T @ right, rows.T @ wrong
        without_right, without_wrong = right.sum(0) - with_right, wrong.sum(0) - with_wrong
        sums = np.sqrt(np.maximum(with_right * with_wrong, 0))
        sums += np.sqrt(np.maximum(without_right * without_wrong, 0))
        feature = int(np.argmin(sums.sum(axis=1)))
        yes = np.log((with_right[feature] + least) / (with_wrong[feature] + least)) / 2
        no = np.log((without_right[feature] + least) / (without_wrong[feature] + least)) / 2
        weights[:, feature] += yes - no
        weights[:, -1] += no
        answers = np.where(rows[:, feature, None] > 0, yes, no)
        shares = shares * np.exp(-signs * answers)
        shares /= shares.sum()
    return Linear(weights.astype(np.float32))


@dataclass(frozen=True)
class Neighbours:
    """Examples in few dimensions. `rows` are their features, `axes` how much each counts in each
    dimension, `labels` their classes.
    """

    rows: NDArray[np.uint8]
    axes: Numbers  # examples x dimensions
    labels: NDArray[np.int32]

    @cached_property
    def _known(self) -> tuple[FloatArray, FloatArray]:
        """Where the examples are, and what centres the kernels of others."""
        kernels = _kernel(self.rows, self.rows)
        return _centred(kernels) @ self.axes, kernels.mean(axis=1) - kernels.mean()

    def probabilities(self, present: FloatArray, classes: int) -> FloatArray:
        """Votes of the nearest examples, by the cosine of the angle between them."""
        places, means = self._known
        kernels = _kernel(self.rows, present[None])[:, 0]
        place = (kernels - kernels.mean() - means) @ self.axes
        lengths = np.linalg.norm(places, axis=1) * np.linalg.norm(place)
        near = np.divide(places @ place, lengths, out=np.zeros(len(places)), where=lengths > 0)
        best = np.argsort(-near, kind="stable")[:_NEIGHBOURS]
        votes = np.bincount(self.labels[best], np.exp(_SHARPNESS * near[best]), classes)
        return np.asarray(votes / votes.sum())


def nearest_neighbours(rows: FloatArray, labels: Labels) -> Neighbours:
    """Kernel PCA with the kernel (1 + x . y)^2, as cosines; of examples evenly over the classes'
    order, if there are too many.
    """
    chosen = np.unique(np.linspace(0, len(rows) - 1, EXAMPLES).astype(np.int64))
    kept = rows[chosen].astype(np.uint8)
    values, vectors = np.linalg.eigh(_centred(_kernel(kept, kept)))
    values, vectors = values[::-1][:DIMENSIONS], vectors[:, ::-1][:, :DIMENSIONS]
    sound = values > 1e-9
    scale = np.where(sound, 1 / np.sqrt(np.where(sound, values, 1.0)), 0.0)
    axes = (vectors * scale).astype(np.float32)
    return Neighbours(kept, axes, labels[chosen].astype(np.int32))


def _kernel(rows: NDArray[np.uint8], others: NDArray[np.generic]) -> FloatArray:
    one, other = rows.astype(np.float64), others.astype(np.float64)
    made = np.square(1 + one @ other.T)
    lengths = np.outer(1 + one.sum(axis=1), 1 + other.sum(axis=1))
    return np.asarray(made / lengths)


def _centred(kernels: FloatArray) -> FloatArray:
    """As if the mean of the examples were the origin."""
    means = kernels.mean(axis=0)
    return np.asarray(kernels - means[None] - means[:, None] + kernels.mean())


@dataclass(frozen=True)
class Ensemble:
    """What becomes of one phrase: classes are its translations, by number."""

    bayes: Linear
    entropy: Linear
    stumps: Linear
    neighbours: Neighbours

    @classmethod
    def learn(cls, rows: FloatArray, labels: Labels, classes: int) -> Ensemble:
        """`rows` are examples x features, 1 where one is there."""
        order = np.argsort(labels, kind="stable")
        rows, labels = rows[order], labels[order]
        return cls(
            naive_bayes(rows, labels, classes),
            maximum_entropy(rows, labels, classes),
            boosted_stumps(rows, labels, classes),
            nearest_neighbours(rows, labels),
        )

    def beliefs(self, present: FloatArray) -> FloatArray:
        """Probabilities of the classes by each classifier: 4 x classes."""
        odds = 1 / (1 + np.exp(-2 * np.clip(self.stumps.scores(present), -30, 30)))
        return np.stack(
            [
                np.exp(log_softmax(self.bayes.scores(present))),
                np.exp(log_softmax(self.entropy.scores(present))),
                odds / odds.sum(),
                self.neighbours.probabilities(present, len(odds)),
            ]
        )

    def probabilities(self, present: FloatArray) -> FloatArray:
        """The mean of the four."""
        return np.asarray(self.beliefs(present).mean(axis=0))


def log_softmax(scores: FloatArray) -> FloatArray:
    shifted = scores - scores.max(axis=-1, keepdims=True)
    return np.asarray(shifted - np.log(np.exp(shifted).sum(axis=-1, keepdims=True)))
