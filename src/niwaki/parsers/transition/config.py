"""What can be said of a transition-based parser and of how it learns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class TransitionConfig:
    """A transition-based parser, with kind = "transition"."""

    # Transition system of the parser with a beam, and width of that beam.
    system: str = "arc-standard"
    beam: int = 8
    # What a system that cannot build non-projective arcs makes of them in training: it learns the
    # nearest projective trees ("projectivize"), or also keeps in the labels where lifted arcs came from
    # and puts them back after parsing ("pseudo-projective"). arc-standard-swap builds them itself.
    nonprojective: Literal["projectivize", "pseudo-projective"] = "projectivize"
    # Put a second set of weights into the model that was trained for greedy parsing, and
    # serves `--beam 1`. With beam = 1 there is only one set anyway.
    greedy: bool = True
    # How far the combinations of the set hall2011 go.
    degree: int = 2
    nonlexical_degree: int = 3
    # Weights of a transition parser below so many of the 127 steps that 8 bits can tell apart are
    # dropped. Half of all weights have one: where features are few and good, dropping them halves
    # the model at no loss; where they are many, as in the set `words`, keep them (1).
    least_weight: int = 2
    greedy_epochs: int = 12
    # Where a beam learns: at the worst violation, or where the gold sequence is lost.
    update: Literal["max-violation", "early"] = "max-violation"
    # By how much the right way must lead the wrong ones.
    margin: float = 20.0
    greedy_margin: float = 5.0
    # How a greedy parser learns: by its own mistakes ("perceptron"), or as a classifier of
    # the states on the way to the right trees, by maximum entropy or support vectors.
    greedy_learner: Literal["perceptron", "maxent", "svm"] = "perceptron"
    # A feature gets weights only when they were to be changed so often. More than 1 saves
    # memory and time where there is much to learn from.
    min_updates: int = 1
    # perceptron: how often it follows its own mistakes while it learns.
    explore: float = 0.9
    # maxent and svm: steps of AdaGrad, and how much weights are drawn towards 0.
    learning_rate: float = 0.1
    adagrad_epsilon: float = 0.1
    l2: float = 0.0001
