"""What runs in a worker of a training run: the same run, made from its order, up to its jobs."""

from __future__ import annotations

import math

from niwaki.errors import NiwakiError
from niwaki.learning.checkpoint import Checkpoint
from niwaki.pipeline.store import pipeline_of
from niwaki.training.examples import load_costs
from niwaki.training.jobs.data import read_data
from niwaki.training.jobs.mixing import ShardTraining
from niwaki.training.jobs.shards import Order, ShardResult, ShardTask
from niwaki.training.reporting import Log, Quiet
from niwaki.training.run import Run
from niwaki.typing import Arrays


class ShardLearner:
    """Learns epochs on shards; made once in each process, which keeps what it learned last."""

    def __init__(self, order: Order) -> None:
        self._jobs = run_of(order).jobs()
        self._training: ShardTraining | None = None

    def __call__(self, task: ShardTask) -> ShardResult | None:
        """What an epoch came to; None where this process does not know what came before."""
        if task.state is not None:
            # The old one goes first: there may be no memory for both.
            self._training = None
            self._training = self._jobs.shard_training(task)
        elif self._training is None or not self._training.can_go_on(task):
            return None
        return self._training.learn_shard(task)


class FoldTagger:
    """Tags folds of the treebank, each by a tagger that learned from the others."""

    def __init__(self, order: Order) -> None:
        self._run = run_of(order)

    def __call__(self, fold: int) -> Arrays:
        return self._run.tag_fold(fold)


def run_of(order: Order) -> Run:
    """The run of an order, with what is finished of it; it writes nothing."""
    init = pipeline_of(order.init) if order.init else None
    costs = load_costs(order.config, order.held_out, init.segmenter if init else None)
    data = read_data(order.config, costs, Quiet(), init, skip=order.skips)
    if data.corpus.sha256 != order.sha256:
        files = ", ".join(data.corpus.files)
        raise NiwakiError(f"{files}: not the same for a worker as for the head; copy them again")
    checkpoint = Checkpoint("", {}, minutes=math.inf)
    for name, arrays in order.finished.items():
        checkpoint.put(name, arrays)
    return Run(data, checkpoint, Quiet(), Log("", Quiet()), 1, order.tags)
