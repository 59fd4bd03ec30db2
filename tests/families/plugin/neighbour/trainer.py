"""The trainer: stochastic gradient ascent of log p(root of the gold tree), and of its labels."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from neighbour.model import (
    NeighbourCandidates,
    NeighbourParser,
    Scorer,
    log_softmax,
    marginals,
    sides_of,
)
from niwaki.data.faults import DEPREL
from niwaki.data.kbest import KBest
from niwaki.kernel.batch import Batch
from niwaki.learning.corpus import Corpus
from niwaki.tagging.tagger import Tags
from niwaki.typing import Arrays, IntArray


class NeighbourExamples(NeighbourCandidates):
    """See `niwaki.parsers.base.TrainableCandidates`."""

    def __init__(self, scorer: Scorer, batch: Batch, tags: Tags, rate: float) -> None:
        super().__init__(scorer, batch, tags)
        self._rate = rate

    def update(self, kbest: KBest, towards: int, away: int, step: float) -> None:
        rows = self.rows[kbest.number]
        for candidate, length in ((towards, step), (away, -step)):
            sides, labels = sides_of(kbest.heads[candidate]), kbest.labels[candidate]
            np.add.at(self.scorer.sides, (rows, sides), self._rate * length)
            # A label that constraints asked for may be none of the model's.
            known = labels < len(self.scorer.labels)
            places = (rows[known], sides[known], labels[known])
            np.add.at(self.scorer.names, places, self._rate * length)

    def raise_lead(self, kbest: KBest, towards: int, away: int, by: float) -> None:
        """A step of 1 may change the score of a word's side and of its label, of both trees."""
        self.update(kbest, towards, away, by / (4.0 * self._rate * kbest.heads.shape[1]))


class NeighbourTrainer:
    """See `niwaki.parsers.base.TrainableParser`."""

    def __init__(self, scorer: Scorer, corpus: Corpus, tags: Tags, rate: float) -> None:
        # Of its own: others may still use the weights with which it begins.
        self._scorer = replace(scorer, sides=scorer.sides.copy(), names=scorer.names.copy())
        self._rate = rate
        self._rows = self._scorer.rows(corpus.batch, tags)
        cuts = corpus.starts[1:-1]
        self._heads = np.split(corpus.batch.given_heads(), cuts)
        self._labels = np.split(corpus.batch.numbers(DEPREL, scorer.labels.symbols), cuts)

    def begin_epoch(self, epoch: int) -> None:
        pass

    def end_epoch(self) -> None:
        pass

    def tick(self) -> None:
        pass

    def learn(self, sentences: IntArray) -> int:
        for s in sentences.tolist():
            self._learn_root(self._rows[s], self._heads[s])
            self._learn_labels(self._rows[s], self._heads[s], self._labels[s])
        return len(sentences)

    def _learn_root(self, rows: IntArray, heads: IntArray) -> None:
        """d log p(root) / d score of a side: 1 where the tree has it, minus p(side)."""
        slopes = marginals((heads == 0).astype(np.float64))
        slopes -= marginals(np.exp(self._scorer.roots(rows)))
        np.add.at(self._scorer.sides, rows, self._rate * slopes)

    def _learn_labels(self, rows: IntArray, heads: IntArray, labels: IntArray) -> None:
        known = labels >= 0  # a model that is trained on keeps its labels
        rows, sides, labels = rows[known], sides_of(heads)[known], labels[known]
        slopes = -np.exp(log_softmax(self._scorer.names[rows, sides]))
        slopes[np.arange(len(rows)), labels] += 1
        np.add.at(self._scorer.names, (rows, sides), self._rate * slopes)

    def examples(self, batch: Batch, tags: Tags) -> NeighbourExamples:
        return NeighbourExamples(self._scorer, batch, tags, self._rate)

    @property
    def rows(self) -> int:
        return len(self._scorer.sides)

    def finished(self) -> Arrays:
        return self.export()

    def parser(self, finished: Arrays) -> NeighbourParser:
        return NeighbourParser(with_weights(self._scorer, finished))

    def export(self) -> Arrays:
        return {"sides": self._scorer.sides.copy(), "names": self._scorer.names.copy()}

    def restore(self, arrays: Arrays) -> None:
        self._scorer.sides[:], self._scorer.names[:] = arrays["sides"], arrays["names"]

    def continued(self, finished: Arrays, tags: Tags) -> NeighbourTrainer:
        self.restore(finished)
        return self


def with_weights(scorer: Scorer, arrays: Arrays) -> Scorer:
    return replace(scorer, sides=np.array(arrays["sides"]), names=np.array(arrays["names"]))
