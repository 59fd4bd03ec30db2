"""Scores of arcs and labels by a network: what it says of each sentence, as decoders ask for it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from niwaki.kernel.batch import Batch
from niwaki.parsers.neural.network import Places, label_scores
from niwaki.tagging.tagger import Tags
from niwaki.typing import FloatArray, IntArray

Floats = NDArray[np.float32]


@dataclass(frozen=True)
class Encoded:
    """What a network says of a sentence: scores of arcs [head, word], vectors of words as heads
    (the first is the root) and as dependents that have labels, scores of classes by kind.
    """

    arcs: Floats
    label_heads: Floats
    label_words: Floats
    classes: dict[str, Floats]


class Encoder(Protocol):
    """A network with its weights."""

    @property
    def label_mix(self) -> Floats:
        """See `niwaki.parsers.neural.network.label_scores`."""

    def encode(self, batch: Batch) -> Sequence[Encoded]:
        """What it says of the sentences of a batch."""


class NeuralScorer:
    """An `ArcScorer`; words are all that it looks at."""

    def __init__(self, encoder: Encoder) -> None:
        self.encoder = encoder

    def values(self, batch: Batch, tags: Tags) -> Sequence[Encoded]:
        return self.encoder.encode(batch)

    def arcs(self, batch: Batch, values: Sequence[Encoded], sentences: IntArray) -> FloatArray:
        found = [values[s].arcs.reshape(-1, 1).astype(np.float64) for s in sentences.tolist()]
        return np.concatenate([np.zeros((0, 1)), *found])

    def siblings(self, batch: Batch, values: Sequence[Encoded], sentences: IntArray) -> None:
        return None

    def labels(self, batch: Batch, values: Sequence[Encoded], s: int) -> FloatArray:
        n = batch.lengths[s]
        heads, words = np.divmod(np.arange(n * (n + 1)), n)
        return self._scores(values[s].label_heads, values[s].label_words, heads, words)

    def labels_of_parts(
        self, batch: Batch, values: Sequence[Encoded], s: int, parts: IntArray
    ) -> FloatArray:
        found = values[s]
        return self._scores(found.label_heads, found.label_words, parts[:, 0], parts[:, 1] - 1)

    def labels_of_trees(
        self, batch: Batch, values: Sequence[Encoded], heads: IntArray
    ) -> FloatArray:
        if not batch.words:
            return np.zeros((0, len(self.encoder.label_mix)))
        every = [values[s] for s in range(batch.sentences)]
        lengths = np.array(batch.lengths)
        starts = np.cumsum(lengths + 1) - (lengths + 1)  # of each sentence's heads
        return self._scores(
            np.concatenate([each.label_heads for each in every]),
            np.concatenate([each.label_words for each in every]),
            heads + np.repeat(starts, lengths),
            np.arange(batch.words),
        )

    def _scores(self, heads: Floats, words: Floats, rows: Places, places: Places) -> FloatArray:
        found = label_scores(heads, words, self.encoder.label_mix, (rows, places))
        return found.astype(np.float64)
