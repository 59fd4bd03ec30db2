"""A tagger that learns while a parser is taught by costs.

Where only another tag of a word leads to the cheapest tree, the tagger learns that tag
(Katz-Brown et al. 2011, 5.3.1); beside it, it goes on learning the treebank's.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from niwaki.errors import ConfigError
from niwaki.features.weights import PackedWeights, compress_onto
from niwaki.kernel.linear import SparseWeights
from niwaki.kernel.tagging import tagger as kernel
from niwaki.learning.corpus import Corpus
from niwaki.tagging.config import TaggerConfig
from niwaki.tagging.tagger import Tagger
from niwaki.training.examples import Tagging


class TagLessons:
    """What a finished tagger learns on top of what it knows."""

    def __init__(self, tagger: Tagger, corpus: Corpus, config: TaggerConfig) -> None:
        if not isinstance(tagger.model, PackedWeights):
            raise ConfigError(
                "a trigram tagger cannot learn by costs; leave out objective.tags, or train a "
                'tagger with tagger.learner = "logistic"'
            )
        self._base, self._config = tagger.model, config
        self._learner = SparseWeights(self._base.classes, base=self._base.compile())
        self._taught = tagger.with_model(self._learner)
        assert isinstance(self._taught.kernel, kernel.Tagger)
        self._kernel = self._taught.kernel
        self._corpus = corpus
        self._gold = self._taught.numbers(corpus.batch) if corpus.sentences else None

    def learn(self, tagging: Tagging, s: int) -> None:
        """Learn the tag by which a tagging of an example differs from the usual one."""
        word = int(tagging.starts[s]) + tagging.changed[s]
        gold = np.full(tagging.batch.words, -1, dtype=np.int32)
        gold[word] = tagging.tags.pairs[word]
        self._learn(tagging.batch, gold, np.array([s], dtype=np.int32))

    def learn_treebank(self, part: NDArray[np.int32]) -> None:
        """Learn the tags of some sentences of the treebank."""
        if self._gold is not None and len(part):
            self._learn(self._corpus.batch, self._gold, part)

    def _learn(self, batch: Any, gold: NDArray[np.int32], part: NDArray[np.int32]) -> None:
        config = self._config
        rate = config.learning_rate if config.learner == "logistic" else 0.0
        self._kernel.learn(batch, gold, part, rate, config.adagrad_epsilon, config.margin)

    def finished(self) -> PackedWeights:
        """The weights of the tagger with what it has learned."""
        return compress_onto(self._base, self._learner.export())

    def export(self) -> dict[str, NDArray[Any]]:
        return self._learner.export()

    def restore(self, arrays: dict[str, NDArray[Any]]) -> None:
        self._learner.restore(**arrays)
