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
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from niwaki.kernel.linear import SparseWeights
from niwaki.learning.checkpoint import below
from niwaki.typing import Arrays

Mixing = Literal["uniform", "weighted"]

_KEYS, _CLOCK, _DOORKEEPER = "keys", "clock", "doorkeeper"
_OF_ENTRIES = ("classes", "weights", "totals", "squares")
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


@dataclass(frozen=True)
class _Factors:
    """What a table adds to each entry of the mix: see `SparseWeights.add_multiple`."""

    share: float
    of_weights: float
    of_totals: float


def _mixed_table(
    start: Arrays, learned: Sequence[Arrays], shares: Sequence[float]
) -> Mapping[str, NDArray[Any]]:
    begun = float(start[_CLOCK][0])
    clocks = [float(each[_CLOCK][0]) for each in learned]
    moments = [clock - begun for clock in clocks]
    clock = begun + sum(moments)
    # S' = b_0 S + sum_k b_k S_k, and in T' = c' w' - S' each S is c w - T.
    b = [
        sum(moments) * share / moment if moment else 0.0
        for share, moment in zip(shares, moments, strict=True)
    ]
    first = 1 - sum(b)
    factors = [
        _Factors(0.0, -first * begun, first),
        *(_Factors(m, clock * m - x * c, x) for m, x, c in zip(shares, b, clocks, strict=True)),
    ]
    found = _combined([start, *learned], factors)
    found[_CLOCK] = np.array([clock])
    if _DOORKEEPER in start:
        found[_DOORKEEPER] = _asked(start[_DOORKEEPER], [each[_DOORKEEPER] for each in learned])
    return found


def _combined(tables: Sequence[Arrays], factors: Sequence[_Factors]) -> dict[str, NDArray[Any]]:
    """Tables with factors, added entry by entry; the order of rows is that of their learning.

    Learners that go on from a table have its rows first. Most of these have the same entries
    everywhere, and are added as arrays; the others are looked up by their keys.
    """
    start = tables[0]
    rows = len(start[_KEYS])
    same = np.ones(rows, dtype=np.bool_)
    for each in tables[1:]:
        is_start = np.array_equal(each[_KEYS][:rows], start[_KEYS])
        same &= is_start and each["counts"][:rows] == start["counts"]
    weights: Any = 0.0
    totals: Any = 0.0
    squares: Any = 0.0
    others = SparseWeights(1 + max(int(each["classes"].max(initial=0)) for each in tables))
    for each, f in zip(tables, factors, strict=True):
        is_same = _padded(same, len(each[_KEYS]))
        entries = np.repeat(is_same, each["counts"])
        own = each["weights"][entries]
        weights = weights + np.float32(f.share) * own
        totals = totals + (f.of_weights * own + f.of_totals * each["totals"][entries])
        squares = squares + np.float32(f.share) * each["squares"][entries]
        rest: dict[str, Any] = {name: each[name][~is_same] for name in (_KEYS, "counts")}
        rest |= {name: each[name][~entries] for name in _OF_ENTRIES}
        others.add_multiple(**rest, **vars(f))
    looked_up = others.export()
    changed = rows - int(same.sum())
    counts = np.concatenate([start["counts"], looked_up["counts"][changed:]])
    counts[:rows][~same] = looked_up["counts"][:changed]
    entries = np.repeat(_padded(same, len(counts)), counts)
    found = {_KEYS: np.concatenate([start[_KEYS], looked_up[_KEYS][changed:]]), "counts": counts}
    known = start["classes"][np.repeat(same, start["counts"])]
    for name, added in zip(_OF_ENTRIES, (known, weights, totals, squares), strict=True):
        found[name] = np.empty(len(entries), dtype=start[name].dtype)
        found[name][entries] = added
        found[name][~entries] = looked_up[name]
    return found


def _padded(same: NDArray[np.bool_], rows: int) -> NDArray[np.bool_]:
    return np.concatenate([same, np.zeros(rows - len(same), dtype=np.bool_)])


def _asked(start: NDArray[np.uint8], learned: Sequence[NDArray[np.uint8]]) -> NDArray[np.uint8]:
    """How often keys without a row were asked for, by all learners."""
    total = start.astype(np.uint16)
    for each in learned:
        total += each - start
        np.minimum(total, _MOST_ASKED, out=total)
    return total.astype(np.uint8)
