"""Weights of arcs learned for all sentences together: likelihood by L-BFGS, margins by duals."""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np
from numpy.typing import NDArray

from niwaki.learning.lbfgs import LBFGS
from niwaki.parsers.arcs.costs import NEGLIGIBLE
from niwaki.parsers.decoding import Scores, decode, sum_trees
from niwaki.parsers.graph.config import GraphConfig
from niwaki.parsers.graph.training_data import ArcTrainingData, arc_parts
from niwaki.typing import Arrays, FloatArray

# What the features of all arcs may take in memory, so that they are looked up but once.
_MOST_BYTES = 1 << 30


class _Vector(ABC):
    """Learning of a plain vector of weights, for the features of the gold trees."""

    def __init__(self, data: ArcTrainingData, config: GraphConfig) -> None:
        self.data, self.config = data, config
        for s in range(len(data.starts) - 1):
            gold = data.gold(s)
            parts = arc_parts(gold, np.arange(len(gold), dtype=np.int32))
            nothing = np.zeros(len(parts), dtype=np.float32)
            data.arc_learner.add(s, parts, np.zeros(len(parts), dtype=np.int32), nothing)
        data.weights.close()
        data.arc_learner.keep_rows(_MOST_BYTES)
        self.features = len(data.weights)

    @abstractmethod
    def weights(self) -> FloatArray:
        """The weights as they are now."""

    def exported(self) -> Arrays:
        learned = dict(self.data.weights.export())
        learned["weights"] = self.weights().astype(np.float32)
        return learned

    def beliefs(self, s: int, table: FloatArray) -> tuple[Scores, FloatArray, float]:
        """Scores of arcs, their probabilities, and the logarithm of the sum over trees."""
        scores = Scores(table, np.array([len(self.data.gold(s))], dtype=np.int32))
        sums = sum_trees(scores, projective=self.config.projective, too_long="spanning")
        return scores, sums.marginals, float(sums.log_sums[0])


class BatchLogLinear(_Vector):
    """Minimises `l2 |w|^2 / 2 - sum_i log p(y_i)` by L-BFGS; each pass is one evaluation."""

    def __init__(self, data: ArcTrainingData, config: GraphConfig) -> None:
        super().__init__(data, config)
        self._search = LBFGS(np.zeros(self.features))
        self._begin()

    def _begin(self) -> None:
        self._point = self._search.point
        self._value = self.config.l2 * float(self._point @ self._point) / 2
        self._gradient = self._point * self.config.l2

    def learn(self, s: int) -> bool:
        table = self.data.arc_learner.dense_scores(s, self._point)
        scores, marginals, log_sum = self.beliefs(s, table)
        rows = scores.arcs_of_words(self.data.gold(s))
        self._value += log_sum - float(table[rows].sum())
        coefficients = marginals.copy()
        coefficients[rows] -= 1
        self.data.arc_learner.dense_add(s, coefficients, self._gradient)
        return True

    def finish(self) -> None:
        self._search.tell(self._value, self._gradient)
        self._begin()

    def weights(self) -> FloatArray:
        return self._search.best

    @property
    def objective(self) -> float:
        return self._search.value

    def state(self) -> Arrays:
        found = {f"search.{name}": array for name, array in self._search.state().items()}
        return {**found, "value": np.array([self._value]), "gradient": self._gradient}

    def restore(self, state: Arrays) -> None:
        prefix = "search."
        self._search.restore(
            {n.removeprefix(prefix): a for n, a in state.items() if n.startswith(prefix)}
        )
        self._begin()
        self._value, self._gradient = float(state["value"][0]), state["gradient"].copy()


class MaxMargin(_Vector):
    """Exponentiated gradient on the dual of the max-margin problem (Koo et al. 2007).

    Minimised is `|w|^2 / 2 + C sum_i max_y [cost_i(y) - w . (f(y_i) - f(y))]`, where a wrong
    head costs 1. Each sentence has a distribution over its trees, given by scores of arcs
    (`duals`); `w = C sum_i [f(y_i) - expected f]` is kept up to date while one sentence after
    the other moves its scores by `rate * (cost + w . f)`.
    """

    def __init__(self, data: ArcTrainingData, config: GraphConfig) -> None:
        super().__init__(data, config)
        lengths = np.diff(data.starts)
        self._places = np.concatenate([[0], np.cumsum(lengths * (lengths + 1))])
        self._duals = np.zeros(int(self._places[-1]))
        self._marginals = np.zeros_like(self._duals)
        self._weights = np.zeros(self.features)
        for s in range(len(lengths)):
            # In the beginning, the gold tree is all but certain, and w is nearly nothing.
            here = self._duals[self._places[s] : self._places[s + 1]]
            rows = self._rows(s)
            here[rows] = config.head_start
            n = len(rows)
            here.reshape(n + 1, n)[np.arange(1, n + 1), np.arange(n)] = -np.inf
            self._marginals[self._places[s] : self._places[s + 1]] = certain(rows, len(here))
            self._move(s)

    def _rows(self, s: int) -> NDArray[np.int64]:
        gold = self.data.gold(s)
        n = len(gold)
        return np.asarray(gold.astype(np.int64) * n + np.arange(n))

    def _move(self, s: int) -> float:
        """The probabilities of arcs follow their scores, and w changes by C times the fall of
        the expected features; returns the largest change of a probability.
        """
        place = slice(self._places[s], self._places[s + 1])
        _, after, _ = self.beliefs(s, self._duals[place])
        falls = self._marginals[place] - after
        self._marginals[place] = after
        self.data.arc_learner.dense_add(s, self.config.margin_c * falls, self._weights)
        return float(np.abs(falls).max())

    def learn(self, s: int) -> bool:
        here = self._duals[self._places[s] : self._places[s + 1]]
        gains = self.data.arc_learner.dense_scores(s, self._weights)
        gains += 1 - certain(self._rows(s), len(here))
        here += self.config.eg_learning_rate * gains
        # Only differences between the heads of a word matter.
        n = len(self.data.gold(s))
        columns = here.reshape(n + 1, n)
        columns -= columns.max(axis=0)
        return self._move(s) > NEGLIGIBLE

    def finish(self) -> None:
        pass

    def weights(self) -> FloatArray:
        return self._weights

    def objectives(self) -> tuple[float, float]:
        """The primal and the dual objective; at the optimum they meet."""
        norm = float(self._weights @ self._weights) / 2
        primal, dual = norm, -norm
        for s in range(len(self.data.starts) - 1):
            rows = self._rows(s)
            costs = 1 - certain(rows, len(rows) * (len(rows) + 1))
            table = self.data.arc_learner.dense_scores(s, self._weights)
            marginals = self._marginals[self._places[s] : self._places[s + 1]]
            lengths = np.array([len(rows)], dtype=np.int32)
            worst = decode(
                Scores(table + costs, lengths),
                projective=self.config.projective,
                too_long="spanning",
            )
            primal += self.config.margin_c * (float(worst.scores[0]) - float(table[rows].sum()))
            dual += self.config.margin_c * float(costs @ marginals)
        return primal, dual

    def state(self) -> Arrays:
        return {"duals": self._duals, "marginals": self._marginals, "weights": self._weights}

    def restore(self, state: Arrays) -> None:
        self._duals, self._marginals = state["duals"].copy(), state["marginals"].copy()
        self._weights = state["weights"].copy()


def certain(rows: NDArray[np.int64], size: int) -> FloatArray:
    """Probabilities of arcs when a tree is certain."""
    found = np.zeros(size)
    found[rows] = 1
    return found
