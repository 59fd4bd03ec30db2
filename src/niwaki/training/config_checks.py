"""What a configuration must not say: values and combinations with which nothing can be learned."""

from __future__ import annotations

import re
from typing import Any

from niwaki.errors import ConfigError, nearest, shown
from niwaki.kernel.transition.systems import system_names
from niwaki.objectives import objective_names
from niwaki.training.config import (
    ARC_SELECTIONS,
    MAX_CANDIDATES,
    Config,
    GraphConfig,
    ObjectiveConfig,
)

_AT_LEAST = {
    "model.beam": 1,
    "model.degree": 1,
    "model.nonlexical_degree": 1,
    "model.max_rows": 1,
    "model.least_weight": 1,
    "graph.order": 1,
    "graph.latent": 1,
    "graph.margin": 0,
    "graph.k": 1,
    "graph.aggressiveness": 0,
    "graph.rate": 0,
    "graph.damping": 0,
    "graph.c": 1e-9,
    "graph.margin_c": 1e-9,
    "graph.eg_rate": 0,
    "graph.head_start": 0,
    "segmenter.epochs": 1,
    "segmenter.max_rows": 1,
    "segmenter.min_updates": 1,
    "tagger.epochs": 1,
    "tagger.folds": 0,
    "tagger.max_rows": 1,
    "tagger.min_updates": 1,
    "tagger.rate": 0,
    "tagger.damping": 0,
    "tagger.margin": 0,
    "tagger.smoothing": 1e-9,
    "uptraining.weight": 1e-9,
    "uptraining.max_characters": 0,
    "uptraining.agreement": 0,
    "training.seed": 0,
    "training.epochs": 1,
    "training.greedy_epochs": 1,
    "training.margin": 0,
    "training.greedy_margin": 0,
    "training.explore": 0,
    "training.rate": 1e-9,
    "training.damping": 0,
    "training.decay": 0,
    "training.min_updates": 1,
    "training.round": 1,
    "training.checkpoint_minutes": 0,
}
_OF_TREEBANKS = (
    *("links", "partial", "weight", "soft", "label_map", "tag_map", "teaches"),
    *("leave_out", "skip_bad", "alone", "alone_epochs"),
)
_AT_MOST = {
    "model.least_weight": 127,
    "model.beam": 4096,
    "graph.order": 2,
    "graph.latent": 64,
    "uptraining.agreement": 1,
    "training.explore": 1,
    "training.decay": 1,
    "training.min_updates": 255,
    "tagger.min_updates": 255,
    "segmenter.min_updates": 255,
    "training.seed": 2**63 - 1,
}


def check(config: Config, name: str) -> None:
    for key, least in _AT_LEAST.items():
        if _get(config, key) < least:
            raise ConfigError(f"{name}: {key} is {_get(config, key)}; give at least {least}")
    for key, most in _AT_MOST.items():
        if _get(config, key) > most:
            raise ConfigError(f"{name}: {key} is {_get(config, key)}; give at most {most}")
    if config.tagger.folds == 1:
        raise ConfigError(f"{name}: tagger.folds is 1; give 0 for none, or at least 2")
    system = config.model.system
    if system not in system_names():
        raise ConfigError(f"{name}: model.system is {system!r}; {nearest(system, system_names())}")
    _check_graph(config.graph, name)
    _check_pattern(config.uptraining.leave_out, f"{name}: uptraining.leave_out")
    learner, has_costs = config.training.greedy_learner, any(x.is_cost for x in config.objective)
    if has_costs and config.model.beam == 1 and learner != "perceptron":
        raise ConfigError(
            f"{name}: training.greedy_learner is {learner}, but costs are learned by perceptron "
            "steps; leave it out, or give a model.beam above 1"
        )
    if config.model.kind == "graph" and any(x.links for x in config.objective):
        raise ConfigError(f'{name}: links go with model.kind = "transition"; leave one out')
    if config.training.dev_links and not config.training.dev:
        raise ConfigError(f"{name}: training.dev_links goes with training.dev; give both")
    for number, objective in enumerate(config.objective):
        _check_objective(objective, f"{name}: objective[{number}]")
    if any(objective.alone for objective in config.objective):
        _check_alone(config, name)
    if not any(objective.data for objective in config.objective):
        raise ConfigError(
            f'{name}: nothing to learn from; add [[objective]] with data = "train.conllu"'
        )


