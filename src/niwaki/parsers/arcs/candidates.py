"""The k best trees of a parser of arcs, all of them or those that obey constraints."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from niwaki.data.constraints import Constraints, Subtree, Tables
from niwaki.data.kbest import KBest
from niwaki.data.tree import Tree
from niwaki.errors import ConstraintError, ModelError
from niwaki.kernel.batch import Batch
from niwaki.parsers.base import Search
from niwaki.parsers.beliefs import BELIEVED_TREES, Beliefs
from niwaki.parsers.decoding import Scores, kbest
from niwaki.tagging.tagger import Tags

if TYPE_CHECKING:
    from niwaki.parsers.arcs.parser import ArcParser

# Arcs and labels that are believed less are passed over.
_NEGLIGIBLE = 1e-3


class ArcCandidates:
    """The k best trees of a parser of arcs in the sentences of a batch."""

    def __init__(self, parser: ArcParser[Any], batch: Batch, tags: Tags, search: Search) -> None:
        self._parser, self._batch = parser, batch
        self._projective = parser.is_projective(search)
        self._values = parser.scorer.values(batch, tags)

    def kbest(self, s: int, k: int, constraints: Constraints | None = None) -> KBest:
        """The k best of all trees, or of those that obey; with "eisner" of projective ones."""
        parser, words = self._parser, self._batch.lengths[s]
        if parser.max_words is not None and words > parser.max_words:
            raise ModelError(f"{words} words; this parser ranks trees of up to {parser.max_words}")
        scores = parser.labelled_scores(self._batch, s, self._values)
        if constraints:
            tables = constraints.tables if self._projective else constraints.nonprojective_tables
            scores = _constrained(parser, scores, constraints, tables)
        (found,) = kbest(scores, k, projective=self._projective, too_long="spanning")
        found = replace(found, names=parser.labels.names, number=s)
        return _obeying(found, constraints) if constraints else found

    def beliefs(self, s: int) -> Beliefs:
        """The probabilities of arcs; of a model of siblings, the shares of its best trees."""
        parser = self._parser
        if parser.spec.order == 2:
            return Beliefs.of_trees(self.kbest(s, BELIEVED_TREES))
        marginals = parser.marginals(self._batch, self._values, s)[1]
        n = self._batch.lengths[s]
        beliefs = Beliefs(marginals.reshape(n + 1, n).copy())
        heads, places = np.nonzero(beliefs.arcs > _NEGLIGIBLE)
        shares = np.exp(
            parser.label_logs(
                self._batch,
                self._values,
                s,
                heads.astype(np.int32),
                (places + 1).astype(np.int32),
            )
        )
        names = parser.labels.names
        for head, place, row in zip(heads.tolist(), places.tolist(), shares, strict=True):
            for label in np.flatnonzero(row > _NEGLIGIBLE).tolist():
                belief = float(beliefs.arcs[head, place] * row[label])
                beliefs.add_label(head, place + 1, names[label], belief)
        return beliefs


def _obeying(found: KBest, constraints: Constraints) -> KBest:
    """Those trees that obey, with labels that the model does not know put in where they must be."""
    named = [_with_unknown_labels(constraints, tree) for tree in found.trees]
    kept = [row for row, tree in enumerate(named) if not any(constraints.broken_by(tree))]
    if not kept:
        raise ConstraintError("no tree was found that obeys all constraints; give up one")
    return KBest.of_trees(
        [named[row] for row in kept], found.scores[kept], found.names, number=found.number
    )


def _constrained(
    parser: ArcParser[Any], scores: Scores, constraints: Constraints, tables: Tables
) -> Scores:
    """Scores by which only trees that obey are good.

    Heads and labels that must not be are forbidden. Into a subtree leads one arc, and none
    leads out of it: arcs out are forbidden, and arcs in cost so much that the best trees
    have as few as can be.
    """
    n = constraints.words
    table = scores.table.reshape(n + 1, n, -1).copy()
    largest = 1 + np.abs(np.where(np.isfinite(table), table, 0)).max()
    if scores.siblings is not None:
        largest += np.abs(scores.siblings).max()
    for statement in constraints.statements:
        if isinstance(statement, Subtree):
            inside = np.isin(np.arange(n + 1), statement.words)
            table[np.ix_(~inside, inside[1:])] -= 4 * n * largest
    table[tables.arcs[:, 1:] == 0] = -np.inf
    for word in range(1, n + 1):
        allowed = _allowed_labels(parser, constraints, word)
        if allowed is not None:
            table[:, word - 1, ~allowed] = -np.inf
    return Scores(table.reshape(n * (n + 1), -1), scores.lengths, scores.siblings)


def _allowed_labels(
    parser: ArcParser[Any], constraints: Constraints, word: int
) -> NDArray[np.bool_] | None:
    """Which of the model's labels a word may have; None for any, or if it knows none of them."""
    wanted = constraints.labels_of(word)
    if wanted is None:
        return None
    allowed = np.isin(parser.labels.names, wanted)
    return allowed if allowed.any() else None


def _with_unknown_labels(constraints: Constraints, tree: Tree) -> Tree:
    """The tree with labels that the model does not know put in where they must be."""
    names = list(tree.deprels)
    for word, name in enumerate(names, start=1):
        wanted = constraints.labels_of(word)
        if wanted is not None and name not in wanted:
            names[word - 1] = wanted[0]
    return Tree(tree.heads, tuple(names))
