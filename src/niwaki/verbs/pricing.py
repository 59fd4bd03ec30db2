"""What the trees of models cost a task: any model, any objective of a configuration."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

import numpy as np

from niwaki.errors import ConfigError
from niwaki.metrics.base import SAMPLES, drawn_by
from niwaki.metrics.means import MeanEvaluation, evaluate_means
from niwaki.metrics.significance import Difference, compare_all
from niwaki.objectives import LeftOut, costs_of_trees, groups_of, left_out_of
from niwaki.pipeline.learned import Overlap, overlap_of
from niwaki.pipeline.pipeline import Pipeline
from niwaki.training.examples import load_costs
from niwaki.verbs._given import Model, model_of, name_of
from niwaki.verbs.training import Configuration, config_of

# The mean cost, and the share of examples that cost nothing.
NAMES = ("cost", "perfect")


@dataclass(frozen=True)
class Prices:
    """What the trees of each model cost each objective, example by example."""

    models: Sequence[str]
    evaluations: Mapping[str, Sequence[MeanEvaluation]]  # by objective, one for each model
    samples: int
    seed: int
    # By objective: examples that were read but not priced, and why.
    left_out: Mapping[str, LeftOut] = field(default_factory=dict)

    def differences(self, objective: str) -> dict[tuple[int, int], list[Difference]]:
        """Of each two models, the later minus the earlier, with 95% intervals."""
        return compare_all(self.evaluations[objective], self.samples, self.seed)

    def to_json(self) -> dict[str, Any]:
        return {name: self._objective(name) for name in self.evaluations}

    def note(self, objective: str) -> str:
        """One line, if models have learned from examples of an objective."""
        found = self.evaluations[objective]
        overlap = Overlap(found[0].sentences, tuple(each.learned for each in found))
        return overlap.note(self.models, "examples")

    def _objective(self, name: str) -> dict[str, Any]:
        found = self.evaluations[name]
        return {
            "examples": found[0].sentences,
            "left_out": asdict(self.left_out[name]) if name in self.left_out else None,
            "models": [
                {"model": model, **each.scores, "intervals": each.interval(self.samples, self.seed)}
                | {"learned": each.learned}
                for model, each in zip(self.models, found, strict=True)
            ],
            "differences": [
                {"a": self.models[a], "b": self.models[b]}
                | {each.metric: each.to_json() for each in both}
                for (a, b), both in self.differences(name).items()
            ],
            "signature": f"{found[0].signature}|{drawn_by(self.samples, self.seed)}",
        }


def price(
    config: Configuration,
    models: Model | Sequence[Model],
    *,
    overrides: Sequence[str] = (),
    beam: int | None = None,
    decode: str | None = None,
    threads: int = 1,
    samples: int = SAMPLES,
    seed: int = 1,
    unseen: bool = False,
) -> Prices:
    """What the trees that models give to the examples of a configuration's costs cost.

    Nothing is trained, and treebanks of the configuration need not be there. Of each objective that
    is a cost, `scores["cost"]` is the mean and `scores["perfect"]` the share of examples that
    cost nothing. Tags that the examples have are kept, as in training. `learned` says how many
    examples a model has learned from (None if it does not know); with `unseen`, those that one of
    the models has learned from are left out.

        >>> found = price("task.toml", ["en", "task.niwaki"])
        >>> found.evaluations["1 reordering"][0].scores, found.differences("1 reordering")[0, 1]
    """
    task = config_of(config, overrides, only_costs=True)
    if not task.costs:
        raise ConfigError(
            f"{name_of(config, 'the configuration')}: no objective is a cost; nothing to price"
        )
    given = [models] if isinstance(models, str | os.PathLike | Pipeline) else list(models)
    if not given:
        raise ConfigError("no model; give at least one")
    loaded = [model_of(each) for each in given]
    costs = load_costs(task, segmenter=loaded[0].segmenter)
    for each in costs:
        if not each.size:
            raise ConfigError(f"{each.name}: no examples; give some")
    evaluations: dict[str, list[MeanEvaluation]] = {each.name: [] for each in costs}
    for each in costs:
        words, groups = each.objective.sentences, groups_of(each.objective)
        records = [model.learned for model in loaded]
        priced, overlap = overlap_of(records, words, groups=groups, unseen=unseen)
        for model, learned in zip(loaded, overlap.learned, strict=True):
            parsed = list(model.parse(words, threads=threads, beam=beam, decode=decode))
            found = costs_of_trees(each.objective, parsed)[priced]
            made = evaluate_means(NAMES, np.stack([found, found == 0], axis=1))
            evaluations[each.name].append(replace(made, learned=learned, more=overlap.signature))
    names = [name_of(each, f"model {number}") for number, each in enumerate(given, start=1)]
    left_out = {each.name: out for each in costs if (out := left_out_of(each.objective))}
    return Prices(names, evaluations, samples, seed, left_out)
