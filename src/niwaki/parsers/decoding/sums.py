"""Sums over all trees: probabilities, entropy, samples, expected costs, least expected error."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from niwaki.data.kbest import KBest
from niwaki.errors import ScoresError
from niwaki.kernel.graph.inside_outside import ProjectiveSums
from niwaki.kernel.graph.matrix_tree import SpanningSums
from niwaki.parsers.decoding.scores import MAX_LENGTH, Scores
from niwaki.parsers.decoding.trees import (
    TooLong,
    Trees,
    decode,
    find_too_long,
    no_tree,
)
from niwaki.typing import FloatArray, IntArray


@dataclass(frozen=True)
class Sums:
    """The distribution over the trees of each sentence in which p(tree) is proportional to
    exp(score).

    `log_sums` are the logarithms of the sums of exp(score), `entropies` are in nats, and
    `marginals` has the shape of the scores' table: the probability of each (labelled) arc.
    """

    log_sums: FloatArray
    entropies: FloatArray
    marginals: FloatArray


def sum_trees(
    scores: Scores,
    *,
    projective: bool = False,
    single_root: bool = True,
    max_length: int = MAX_LENGTH,
    too_long: TooLong = "refuse",
) -> Sums:
    """Probabilities under the given scores.

    >>> sums = sum_trees(Scores.of([np.zeros((3, 2))]))
    >>> np.exp(sums.log_sums).round(6).tolist(), sums.marginals.tolist()
    ([2.0], [0.5, 0.5, 0.0, 0.5, 0.5, 0.0])
    """
    arcs = _checked(scores)
    log_sums, _, entropies, marginals, _ = _run(
        scores, arcs, None, projective, single_root, max_length, too_long
    )
    if scores.labels is not None:
        shares = _label_shares(scores)
        # Labels are drawn after the tree: their entropy adds to the tree's.
        with np.errstate(divide="ignore", invalid="ignore"):
            surprises = -np.where(shares > 0, shares * np.log(shares), 0).sum(axis=1)
        entropies = entropies + np.add.reduceat(marginals * surprises, scores.starts[:-1])
        marginals = marginals[:, None] * shares
    return Sums(log_sums, entropies, marginals)


def expected_cost(
    scores: Scores,
    costs: FloatArray,
    *,
    projective: bool = False,
    single_root: bool = True,
    max_length: int = MAX_LENGTH,
    too_long: TooLong = "refuse",
) -> tuple[FloatArray, FloatArray]:
    """The expected cost of each sentence's tree, and its gradient by the scores.

    The cost of a tree is the sum of the costs of its (labelled) arcs; `costs` has the shape
    of the scores' table. The gradient is the covariance of the cost and the arc, exact.
    """
    arcs = _checked(scores)
    if costs.shape != scores.table.shape:
        raise ScoresError(f"costs of shape {costs.shape}; the scores have {scores.table.shape}")
    if not np.isfinite(costs).all():
        raise ScoresError("a cost is not a finite number; forbid arcs by scores instead")
    arc_costs = np.ascontiguousarray(costs, dtype=np.float64)
    if scores.labels is not None:
        shares = _label_shares(scores)
        arc_costs = (shares * costs).sum(axis=1)
    _, expected, _, marginals, gradient = _run(
        scores, arcs, arc_costs, projective, single_root, max_length, too_long
    )
    if scores.labels is not None:
        beyond = costs - arc_costs[:, None]
        gradient = shares * (gradient[:, None] + marginals[:, None] * beyond)
    return expected, gradient


def decode_mbr(
    scores: Scores,
    *,
    projective: bool = False,
    single_root: bool = True,
    max_length: int = MAX_LENGTH,
    too_long: TooLong = "refuse",
) -> Trees:
    """The trees with the fewest expected errors in (labelled) arcs.

    Their scores are expected numbers of right arcs: sums of probabilities.
    """
    sums = sum_trees(
        scores,
        projective=projective,
        single_root=single_root,
        max_length=max_length,
        too_long=too_long,
    )
    # A probability of 0 may be a forbidden arc.
    beliefs = np.where(scores.table > -np.inf, sums.marginals, -np.inf)
    believed = Scores(beliefs, scores.lengths)
    return decode(
        believed,
        projective=projective,
        single_root=single_root,
        max_length=max_length,
        too_long=too_long,
    )


def sample(
    scores: Scores,
    count: int,
    random: np.random.Generator,
    *,
    projective: bool = False,
    single_root: bool = True,
    max_length: int = MAX_LENGTH,
    too_long: TooLong = "refuse",
) -> list[KBest]:
    """Trees drawn at random, `count` for each sentence, in the order drawn."""
    arcs = _checked(scores)
    long = set(find_too_long(scores, max_length, too_long)) if projective else set()
    drawn = []
    for number, n in enumerate(scores.lengths.tolist()):
        here = slice(scores.starts[number], scores.starts[number + 1])
        heads = np.zeros((count, n), dtype=np.int32)
        is_projective = projective and number not in long
        uniforms = random.random((count, 2 * n + 1 if is_projective else n))
        if not _kernel(is_projective).samples(arcs[here], n, single_root, uniforms, heads):
            raise no_tree(number)
        drawn.append(_draw_labels(scores.table[here], arcs[here], heads, random))
    return drawn


def _draw_labels(
    table: FloatArray, arcs: FloatArray, heads: IntArray, random: np.random.Generator
) -> KBest:
    n = heads.shape[1]
    taken = heads * n + np.arange(n)
    if table.ndim == 1:
        return KBest(heads, np.zeros_like(heads), table[taken].sum(axis=1))
    steps = np.cumsum(np.exp(table[taken] - arcs[taken][:, :, None]), axis=2)
    uniforms = random.random((*heads.shape, 1)) * steps[:, :, -1:]
    labels = (steps <= uniforms).sum(axis=2).astype(np.int32)
    return KBest(heads, labels, table[taken, labels].sum(axis=1))


def _checked(scores: Scores) -> FloatArray:
    if scores.siblings is not None:
        raise ScoresError("sums over trees take scores of arcs only; leave the siblings out")
    if scores.scale != 1:
        raise ScoresError("scores too large to be added up; scale them down")
    return scores.summed_arcs


def _label_shares(scores: Scores) -> FloatArray:
    """The probability of each label, given the arc."""
    top = np.where(scores.summed_arcs > -np.inf, scores.summed_arcs, 0)
    return np.asarray(np.exp(scores.table - top[:, None]))


def _kernel(projective: bool) -> ProjectiveSums | SpanningSums:
    return ProjectiveSums() if projective else SpanningSums()


def _run(
    scores: Scores,
    arcs: FloatArray,
    costs: FloatArray | None,
    projective: bool,
    single_root: bool,
    max_length: int,
    too_long: TooLong,
) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray, FloatArray]:
    """log sums, expected costs, entropies; marginals, gradients of the expected costs."""
    totals = [np.zeros(len(scores)) for _ in range(3)]
    marginals = np.zeros_like(arcs)
    gradients = np.zeros_like(arcs if costs is not None else arcs[:0])
    long = set(find_too_long(scores, max_length, too_long)) if projective else set()
    # Stretches of sentences that the same kernel works on.
    kinds = [projective and number not in long for number in range(len(scores))]
    start = 0
    while start < len(kinds):
        stop = start + 1
        while stop < len(kinds) and kinds[stop] == kinds[start]:
            stop += 1
        here = slice(scores.starts[start], scores.starts[stop])
        failed = _kernel(kinds[start]).sums(
            arcs[here],
            None if costs is None else costs[here],
            scores.lengths[start:stop],
            single_root,
            marginals[here],
            None if costs is None else gradients[here],
            *(total[start:stop] for total in totals),
        )
        if failed >= 0:
            raise no_tree(start + failed)
        start = stop
    return totals[0], totals[1], totals[2], marginals, gradients
