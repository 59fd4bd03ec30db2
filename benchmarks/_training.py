"""Training of one set of weights by itself, for benchmarks that look into a training run."""

from __future__ import annotations

from niwaki.learning.checkpoint import Checkpoint
from niwaki.learning.corpus import Corpus
from niwaki.parsers.base import Job, TrainableParser
from niwaki.training.config import TrainingConfig
from niwaki.training.loop import Score, Training
from niwaki.training.objectives import ObjectivesInTraining
from niwaki.typing import Arrays


def train_weights(
    stage: str, trainer: TrainableParser, corpus: Corpus, epochs: int, score: Score | None = None
) -> Arrays:
    """The weights of the best epoch by `score`, or of the last one, on trees alone.

    `stage` names the order of the sentences, as it does in a whole run.
    """
    config = TrainingConfig()
    training = Training(
        Job(stage, corpus, epochs, lambda done: trainer),
        trainer,
        config,
        ObjectivesInTraining((), trainer, config.seed),
        Checkpoint("", {}, 1e9),
        threads=1,
    )
    return training.run(score, lambda count: None, lambda report: None)
