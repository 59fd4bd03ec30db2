"""Weights of arcs learned from one sentence after the other: perceptron, MIRA, likelihood."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from niwaki.kernel.graph.arc_learning import ArcLearner
from niwaki.parsers.arcs.costs import NEGLIGIBLE
from niwaki.parsers.decoding import Scores, decode, kbest, sum_trees
from niwaki.parsers.graph.config import GraphConfig
from niwaki.parsers.graph.training_data import (
    ArcTrainingData,
    add_steps,
    arc_parts,
    sibling_parts,
    tree_score,
)
from niwaki.typing import Arrays, FloatArray, IntArray

# Only arcs of larger gradients give weights to features that have none: the right ones that
# are not certain, and serious rivals.
_FRESH = 0.1
# Standard deviation of what makes latent classes differ.
_NOISE = 0.1

# Keys of features and their counts.
_SparseVector = tuple[NDArray[np.uint64], FloatArray]


class _Online:
    """Learning that changes the weights of a growing table after each sentence."""

    def __init__(self, data: ArcTrainingData, config: GraphConfig) -> None:
        self.data, self.config = data, config

    def finish(self) -> None:
        pass

    # What a step of length 1 adds to a weight.
    unit = 1.0

    def along(
        self, arc_learner: ArcLearner, s: int, parts: IntArray, slopes: FloatArray, length: float
    ) -> None:
        add_steps(arc_learner, s, parts, slopes * (self.unit * length))

    def exported(self) -> Arrays:
        return self.data.weights.export()

    def state(self) -> Arrays:
        return dict(self.data.weights.export())

    def restore(self, state: Arrays) -> None:
        self.data.weights.restore(**state)


class Perceptron(_Online):
    """A step towards the gold tree and away from the best one (Collins 2002), averaged.

    With a margin, wrong arcs get a head start of so much, so that right ones must lead.
    """

    def learn(self, s: int) -> bool:
        data = self.data
        gold = data.gold(s)
        guess = decode(
            raised(data.scores(s), gold, self.config.margin),
            projective=self.config.projective,
            too_long="spanning",
        ).heads
        data.update(s, gold, guess)
        data.weights.tick()
        return bool((guess != gold).any())


class Mira(_Online):
    """The smallest change by which the gold tree leads each of the k best by its number of
    wrong heads (Crammer and Singer 2003, McDonald et al. 2005); Hildreth's algorithm.
    """

    def __init__(self, data: ArcTrainingData, config: GraphConfig) -> None:
        super().__init__(data, config)
        self.unit = config.aggressiveness

    def learn(self, s: int) -> bool:
        data, config = self.data, self.config
        gold = data.gold(s)
        scores = data.scores(s)
        projective = config.projective or scores.siblings is not None
        (ranked,) = kbest(scores, config.k, projective=projective, too_long="spanning")
        losses = (ranked.heads != gold).sum(axis=1).astype(np.float64)
        rivals = np.flatnonzero(losses)
        if len(rivals):
            trees, losses = ranked.heads[rivals], losses[rivals]
            differences = [self._difference(s, gold, tree) for tree in trees]
            gram = np.array([[_dot(one, other) for other in differences] for one in differences])
            own = tree_score(scores, gold)
            leads = np.array([own - score for score in ranked.scores[rivals].tolist()])
            shares = hildreth(gram, losses - leads, config.aggressiveness)
            for tree, share in zip(trees, shares.tolist(), strict=True):
                if share:
                    data.update(s, gold, tree, share)
        data.weights.tick()
        return bool(len(rivals))

    def _difference(self, s: int, gold: IntArray, tree: IntArray) -> _SparseVector:
        """The features of the gold tree without those of another, as keys and counts."""
        data = self.data
        words = np.flatnonzero(gold != tree).astype(np.int32)
        keys, counts = [], []
        for heads, sign in ((gold, 1.0), (tree, -1.0)):
            found, _ = data.scorer.arc_model.keys(
                data.batch, data.values, s, arc_parts(heads, words)
            )
            keys.append(found)
            if data.scorer.sibling_model is not None:
                found, _ = data.scorer.sibling_model.keys(
                    data.batch, data.values, s, sibling_parts(heads)
                )
                keys[-1] = np.concatenate([keys[-1], found])
            counts.append(np.full(len(keys[-1]), sign))
        unique, places = np.unique(np.concatenate(keys), return_inverse=True)
        totals = np.bincount(places, np.concatenate(counts), minlength=len(unique))
        return unique, totals.astype(np.float64)


def _dot(one: _SparseVector, other: _SparseVector) -> float:
    _, places, others = np.intersect1d(one[0], other[0], assume_unique=True, return_indices=True)
    return float(one[1][places] @ other[1][others])


def hildreth(gram: FloatArray, wanted: FloatArray, most: float, rounds: int = 200) -> FloatArray:
    """Multipliers of the smallest change `sum a_j d_j` with `d_j . change >= wanted_j`, each at
    most `most`; `gram` are the products of the d.

    >>> hildreth(np.array([[2.0]]), np.array([1.0]), 10.0).tolist()
    [0.5]
    """
    shares = np.zeros(len(wanted))
    for _ in range(rounds):
        largest = 0.0
        for j in range(len(wanted)):
            if gram[j, j] <= 0:
                continue
            better = shares[j] + (wanted[j] - gram[j] @ shares) / gram[j, j]
            change = min(max(better, 0.0), most) - shares[j]
            shares[j] += change
            largest = max(largest, abs(change))
        if largest < 1e-8:
            break
    return shares


class LogLinear(_Online):
    """Uphill on log p(gold tree), by AdaGrad; exact but for gradients that are negligible.

    With latent classes, on the logarithm of the sum over the classes of its arcs.
    """

    def __init__(self, data: ArcTrainingData, config: GraphConfig, seed: int) -> None:
        super().__init__(data, config)
        self._seed = seed

    def learn(self, s: int) -> bool:
        data, config = self.data, self.config
        gold = data.gold(s)
        n = len(gold)
        table = data.parser.arc_table(data.batch, data.values, np.array([s], dtype=np.int32))
        by_class = Scores(table, np.array([n], dtype=np.int32))
        sums = sum_trees(by_class, projective=config.projective, too_long="spanning")
        gradients = -np.asarray(sums.marginals)
        rows = by_class.arcs_of_words(gold)
        if config.latent > 1:
            gradients[rows] += np.exp(table[rows] - by_class.summed_arcs[rows, None])
            gradients[rows] += self._jitter(s, n)
        else:
            gradients[rows] += 1
        wanted = np.flatnonzero(np.abs(gradients).max(axis=1) > NEGLIGIBLE)
        wanted = wanted[wanted // n != wanted % n + 1]
        parts = np.full((len(wanted), 3), -1, dtype=np.int32)
        parts[:, 0], parts[:, 1] = wanted // n, wanted % n + 1
        data.arc_learner.climb(
            s,
            parts,
            np.ascontiguousarray(gradients[wanted]),
            NEGLIGIBLE,
            _FRESH,
            config.learning_rate,
            config.adagrad_epsilon,
        )
        data.weights.tick()
        return bool(len(wanted))

    def along(
        self, arc_learner: ArcLearner, s: int, parts: IntArray, slopes: FloatArray, length: float
    ) -> None:
        rate = self.config.learning_rate * length
        slopes = np.ascontiguousarray(slopes[:, None])
        arc_learner.climb(s, parts, slopes, NEGLIGIBLE, 0.0, rate, self.config.adagrad_epsilon)

    def _jitter(self, s: int, n: int) -> FloatArray | float:
        """Latent classes are alike, and would stay so, but for some noise in the first epoch."""
        if self.data.weights.clock > len(self.data.starts) - 1:
            return 0.0
        noise = np.random.default_rng([self._seed, s])
        return np.asarray(noise.normal(scale=_NOISE, size=(n, self.config.latent)))


def raised(scores: Scores, gold: IntArray, margin: float) -> Scores:
    """The scores with a head start for all arcs but those of a tree."""
    if not margin:
        return scores
    table = scores.table + margin
    table[scores.arcs_of_words(gold)] -= margin
    return Scores(table, scores.lengths, scores.siblings)
