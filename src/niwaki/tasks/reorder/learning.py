"""Learns precedence rules from references: the next step that Xu et al. (2009) name.

A rule is an ordered list of groups of children. For one kind of head, the groups are found
by local search on pairwise counts: a class of children is taken out and put where most pairs
of items come to stand as the references have them. Then classes are split, by side, tag,
word or feature, and so are kinds of heads, always where it gains most, until a split gains
too little. The counts are exact (an item's place depends on its class alone), a split needs
no new pass over the text, and the result is a list of rules as a person would write it; this
is why weights are fitted pairwise instead of as a sequence of tree transformations
(Genzel 2010).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from niwaki.tasks.reorder.arrangement import Arrangement
from niwaki.tasks.reorder.conditions import (
    PUNCTUATION,
    can_join,
    item_fits,
    narrower,
    narrower_head,
    rule_name,
    scheme,
    useful,
)
from niwaki.tasks.reorder.events import Events
from niwaki.tasks.reorder.kinds import Class, ItemVotes, Kind, lost_votes, weights_of
from niwaki.tasks.reorder.rules import (
    SELF,
    Pattern,
    Placement,
    Rule,
    RuleSet,
)
from niwaki.tasks.reorder.rulewriting import Notes


@dataclass(frozen=True)
class Settings:
    """When a split is worth a line in the file; in votes, of which a sentence has a few."""

    class_gain: float = 0.5
    head_gain: float = 1.0
    # What a child must gain to leave its place, or the place that it has in other rules.
    move_gain: float = 0.3
    # Children or heads that a condition must fit to be tried.
    support: int = 5
    # A label that is seen less often is left to the default.
    label_support: int = 3
    # Splits at most: what a person is willing to read.
    splits: int = 60


@dataclass(frozen=True)
class Learned:
    """Rules, and what was seen of each tuple and rule, for comments in the file."""

    rules: RuleSet
    notes: Notes


def learn_rules(
    events: Events,
    name: str = "learned",
    settings: Settings | None = None,
    report: Callable[[int], None] = lambda _: None,
) -> Learned:
    """Rules that put as many pairs as possible in order; `report` hears of every split."""
    return _Learner(events, settings or Settings()).learn(name, report)


class _Learner:
    def __init__(self, events: Events, settings: Settings) -> None:
        self._events = events
        self._settings = settings
        # The best splits of each kind, with the kind itself so that its id stays its own.
        self._splits: dict[int, tuple[Kind, list[tuple[float, list[Kind]]]]] = {}

    def learn(self, name: str, report: Callable[[int], None]) -> Learned:
        kinds = self._first_kinds()
        for number in range(self._settings.splits):
            found = self._best_split(kinds)
            if found is None:
                break
            at, new = found
            kinds[at : at + 1] = new
            report(number + 1)
        return self._finish(kinds, name)

    # -- kinds of heads -------------------------------------------------------

    def _first_kinds(self) -> list[Kind]:
        """One kind of head to begin with; splits make more."""
        return [self._make_kind(Pattern(), np.arange(len(self._events.head)))]

    def _make_kind(self, head: Pattern, events: NDArray[np.int64]) -> Kind:
        seen: Counter[str] = Counter()
        for side in (self._events.left, self._events.right):
            for item, count in Counter(side[events].tolist()).items():
                seen[self._events.items[item].label.partition(":")[0]] += count
        labels = [lab for lab, n in seen.most_common() if n >= self._settings.label_support]
        classes = [Class(Pattern(), True)]
        classes += [
            Class(Pattern(labels=(lab,))) for lab in labels if lab not in (SELF, PUNCTUATION)
        ]
        kind = Kind(
            head,
            events,
            classes,
            np.zeros(0, dtype=np.int64),
            Arrangement(np.zeros(len(classes), dtype=np.int64), [False]),
        )
        kind.numbers = self._assign(kind)
        return self._settled(kind)

    def _assign(self, kind: Kind) -> NDArray[np.int64]:
        numbers = np.full(len(self._events.items), -1, dtype=np.int64)
        for at, item in enumerate(self._events.items):
            for number, each in enumerate(kind.classes):
                if (item.label == SELF) if each.is_self else item_fits(each.pattern, item):
                    numbers[at] = number
                    break
        return numbers

    def _settled(self, kind: Kind) -> Kind:
        """The kind with the better of barrier and no barrier, each with its best arrangement."""
        best: Kind | None = None
        for barrier in (True, False):
            # Where nothing is gained by moving across punctuation, nothing does.
            tried = replace(kind, barrier=barrier, arrangement=kind.arrangement.copy())
            constant = self._count(tried)
            tried.value = (
                tried.arrangement.improve(tried.keep, tried.swap, self._settings.move_gain)
                + constant
            )
            if best is None or tried.value > best.value + 1e-9:
                best = tried
        assert best is not None
        return best

    def _count(self, kind: Kind) -> float:
        """Fill the tables of votes between classes; returns the votes that nothing can change."""
        events, at = self._events, kind.events
        left, right = kind.numbers[events.left[at]], kind.numbers[events.right[at]]
        free = (left >= 0) & (right >= 0)
        if kind.barrier:
            free &= ~events.apart[at]
        size = len(kind.classes)
        cells = left[free] * size + right[free]
        for name, votes in (("keep", events.keep[at]), ("swap", events.swap[at])):
            table = np.bincount(cells, weights=votes[free], minlength=size * size)
            setattr(kind, name, table.reshape(size, size))
        return float(events.keep[at][~free].sum())

    # -- splits ---------------------------------------------------------------

    def _best_split(self, kinds: list[Kind]) -> tuple[int, list[Kind]] | None:
        best, where = 0.0, None
        for at, kind in enumerate(kinds):
            if id(kind) not in self._splits:
                found = [self._best_class_split(kind), self._best_head_split(kind)]
                self._splits[id(kind)] = kind, [split for split in found if split is not None]
            for gain, new in self._splits[id(kind)][1]:
                if gain > best + 1e-9:
                    best, where = gain, (at, new)
        return where

    def _best_class_split(self, kind: Kind) -> tuple[float, list[Kind]] | None:
        """(what is gained beyond the least that a split must gain, the kind with it)."""
        best: tuple[float, int, Pattern] | None = None
        table = ItemVotes(self._events, kind)
        for number, members in table.members().items():
            if number < 0 or kind.classes[number].is_self:
                continue
            home = int(kind.arrangement.group[number])
            for pattern, fitting in self._conditions(kind.classes[number].pattern, members):
                # Nothing can gain more votes than it loses now.
                least = self._settings.class_gain if best is None else best[0]
                if table.lost_by(fitting) <= least:
                    continue
                stakes = table.stakes(number, fitting)
                gain, _ = kind.arrangement.best_spot(stakes, home)
                if gain > self._settings.class_gain and (best is None or gain > best[0] + 1e-9):
                    best = gain, number, pattern
        if best is None:
            return None
        new = self._with_class(kind, best[1], best[2])
        return new.value - kind.value - self._settings.class_gain, [new]

    def _conditions(
        self, parent: Pattern, members: Counter[int]
    ) -> Iterator[tuple[Pattern, list[int]]]:
        """Ways to make a pattern narrower that fit some of the items but not all."""
        found: dict[Pattern, list[int]] = {}
        for item in members:
            for pattern in narrower(parent, self._events.items[item]):
                found.setdefault(pattern, []).append(item)
        whole = sum(members.values())
        for pattern, fitting in found.items():
            seen = sum(members[item] for item in fitting)
            if self._settings.support <= seen < whole:
                yield pattern, fitting

    def _with_class(self, kind: Kind, number: int, pattern: Pattern) -> Kind:
        """The kind with a new class tried right before the one that it was part of."""
        classes = list(kind.classes)
        classes.insert(number, Class(pattern))
        old = kind.arrangement
        group = np.insert(old.group, number, old.group[number])
        new = replace(kind, classes=classes, arrangement=Arrangement(group, list(old.turned)))
        new.numbers = self._assign(new)
        return self._settled(new)

    def _best_head_split(self, kind: Kind) -> tuple[float, list[Kind]] | None:
        """(what is gained beyond the least, the narrower kind and what is left of the old)."""
        of_event = self._events.head[kind.events]
        counts = Counter(of_event.tolist())
        found: dict[Pattern, list[int]] = {}
        for head in counts:
            for pattern in narrower_head(kind.head, self._events.heads[head]):
                found.setdefault(pattern, []).append(head)
        lost = lost_votes(self._events, kind, self._events.head, len(self._events.heads))
        losses = {pattern: float(lost[fitting].sum()) for pattern, fitting in found.items()}
        best: tuple[float, list[Kind]] | None = None
        for pattern, fitting in sorted(found.items(), key=lambda item: -losses[item[0]]):
            # Heads that are told apart can gain no more votes than they lose now. What the
            # other heads gain without them is not foreseen, which saves nine tenths of the time.
            if losses[pattern] - self._settings.head_gain <= (best[0] if best else 0.0):
                break
            seen = sum(counts[head] for head in fitting)
            if not 4 * self._settings.support <= seen < len(of_event):
                continue
            inside = np.isin(of_event, fitting)
            parts = [
                self._settled(replace(kind, head=head, events=kind.events[mask]))
                for head, mask in ((pattern, inside), (kind.head, ~inside))
            ]
            gain = parts[0].value + parts[1].value - kind.value - self._settings.head_gain
            if gain > 0 and (best is None or gain > best[0] + 1e-9):
                best = gain, parts
        return best

    # -- rules ----------------------------------------------------------------

    def _finish(self, kinds: list[Kind], name: str) -> Learned:
        rules: list[Rule] = []
        notes: Notes = {}
        votes = self._events.keep + self._events.swap
        for kind in kinds:
            rule, counts = self._rule(kind)
            alike = sum(each.name.partition(", again")[0] == rule.name for each in rules)
            if alike:
                rule = replace(rule, name=f"{rule.name}, again {alike}")
            share = kind.value / max(float(votes[kind.events].sum()), 1e-9)
            notes[len(rules), -1] = f"{len(kind.events)} pairs, {share:.0%} put in order."
            for at, count in enumerate(counts):
                notes[len(rules), at] = f"{count} pairs"
            rules.append(rule)
        return Learned(RuleSet(name, tuple(rules), scheme=scheme(rules)), notes)

    def _rule(self, kind: Kind) -> tuple[Rule, list[int]]:
        """The rule of a kind, and in how many pairs each of its tuples was seen."""
        weights, turns = weights_of(kind)
        seen: Counter[int] = Counter()
        for side in (self._events.left, self._events.right):
            seen.update(kind.numbers[side[kind.events]].tolist())
        placements: list[Placement] = []
        counts: list[int] = []
        for number, each in enumerate(kind.classes):
            made = Placement(each.pattern, weights[number], turns[number], each.is_self)
            if placements and can_join(placements[-1], made):
                labels = (*placements[-1].child.labels, *made.child.labels)
                placements[-1] = replace(made, child=replace(made.child, labels=labels))
                counts[-1] += seen[number]
            elif seen[number]:
                placements.append(made)
                counts.append(seen[number])
        said = useful(placements)
        kept = [(p, c) for p, c, keep in zip(placements, counts, said, strict=True) if keep]
        barriers = (PUNCTUATION,) if kind.barrier and kept else ()
        rule = Rule(rule_name(kind.head), kind.head, tuple(p for p, _ in kept), barriers)
        return rule, [count for _, count in kept]
