"""What several learners learned apart from one start, mixed into one set of changes.

This is iterative parameter mixing (McDonald, Hall and Mann 2010). Learner k of an epoch begins with
the weights w, sees its shard of the data and ends with w_k = w + d_k; all go on from

    w' = sum_k m_k w_k = w + sum_k m_k d_k,    with sum_k m_k = 1.

What is shipped is an average over moments. A table with the clock c and the totals T has been
through weights whose sum is S = c w - T, and their average is S / c. In the epoch, learner k went
through t_k = c_k - c moments, whose weights have the sum S_k - S and the mean (S_k - S) / t_k. The
epoch counts as many moments as all learners had, t = sum_k t_k, each with the mixed mean:

    c' = c + t
    S' = S + t sum_k m_k (S_k - S) / t_k
    T' = c' w' - S' = T + sum_k m_k ((c' - c_k t / t_k) d_k + (T_k - T) t / t_k)

So with shards of one size, mixed uniformly, S' is S and the weights of all moments of all learners.
A learner that went through no moment has kept w, which is its mean.
Entries that no learner changed stay as they are, and nobody has to say so: learners keep their
tables, and send and take changes. AdaGrad's sums of squares are mixed as weights are: each learner
steps as one of its shard alone.
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
Tables = Mapping[str, SparseWeights]

_CLOCK, _ASKED_AT, _ASKED = "clock", "asked_at", "asked"
_ROWS = ("keys", "counts", "classes", "weights", "totals", "squares")


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


class Start:
    """In a worker: tables as all learners have them at the beginning of an epoch."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables
        self._copies = {name: table.twin() for name, table in tables.items()}

    def changes(self) -> dict[str, NDArray[Any]]:
        """What the tables have learned since then."""
        return {
            f"{name}.{key}": array
            for name, table in self._tables.items()
            for key, array in table.changes(self._copies[name]).items()
        }

    def go_on(self, changes: Arrays) -> None:
        """Begin the next epoch: with the start of this one, and the mixed changes of all."""
        add_changes(self._copies, changes)
        for name, table in self._tables.items():
            table.copy(self._copies[name])


def add_changes(tables: Tables, changes: Arrays) -> None:
    for name, table in tables.items():
        table.add_changes(**below(changes, name))


def mixed(
    tables: Tables, changes: Sequence[Arrays], shares: Sequence[float]
) -> dict[str, NDArray[Any]]:
    """The changes that all go on with, of those of all learners; tables are as at the start."""
    found = {}
    for name, table in tables.items():
        for key, array in _mixed(table, [below(each, name) for each in changes], shares).items():
            found[f"{name}.{key}"] = array
    return found


def _mixed(
    table: SparseWeights, changes: Sequence[Arrays], shares: Sequence[float]
) -> dict[str, NDArray[Any]]:
    begun = table.clock
    clocks = [float(each[_CLOCK][0]) for each in changes]
    moments = [clock - begun for clock in clocks]
    clock = begun + sum(moments)
    # Rows stand in the order in which the learners made them, one learner after the other.
    total = SparseWeights(table.classes)
    for each, share, own, moment in zip(changes, shares, clocks, moments, strict=True):
        times = share * sum(moments) / moment if moment else 0.0
        rows: dict[str, Any] = {name: each[name] for name in _ROWS}
        of_weights = share * clock - times * own
        total.add_multiple(**rows, share=share, of_weights=of_weights, of_totals=times)
    found = total.export()
    found[_CLOCK] = np.array([clock])
    if _ASKED in changes[0]:
        found |= _asked(changes)
    return found


def _asked(changes: Sequence[Arrays]) -> dict[str, NDArray[Any]]:
    """How often keys without a row were asked for, by all learners."""
    places = np.concatenate([each[_ASKED_AT] for each in changes])
    counts = np.concatenate([each[_ASKED] for each in changes])
    found, number_of = np.unique(places, return_inverse=True)
    total = np.bincount(number_of, counts, minlength=len(found)).astype(np.uint32)
    return {_ASKED_AT: found, _ASKED: total}
