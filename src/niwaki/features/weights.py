"""From learned weights to the small table that is shipped: averaged, pruned, 8 bits each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from niwaki.kernel.compiled import LEAST_ROWS, SLOTS, CompiledWeights, buckets_of
from niwaki.typing import Arrays

# Share of the slots that may be used. A bucket that would hold more than its 16
# drops its least important rows; at this load, that hits about one row in a hundred.
_LOAD = 0.62
_PIECE = 1 << 20
# So many neighbouring buckets can become one when rows are left out, because tables of many
# buckets have a multiple of all of these.
_MERGED, _MANY_BUCKETS = (1, 2, 3, 4, 6, 12), 300
# Before weights are added, so many times the rows that will be kept are looked at, and no fewer
# than so many.
_NOTED, _LEAST_NOTED = 2, 1_200_000


@dataclass(frozen=True)
class PackedWeights:
    """A frozen table as arrays, in the order in which `CompiledWeights` takes them.

    `image` is what it is compiled to, where another process has done that.
    """

    classes: int
    scale: float
    arrays: dict[str, NDArray[Any]]
    image: dict[str, NDArray[Any]] | None = None

    def compile(self) -> CompiledWeights:
        if self.image is not None:
            return CompiledWeights(self.classes, self.scale, image=self.image)
        a = self.arrays
        wide = {name: a[name].astype(np.uint16) for name in ("counts", "entry_classes")}
        return CompiledWeights(
            self.classes,
            self.scale,
            a["fill"],
            a["prints"],
            wide["counts"],
            wide["entry_classes"],
            a["entry_weights"],
        )

    @property
    def rows(self) -> int:
        return len(self.arrays["prints"])

    @property
    def size(self) -> int:
        return sum(array.nbytes for array in self.arrays.values())


def pack(weights: PackedWeights) -> dict[str, NDArray[Any]]:
    """A table as arrays only, as checkpoints keep it."""
    shape = np.array([weights.classes, weights.scale], dtype=np.float64)
    return {**weights.arrays, "shape": shape}


def unpack(arrays: Arrays) -> PackedWeights:
    shape = arrays["shape"]
    rest = {name: array for name, array in arrays.items() if name != "shape"}
    return PackedWeights(int(shape[0]), float(shape[1]), rest)


def average(learned: Arrays) -> NDArray[np.float32]:
    """Weights averaged over all moments of learning."""
    averaged = np.empty(len(learned["weights"]), dtype=np.float32)
    # In pieces, because there may be a hundred million, and the division is in double precision.
    for start in range(0, len(averaged), _PIECE):
        piece = slice(start, start + _PIECE)
        averaged[piece] = learned["weights"][piece] - learned["totals"][piece] / learned["clock"][0]
    return averaged


@dataclass(frozen=True)
class Interpolation:
    """Weights that have a share in those that another learner will have.

    Linear models vote at the price of one: with a share s, the scores (1 - s) w.f + s v.f
    are those of the weights (1 - s) w + s v.
    """

    share: float
    arrays: Arrays  # as `noted` gives them

    @classmethod
    def of_runs(cls, runs: Sequence[Arrays], classes: int) -> Interpolation:
        """The mean of the weights of some runs, for one run more that counts as much as each."""
        keys, total = runs[0]["keys"], _Rows.of(runs[0])
        for arrays in runs[1:]:
            keys, total = _added((keys, total), (arrays["keys"], _Rows.of(arrays)), classes)
        share = len(runs) / (len(runs) + 1)
        return cls(share, _as_arrays(keys, total.times(1 / len(runs))))


def compress(
    learned: Arrays,
    classes: int,
    max_rows: int,
    interpolation: Interpolation | None = None,
    least: int = 1,
) -> PackedWeights:
    """Keep the most important rows and round their averaged weights to 8 bits.

    Weights of fewer than `least` steps of the 127 are dropped.
    """
    if interpolation is None:
        keys, rows = learned["keys"], _Rows.learned(learned)
    else:
        keys, own = _of_note(learned, max_rows)
        a = interpolation.arrays
        other = _Rows.of(a).times(interpolation.share)
        keys, rows = _added((keys, own.times(1 - interpolation.share)), (a["keys"], other), classes)
    kept = rows.most_important(max_rows, least)
    buckets = max(1, int(np.ceil(len(kept) / (SLOTS * _LOAD))))
    if buckets > _MANY_BUCKETS:
        buckets += -buckets % max(_MERGED)
    places, prints = buckets_of(keys, buckets)
    return _packed(rows, kept, places, prints, buckets, classes, least)


def compress_onto(base: PackedWeights, learned: Arrays, share: float = 1.0) -> PackedWeights:
    """The same for weights that were learned as differences to a compressed model, of which a
    share is added.

    Its keys are not known any more, only their buckets and fingerprints. So the table
    keeps its number of buckets, and is filled above the usual load with what it can hold.
    """
    buckets = len(base.arrays["fill"])
    new_places, new_prints = buckets_of(learned["keys"], buckets)
    old = _Rows(
        base.arrays["counts"].astype(np.int64),
        base.arrays["entry_classes"].astype(np.int64),
        base.arrays["entry_weights"].astype(np.float32) * np.float32(base.scale),
    )
    old_places = np.repeat(np.arange(buckets), base.arrays["fill"])
    # Of rows with the same bucket and fingerprint only the first is ever found.
    old_sites = old_places << 16 | base.arrays["prints"]
    _, first = np.unique(old_sites, return_index=True)
    hidden = np.ones(len(old_sites), dtype=bool)
    hidden[first] = False
    old.weights[hidden[old.row_of]] = 0
    new_sites = new_places.astype(np.int64) << 16 | new_prints
    new = _Rows.learned(learned).times(share).dithered(new_sites, base.scale)
    sites, rows = _added((old_sites, old), (new_sites, new), base.classes)
    kept = rows.most_important(len(sites))
    if len(kept) < LEAST_ROWS * buckets:
        # A table that is emptier is not read; rows that say nothing do no harm.
        kept = np.argsort(-rows.importance, kind="stable")[: 2 * LEAST_ROWS * buckets]
    places, prints = sites >> 16, (sites & 0xFFFF).astype(np.uint16)
    return _packed(rows, kept, places, prints, buckets, base.classes)


def pruned(table: PackedWeights, max_rows: int) -> PackedWeights:
    """The table with its most important rows; there may be a few more, or a few less.

    A row's bucket is floor(h * buckets) for a number h of its key, so with m times fewer buckets it
    is that of now, divided by m: that needs no keys. As many are put together as leave room.
    """
    a, buckets = table.arrays, len(table.arrays["fill"])
    rows = _Rows(
        a["counts"].astype(np.int64),
        a["entry_classes"].astype(np.int64),
        a["entry_weights"].astype(np.float32) * np.float32(table.scale),
    )
    room = _LOAD * SLOTS * buckets
    merged = max((m for m in _MERGED if buckets % m == 0 and max_rows * m <= room), default=1)
    places = np.repeat(np.arange(buckets), a["fill"]) // merged
    buckets //= merged
    # A table that is emptier is not read.
    kept = rows.most_important(max(max_rows, LEAST_ROWS * buckets + LEAST_ROWS))
    return _packed(rows, kept, places, a["prints"], buckets, table.classes)


@dataclass(frozen=True)
class _Rows:
    """Rows of weights: how many entries each has, and the entries' classes and weights."""

    counts: NDArray[np.int64]
    classes: NDArray[Any]  # of any kind of integers
    weights: NDArray[np.float32]

    @classmethod
    def learned(cls, arrays: Arrays) -> _Rows:
        return cls(arrays["counts"].astype(np.int64), arrays["classes"], average(arrays))

    @classmethod
    def of(cls, arrays: Arrays) -> _Rows:
        return cls(arrays["counts"], arrays["classes"], arrays["weights"])

    @cached_property
    def row_of(self) -> NDArray[np.int32]:
        return np.repeat(np.arange(len(self.counts), dtype=np.int32), self.counts)

    @cached_property
    def importance(self) -> NDArray[np.float32]:
        """A row is as important as its largest weight."""
        importance = np.zeros(len(self.counts), dtype=np.float32)
        filled = self.counts > 0
        if filled.any():
            starts = (np.cumsum(self.counts) - self.counts)[filled]
            importance[filled] = np.maximum.reduceat(np.abs(self.weights), starts)
        return importance

    @cached_property
    def scale(self) -> float:
        """Such that the largest weight of all is 127.

        Clipping large weights does harm, rounding small ones does not.
        """
        return float(self.importance.max(initial=0)) / 127 or 1.0

    def times(self, factor: float) -> _Rows:
        return _Rows(self.counts, self.classes, self.weights * np.float32(factor))

    def dithered(self, sites: NDArray[np.int64], scale: float) -> _Rows:
        """With weights that are multiples of `scale`, the one above or the one below.

        Careful steps are small and many: each alone would be rounded away. Which way a weight goes
        is drawn (from its place, so always the same), such that sums over many features stay.
        """
        drawn = _drawn(sites[self.row_of] << 16 | self.classes)
        steps = np.floor(self.weights / np.float32(scale) + drawn)
        return _Rows(self.counts, self.classes, steps * np.float32(scale))

    def only(self, numbers: NDArray[np.int64]) -> _Rows:
        """Some of the rows, in their order."""
        chosen = np.zeros(len(self.counts), dtype=bool)
        chosen[numbers] = True
        entries = chosen[self.row_of]
        return _Rows(self.counts[chosen], self.classes[entries], self.weights[entries])

    def most_important(self, most: int, least: int = 1) -> NDArray[np.int64]:
        rows = np.flatnonzero(self.importance > self.scale * (least - 0.5))
        if len(rows) > most:
            rows = rows[np.argsort(-self.importance[rows], kind="stable")[:most]]
        return rows


