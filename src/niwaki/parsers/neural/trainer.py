"""Trains the network of a neural parser: likelihood of trees, labels, tags and lemmas, by AdamW.

log p(tree) is its score minus the logarithm of the sum over all trees, so its gradient by the
score of an arc is 1 if the tree has it, minus the probability of the arc: `parsers/decoding` gives
that, and torch takes it from there. Sentences of a step are divided into pieces that do not depend
on the number of threads, and gradients are added in their order: threads change no result.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional

from niwaki.data.faults import DEPREL
from niwaki.kernel.batch import Batch
from niwaki.learning.checkpoint import below
from niwaki.learning.corpus import Corpus, projective_heads
from niwaki.parsers.base import Search
from niwaki.parsers.decoding import Scores, sum_trees
from niwaki.parsers.neural.classes import class_numbers
from niwaki.parsers.neural.config import NeuralConfig
from niwaki.parsers.neural.costs import NeuralExamples
from niwaki.parsers.neural.inputs import in_batches
from niwaki.parsers.neural.learner import Learner
from niwaki.parsers.neural.model import NeuralParser, neural_parser
from niwaki.parsers.neural.scorer import NeuralScorer
from niwaki.parsers.neural.spec import NeuralSpec
from niwaki.parsers.neural.torch_ops import label_scores
from niwaki.parsers.neural.weights import restored, stored
from niwaki.parsers.neural.wordpiece import WordPieces
from niwaki.tagging.tagger import Tags
from niwaki.typing import Arrays, IntArray

# Word pieces, or words, whose gradient is computed at a time, and how much more with padding.
_AT_ONCE, _PADDED = 400, 1.1
# What a tag, a lemma or FEATS weighs beside an arc and its label.
_CLASS_WEIGHT = 0.5


@dataclass(frozen=True)
class NeuralTrainingPlan:
    """What is to be trained, and how."""

    spec: NeuralSpec
    config: NeuralConfig
    pieces: WordPieces | None
    weights: Mapping[str, NDArray[np.float32]]  # to begin with
    share: float  # of what is learned, added to them in the end
    epochs: int
    seed: int
    threads: int


class NeuralTrainer:
    """See `niwaki.parsers.base.TrainableParser`."""

    def __init__(self, plan: NeuralTrainingPlan, corpus: Corpus, tags: Tags) -> None:
        self._plan, self._corpus = plan, corpus
        self._learner = Learner(plan.spec, plan.config, plan.pieces, plan.weights)
        # Probabilities are calibrated when all is learned; scores are learned as they are.
        plain = replace(plan.spec, temperature=1.0, label_temperature=1.0)
        self._parser = NeuralParser(plain, NeuralScorer(self._learner))
        self._candidates = self._parser.candidates(corpus.batch, tags, Search())
        self._words = self._learner.inputs.words(corpus.batch)
        is_projective = plan.spec.projective
        self._heads = projective_heads(corpus) if is_projective else corpus.batch.given_heads()
        self._labels = corpus.batch.numbers(DEPREL, self._parser.labels.symbols)
        self._classes = {
            kind: class_numbers(kind, corpus, names) for kind, names in plan.spec.classes.items()
        }
        self._pool = ThreadPoolExecutor(plan.threads) if plan.threads > 1 else None
        self._epoch, self._visited = 0, 0

    # -- learning --------------------------------------------------------------------

    def begin_epoch(self, epoch: int) -> None:
        self._epoch, self._visited = epoch, 0

    @property
    def _progress(self) -> float:
        """What of the training is over."""
        visits = max(self._corpus.visits("trees"), 1)
        done = self._epoch + min(self._visited / visits, 1.0)
        return done / max(self._plan.epochs, 1)

    def learn(self, sentences: IntArray) -> int:
        for s in sentences.tolist():
            if s in self._corpus.constraints:
                self._complete(s)
        for step in self._steps(sentences.tolist()):
            self._learner.step(self._gradients(step), self._progress)
            self._visited += len(step)
        self._step_by_costs()
        return len(sentences)

    def end_epoch(self) -> None:
        self._step_by_costs()

    def tick(self) -> None:
        pass

    def _step_by_costs(self) -> None:
        """Follow what costs asked for where there are no trees beside them to learn."""
        if self._learner.has_pending:
            self._learner.step((), self._progress)

    def _complete(self, s: int) -> None:
        """Make the best tree that obeys what is known the one to learn."""
        (best,) = self._candidates.kbest(s, 1, self._corpus.constraints[s])
        words = slice(self._corpus.starts[s], self._corpus.starts[s + 1])
        self._heads[words] = best.heads
        self._labels[words] = [self._parser.labels.number(x) for x in best.deprels]

    def _steps(self, sentences: Sequence[int]) -> Iterator[list[int]]:
        """Sentences of about equal length together, for so many words each."""
        step: list[int] = []
        words = 0
        for s in sorted(sentences, key=self._words.size):
            step.append(s)
            words += self._words.length(s)
            if words >= self._plan.config.batch_words:
                yield step
                step, words = [], 0
        if step:
            yield step

    def _gradients(self, sentences: Sequence[int]) -> Sequence[Tensor]:
        # About equal ones, and at least two, so that threads share the work.
        size = sum(map(self._words.size, sentences))
        most = _PADDED * size / max(2, np.ceil(size / _AT_ONCE))
        pieces = list(in_batches(self._words, sentences, int(most)))
        words = sum(map(self._words.length, sentences))
        seeds = [self._learner.steps * 1000 + at for at in range(len(pieces))]

        def gradient(part: list[int], seed: int) -> Sequence[Tensor]:
            random = torch.Generator().manual_seed(self._plan.seed * 1_000_003 + seed)
            return self._learner.gradient(self._loss(part, random) / words)

        self._learner.refresh()
        at_once = self._pool.map if self._pool else map
        return self._learner.sum(list(at_once(gradient, pieces, seeds)))

    def _loss(self, sentences: list[int], random: torch.Generator) -> Tensor:
        """What is to be lowered for some sentences, summed over words."""
        found = self._learner.run(self._words, sentences, random)
        lengths = np.array([self._words.length(s) for s in sentences], dtype=np.int32)
        inside = [
            (row, slice(self._words.starts[s], self._words.starts[s + 1]), int(n))
            for row, (s, n) in enumerate(zip(sentences, lengths, strict=True))
        ]
        heads = np.concatenate([self._heads[place] for _, place, _ in inside])
        arcs = torch.cat([found.arcs[row, : n + 1, :n].flatten() for row, _, n in inside])
        loss = self._tree_loss(arcs, lengths, heads)
        # Vectors of words in the order of the treebank, those of their heads beside them.
        every = torch.cat([found.label_words[row, :n] for row, _, n in inside])
        of_heads = torch.cat(
            [found.label_heads[row, self._heads[place].tolist()] for row, place, _ in inside]
        )
        labels = label_scores(of_heads, every, self._learner.weights["labels.mix"])
        loss = loss + _cross_entropy(labels, [self._labels[place] for _, place, _ in inside])
        for kind, gold in self._classes.items():
            scores = torch.cat([found.classes[kind][row, :n] for row, _, n in inside])
            wanted = [gold[place] for _, place, _ in inside]
            loss = loss + _CLASS_WEIGHT * _cross_entropy(scores, wanted)
        return loss

    def _tree_loss(self, arcs: Tensor, lengths: IntArray, heads: IntArray) -> Tensor:
        """A loss whose gradient is that of -log p(tree)."""
        scores = Scores(arcs.detach().numpy(), lengths)
        sums = sum_trees(scores, projective=self._plan.spec.projective, too_long="spanning")
        slopes = sums.marginals
        slopes[scores.arcs_of_words(heads)] -= 1
        return (arcs * torch.from_numpy(slopes.astype(np.float32))).sum()

    # -- costs, and what comes of it ---------------------------------------------------

    def examples(self, batch: Batch, tags: Tags) -> NeuralExamples:
        return NeuralExamples(self._plan.spec, self._learner, batch, tags, self._plan.config)

    @property
    def rows(self) -> int:
        return sum(weight.numel() for weight in self._learner.trained.values())

    def finished(self) -> Arrays:
        """Weights between those at first and those learned do better at what was known before."""
        learned, share = self._learner.arrays(), np.float32(self._plan.share)
        if share < 1:
            first = self._plan.weights
            learned = {n: first[n] + share * (x - first[n]) for n, x in learned.items()}
        return stored(self._plan.spec, learned)

    def parser(self, finished: Arrays) -> NeuralParser:
        return neural_parser(self._plan.spec, finished, self._plan.pieces)

    def export(self) -> Arrays:
        counts = np.array([self._epoch, self._visited], dtype=np.int64)
        return {"counts": counts, **{f"learner.{n}": x for n, x in self._learner.export().items()}}

    def restore(self, arrays: Arrays) -> None:
        self._epoch, self._visited = map(int, arrays["counts"])
        self._learner.restore(below(arrays, "learner"))

    def continued(self, finished: Arrays, tags: Tags) -> NeuralTrainer:
        weights = restored(self._plan.spec, finished)
        share = self._plan.config.finetune_share
        plan = replace(self._plan, weights=weights, share=share, epochs=1)
        return NeuralTrainer(plan, self._corpus, tags)


def _cross_entropy(scores: Tensor, gold: Sequence[NDArray[Any]]) -> Tensor:
    """Summed over the words whose class is known."""
    wanted = torch.from_numpy(np.concatenate(gold).astype(np.int64))
    return functional.cross_entropy(scores, wanted, ignore_index=-1, reduction="sum")
