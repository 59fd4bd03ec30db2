"""Rules in the making: kinds of heads, classes of their children, and the votes at stake."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from niwaki.tasks.reorder.arrangement import Arrangement, Stakes, Votes
from niwaki.tasks.reorder.events import Events
from niwaki.tasks.reorder.rules import Pattern, Turn


@dataclass
class Class:
    """A class of children: those of its items that no earlier class took."""

    pattern: Pattern
    is_self: bool = False


@dataclass
class Kind:
    """One rule in the making: a kind of head, classes of its children, their arrangement."""

    head: Pattern
    events: NDArray[np.int64]
    classes: list[Class]  # in the order in which they are tried
    numbers: NDArray[np.int64]  # class of each item, -1 for none
    arrangement: Arrangement
    barrier: bool = False
    value: float = 0.0
    keep: Votes = field(default_factory=lambda: np.zeros((0, 0)))
    swap: Votes = field(default_factory=lambda: np.zeros((0, 0)))


def lost_votes(events: Events, kind: Kind, owner: NDArray[np.int64], owners: int) -> Votes:
    """The votes that the arrangement does not satisfy, summed for the owner of each event."""
    at = kind.events
    left, right = kind.numbers[events.left[at]], kind.numbers[events.right[at]]
    mine, other = kind.arrangement.group[left], kind.arrangement.group[right]
    turned = np.array(kind.arrangement.turned)[mine]
    stays = (mine < other) | ((mine == other) & ~turned) | (left < 0) | (right < 0)
    if kind.barrier:
        stays |= events.apart[at]
    lost = np.where(stays, events.swap[at], events.keep[at])
    return np.bincount(owner[at], lost, owners).astype(np.float64)


class ItemVotes:
    """The votes of each item of a kind against each class: what splits are judged by."""

    def __init__(self, events: Events, kind: Kind) -> None:
        at = kind.events
        left, right = events.left[at], events.right[at]
        classes = len(kind.classes)
        self._class = kind.numbers
        self._lost = lost_votes(events, kind, events.left, len(events.items))
        self._lost += lost_votes(events, kind, events.right, len(events.items))
        self._seen = Counter(left.tolist()) + Counter(right.tolist())
        free = (kind.numbers[left] >= 0) & (kind.numbers[right] >= 0)
        if kind.barrier:
            free &= ~events.apart[at]
        left, right = left[free], right[free]
        keep, swap = events.keep[at][free], events.swap[at][free]
        self._row = {item: row for row, item in enumerate(sorted(self._seen))}
        size = len(self._row)
        rows = np.full(len(events.items), -1, dtype=np.int64)
        rows[list(self._row)] = list(self._row.values())

        def table(items: NDArray[np.int64], others: NDArray[np.int64], votes: Votes) -> Votes:
            cells = rows[items] * classes + kind.numbers[others]
            counted: Votes = np.bincount(cells, votes, size * classes).astype(np.float64)
            return counted.reshape(size, classes)

        self._left = table(left, right, keep), table(left, right, swap)
        self._right = table(right, left, keep), table(right, left, swap)
        same = kind.numbers[left] == kind.numbers[right]
        self._inner = left[same], right[same], keep[same], swap[same]

    def members(self) -> dict[int, Counter[int]]:
        """The items of each class, with how often they were seen."""
        found: dict[int, Counter[int]] = {}
        for item, count in self._seen.items():
            found.setdefault(int(self._class[item]), Counter())[item] = count
        return found

    def lost_by(self, items: list[int]) -> float:
        """The votes of some items that are not satisfied now."""
        return float(self._lost[items].sum())

    def stakes(self, number: int, items: list[int]) -> Stakes:
        """What some items of a class would have at stake as a class of their own."""
        at = [self._row[item] for item in items]
        left_keep, left_swap = (part[at].sum(axis=0) for part in self._left)
        right_keep, right_swap = (part[at].sum(axis=0) for part in self._right)
        left, right, keep, swap = self._inner
        both = np.isin(left, items) & np.isin(right, items)
        own_keep, own_swap = float(keep[both].sum()), float(swap[both].sum())
        # Pairs within the new class were counted from both sides as votes against the old one.
        for part, own in (
            *((left_keep, own_keep), (right_keep, own_keep)),
            *((left_swap, own_swap), (right_swap, own_swap)),
        ):
            part[number] -= own
        return Stakes(
            left_keep + right_swap,
            left_swap + right_keep,
            left_keep + right_keep,
            left_swap + right_swap,
            own_keep,
            own_swap,
        )


def weights_of(kind: Kind) -> tuple[dict[int, float], dict[int, Turn]]:
    """Weights of the classes. The head's group has weight 0 as children without a tuple have,

    so that these keep their place beside it; unless it is turned: then they stand before it.
    """
    group, turned = kind.arrangement.group.tolist(), kind.arrangement.turned
    home = next(group[n] for n, each in enumerate(kind.classes) if each.is_self)
    weights, turns = {}, {}
    for number, at in enumerate(group):
        weights[number] = float(home - at - (turned[home] and at >= home))
        turns[number] = Turn.REVERSE if turned[at] else Turn.NORMAL
    return weights, turns