def _check_alone(config: Config, name: str) -> None:
    if sum(objective.alone > 0 for objective in config.objective) > 1:
        raise ConfigError(f"{name}: two objectives have `alone`; give it to one of them")
    others = {
        'model.kind = "graph"': config.model.kind == "graph",
        'tagger.learner = "tnt"': config.tagger.tags and config.tagger.learner == "tnt",
        "costs": any(objective.is_cost for objective in config.objective),
    }
    for other, is_there in others.items():
        if is_there:
            raise ConfigError(f"{name}: `alone` does not go with {other}; leave one out")


def _check_graph(graph: GraphConfig, name: str) -> None:
    adagrad = graph.trainer == "log-linear" and graph.optimizer == "adagrad"
    if graph.order == 2 and graph.trainer not in ("perceptron", "mira"):
        raise ConfigError(
            f"{name}: graph.order is 2, but {graph.trainer} knows arcs only; "
            "give 1, or train by perceptron or mira"
        )
    if graph.order == 2 and graph.decode == "mbr":
        raise ConfigError(f"{name}: graph.decode is mbr, which needs graph.order = 1")
    if graph.latent > 1 and not adagrad:
        raise ConfigError(
            f"{name}: graph.latent is {graph.latent}; "
            "latent classes are learned by log-linear with adagrad"
        )


def _check_pattern(pattern: str, name: str) -> None:
    try:
        re.compile(pattern)
    except re.error as error:
        raise ConfigError(f"{name} is no regular expression: {error}") from None


def _check_objective(objective: ObjectiveConfig, name: str) -> None:
    kind, usual = objective.kind, ObjectiveConfig()
    if ":" not in kind and kind not in objective_names():
        raise ConfigError(
            f"{name}.kind is {shown(kind)}; {nearest(kind, objective_names())}, "
            "or package.module:function"
        )
    if objective.is_cost:
        if not objective.data:
            raise ConfigError(f"{name}.data is empty; give the file that {kind!r} reads")
        for key in _OF_TREEBANKS:
            if getattr(objective, key) != getattr(usual, key):
                raise ConfigError(f'{name}.{key} goes with kind = "treebank"; leave one out')
    else:
        if len(objective.links) not in (0, len(objective.data)):
            raise ConfigError(
                f"{name}.links has {len(objective.links)} files for {len(objective.data)} of "
                f"{name}.data; give one for each"
            )
        for key, value in vars(objective).items():
            if key not in ("data", *_OF_TREEBANKS) and value != getattr(usual, key):
                raise ConfigError(f"{name}.{key} goes with a cost, not with {kind!r}; leave it out")
    positive = {
        "weight": objective.weight,
        "schedule": objective.schedule,
        "step": objective.step,
        "scale": objective.scale,
    }
    for key, value in positive.items():
        if value != "usual" and value <= 0:
            raise ConfigError(f"{name}.{key} is {value}; give a number above 0")
    _check_pattern(objective.leave_out, f"{name}.leave_out")
    if not 0 <= objective.alone < 1:
        raise ConfigError(f"{name}.alone is {objective.alone}; give a share, 0 to below 1")
    if objective.alone_epochs < 1:
        raise ConfigError(f"{name}.alone_epochs is {objective.alone_epochs}; give at least 1")
    if objective.tags < 1:
        raise ConfigError(f"{name}.tags is {objective.tags}; give at least 1")
    if objective.tags > 1 and objective.select in ARC_SELECTIONS:
        raise ConfigError(f"{name}.tags does not go with select = {objective.select!r}")
    for key, count in (("k", objective.k), ("max_k", objective.max_k)):
        if count != "adaptive" and not 2 <= count <= MAX_CANDIDATES:
            raise ConfigError(f"{name}.{key} is {count}; give 2 to {MAX_CANDIDATES}")


def _get(config: Config, key: str) -> Any:
    table, _, name = key.partition(".")
    return getattr(getattr(config, table), name)
