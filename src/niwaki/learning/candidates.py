"""Sets of candidates in sparse rows: what rankers learn from and choose among."""

from __future__ import annotations

import zlib
from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from niwaki.errors import NiwakiError
from niwaki.typing import FloatArray

Rows = Sequence[Sequence[int]]
# What is right in a set: one candidate, several that are equally right, or none of them.
Right = int | Sequence[int] | None


def feature_key(name: str) -> int:
    """The number of a named feature: the same on every machine, and rarely that of another."""
    return zlib.crc32(name.encode("utf-8", "surrogatepass"))


@dataclass(frozen=True)
class CandidateSets:
    """Features of candidate c are `keys[rows[c] : rows[c + 1]]`, its set s is where
    `sets[s] <= c < sets[s + 1]`; `shares` of right candidates are 1 in all a set.
    """

    keys: NDArray[np.uint32]
    values: FloatArray
    rows: NDArray[np.int64]
    sets: NDArray[np.int64]
    shares: FloatArray

    @classmethod
    def of(
        cls,
        sets: Iterable[tuple[Rows, Right]],
        values: Iterable[Sequence[Sequence[float]]] | None = None,
    ) -> CandidateSets:
        """Of keys by candidate, and what is right; `values` of features are 1 if not given."""
        keys, rows, starts, shares = array("I"), array("q", [0]), array("q", [0]), array("d")
        for candidates, right in sets:
            if not candidates:
                raise NiwakiError(f"set {len(starts)} has no candidates; leave it out")
            for row in candidates:
                keys.extend(row)
                rows.append(len(keys))
            shares.extend(_shares(len(candidates), right, len(starts)))
            starts.append(len(rows) - 1)
        given = np.ones(len(keys)) if values is None else _flat(values)
        if len(given) != len(keys):
            raise NiwakiError(f"{len(given)} values for {len(keys)} features; give one for each")
        return cls(
            np.array(keys, dtype=np.uint32),
            given,
            np.array(rows, dtype=np.int64),
            np.array(starts, dtype=np.int64),
            np.array(shares, dtype=np.float64),
        )

    def __len__(self) -> int:
        """The number of sets."""
        return len(self.sets) - 1

    @property
    def decided(self) -> NDArray[np.bool_]:
        """Which sets have something right in them."""
        return np.asarray(np.add.reduceat(self.shares, self.sets[:-1]) > 0)

    def only(self, chosen: NDArray[np.bool_]) -> CandidateSets:
        """The sets that are marked."""
        sizes, widths = np.diff(self.sets), np.diff(self.rows)
        candidates = np.repeat(chosen, sizes)
        features = np.repeat(candidates, widths)
        return CandidateSets(
            self.keys[features],
            self.values[features],
            np.concatenate([[0], np.cumsum(widths[candidates])]),
            np.concatenate([[0], np.cumsum(sizes[chosen])]),
            self.shares[candidates],
        )


def _shares(size: int, right: Right, number: int) -> list[float]:
    chosen = [] if right is None else [right] if isinstance(right, int) else list(right)
    shares = [0.0] * size
    for candidate in chosen:
        if not 0 <= candidate < size:
            raise NiwakiError(
                f"set {number}: candidate {candidate} is right, but they are 0 to {size - 1}"
            )
        shares[candidate] = 1 / len(chosen)
    return shares


def _flat(values: Iterable[Sequence[Sequence[float]]]) -> FloatArray:
    return np.array([number for rows in values for row in rows for number in row], np.float64)
