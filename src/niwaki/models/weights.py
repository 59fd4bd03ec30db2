"""From learned weights to the small table that is shipped: averaged, pruned, 8 bits each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from niwaki.kernel.linear import SLOTS, Frozen, Learner, buckets_of

# Share of the slots that may be used. A bucket that would hold more than its 16
# drops its least important rows; at this load, that hits about one row in a hundred.
_LOAD = 0.62

Arrays = Mapping[str, NDArray[Any]]


@dataclass(frozen=True)
class Compressed:
    """A frozen table as arrays, in the order in which `Frozen` takes them."""

    classes: int
    scale: float
    arrays: dict[str, NDArray[Any]]

    def frozen(self) -> Frozen:
        a = self.arrays
        wide = {name: a[name].astype(np.uint16) for name in ("counts", "entry_classes")}
        return Frozen(
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


def average(learned: Arrays) -> NDArray[np.float32]:
    """Weights averaged over all moments of learning."""
    averaged = learned["weights"] - learned["totals"] / learned["clock"][0]
    return np.asarray(averaged, dtype=np.float32)


def averaged_learner(learned: Arrays, classes: int) -> Learner:
    """A learner that holds the averaged weights, for trying them out while learning goes on."""
    learner = Learner(classes)
    learner.restore(**{**learned, "weights": average(learned)})
    return learner


def compress(learned: Arrays, classes: int, max_rows: int) -> Compressed:
    """Keep the most important rows and round their averaged weights to 8 bits.

    A row is as important as its largest weight. The scale is chosen so that the
    largest weight of all is 127: clipping large weights does harm, rounding small
    ones does not.
    """
    weights = average(learned)
    counts = learned["counts"].astype(np.int64)
    row_of = np.repeat(np.arange(len(counts)), counts)
    importance = np.zeros(len(counts), dtype=np.float32)
    np.maximum.at(importance, row_of, np.abs(weights))
    scale = float(importance.max(initial=0)) / 127 or 1.0
    rows = np.flatnonzero(importance > scale / 2)
    if len(rows) > max_rows:
        rows = rows[np.argsort(-importance[rows], kind="stable")[:max_rows]]
    buckets = max(1, int(np.ceil(len(rows) / (SLOTS * _LOAD))))
    places, prints = buckets_of(learned["keys"][rows], buckets)
    # By bucket, and within it the most important first; what does not fit is dropped.
    order = np.lexsort((-importance[rows], places))
    order = order[np.arange(len(order)) - np.searchsorted(places[order], places[order]) < SLOTS]
    rank = np.full(len(counts), -1)
    rank[rows[order]] = np.arange(len(order))
    rounded = np.rint(weights / scale).astype(np.int8)
    entries = np.flatnonzero((rank[row_of] >= 0) & (rounded != 0))
    entries = entries[np.argsort(rank[row_of[entries]], kind="stable")]
    small = np.uint8 if classes < 256 else np.uint16
    return Compressed(
        classes,
        scale,
        {
            "fill": np.bincount(places[order], minlength=buckets).astype(np.uint8),
            "prints": prints[order],
            "counts": np.bincount(rank[row_of[entries]], minlength=len(order)).astype(small),
            "entry_classes": learned["classes"][entries].astype(small),
            "entry_weights": rounded[entries],
        },
    )
