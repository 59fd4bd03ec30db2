"""What can be said of a graph-based parser and of how it learns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class GraphConfig:
    """A graph-based parser, with kind = "graph"."""

    # How weights of arcs are learned; log-linear by AdaGrad or L-BFGS.
    trainer: Literal["perceptron", "mira", "log-linear", "max-margin"] = "log-linear"
    optimizer: Literal["adagrad", "lbfgs"] = "adagrad"
    # How trees are chosen: best ("mst"), best without crossing arcs ("eisner"), of the fewest
    # expected errors ("mbr"); with latent classes also by the best class of each arc.
    decode: Literal["mst", "eisner", "mbr", "max-z"] = "mst"
    # Learn as if there were no crossing arcs.
    projective: bool = False
    # 2 also scores each dependent with the one before it (perceptron and mira).
    order: int = 1
    # Classes of arcs that are not in the data (log-linear, adagrad).
    latent: int = 1
    # Features of labels, a named set or a file.
    label_features: str = "labels"
    # perceptron: by how much right arcs must lead.
    margin: float = 15.0
    # mira: trees that the right one must lead, and the largest step.
    k: int = 5
    aggressiveness: float = 0.01
    # adagrad; also of the labels.
    learning_rate: float = 0.2
    adagrad_epsilon: float = 0.1
    # lbfgs: how much weights are drawn towards 0.
    l2: float = 1.0
    # max-margin: how much the data weigh against the size of weights, the step of the exponentiated gradient, and how sure it begins
    # with the right trees.
    margin_c: float = 0.03
    eg_learning_rate: float = 4.0
    head_start: float = 4.0
