"""The ways in which weights of arcs can be learned, by what a configuration says."""

from __future__ import annotations

from niwaki.parsers.graph.batch import BatchLogLinear, MaxMargin
from niwaki.parsers.graph.config import GraphConfig
from niwaki.parsers.graph.online import LogLinear, Mira, Perceptron
from niwaki.parsers.graph.training_data import Lessons, OnlineLessons, Pupil


def make_lessons(pupil: Pupil, config: GraphConfig, seed: int) -> Lessons:
    """The way to learn that a configuration asks for."""
    if learns_online(config):
        return make_online_lessons(pupil, config, seed)
    return (
        MaxMargin(pupil, config)
        if config.trainer == "max-margin"
        else BatchLogLinear(pupil, config)
    )


def learns_online(config: GraphConfig) -> bool:
    """Whether weights change from sentence to sentence, and trees may change meanwhile."""
    is_log_linear = config.trainer == "log-linear" and config.optimizer == "adagrad"
    return is_log_linear or config.trainer in ("perceptron", "mira")


def make_online_lessons(pupil: Pupil, config: GraphConfig, seed: int) -> OnlineLessons:
    """The same where weights change from sentence to sentence."""
    if config.trainer == "perceptron":
        return Perceptron(pupil, config)
    if config.trainer == "mira":
        return Mira(pupil, config)
    return LogLinear(pupil, config, seed)
