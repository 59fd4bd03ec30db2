"""What a model file says of itself."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from niwaki.data.modelfile import read_model_file
from niwaki.pipeline.learned import LearnedSentences
from niwaki.pipeline.store import find_model, learned_of
from niwaki.training.card import upgraded, used_settings

_DEEPEST = 20


@dataclass(frozen=True)
class ModelInfo:
    """The card of a model: what it is, what it was trained on, its scores and licences."""

    config: Mapping[str, Any]
    parts: Mapping[str, int]  # the bytes of each
    learned: LearnedSentences | None = None  # None: that is not recorded

    @property
    def settings(self) -> dict[str, Any]:
        """The configuration without what means nothing to its kind of model."""
        return used_settings(dict(self.config))

    def to_json(self) -> dict[str, Any]:
        known = self.learned
        learned = None if known is None else {"sentences": len(known), "complete": known.complete}
        return {**self.config, "learned": learned}

    def to_text(self) -> str:
        sizes = [f"  {name}: {size:,} bytes" for name, size in self.parts.items()]
        kept = "not recorded"
        if self.learned is not None:
            kept = f"{len(self.learned):,} sentences (hashes kept)"
            kept += "" if self.learned.complete else ", and more that are not recorded"
        return "\n".join([*_card(self.settings, 0), f"learned from: {kept}", "parts", *sizes])


def info(model: str | os.PathLike[str]) -> ModelInfo:
    """The card of a model, by its name or its file; the model itself is not built.

    >>> info("en").config["card"]["licences"]
    """
    file = read_model_file(find_model(model))
    sizes = {name: len(part) for name, part in file.parts.items()}
    return ModelInfo(upgraded(file.config), sizes, learned_of(file))


def _card(value: Mapping[str, Any], depth: int) -> Iterator[str]:
    indent = "  " * depth
    for key, item in value.items():
        if isinstance(item, dict) and depth == _DEEPEST:
            yield f"{indent}{key}: …"
        elif isinstance(item, dict):
            yield f"{indent}{key}"
            yield from _card(item, depth + 1)
        elif isinstance(item, list) and any(isinstance(each, dict) for each in item):
            # A foreign card may list tables beside other things.
            for each in item:
                yield from _card({key: each}, depth)
        elif isinstance(item, list):
            values = [str(each) for each in item]
            between = "; " if any("," in each for each in values) else ", "
            yield f"{indent}{key}: {between.join(values)}"
        else:
            # As a configuration writes it.
            yield f"{indent}{key}: {str(item).lower() if isinstance(item, bool) else item}"
