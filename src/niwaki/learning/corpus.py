"""Training data in memory: sentences, what is known of their trees, how often each is visited."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from niwaki.data.constraints import Constraints
from niwaki.data.sentence import Sentence
from niwaki.data.tree import UNKNOWN
from niwaki.kernel.batch import Batch
from niwaki.typing import FloatArray, IntArray


def run_name(stage: str, run: int) -> str:
    """A stage of training that is repeated with sentences in another order; runs count from 0."""
    return f"{stage}-run{run + 1}" if run else stage


# What a sentence of a treebank can train.
Layer = Literal["segments", "tags", "training-tags", "morphology", "trees"]
LAYERS: tuple[Layer, ...] = get_args(Layer)
# So that ten weights of 0.1 are one visit.
_ROUNDING = 1e-6


@dataclass(frozen=True)
class Interpolated:
    """Which sentences also train weights of their own, what share these have in the finished ones,
    and in how many passes."""

    chosen: NDArray[np.bool_]
    share: float
    epochs: int


@dataclass(frozen=True)
class Corpus:
    """Sentences of one or more files, with a hash that identifies them.

    `constraints` hold what is known of those trees that are not whole. `weights` say for
    each layer how often each sentence is visited in an epoch; a layer that is not there
    is trained once by all. `given_tags` says whose tags a parser sees as they stand in the file.
    """

    files: tuple[str, ...]
    sentences: tuple[Sentence, ...]
    constraints: Mapping[int, Constraints] = field(default_factory=dict)
    weights: Mapping[str, FloatArray] = field(default_factory=dict)
    interpolated: Interpolated | None = None
    left_out: int = 0  # sentences of the files that are not among these, as was asked for
    given_tags: NDArray[np.bool_] | None = None  # None: of no sentence

    @cached_property
    def batch(self) -> Batch:
        return Batch([sentence.source for sentence in self.sentences])

    @cached_property
    def sha256(self) -> str:
        digest = hashlib.sha256()
        for sentence in self.sentences:
            digest.update(sentence.source)
        return digest.hexdigest()

    @property
    def words(self) -> int:
        return int(self.batch.words)

    def part(self, numbers: NDArray[np.int64]) -> Corpus:
        known = ((new, self.constraints.get(old)) for new, old in enumerate(numbers.tolist()))
        own = self.interpolated
        return Corpus(
            self.files,
            tuple(self.sentences[number] for number in numbers),
            {new: constraints for new, constraints in known if constraints is not None},
            {layer: weights[numbers] for layer, weights in self.weights.items()},
            replace(own, chosen=own.chosen[numbers]) if own else None,
            given_tags=None if self.given_tags is None else self.given_tags[numbers],
        )

    def and_also(self, more: Iterable[Sentence]) -> Corpus:
        """The same with sentences that are visited once an epoch; of trees it says nothing."""
        added = tuple(more)
        once = np.ones(len(added))
        weights = {name: np.append(found, once) for name, found in self.weights.items()}
        return Corpus(self.files, self.sentences + added, weights=weights)

    def interpolated_part(self, layer: str) -> tuple[Corpus, NDArray[np.bool_]] | None:
        """The sentences that also train a layer alone, each once a pass, and which they are."""
        if self.interpolated is None:
            return None
        chosen = self.interpolated.chosen
        if layer in self.weights:
            chosen = chosen & (self.weights[layer] > 0)
        if not chosen.any():
            return None
        return replace(self.part(np.flatnonzero(chosen)), weights={}, interpolated=None), chosen

    def words_of(self, sentences: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Which words of the batch are in these sentences."""
        return np.repeat(sentences, np.diff(self.starts))

    def that_trains(self, layer: str) -> Corpus:
        """The sentences that train a layer."""
        if layer not in self.weights or np.all(self.weights[layer] > 0):
            return self
        return self.part(np.flatnonzero(self.weights[layer]))

    def visits(self, layer: str) -> int:
        """How many sentences are visited in an epoch."""
        if layer not in self.weights:
            return len(self.sentences)
        return int(self.weights[layer].sum() + _ROUNDING)

    def interpolated_visits(self, layer: str) -> int:
        """How many are visited in all passes over those that also train alone."""
        found = self.interpolated_part(layer)
        own = self.interpolated
        return len(found[0].sentences) * own.epochs if found and own else 0

    def epoch_order(self, layer: str, seed: int, stage: str, epoch: int) -> IntArray:
        """The sentences that an epoch visits, in order; depends on nothing but its name.

        A weight of 2.5 is two or three visits. The weights are laid end to end, and a visit
        is paid wherever a ruler with marks one apart, laid on at random, has a mark; so
        their number is always the same.
        """
        if layer not in self.weights:
            return shuffled(len(self.sentences), seed, stage, epoch)
        random = _random(seed, stage, epoch)
        ends = np.floor(np.cumsum(self.weights[layer]) + random.random() + _ROUNDING)
        visits = np.diff(ends, prepend=0).astype(np.int64)
        order = random.permutation(np.repeat(np.arange(len(visits), dtype=np.int32), visits))
        return order[: self.visits(layer)]

    @cached_property
    def starts(self) -> NDArray[np.int64]:
        """Where the words of each sentence begin in the arrays of the batch."""
        lengths = self.batch.lengths
        return np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)])

    def with_known_arcs(self) -> Iterator[Sentence]:
        """The sentences; in partial trees, arcs whose label is unknown say nothing of labels."""
        for number, sentence in enumerate(self.sentences):
            if number in self.constraints:
                arcs = zip(sentence.heads, sentence.deprels, strict=True)
                yield sentence.replace(heads=[UNKNOWN if x == "_" else head for head, x in arcs])
            else:
                yield sentence

    @cached_property
    def is_tagged(self) -> bool:
        return any(tag != "_" for sentence in self.sentences for tag in sentence.upos)


def shuffled(count: int, seed: int, stage: str, epoch: int) -> IntArray:
    """The order of so many things in an epoch; depends on nothing but its name."""
    return _random(seed, stage, epoch).permutation(count).astype(np.int32)


def _random(seed: int, stage: str, epoch: int) -> np.random.Generator:
    return np.random.default_rng([seed, epoch, *stage.encode()])


def projective_heads(corpus: Corpus) -> IntArray:
    """Heads of the nearest projective trees: a beam learns to follow one way to one tree."""
    heads: IntArray = corpus.batch.given_heads()
    for number in np.flatnonzero(corpus.batch.nonprojective()).tolist():
        # Partial trees are completed to projective ones when they are learned.
        if number not in corpus.constraints:
            words = slice(corpus.starts[number], corpus.starts[number + 1])
            heads[words] = corpus.sentences[number].tree.lifted().heads
    return heads
