"""Objectives in training, for tests that bring a parser of their own."""

from __future__ import annotations

from typing import Any

from niwaki.kernel.batch import Batch
from niwaki.tagging.tagger import Tags
from niwaki.training.config import CostConfig
from niwaki.training.examples import CostData, Tagging
from niwaki.training.objectives import ObjectivesInTraining, Schedule


def in_training(objective: Any, config: CostConfig, parser: Any) -> ObjectivesInTraining:
    """One objective, untagged, beside a parser that is trained by it."""
    sentences = list(objective.sentences)
    batch = Batch([sentence.source for sentence in sentences])
    tagging = Tagging(sentences, batch, Tags.none(batch), objective, [-1] * len(sentences))
    data = CostData("toy", config, objective, [tagging])
    schedule = Schedule(config.schedule if isinstance(config.schedule, float) else 1.0)
    return ObjectivesInTraining([data], [schedule], parser, seed=1)
