"""What of a configuration a model was made with: the keys of other kinds of models are left out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

# Keys that only one kind of model, or one way to train it, looks at.
_OF_KIND = {
    "transition": (
        "model.system",
        "model.beam",
        "model.crossing",
        "model.greedy",
        "model.degree",
        "model.nonlexical_degree",
        "training.greedy_epochs",
        "training.update",
        "training.margin",
        "training.greedy_margin",
        "training.explore",
        "training.round",
    ),
    "graph": ("graph",),
}
_OF_TRAINER = {
    "perceptron": ("graph.margin",),
    "mira": ("graph.k", "graph.aggressiveness"),
    "log-linear": ("graph.optimizer", "graph.latent", "graph.c"),
    "max-margin": ("graph.margin_c", "graph.eg_rate", "graph.head_start"),
}
_OF_ANY_OBJECTIVE = ("kind", "data", "partial")


def used_settings(config: Mapping[str, Any]) -> dict[str, Any]:
    """A model's configuration without the keys that said nothing to it."""
    unused: set[str] = set()
    kind = config.get("model", {}).get("kind")
    if kind in _OF_KIND:
        unused.update(*(keys for other, keys in _OF_KIND.items() if other != kind))
    graph = config.get("graph", {})
    if graph.get("trainer") in _OF_TRAINER:
        unused.update(*(keys for name, keys in _OF_TRAINER.items() if name != graph["trainer"]))
        if graph.get("optimizer") != "lbfgs":
            unused.add("graph.c")
    for table in ("segmenter", "tagger"):
        switch = "enabled" if table == "segmenter" else "tags"
        if config.get(table, {}).get(switch) is False:
            unused.update(f"{table}.{key}" for key in config[table] if key != switch)
    found: dict[str, Any] = {}
    for name, value in config.items():
        if name in unused:
            continue
        if isinstance(value, Mapping):
            value = {key: item for key, item in value.items() if f"{name}.{key}" not in unused}
        elif name == "objective":
            value = [_objective(each) for each in value]
        found[name] = value
    return found


def _objective(record: Mapping[str, Any]) -> dict[str, Any]:
    if record.get("kind") != "treebank":
        return dict(record)
    return {key: item for key, item in record.items() if key in _OF_ANY_OBJECTIVE}
