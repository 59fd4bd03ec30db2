"""What can be said of a transition-based parser and of how it learns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from niwaki.kernel.transition.systems import system_names
from niwaki.keys import Former, WrongKeyError, key

_LOCAL = {"greedy_learner": ("maxent", "svm")}


@dataclass(frozen=True)
class TransitionConfig:
    """A parser that makes a tree move by move."""

    system: str = key(
        "arc-standard",
        "Transition system.",
        choices=system_names,
        table="model",
        init="fixed",
    )
    beam: int = key(8, "Width of the beam.", least=1, most=4096, table="model", init="fixed")
    nonprojective: Literal["projectivize", "pseudo-projective"] = key(
        "projectivize",
        "What a system that cannot build non-projective arcs makes of them in training: it learns "
        'the nearest projective trees ("projectivize"), or also keeps in the labels where lifted '
        'arcs came from and puts them back after parsing ("pseudo-projective"). '
        "arc-standard-swap builds them itself.",
        table="model",
        init="fixed",
        formerly=(Former("crossing", {"lift": "projectivize", "encode": "pseudo-projective"}),),
    )
    greedy: bool = key(
        True,
        "Put a second set of weights into the model that was trained for greedy parsing, and "
        "serves `--beam 1`. With beam = 1 there is only one set anyway.",
        table="model",
        init="fixed",
    )
    degree: int = key(
        2,
        "How far the combinations of the feature set hall2011 go.",
        least=1,
        table="model",
        init="fixed",
    )
    nonlexical_degree: int = key(
        3, "The same of features without words.", least=1, table="model", init="fixed"
    )
    least_weight: int = key(
        2,
        "Weights below so many of the 127 steps that 8 bits can tell apart are dropped. Half of "
        "all weights have one: where features are few and good, dropping them halves the model "
        "at no loss; where they are many, as in the set `words`, keep them (1).",
        least=1,
        most=127,
        table="model",
        init="fixed",
    )
    runs: int = key(
        1,
        "Runs from nothing over the sentences in other orders, whose weights are averaged. Each "
        "takes as long as one; small treebanks gain most.",
        least=1,
        most=100,
        table="training",
    )
    greedy_epochs: int = key(
        12,
        "Passes over the data of a greedy parser. One that is fine-tuned (--init) has `epochs`.",
        least=1,
        table="training",
    )
    update: Literal["max-violation", "early"] = key(
        "max-violation",
        "Where a beam learns: at the worst violation, or where the gold sequence is lost.",
        table="training",
    )
    margin: float = key(
        20.0,
        "By how much the right way must lead the wrong ones, with a beam.",
        least=0,
        table="training",
    )
    greedy_margin: float = key(
        5.0,
        "The same of a greedy parser.",
        least=0,
        table="training",
        when={"greedy_learner": ("perceptron",)},
    )
    greedy_learner: Literal["perceptron", "maxent", "svm"] = key(
        "perceptron",
        'How a greedy parser learns: by its own mistakes ("perceptron"), or as a classifier of '
        "the states on the way to the right trees, by maximum entropy or support vectors.",
        table="training",
    )
    finetune_share: float = key(
        1.0,
        "With --init: how much of what was learned is added to the model's weights. Less keeps "
        "more of what it knew, where there is much to learn from.",
        above=0,
        most=1,
        table="training",
    )
    min_updates: int = key(
        1,
        "A feature gets weights only when they were to be changed so often. More than 1 saves "
        "memory and time where there is much to learn from.",
        least=1,
        most=255,
        table="training",
        formerly=("patience",),
    )
    explore: float = key(
        0.9,
        "How often a greedy parser follows its own mistakes while it learns.",
        least=0,
        most=1,
        table="training",
        when={"greedy_learner": ("perceptron",)},
    )
    learning_rate: float = key(
        0.1,
        "Length of AdaGrad's steps.",
        above=0,
        table="training",
        when=_LOCAL,
        formerly=("rate",),
    )
    adagrad_epsilon: float = key(
        0.1,
        "What is added to AdaGrad's sums of gradients: more makes first steps shorter.",
        least=0,
        table="training",
        when=_LOCAL,
        formerly=("damping",),
    )
    l2: float = key(
        0.0001,
        "How much weights are drawn towards 0.",
        least=0,
        most=1,
        table="training",
        when=_LOCAL,
        formerly=("decay",),
    )

    def check(self, config: Any) -> None:
        has_costs = any(objective.is_cost for objective in config.objective)
        is_greedy = self.beam == 1 or self.greedy
        if has_costs and is_greedy and self.greedy_learner != "perceptron":
            raise WrongKeyError(
                "greedy_learner",
                f"is {self.greedy_learner}, but costs are learned by perceptron steps; "
                "leave it out, or give a model.beam above 1 and model.greedy = false",
            )
        if self.runs > 1 and any(getattr(x, "interpolate", 0) for x in config.objective):
            raise WrongKeyError("runs", "does not go with interpolate; leave one out")
        if has_costs and self.runs > 1 and config.training.costs == "throughout":
            raise WrongKeyError(
                "runs",
                f"is {self.runs}, but costs are learned by the last run alone; leave it out, or "
                'give training.costs = "after"',
            )
