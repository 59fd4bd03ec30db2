"""Tree edit distance: the fewest nodes removed, added or renamed that turn a tree into another.

Trees are ordered and labelled (Zhang and Shasha 1989). A node that is removed leaves what hung
below it in its place; one that is added takes some neighbours below itself. In a parse, words are
the nodes, with form and label as their name, and those below a word stand in their order; on
which side of it is not seen. Unlike attachment scores, the distance asks for no pairs of words,
so that parses of other words can be compared, too.
"""

from __future__ import annotations

import itertools
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from niwaki.data.sentence import Sentence
from niwaki.data.tree import Tree
from niwaki.errors import CorpusError
from niwaki.kernel.answers.edits import edit_distance
from niwaki.metrics.attachment import check_same_words
from niwaki.metrics.base import Counts, Evaluation, Metric, Scores
from niwaki.typing import IntArray

METRICS = ("tree_edits",)


@dataclass(frozen=True)
class TreeEditEvaluation(Evaluation):
    """Counts are (edits, words of gold) for each sentence; the score is edits in 100 words."""

    names: tuple[str, ...] = METRICS

    @property
    def costs(self) -> frozenset[str]:
        return frozenset(METRICS)

    def scores_of(self, sums: Counts) -> Scores:
        edits, words = np.moveaxis(np.asarray(sums, dtype=np.float64), -1, 0)
        found = np.divide(100 * edits, words, out=np.zeros_like(edits), where=words > 0)
        return np.asarray(found[..., None])

    @property
    def nodes(self) -> str:
        """What nodes must share to be the same, for a signature."""
        return "nodes=form and whole label"

    @property
    def details(self) -> str:
        return f"{self.nodes}|sentences={self.sentences}"


def count_edits(gold: Iterable[Sentence], system: Iterable[Sentence]) -> TreeEditEvaluation:
    """Compare sentences one by one; their words must be the same."""
    counts = []
    for one, other in itertools.zip_longest(gold, system):
        check_same_words(one, other)
        counts.append([parse_edits(one, other), len(one)])
    return TreeEditEvaluation(np.array(counts, dtype=np.int64).reshape(-1, 2))


def parse_edits(one: Sentence, other: Sentence) -> int:
    """Edits between the parses of two sentences, whose words may be others."""
    for each in (one, other):
        if len(each.tree.postorder()[0]) <= len(each):
            raise CorpusError(
                each.file, each.line, "HEAD", "no whole tree", "give whole trees, or parse them"
            )
    names, others = (list(zip(s.forms, s.deprels, strict=True)) for s in (one, other))
    return tree_edits(one.tree, other.tree, names, others)


def tree_edits(
    one: Tree,
    other: Tree,
    names: Sequence[Hashable] | None = None,
    others: Sequence[Hashable] | None = None,
) -> int:
    """Edits between ordered trees; nodes have the names that are given, or their labels.

    >>> tree_edits(Tree((0, 1, 1), ("or", "red", "blue")), Tree((0, 1), ("or", "blue")))
    1
    """
    names, others = names or one.deprels, others or other.deprels
    if one.heads == other.heads and tuple(names) == tuple(others):
        return 0
    numbers: dict[Hashable, int] = {}
    left, labels = _nodes(one, names, numbers)
    other_left, other_labels = _nodes(other, others, numbers)
    renamed = (labels[:, None] != other_labels[None, :]).astype(np.float64)
    return round(
        edit_distance(left, other_left, np.ones(len(left)), np.ones(len(other_left)), renamed)
    )


def _nodes(
    tree: Tree, names: Sequence[Hashable], numbers: dict[Hashable, int]
) -> tuple[IntArray, IntArray]:
    """In postorder, each node's leftmost leaf and its name as a number; 0, above all, has -1."""
    order, left = tree.postorder()
    found = [numbers.setdefault(names[node - 1], len(numbers)) if node else -1 for node in order]
    return np.array(left, dtype=np.int32), np.array(found, dtype=np.int32)


METRIC = Metric(count_edits, "sentences")
