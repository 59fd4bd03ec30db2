"""The parser: one word is the root, and all others hang from their neighbours towards it.

So a sentence of n words has n trees, and all sums over trees are sums over roots.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from niwaki.data.constraints import Constraints
from niwaki.data.kbest import KBest
from niwaki.data.tree import Tree
from niwaki.errors import ConstraintError
from niwaki.features.parts import Parts
from niwaki.features.vocabulary import Vocabulary
from niwaki.kernel.batch import Batch
from niwaki.parsers.base import Parsed, Search, check_options
from niwaki.parsers.beliefs import Beliefs
from niwaki.tagging.tagger import Tags
from niwaki.typing import FloatArray, IntArray

# Where the head of a word stands.
LEFT, RIGHT, ROOT = range(3)


def sums_of_trees(values: FloatArray) -> FloatArray:
    """Values of words by side, [word, side], added up over the tree of each root."""
    before = np.cumsum(values[:, RIGHT]) - values[:, RIGHT]
    behind = np.cumsum(values[::-1, LEFT])[::-1] - values[:, LEFT]
    return np.asarray(before + values[:, ROOT] + behind)


def sides_of(heads: IntArray) -> IntArray:
    """On which side each word of a sentence has its head."""
    towards = np.where(heads > np.arange(1, len(heads) + 1), RIGHT, LEFT)
    return np.where(heads == 0, ROOT, towards).astype(np.int32)


def marginals(roots: FloatArray) -> FloatArray:
    """How probable each side is, [word, side], where each word is so probably the root."""
    left = np.cumsum(roots) - roots
    return np.stack([left, 1 - left - roots, roots], axis=1)


def log_softmax(scores: FloatArray) -> FloatArray:
    shifted = scores - scores.max(axis=-1, keepdims=True)
    return np.asarray(shifted - np.log(np.exp(shifted).sum(axis=-1, keepdims=True)))


@dataclass(frozen=True)
class Scorer:
    """Scores by UPOS: of the side of a word's head, and of its label given that side."""

    upos: Vocabulary
    labels: Vocabulary
    sides: FloatArray  # [tag, side], a last row for tags that are not known
    names: FloatArray  # [tag, side, label]

    def rows(self, batch: Batch, tags: Tags) -> list[IntArray]:
        """The row of weights of each word, sentence by sentence."""
        numbers = {int(value): row for row, value in enumerate(self.upos.values)}
        found = [numbers.get(value, len(self.upos)) for value in tags.upos.tolist()]
        return np.split(np.array(found, dtype=np.int32), np.cumsum(batch.lengths)[:-1])

    def roots(self, rows: IntArray) -> FloatArray:
        """log p(root), for each word."""
        return log_softmax(sums_of_trees(self.sides[rows]))

    def best_labels(
        self, rows: IntArray, known: Constraints | None
    ) -> tuple[NDArray[np.object_], FloatArray]:
        """The likeliest label of each word on each side, [word, side], and its log p."""
        scores = log_softmax(self.names[rows])
        best = scores.argmax(axis=2)
        names = np.array(self.labels.names, dtype=object)[best]
        found = np.take_along_axis(scores, best[:, :, None], axis=2)[:, :, 0]
        for word in range(len(rows)) if known else ():
            allowed = known.labels_of(word + 1) if known else None
            if allowed is None:
                continue
            numbers = [self.labels.number(name) for name in allowed]
            for side in range(3):
                # A label that the model has never seen is as bad as its worst.
                floor = scores[word, side].min()
                prices = [scores[word, side, x] if x >= 0 else floor for x in numbers]
                choice = int(np.argmax(prices))
                names[word, side], found[word, side] = allowed[choice], prices[choice]
        return names, found

    def trees(self, rows: IntArray, known: Constraints | None) -> Iterator[tuple[Tree, float]]:
        """The trees that obey, each with its best labels and its log p, best first."""
        words = np.arange(1, len(rows) + 1)
        names, found = self.best_labels(rows, known)
        scores = self.roots(rows) + sums_of_trees(found)
        for root in np.argsort(-scores, kind="stable") + 1:
            heads = np.where(words < root, words + 1, np.where(words > root, words - 1, 0))
            tree = Tree(tuple(heads.tolist()), tuple(names[words - 1, sides_of(heads)]))
            if known is None or not any(known.broken_by(tree)):
                yield tree, float(scores[root - 1])


