"""What can be said of a graph-based parser and of how it learns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from niwaki.features.arc_templates import arc_feature_set_names
from niwaki.keys import Former, WrongKeyError, key

_LOG_LINEAR = {"trainer": ("log-linear",)}
_MIRA = {"trainer": ("mira",)}
_MAX_MARGIN = {"trainer": ("max-margin",)}


@dataclass(frozen=True)
class GraphConfig:
    """A parser that gives each arc a score and chooses among all trees."""

    trainer: Literal["perceptron", "mira", "log-linear", "max-margin"] = key(
        "log-linear", "How weights of arcs are learned.", init="same"
    )
    optimizer: Literal["adagrad", "lbfgs"] = key(
        "adagrad",
        "Sentence by sentence (AdaGrad), or all together (L-BFGS).",
        when=_LOG_LINEAR,
        init="same",
    )
    decode: Literal["mst", "eisner", "mbr", "max-z"] = key(
        "mst",
        'How trees are chosen: the best ("mst"), the best projective one ("eisner"), that of the '
        'fewest expected errors ("mbr"), or with latent classes by the best class of each arc '
        '("max-z").',
        init="fixed",
    )
    projective: bool = key(False, "Learn among projective trees only.", init="fixed")
    order: int = key(
        1,
        "2 also scores each dependent with the one before it (perceptron and mira).",
        least=1,
        most=2,
        init="fixed",
    )
    latent: int = key(
        1,
        "Classes of arcs that are not in the data (log-linear by adagrad).",
        least=1,
        most=64,
        init="fixed",
    )
    label_features: str = key(
        "labels",
        "Features of labels, a named set or a file.",
        path="named",
        choices=arc_feature_set_names,
        init="fixed",
    )
    margin: float = key(
        15.0,
        "By how much right arcs must lead.",
        least=0,
        when={"trainer": ("perceptron",)},
        init="same",
    )
    k: int = key(5, "Trees that the right one must lead.", least=1, when=_MIRA, init="same")
    aggressiveness: float = key(0.01, "The largest step.", least=0, when=_MIRA, init="same")
    # AdaGrad begins with large steps, because it has not seen any gradients; a finished model,
    # whose gradients nobody remembers, would lose a point of accuracy by them.
    learning_rate: float = key(
        0.2,
        "Length of AdaGrad's steps; labels are always learned by them.",
        least=0,
        init=0.05,
        formerly=("rate",),
    )
    adagrad_epsilon: float = key(
        0.1,
        "What is added to AdaGrad's sums of gradients: more makes first steps shorter.",
        least=0,
        init=1.0,
        formerly=("damping",),
    )
    l2: float = key(
        1.0,
        "How much weights are drawn towards 0.",
        above=0,
        when={**_LOG_LINEAR, "optimizer": ("lbfgs",)},
        init="same",
        formerly=(Former("c", lambda c: 1 / c),),
    )
    margin_c: float = key(
        0.03,
        "How much the data weigh against the size of weights.",
        above=0,
        when=_MAX_MARGIN,
        init="same",
    )
    eg_learning_rate: float = key(
        4.0,
        "Length of the steps of the exponentiated gradient.",
        least=0,
        when=_MAX_MARGIN,
        init="same",
        formerly=("eg_rate",),
    )
    head_start: float = key(
        4.0,
        "How sure of the right trees learning begins.",
        least=0,
        when=_MAX_MARGIN,
        init="same",
    )

    def check(self, config: Any) -> None:
        by_adagrad = self.trainer == "log-linear" and self.optimizer == "adagrad"
        if self.order == 2 and self.trainer not in ("perceptron", "mira"):
            raise WrongKeyError(
                "order",
                f"is 2, but {self.trainer} knows arcs only; give 1, or train by perceptron or mira",
            )
        if self.order == 2 and self.decode == "mbr":
            raise WrongKeyError("decode", "is mbr, which needs graph.order = 1")
        if self.latent > 1 and not by_adagrad:
            raise WrongKeyError(
                "latent", f"is {self.latent}; latent classes are learned by log-linear with adagrad"
            )
        for number, objective in enumerate(config.objective):
            for name in ("links", "interpolate"):
                if getattr(objective, name, None):
                    raise WrongKeyError(
                        f"objective[{number}].{name}",
                        'does not go with model.kind = "graph"; leave one out',
                    )
