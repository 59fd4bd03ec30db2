"""Teaches a transition parser, epoch by epoch, and keeps the best."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from niwaki.features.weights import Interpolation, PackedWeights, compress, compress_onto
from niwaki.kernel.features.words import Clusters
from niwaki.kernel.linear import SparseWeights
from niwaki.kernel.transition.local_learning import LocalLearner
from niwaki.kernel.transition.systems import load_system
from niwaki.learning.checkpoint import Checkpoint
from niwaki.learning.corpus import Corpus
from niwaki.parsers.transition.candidates import TransitionTrainee
from niwaki.parsers.transition.model import DEPREL, TransitionParser, TransitionSpec
from niwaki.parsers.transition.search import constrained_kbest
from niwaki.tagging.tagger import Tags
from niwaki.tagging.updates import TagLessons
from niwaki.training.examples import CostData, Tagging
from niwaki.training.loop import Arrays, EpochTraining, Weights, below
from niwaki.training.objectives import CostLessons, CostTraining

# What its only set of weights is called.
PART = "moves"
# Gradients of moves that are smaller are not worth the memory of an entry.
_NEGLIGIBLE = 0.02


class ParserTraining(EpochTraining[TransitionParser]):
    """The training of a transition parser with a beam, or of a greedy one."""

    def __init__(
        self,
        stage: str,
        spec: TransitionSpec,
        corpus: Corpus,
        tags: Tags,
        config: Any,
        *,
        beam: int,
        max_rows: int,
        least_weight: int,
        clusters: Clusters | None,
        checkpoint: Checkpoint,
        base: PackedWeights | None = None,
        interpolation: Interpolation | None = None,
        costs: Sequence[CostData] = (),
        tag_lessons: TagLessons | None = None,
        threads: int = 1,
    ) -> None:
        self._beam, self._base, self._voter = beam, base, interpolation
        self._max_rows, self._least_weight = max_rows, least_weight
        frozen = base.compile() if base else None
        self.learner = SparseWeights(len(spec.classes), config.min_updates, base=frozen)
        self._parser = TransitionParser(spec, self.learner, clusters)
        self._move_learner = LocalLearner(self._parser.kernel, self._parser.class_numbers())
        self._values = self._parser.attribute_values(corpus.batch, tags)
        self._labels = corpus.batch.numbers(DEPREL, self._parser.labels.symbols)
        # A greedy parser with exact costs learns from crossing trees what it can reach of them.
        follows_oracle = beam > 1 or config.greedy_learner != "perceptron"
        lift = follows_oracle and not load_system(spec.system).nonprojective
        self._heads = projective_heads(corpus) if lift else corpus.batch.given_heads()
        self._random = 0  # state of the exploration's random numbers
        self._explore = 0.0
        super().__init__(
            stage,
            corpus,
            config,
            epochs=config.epochs if beam > 1 else config.greedy_epochs,
            costs=CostTraining(
                [CostLessons.of(each, self._trainee, tag_lessons) for each in costs],
                [self.learner],
                config.seed,
                tag_lessons,
            ),
            checkpoint=checkpoint,
            threads=threads,
        )

    def _trainee(self, data: Tagging) -> TransitionTrainee:
        return TransitionTrainee(
            self._parser, self._move_learner, data.batch, data.tags, self._beam
        )

    def _begin_epoch(self, epoch: int) -> None:
        self._random = 1 + epoch + (self._config.seed << 20)
        # Mistakes of the first epoch are not worth following.
        self._explore = self._config.explore if epoch else 0.0

    def _learn(self, part: NDArray[np.int32]) -> int:
        self._complete(part)
        config, batch = self._config, self._corpus.batch
        if self._beam > 1:
            _, updates, _ = self._move_learner.learn_with_beam(
                batch,
                self._values,
                self._heads,
                self._labels,
                part,
                self._beam,
                config.update == "max-violation",
                config.margin,
            )
            return int(updates)
        if config.greedy_learner != "perceptron":
            _, mistakes, _, _ = self._move_learner.learn_locally(
                batch,
                self._values,
                self._heads,
                self._labels,
                part,
                config.greedy_learner == "svm",
                config.learning_rate,
                config.adagrad_epsilon,
                config.l2,
                _NEGLIGIBLE,
            )
            return mistakes
        random = np.array([self._random], dtype=np.uint64)
        _, updates = self._move_learner.learn_greedily(
            batch,
            self._values,
            self._heads,
            self._labels,
            part,
            config.greedy_margin,
            self._explore,
            random,
        )
        self._random = int(random[0])
        return int(updates)

    def _complete(self, part: NDArray[np.int32]) -> None:
        """Make the best tree that obeys what is known the one to learn, where trees are partial."""
        for s in part.tolist():
            known = self._corpus.constraints.get(s)
            if known is not None:
                best = constrained_kbest(
                    self._parser, self._corpus.batch, s, self._values, known, 1, self._beam
                )[0].tree
                words = slice(self._corpus.starts[s], self._corpus.starts[s + 1])
                self._heads[words] = best.heads
                self._labels[words] = [self._parser.labels.number(x) for x in best.deprels]

    def _compressed(self) -> Weights:
        learned = self.learner.export()
        if self._base is not None:
            return {PART: compress_onto(self._base, learned)}
        found = compress(
            learned, self.learner.classes, self._max_rows, self._voter, self._least_weight
        )
        return {PART: found}

    def _with(self, weights: Weights) -> TransitionParser:
        return self._parser.with_model(weights[PART])

    def _rows(self) -> int:
        return len(self.learner)

    def _state(self) -> Arrays:
        return {
            "random": np.array([self._random], dtype=np.uint64),
            "explore": np.array([self._explore]),
            **{f"learner.{name}": array for name, array in self.learner.export().items()},
        }

    def _restore_state(self, state: Arrays) -> None:
        self._random = int(state["random"][0])
        self._explore = float(state["explore"][0])
        self.learner.restore(**below(state, "learner"))


def projective_heads(corpus: Corpus) -> NDArray[np.int32]:
    """Heads of the nearest projective trees: a beam learns to follow one way to one tree."""
    heads = corpus.batch.given_heads()
    for number in np.flatnonzero(corpus.batch.nonprojective()).tolist():
        # Partial trees are completed to projective ones when they are learned.
        if number not in corpus.constraints:
            words = slice(corpus.starts[number], corpus.starts[number + 1])
            heads[words] = corpus.sentences[number].tree.lifted().heads
    return heads
