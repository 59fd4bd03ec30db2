"""The ways in which weights of arcs can be learned, by what a configuration says."""

from __future__ import annotations

from typing import Protocol

from niwaki.kernel.graph.arc_learning import ArcLearner
from niwaki.parsers.graph.batch import BatchLogLinear, MaxMargin
from niwaki.parsers.graph.config import GraphConfig
from niwaki.parsers.graph.online import LogLinear, Mira, Perceptron
from niwaki.parsers.graph.training_data import ArcTrainingData
from niwaki.typing import Arrays, FloatArray, IntArray


class ArcUpdate(Protocol):
    """One way to learn weights of arcs."""

    def learn(self, s: int) -> bool:
        """Learn from a sentence; whether there was something to learn."""

    def finish(self) -> None:
        """All sentences have been learned from once more."""

    def exported(self) -> Arrays:
        """What was learned, as `SparseWeights.export` gives it."""

    def state(self) -> Arrays: ...

    def restore(self, state: Arrays) -> None: ...


class OnlineUpdate(ArcUpdate, Protocol):
    """A way to learn from sentence to sentence, which costs can go along with."""

    def along(
        self, learner: ArcLearner, s: int, parts: IntArray, slopes: FloatArray, length: float
    ) -> None:
        """Raise the weights of parts of any sentence by their slopes, as far as `length`, where
        a sentence of the treebank goes 1.
        """


def make_update(data: ArcTrainingData, config: GraphConfig, seed: int) -> ArcUpdate:
    """The way to learn that a configuration asks for."""
    if learns_online(config):
        return make_online_update(data, config, seed)
    if config.trainer == "max-margin":
        return MaxMargin(data, config)
    return BatchLogLinear(data, config)


def learns_online(config: GraphConfig) -> bool:
    """Whether weights change from sentence to sentence, and trees may change meanwhile."""
    is_log_linear = config.trainer == "log-linear" and config.optimizer == "adagrad"
    return is_log_linear or config.trainer in ("perceptron", "mira")


def make_online_update(data: ArcTrainingData, config: GraphConfig, seed: int) -> OnlineUpdate:
    """The same where weights change from sentence to sentence."""
    if config.trainer == "perceptron":
        return Perceptron(data, config)
    if config.trainer == "mira":
        return Mira(data, config)
    return LogLinear(data, config, seed)