class NeighbourCandidates:
    """See `niwaki.parsers.base.CandidateSource`."""

    def __init__(self, scorer: Scorer, batch: Batch, tags: Tags) -> None:
        self.scorer, self.rows = scorer, scorer.rows(batch, tags)

    def kbest(self, s: int, k: int, constraints: Constraints | None = None) -> KBest:
        pairs = zip(range(k), self.scorer.trees(self.rows[s], constraints), strict=False)
        found = [pair for _, pair in pairs]
        if not found:
            raise ConstraintError(
                "no tree obeys in which all words hang from neighbours; "
                "give up a statement, or use another family of parsers"
            )
        trees, scores = zip(*found, strict=True)
        return KBest.of_trees(trees, scores, self.scorer.labels.names, number=s)

    def beliefs(self, s: int) -> Beliefs:
        """Of arcs the true probabilities, and the probabilities of their best labels."""
        rows = self.rows[s]
        sides = marginals(np.exp(self.scorer.roots(rows)))
        names, found = self.scorer.best_labels(rows, None)
        beliefs = Beliefs.none(len(rows))
        for word in range(1, len(rows) + 1):
            for side, head in enumerate((word - 1, word + 1, 0)):
                if side == ROOT or 1 <= head <= len(rows):
                    share = float(sides[word - 1, side])
                    beliefs.arcs[head, word - 1] = share
                    label = names[word - 1, side]
                    beliefs.add_label(head, word, label, share * np.exp(found[word - 1, side]))
        return beliefs


@dataclass(frozen=True)
class NeighbourParser:
    """See `niwaki.parsers.base.Parser`. Probabilities are those of the model itself."""

    scorer: Scorer

    options: frozenset[str] = frozenset()
    max_words = None
    gives_probabilities = True
    uses_links = False

    @property
    def labels(self) -> Vocabulary:
        return self.scorer.labels

    @property
    def label_names(self) -> list[str]:
        return self.scorer.labels.names

    @property
    def facts(self) -> Mapping[str, Any]:
        return {"tags": len(self.scorer.upos)}

    @property
    def ways(self) -> Mapping[str, Search]:
        return {"exact": Search()}

    def check(self, search: Search) -> None:
        check_options(self, search)

    def is_projective(self, search: Search) -> bool:
        return True

    def candidates(self, batch: Batch, tags: Tags, search: Search) -> NeighbourCandidates:
        return NeighbourCandidates(self.scorer, batch, tags)

    def parse(
        self, batch: Batch, tags: Tags, search: Search, *, probabilities: bool = False
    ) -> Parsed:
        source = self.candidates(batch, tags, search)
        best = [source.kbest(s, 1) for s in range(batch.sentences)]
        none = np.zeros(0, dtype=np.int32)
        heads = np.concatenate([none, *(each.heads[0] for each in best)])
        labels = np.concatenate([none, *(each.labels[0] for each in best)])
        if not probabilities:
            return Parsed(heads, labels)
        arcs, names = [np.zeros(0)], [np.zeros(0)]
        for rows, each in zip(source.rows, best, strict=True):
            words, sides = np.arange(len(rows)), sides_of(each.heads[0])
            arcs.append(marginals(np.exp(self.scorer.roots(rows)))[words, sides])
            chosen = log_softmax(self.scorer.names[rows, sides])[words, each.labels[0]]
            names.append(np.exp(chosen))
        found = {
            "tag": tags.probabilities.astype(np.float64),
            "arc": np.concatenate(arcs),
            "label": np.concatenate(names),
            "tree": np.exp([float(each.scores[0]) for each in best]),
        }
        return Parsed(heads, labels, found)

    def parts(self) -> Parts:
        scorer, parts = self.scorer, Parts()
        parts.add("neighbour", {"upos": scorer.upos.names, "labels": scorer.labels.names})
        parts.add_file("neighbour.safetensors", {"sides": scorer.sides, "names": scorer.names})
        return parts
