"""Hand-aligned pairs in LEAF's D-step: alignments found for them, and how right these are."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from numpy.typing import NDArray

from niwaki.data.bilingual.bitext import Links
from niwaki.kernel.bilingual.leaf import Climber
from niwaki.tasks.align.leaf.alignments import Alignments, Places
from niwaki.tasks.align.leaf.weights import Candidates, f_alpha, normalised, optimise

# Neighbours of a pair's best alignment that are candidates with it.
_NEIGHBOURS = 20
_ROUNDS = 6

Amounts = NDArray[np.float64]
# Features and counts of a pair's candidates, by what they look like.
Found = dict[bytes, tuple[Amounts, NDArray[np.int64]]]


class GoldPairs:
    """Pairs with links made by people, in two halves, and all candidates that were found for them.

    Tables count the links of people. How right an alignment is must not be judged by tables that
    know it, so each half is searched with tables that counted the other half's links alone.
    """

    def __init__(
        self,
        links: Mapping[int, Links],
        starts: tuple[NDArray[np.int64], NDArray[np.int64]],
        alpha: float,
        threads: int,
    ) -> None:
        self._numbers = sorted(links)
        self._starts, self._alpha, self._threads = starts, alpha, threads
        self._tables = [self._cells(number, links[number]) for number in self._numbers]
        self._sure = sum(len(each.sure) for each in links.values())
        self._random = np.random.default_rng(1)

    def half(self, half: int) -> list[int]:
        """The numbers of the pairs of one half."""
        return self._numbers[half::2]

    def _cells(self, number: int, links: Links) -> NDArray[np.bool_]:
        """Sure links and all links, as two tables of the pair's words."""
        sizes = [int(each[number + 1] - each[number]) for each in self._starts]
        cells = np.zeros((2, *sizes), bool)
        for k, each in enumerate((links.sure, links.all)):
            for i, j in each:
                cells[k, i, j] = True
        return cells

    def fit(
        self,
        climbers: tuple[Climber, Climber],
        weights: Amounts,
        starts: Sequence[Alignments],
        report: Callable[[int, int], None],
    ) -> Amounts:
        """Weights of the least error: search, fit, and search anew until nothing new is found.

        Each half has its climber.

        The tables are new in each D-step, so candidates of an earlier one are forgotten.
        """
        found: list[Found] = [{} for _ in self._numbers]
        best, best_f = weights, self._search(climbers, weights, starts, found)
        for number in range(1, _ROUNDS + 1):
            before = sum(map(len, found))
            fitted = optimise(self._candidates(found), best, self._random)
            # What is best among candidates may lead the search astray: half the way is tried, too.
            for each in (fitted, normalised(fitted + normalised(best))):
                f = self._search(climbers, each, starts, found)
                if f > best_f:
                    best, best_f = each, f
            report(number, _ROUNDS)
            if sum(map(len, found)) == before:
                break
        return best

    def _search(
        self,
        climbers: tuple[Climber, Climber],
        weights: Amounts,
        starts: Sequence[Alignments],
        found: Sequence[Found],
    ) -> float:
        """Add the best alignments by these weights; gives F_alpha of the best ones of all."""
        made = [each.copy() for each in starts]
        scores = [np.zeros(climbers[0].pairs) for _ in starts]

        def work(at: int) -> NDArray[np.int64]:
            number, climber = self._numbers[at], climbers[at % 2]
            for each, score in zip(made, scores, strict=True):
                climber.climb(number, number + 1, weights, *each.arrays, score)
            best = int(np.argmax([score[number] for score in scores]))
            lists = climber.neighbours(number, _NEIGHBOURS, weights, *made[best].arrays)
            counts = _counted(*lists[:3], self._tables[at])
            for k in range(len(counts)):
                key = b"".join(each[k].tobytes() for each in lists[:3])
                found[at].setdefault(key, (lists[3][k], counts[k]))
            return np.asarray(counts[0])

        with ThreadPoolExecutor(self._threads) as pool:
            sums = sum(pool.map(work, range(len(self._numbers))), np.zeros(3, np.int64))
        return float(f_alpha(sums, self._sure, self._alpha))

    def _candidates(self, found: Sequence[Found]) -> Candidates:
        longest = max(map(len, found))
        features = np.empty((len(found), longest, len(next(iter(found[0].values()))[0])))
        counts = np.empty((len(found), longest, 3), np.int64)
        for at, each in enumerate(found):
            # The first candidate fills up the row.
            rows = list(each.values())
            features[at], counts[at] = rows[0]
            features[at, : len(rows)] = [row[0] for row in rows]
            counts[at, : len(rows)] = [row[1] for row in rows]
        return Candidates(features, counts, self._sure, self._alpha)


def _counted(
    source_heads: Places, target_heads: Places, mates: Places, cells: NDArray[np.bool_]
) -> NDArray[np.int64]:
    """Links of each of several alignments of a pair: all, those that are sure, and possible."""
    numbers = np.arange(len(mates))[:, None]
    linked = np.where(source_heads >= 0, mates[numbers, source_heads], -2)
    made = linked[:, :, None] == target_heads[:, None, :]
    sums = [(made & each).sum(axis=(1, 2)) for each in cells]
    return np.stack([made.sum(axis=(1, 2)), *sums], axis=1)
