"""All hypotheses that tuning has seen of each sentence, as arrays."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from niwaki.data.bilingual import overlap
from niwaki.data.bilingual.overlap import Reference
from niwaki.errors import NiwakiError
from niwaki.tasks.translate.nbest import NBestList
from niwaki.typing import FloatArray

Places = NDArray[np.int64]


class Pool:
    """Hypotheses of lists that were added, each once, with counts for BLEU.

    Those of sentence s are `starts[s]` to `starts[s + 1]`. Two with the same words and other
    features are two.
    """

    def __init__(self, references: Sequence[Sequence[str]], features: int) -> None:
        if not references:
            raise NiwakiError("no sentences to tune on; give some")
        self._references = [Reference(tokens) for tokens in references]
        self._known: list[set[tuple[tuple[str, ...], bytes]]] = [set() for _ in references]
        self._counted: list[dict[tuple[str, ...], list[int]]] = [{} for _ in references]
        self._features: list[list[NDArray[np.float32]]] = [[] for _ in references]
        self._rows: list[list[list[int]]] = [[] for _ in references]
        self._width = features
        self.features: FloatArray = np.zeros((0, features))
        self.counts: Places = np.zeros((0, overlap.WIDTH), np.int64)
        self.starts: Places = np.zeros(len(references) + 1, np.int64)

    def __len__(self) -> int:
        """The number of sentences."""
        return len(self._references)

    def add(self, lists: Sequence[NBestList]) -> int:
        """Add what is new; how many that are."""
        new = 0
        for each in lists:
            known = self._known[each.index]
            for hypothesis in each.hypotheses:
                if hypothesis.features.shape != (self._width,):
                    raise ValueError(f"{hypothesis.features.shape} features, not {self._width}")
                key = hypothesis.tokens, hypothesis.features.tobytes()
                if key not in known:
                    known.add(key)
                    new += 1
                    self._features[each.index].append(hypothesis.features)
                    self._rows[each.index].append(self._row(each.index, hypothesis.tokens))
        if new:
            sizes = [len(rows) for rows in self._rows]
            self.starts = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
            self.features = np.array(
                [features for some in self._features for features in some], np.float64
            )
            self.counts = np.array([row for rows in self._rows for row in rows], np.int64)
        return new

    def bleu_of_first(self, lists: Sequence[NBestList]) -> float:
        """BLEU of the best hypothesis of each list; of a list that is empty, of no words."""
        first = [(each.index, each.hypotheses[0].tokens) for each in lists if each.hypotheses]
        found = dict(first)
        rows = [self._row(index, found.get(index, ())) for index in range(len(self))]
        return float(overlap.bleu(np.array(rows).sum(axis=0)))

    def best(self, weights: FloatArray) -> Places:
        """The best hypothesis of each sentence that has some, under these weights."""
        scores = self.features @ weights
        spans = zip(self.starts[:-1].tolist(), self.starts[1:].tolist(), strict=True)
        found = [
            first + int(np.argmax(scores[first:last])) for first, last in spans if first < last
        ]
        return np.array(found, np.int64)

    def bleu(self, weights: FloatArray) -> float:
        """BLEU of the best hypotheses."""
        return float(overlap.bleu(self.counts[self.best(weights)].sum(axis=0)))

    def _row(self, index: int, tokens: tuple[str, ...]) -> list[int]:
        rows = self._counted[index]
        if tokens not in rows:
            rows[tokens] = self._references[index].counts(tokens)
        return rows[tokens]
