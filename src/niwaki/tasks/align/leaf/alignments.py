"""Alignments of cepts: the form in which LEAF keeps those of all pairs, and the links they are."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Places = NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class Alignments:
    """For each word the place of its head in its sentence, and for each source head its link.

    A head is its own head, and a word without a cept has -1. `mates` has the place of the
    target head for each source head and -1 for all other source words.
    """

    source_heads: Places
    target_heads: Places
    mates: Places

    @staticmethod
    def none(sources: int, targets: int) -> Alignments:
        return Alignments(*(np.full(size, -1, np.int32) for size in (sources, targets, sources)))

    @property
    def arrays(self) -> tuple[Places, Places, Places]:
        return self.source_heads, self.target_heads, self.mates

    def copy(self) -> Alignments:
        return Alignments(*(each.copy() for each in self.arrays))

    def pairs(
        self, source_starts: NDArray[np.int64], target_starts: NDArray[np.int64]
    ) -> Iterator[Alignments]:
        """Those of each pair for itself."""
        sources, targets = source_starts.tolist(), target_starts.tolist()
        for k in range(len(sources) - 1):
            one, other = slice(sources[k], sources[k + 1]), slice(targets[k], targets[k + 1])
            yield Alignments(self.source_heads[one], self.target_heads[other], self.mates[one])

    @property
    def cells(self) -> np.ndarray[tuple[int, int], np.dtype[np.bool_]]:
        """All words of linked cepts, each with each, as a table of the words of one pair."""
        heads = self.source_heads
        targets = np.where(heads >= 0, self.mates[heads], -2)
        cells: np.ndarray[tuple[int, int], np.dtype[np.bool_]]
        cells = targets[:, None] == self.target_heads[None, :]
        return cells


def joined(parts: Sequence[Alignments]) -> Alignments:
    """Alignments of many pairs from those of each."""
    sides = zip(*(each.arrays for each in parts), strict=True)
    return Alignments(*(np.concatenate(side) for side in sides))
