"""Finds the order of classes that satisfies most votes: local search over ordered groups.

`keep[a, b]` are the votes that an item of class a which stands before one of class b in the
source should stay before it, `swap[a, b]` those that it should not. Classes of one group keep
the order of their items, or turn it round.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Votes = NDArray[np.float64]

# Differences below this are noise of the arithmetic.
_TINY = 1e-9


class Spot(NamedTuple):
    """A place for a class: into a group, or as a new group before it."""

    group: int
    inside: bool
    turned: bool


class Stakes(NamedTuple):
    """The votes of one class against each class, by how the two are placed, and its own."""

    before: Votes
    after: Votes
    normal: Votes
    reverse: Votes
    own_keep: float
    own_swap: float


@dataclass
class Arrangement:
    """Groups of classes from first to last: the group of each class, and which are turned."""

    group: NDArray[np.int64]
    turned: list[bool]

    def copy(self) -> Arrangement:
        return Arrangement(self.group.copy(), list(self.turned))

    def value(self, keep: Votes, swap: Votes) -> float:
        """The votes that are satisfied."""
        mine, other = self.group[:, None], self.group[None, :]
        turned = np.array(self.turned)[self.group][:, None]
        stays = (mine < other) | ((mine == other) & ~turned)
        return float(np.where(stays, keep, swap).sum())

    def best_spot(self, stakes: Stakes, current: int) -> tuple[float, Spot]:
        """What can be gained by moving a class away from its group, and where to."""
        size = len(self.turned)
        before, after, normal, reverse = (
            np.bincount(self.group, weights=votes, minlength=size) for votes in stakes[:4]
        )
        # Votes if all groups up to some place come before the class, the others after it.
        passed = np.concatenate([[0.0], np.cumsum(after)])
        coming = np.concatenate([np.cumsum(before[::-1])[::-1], [0.0]])
        among = np.where(self.turned, reverse + stakes.own_swap, normal + stakes.own_keep)
        inside = passed[:-1] + among + coming[1:]
        alone = passed + coming + max(stakes.own_keep, stakes.own_swap)
        at, place = int(inside.argmax()), int(alone.argmax())
        spot = Spot(at, True, self.turned[at])
        best = inside[at]
        if alone[place] > best + _TINY:
            spot = Spot(place, False, stakes.own_swap > stakes.own_keep + _TINY)
            best = alone[place]
        return float(best - inside[current]), spot

    def move(self, number: int, spot: Spot) -> None:
        if spot.inside:
            self.group[number] = spot.group
        else:
            self.group[self.group >= spot.group] += 1
            self.turned.insert(spot.group, spot.turned)
            self.group[number] = spot.group
        self._drop_empty()

    def _drop_empty(self) -> None:
        used, self.group = np.unique(self.group, return_inverse=True)
        self.turned = [self.turned[at] for at in used]

    def improve(self, keep: Votes, swap: Votes, least: float) -> float:
        """Move single classes and turn groups while that gains `least`; returns the value."""
        gained = True
        while gained:
            gained = False
            for number in range(len(keep)):
                gain, spot = self.best_spot(stakes_of(number, keep, swap), self.group[number])
                if gain > max(least, _TINY):
                    self.move(number, spot)
                    gained = True
            for at in range(len(self.turned)):
                inner = np.ix_(self.group == at, self.group == at)
                gain = float(swap[inner].sum() - keep[inner].sum())
                if (gain < -least) if self.turned[at] else (gain > least):
                    self.turned[at] = not self.turned[at]
                    gained = True
        return self.value(keep, swap)


def stakes_of(number: int, keep: Votes, swap: Votes) -> Stakes:
    """What a class of a table has at stake; its votes against itself are kept apart."""
    own_keep, own_swap = float(keep[number, number]), float(swap[number, number])
    stakes = Stakes(
        keep[number] + swap[:, number],
        swap[number] + keep[:, number],
        keep[number] + keep[:, number],
        swap[number] + swap[:, number],
        own_keep,
        own_swap,
    )
    for part in (stakes.before, stakes.after, stakes.normal, stakes.reverse):
        part[number] = 0.0
    return stakes
