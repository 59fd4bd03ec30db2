"""Trains one set of weights of a transition parser: for a beam, or for greedy search."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from niwaki.data.faults import DEPREL
from niwaki.data.kbest import KBest
from niwaki.features.vocabulary import Values
from niwaki.features.weights import (
    Interpolation,
    PackedWeights,
    compress,
    compress_onto,
    noted,
    pack,
    unpack,
)
from niwaki.kernel.batch import Batch
from niwaki.kernel.features.words import Clusters
from niwaki.kernel.linear import SparseWeights
from niwaki.kernel.transition.local_learning import LocalLearner
from niwaki.kernel.transition.systems import load_system
from niwaki.learning.checkpoint import below
from niwaki.learning.corpus import Corpus, projective_heads
from niwaki.parsers.transition.config import TransitionConfig
from niwaki.parsers.transition.model import TransitionModel, TransitionSpec
from niwaki.parsers.transition.parser import TransitionCandidates, TransitionParser
from niwaki.parsers.transition.search import constrained_kbest
from niwaki.tagging.tagger import Tags
from niwaki.typing import Arrays, IntArray

# Gradients of moves that are smaller are not worth the memory of an entry.
_NEGLIGIBLE = 0.02


@dataclass(frozen=True)
class WeightsPlan:
    """What a set of weights is to be: whose, for which beam, and how large."""

    spec: TransitionSpec
    beam: int
    config: TransitionConfig
    max_rows: int
    clusters: Clusters | None
    seed: int
    temperature: float = 1.0


class TransitionExamples(TransitionCandidates):
    """Examples of a cost, and the weights that are trained by them."""

    def __init__(
        self,
        model: TransitionModel,
        learner: LocalLearner,
        batch: Batch,
        tags: Tags,
        beam: int,
        temperature: float = 1.0,
    ) -> None:
        super().__init__(model, batch, tags, beam, temperature=temperature)
        self._learner = learner

    def update(self, kbest: KBest, towards: int, away: int, step: float) -> None:
        self._learner.update(*self._moves(kbest, towards, away), step)

    def raise_lead(self, kbest: KBest, towards: int, away: int, by: float) -> None:
        moves = self._moves(kbest, towards, away)
        distance = self._learner.distance(*moves)
        if distance > 0:  # features may fail to tell two trees apart
            self._learner.update(*moves, by / distance)

    def _moves(
        self, kbest: KBest, towards: int, away: int
    ) -> tuple[Batch, int, list[Values], NDArray[np.uint8], NDArray[np.uint8]]:
        better, worse = kbest.histories[towards], kbest.histories[away]
        return self._batch, kbest.number, self.values(self._model), better, worse


class TransitionTrainer:
    """Learns from nothing, or as differences to finished weights (`base`).

    `interpolation` are weights of another learner that have a share in the finished ones.
    """

    def __init__(
        self,
        plan: WeightsPlan,
        corpus: Corpus,
        tags: Tags,
        *,
        base: PackedWeights | None = None,
        interpolation: Interpolation | None = None,
    ) -> None:
        self._plan, self._corpus = plan, corpus
        self._base, self._interpolation = base, interpolation
        config, spec = plan.config, plan.spec
        under = base.compile() if base else None
        self.weights = SparseWeights(len(spec.classes), config.min_updates, base=under)
        self._model = TransitionModel(spec, self.weights, plan.clusters)
        # What is fine-tuned is good already.
        self._learner = LocalLearner(
            self._model.kernel, self._model.class_numbers(), just_enough=base is not None
        )
        self._values = self._model.attribute_values(corpus.batch, tags)
        self._labels = corpus.batch.numbers(DEPREL, self._model.labels.symbols)
        # A greedy parser with exact costs learns from non-projective trees what it can reach.
        follows_oracle = plan.beam > 1 or config.greedy_learner != "perceptron"
        lift = follows_oracle and not load_system(spec.system).nonprojective
        self._heads = projective_heads(corpus) if lift else corpus.batch.given_heads()
        self._random = 0  # state of the exploration's random numbers
        self._explore = 0.0

    @property
    def rows(self) -> int:
        return len(self.weights)

    @property
    def tables(self) -> dict[str, SparseWeights]:
        return {"weights": self.weights}

    def examples(self, batch: Batch, tags: Tags) -> TransitionExamples:
        plan = self._plan
        return TransitionExamples(
            self._model, self._learner, batch, tags, plan.beam, plan.temperature
        )

    def tick(self) -> None:
        self.weights.tick()

    def begin_epoch(self, epoch: int) -> None:
        self._random = 1 + epoch + (self._plan.seed << 20)
        # Mistakes of the first epoch are not worth following.
        self._explore = self._plan.config.explore if epoch else 0.0

    def end_epoch(self) -> None:
        pass

    def learn(self, sentences: IntArray) -> int:
        self._complete(sentences)
        config = self._plan.config
        data = (self._corpus.batch, self._values, self._heads, self._labels, sentences)
        if self._plan.beam > 1:
            is_max_violation = config.update == "max-violation"
            _, updates, _ = self._learner.learn_with_beam(
                *data, self._plan.beam, is_max_violation, config.margin
            )
            return int(updates)
        if config.greedy_learner != "perceptron":
            _, mistakes, _, _ = self._learner.learn_locally(
                *data,
                config.greedy_learner == "svm",
                config.learning_rate,
                config.adagrad_epsilon,
                config.l2,
                _NEGLIGIBLE,
            )
            return mistakes
        random = np.array([self._random], dtype=np.uint64)
        _, updates = self._learner.learn_greedily(
            *data, config.greedy_margin, self._explore, random
        )
        self._random = int(random[0])
        return int(updates)

    def _complete(self, sentences: IntArray) -> None:
        """Make the best tree that obeys what is known the one to learn, where trees are partial."""
        for s in sentences.tolist():
            known = self._corpus.constraints.get(s)
            if known is not None:
                (best,) = constrained_kbest(
                    self._model, self._corpus.batch, s, self._values, known, 1, self._plan.beam
                )
                words = slice(self._corpus.starts[s], self._corpus.starts[s + 1])
                self._heads[words] = best.heads
                self._labels[words] = [self._model.labels.number(x) for x in best.deprels]

    def finished(self) -> Arrays:
        learned, config = self.weights.export(), self._plan.config
        if self._base is not None:
            return pack(compress_onto(self._base, learned, config.finetune_share))
        rows, least = self._plan.max_rows, config.least_weight
        return pack(compress(learned, self.weights.classes, rows, self._interpolation, least))

    def parser(self, finished: Arrays) -> TransitionParser:
        model = self._model.with_weights(unpack(finished))
        return TransitionParser(model, self._plan.beam)

    def export(self) -> Arrays:
        return {
            "random": np.array([self._random], dtype=np.uint64),
            "explore": np.array([self._explore]),
            **{f"weights.{name}": array for name, array in self.weights.export().items()},
        }

    def restore(self, arrays: Arrays) -> None:
        self._random = int(arrays["random"][0])
        self._explore = float(arrays["explore"][0])
        self.weights.restore(**below(arrays, "weights"))

    def continued(self, finished: Arrays, tags: Tags) -> TransitionTrainer:
        return TransitionTrainer(self._plan, self._corpus, tags, base=unpack(finished))


class InterpolationTrainer(TransitionTrainer):
    """The same for weights that get a share in others."""

    def finished(self) -> Arrays:
        return noted(self.weights.export(), self._plan.max_rows)