def _drawn(numbers: NDArray[np.int64]) -> NDArray[np.float32]:
    """A number in [0, 1) for each number, as if drawn, and always the same."""
    mixed = numbers.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    mixed ^= mixed >> np.uint64(29)
    mixed *= np.uint64(0xBF58476D1CE4E5B9)
    return (mixed >> np.uint64(40)).astype(np.float32) / np.float32(2**24)


def noted(learned: Arrays, max_rows: int) -> dict[str, NDArray[Any]]:
    """The rows that may still matter after weights of others were added, with their keys."""
    return _as_arrays(*_of_note(learned, max_rows))


def _of_note(learned: Arrays, max_rows: int) -> tuple[NDArray[np.uint64], _Rows]:
    rows = _Rows.learned(learned)
    most = max(_NOTED * max_rows, _LEAST_NOTED)
    numbers = np.sort(rows.most_important(most))
    return learned["keys"][numbers], rows.only(numbers)


def _as_arrays(keys: NDArray[np.uint64], rows: _Rows) -> dict[str, NDArray[Any]]:
    return {"keys": keys, "counts": rows.counts, "classes": rows.classes, "weights": rows.weights}


def _added(
    one: tuple[NDArray[Any], _Rows], other: tuple[NDArray[Any], _Rows], classes: int
) -> tuple[NDArray[Any], _Rows]:
    """Rows of two tables by their keys; weights of the same row and class are added."""
    keys, key_of = np.unique(np.concatenate([one[0], other[0]]), return_inverse=True)
    row_of = np.concatenate([one[1].row_of, other[1].row_of + len(one[0])])
    class_of = np.concatenate([one[1].classes, other[1].classes])
    entries, entry_of = np.unique(key_of[row_of] * classes + class_of, return_inverse=True)
    both = np.concatenate([one[1].weights, other[1].weights])
    weights = np.bincount(entry_of, both, minlength=len(entries)).astype(np.float32)
    counts = np.bincount(entries // classes, minlength=len(keys))
    return keys, _Rows(counts, entries % classes, weights)


def _packed(
    rows: _Rows,
    kept: NDArray[np.int64],
    places: NDArray[Any],
    prints: NDArray[np.uint16],
    buckets: int,
    classes: int,
    least: int = 1,
) -> PackedWeights:
    """A table of the rows that are kept; `places` and `prints` are those of all rows."""
    # By bucket, and within it the most important first; what does not fit is dropped.
    order = kept[np.lexsort((-rows.importance[kept], places[kept]))]
    at = places[order]
    order = order[np.arange(len(order)) - np.searchsorted(at, at) < SLOTS]
    rank = np.full(len(rows.counts), -1, dtype=np.int32)
    rank[order] = np.arange(len(order))
    rounded = np.rint(rows.weights / rows.scale).astype(np.int8)
    entries = np.flatnonzero((rank[rows.row_of] >= 0) & (np.abs(rounded) >= least))
    entries = entries[np.argsort(rank[rows.row_of[entries]], kind="stable")]
    small = np.uint8 if classes < 256 else np.uint16
    filled = rank[rows.row_of[entries]]
    return PackedWeights(
        classes,
        rows.scale,
        {
            "fill": np.bincount(places[order], minlength=buckets).astype(np.uint8),
            "prints": prints[order],
            "counts": np.bincount(filled, minlength=len(order)).astype(small),
            "entry_classes": rows.classes[entries].astype(small),
            "entry_weights": rounded[entries],
        },
    )
