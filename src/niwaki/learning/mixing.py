"""Weights that several learners learned apart from one start, mixed into one set.

This is iterative parameter mixing (McDonald, Hall and Mann 2010). Learner k of an epoch begins with
the weights w, sees its shard of the data and ends with w_k; all go on from

    w' = sum_k m_k w_k,    with sum_k m_k = 1.

What is shipped is an average over moments. A table with the clock c and the totals T has been
through weights whose sum is S = c w - T, and their average is S / c. In the epoch, learner k went
through t_k = c_k - c moments, whose weights have the sum S_k - S and the mean (S_k - S) / t_k. The
epoch counts as many moments as all learners had, t = sum_k t_k, each with the mixed mean:

    c' = c + t
    S' = S + t sum_k m_k (S_k - S) / t_k
    T' = c' w' - S'

So with shards of one size, mixed uniformly, S' is S and the weights of all moments of all learners.
AdaGrad's sums of squares are mixed as weights are: each learner steps as one of its shard alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from niwaki.kernel.linear import SparseWeights
from niwaki.learning.checkpoint import below
from niwaki.typing import Arrays

Mixing = Literal["uniform", "weighted"]

_KEYS, _CLOCK, _DOORKEEPER = "keys", "clock", "doorkeeper"
# What the kernel adds up of a table, entry by entry.
_ADDED = (_KEYS, "counts", "classes", "weights", "totals", "squares")
_MOST_ASKED = 255


def shares_of(mixing: Mixing, updates: Sequence[int]) -> list[float]:
    """What each learner has in the mix: the same, or as its part of all updates.

    >>> shares_of("uniform", [1, 3])
    [0.5, 0.5]
    >>> shares_of("weighted", [1, 3])
    [0.25, 0.75]
    """
    total = sum(updates)
    if mixing == "uniform" or total == 0:
        return [1 / len(updates)] * len(updates)
    return [each / total for each in updates]


def mixed(
    start: Arrays, learned: Sequence[Arrays], shares: Sequence[float]
) -> dict[str, NDArray[Any]]:
    """The state that learning goes on from, of the states of all learners.

    States are what trainable parsers export. Tables of weights in them are mixed; the rest, such as
    the state of random numbers, is that of the first learner.
    """
    found = dict(learned[0])
    for prefix in tables_of(learned[0]):
        tables = [below(each, prefix) for each in learned]
        for name, array in _mixed_table(below(start, prefix), tables, shares).items():
            found[f"{prefix}.{name}"] = array
    return found


def tables_of(state: Arrays) -> list[str]:
    """The names of the tables of weights of a state."""
    ends = f".{_KEYS}"
    names = [name.removesuffix(ends) for name in state if name.endswith(ends)]
    return [name for name in names if f"{name}.totals" in state]


def _mixed_table(
    start: Arrays, learned: Sequence[Arrays], shares: Sequence[float]
) -> Mapping[str, NDArray[Any]]:
    begun = float(start[_CLOCK][0])
    clocks = [float(each[_CLOCK][0]) for each in learned]
    moments = [clock - begun for clock in clocks]
    clock = begun + sum(moments)
    # S' = b_0 S + sum_k b_k S_k, and in T' = c' w' - S' each S is c w - T.
    factors = [
        sum(moments) * share / moment if moment else 0.0
        for share, moment in zip(shares, moments, strict=True)
    ]
    first = 1 - sum(factors)
    classes = [int(each["classes"].max(initial=0)) for each in learned]
    table = SparseWeights(max(classes) + 1)
    # Its rows come first, so that the order of rows is that in which they were learned.
    table.add_multiple(**_added(start), share=0.0, of_weights=-first * begun, of_totals=first)
    for each, share, factor, its_clock in zip(learned, shares, factors, clocks, strict=True):
        of_weights = clock * share - factor * its_clock
        table.add_multiple(**_added(each), share=share, of_weights=of_weights, of_totals=factor)
    found = table.export()
    found[_CLOCK] = np.array([clock])
    if _DOORKEEPER in start:
        found[_DOORKEEPER] = _asked(start[_DOORKEEPER], [each[_DOORKEEPER] for each in learned])
    return found


def _added(table: Arrays) -> dict[str, Any]:
    return {name: table[name] for name in _ADDED}


def _asked(start: NDArray[np.uint8], learned: Sequence[NDArray[np.uint8]]) -> NDArray[np.uint8]:
    """How often keys without a row were asked for, by all learners."""
    total = start.astype(np.uint16)
    for each in learned:
        total += each - start
        np.minimum(total, _MOST_ASKED, out=total)
    return total.astype(np.uint8)
