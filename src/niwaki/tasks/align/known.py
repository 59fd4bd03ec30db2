"""Links made by people, as counts that the aligner's own are added to."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np
from numpy.typing import NDArray

from niwaki.data.bilingual.bitext import Links
from niwaki.kernel.bilingual.alignment import ONE_COUNT, Table

# So often a link of people is counted, and a word that they left alone, beside what is expected of
# their pair. Chosen on the first 1,000 pairs of CzEnAli, links of the first half, scored on the
# second: 0.1 to 0.5 gave the same, 1 and more gave less.
_AMOUNT = 0.25


class KnownCounts:
    """Of hand-aligned pairs: how often words are linked, and how often they are left alone.

    The E-step goes on to guess the links of these pairs, too, and soon guesses as people did.
    """

    def __init__(self, table: Table, links: Mapping[int, Links]) -> None:
        """`links` are by the number of the pair in the table."""
        sources: list[int] = []
        targets: list[int] = []
        alone: tuple[list[int], list[int]] = [], []
        for pair, found in links.items():
            source = table.source_words[slice(*table.source_starts[pair : pair + 2])].tolist()
            target = table.target_words[slice(*table.target_starts[pair : pair + 2])].tolist()
            for i, j in found.all:
                sources.append(source[i])
                targets.append(target[j])
            for side, words in enumerate((source, target)):
                linked = {cell[side] for cell in found.all}
                alone[side].extend(w for at, w in enumerate(words) if at not in linked)
        entries = table.find(np.array(sources, np.int32), np.array(targets, np.int32))
        self._linked = _counts(entries)
        self._alone = _counts(alone[0]), _counts(alone[1])

    def add_to(self, table: Table) -> None:
        entries, counts = self._linked
        table.forward_counts[entries] += counts
        table.backward_counts[entries] += counts
        nulls = table.null_backward_counts, table.null_forward_counts
        for null, (words, numbers) in zip(nulls, self._alone, strict=True):
            null[words] += numbers


def _counts(found: Iterable[int]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    places, counts = np.unique(np.array(list(found), np.int64), return_counts=True)
    return places, np.round(counts * _AMOUNT * ONE_COUNT).astype(np.int64)
