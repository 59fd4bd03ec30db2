"""The data of objectives that are costs: read, tagged, and made ready for the parser."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from niwaki.kernel.batch import Batch
from niwaki.models.morphology import Morphology
from niwaki.models.pipeline import tag_sentences
from niwaki.models.tagger import Tagger, Tags
from niwaki.objectives import Objective, Settings, load_objective
from niwaki.training.config import Config, ObjectiveConfig


@dataclass(frozen=True)
class CostObjective:
    """An objective that is a cost, and how it is to be taught."""

    name: str
    config: ObjectiveConfig
    objective: Objective


@dataclass(frozen=True)
class CostData(CostObjective):
    """The same with its sentences as the parser sees them."""

    batch: Batch
    tags: Tags


def load_costs(config: Config) -> list[CostObjective]:
    """The objectives that are costs, with their data."""
    return [
        CostObjective(f"{number} {each.kind}", each, load_objective(each.data, settings_of(each)))
        for number, each in enumerate(config.objective)
        if each.is_cost
    ]


def settings_of(config: ObjectiveConfig) -> Settings:
    """What an objective needs to know of its configuration."""
    return Settings(config.kind, config.rules, config.words, config.labelled, config.command)


def tag_costs(
    costs: Sequence[CostObjective],
    tagger: Tagger | None,
    morphology: Morphology | None,
    labels: Sequence[str],
) -> list[CostData]:
    """Tag the examples as they will be tagged after training, and tell the objectives."""
    found = []
    for each in costs:
        tagged, batch, tags = tag_sentences(each.objective.sentences, tagger, morphology)
        each.objective.open(tagged, labels)
        found.append(CostData(each.name, each.config, each.objective, batch, tags))
    return found
