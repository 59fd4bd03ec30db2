"""What a finished tagger learns on: before a parser that is trained on, or beside it.

Beside it, where only another tag of a word leads to the cheapest tree, the tagger learns that tag
(Katz-Brown et al. 2011, 5.3.1), and goes on learning the treebank's.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from niwaki.errors import ConfigError
from niwaki.features.weights import PackedWeights, compress_onto, pack, unpack
from niwaki.kernel.batch import Batch
from niwaki.kernel.linear import SparseWeights
from niwaki.kernel.tagging import tagger as kernel
from niwaki.learning.checkpoint import Checkpoint
from niwaki.learning.corpus import Corpus
from niwaki.tagging.config import TaggerConfig
from niwaki.tagging.tagger import Tagger, Tags
from niwaki.typing import Arrays, IntArray

# Sentences between two looks at the clock.
_CHUNK = 512


class TagUpdates:
    """What a finished tagger learns on top of what it knows."""

    def __init__(self, tagger: Tagger, corpus: Corpus, config: TaggerConfig) -> None:
        if not isinstance(tagger.model, PackedWeights):
            raise ConfigError(
                "a trigram tagger cannot learn on; leave out objective.tags and "
                'tagger.finetune_epochs, or train a tagger with tagger.learner = "logistic"'
            )
        self._base, self._config = tagger.model, config
        self.weights = SparseWeights(self._base.classes, base=self._base.compile())
        self._tagger = tagger.with_model(self.weights)
        assert isinstance(self._tagger.kernel, kernel.Tagger)
        self._kernel = self._tagger.kernel
        self._corpus = corpus
        self._gold = self._tagger.numbers(corpus.batch) if corpus.sentences else None

    def learn(self, batch: Batch, tags: Tags, s: int, word: int) -> None:
        """Learn the tag of one word of a batch, which is in sentence s."""
        gold = np.full(batch.words, -1, dtype=np.int32)
        gold[word] = tags.pairs[word]
        self._learn(batch, gold, np.array([s], dtype=np.int32))

    def learn_treebank(self, part: IntArray) -> None:
        """Learn the tags of some sentences of the treebank."""
        if self._gold is not None and len(part):
            self._learn(self._corpus.batch, self._gold, part)

    def _learn(self, batch: Batch, gold: IntArray, part: IntArray) -> None:
        config = self._config
        rate = config.learning_rate if config.learner == "logistic" else 0.0
        self._kernel.learn(batch, gold, part, rate, config.adagrad_epsilon, config.margin)

    def finished(self) -> PackedWeights:
        """The weights of the tagger with what it has learned."""
        return compress_onto(self._base, self.weights.export())

    def export(self) -> Arrays:
        return self.weights.export()

    def restore(self, arrays: Arrays) -> None:
        self.weights.restore(**arrays)


def finetuned(
    tagger: Tagger,
    corpus: Corpus,
    config: TaggerConfig,
    seed: int,
    stage: str,
    *,
    advance: Callable[[int], None],
    checkpoint: Checkpoint,
) -> Tagger:
    """A tagger that has learned on from a corpus; kept in the checkpoint, or taken from it."""
    if stage not in checkpoint:
        learner = TagUpdates(tagger, corpus, config)
        for epoch in range(config.finetune_epochs):
            order = corpus.epoch_order("tags", seed, stage, epoch)
            for start in range(0, len(order), _CHUNK):
                part = order[start : start + _CHUNK]
                learner.learn_treebank(part)
                advance(len(part))
        checkpoint.put(stage, pack(learner.finished()))
    return tagger.with_model(unpack(checkpoint[stage]))
