"""The best trees of a parser among those that obey constraints."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress

import numpy as np
from numpy.typing import NDArray

from niwaki.data.constraints import Constraints, Tables
from niwaki.data.kbest import KBest
from niwaki.data.tree import Tree
from niwaki.errors import ConstraintError
from niwaki.features.vocabulary import Values
from niwaki.kernel.batch import Batch
from niwaki.kernel.transition.constraints import Limits
from niwaki.parsers.transition.model import TransitionModel

# Where a narrow search finds nothing but dead ends, one as wide as this may find a way.
_WIDE = 32


def constrained_kbest(
    parser: TransitionModel,
    batch: Batch,
    s: int,
    values: list[Values],
    constraints: Constraints,
    k: int,
    width: int,
) -> KBest:
    """Up to k distinct trees of sentence `s` that obey, best first; at least one.

    Raises ConstraintError if no tree can that the system builds. The search passes over
    moves that would break a constraint. Should it end in nothing but dead ends, it is made
    once more with a wide beam, and then led to the tree that obeys and has the most heads
    of the tree that the parser would give without constraints.
    """
    system = parser.kernel.system
    tables = constraints.nonprojective_tables if system.nonprojective else constraints.tables
    classes = _allowed_classes(parser, constraints)
    limits = Limits(tables.arcs, tables.left, tables.right, classes, tables.heads, tables.subtrees)
    for each in (width, _WIDE):
        found = _search(parser, batch, s, values, constraints, limits, k, each)
        if len(found):
            return found
    free, _, _, _ = parser.kernel.kbest(batch, s, values, 1, width)
    for nearest in _nearest_trees(constraints, tables, free[0].tolist()):
        heads = np.array(nearest, dtype=np.int32)
        limits = Limits(
            tables.arcs, tables.left, tables.right, classes, heads, tables.subtrees, exactly=True
        )
        found = _search(parser, batch, s, values, constraints, limits, 1, width)
        if len(found):
            return found
    raise ConstraintError(
        f"the trees that obey cross more often than {system.name} can swap "
        f"{constraints.words} words; fix fewer heads"
    )


def _nearest_trees(
    constraints: Constraints, tables: Tables, guide: list[int]
) -> Iterator[tuple[int, ...]]:
    """The tree nearest to a guide, and if it may cross, the nearest one that does not."""
    nearest = tables.nearest(guide)
    assert nearest is not None
    yield nearest
    if not tables.projective:
        # A tree may need more swaps than the system makes; without crossing arcs it needs none.
        with suppress(ConstraintError):
            nearest = constraints.tables.nearest(guide)
            assert nearest is not None
            yield nearest


def _search(
    parser: TransitionModel,
    batch: Batch,
    s: int,
    values: list[Values],
    constraints: Constraints,
    limits: Limits,
    k: int,
    width: int,
) -> KBest:
    heads, labels, scores, moves = limits.kbest(parser.kernel, batch, s, values, k, width)
    trees = [
        _labelled(parser, constraints, *row)
        for row in zip(heads.tolist(), labels.tolist(), strict=True)
    ]
    kept = [row for row, tree in enumerate(trees) if not any(constraints.broken_by(tree))]
    # A label that the model has no move for was put in, so that the moves may have made
    # another one, and two candidates have become the same.
    return KBest.of_trees(
        [trees[row] for row in kept],
        scores[kept],
        parser.labels.names,
        histories=tuple(moves[row] for row in kept),
        number=s,
    )


def _labelled(
    parser: TransitionModel, constraints: Constraints, heads: list[int], labels: list[int]
) -> Tree:
    names = [parser.plain_labels[label] for label in labels]
    own = {parser.plain_labels[label] for _, label in parser.spec.classes if label >= 0}
    for word, name in enumerate(names, start=1):
        allowed = constraints.labels_of(word)
        if allowed is not None and name not in allowed:
            # Most often the move of all rare labels was made, and gave another one of them.
            names[word - 1] = next((each for each in allowed if each not in own), allowed[0])
    return Tree(tuple(heads), tuple(names))


def _allowed_classes(parser: TransitionModel, constraints: Constraints) -> NDArray[np.uint8]:
    """Which labelled moves may give a word its head, by the labels that it may have.

    Where a move has none of them, all its labelled moves may: the label is then put in.
    """
    classes = parser.spec.classes
    numbers = parser.class_numbers()
    moves = {move for move, _ in classes}
    table = np.ones((constraints.words + 1, len(classes)), dtype=np.uint8)
    for word in range(1, constraints.words + 1):
        allowed = constraints.labels_of(word)
        if allowed is None:
            continue
        meant = {parser.labels.number(name) for name in allowed}
        meant |= {number for number, name in enumerate(parser.plain_labels) if name in allowed}
        for move in moves:
            of_move = [number for number, (m, _) in enumerate(classes) if m == move]
            fitting = {numbers.get((move, label)) for label in meant}
            if not fitting.isdisjoint(of_move):
                table[word, of_move] = [number in fitting for number in of_move]
    return table
