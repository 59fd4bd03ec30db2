"""Conditions that learned rules may make, and how they are written as patterns and tuples."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import replace

from niwaki.data.sentence import parse_pairs
from niwaki.tasks.reorder.events import Head, Item
from niwaki.tasks.reorder.rules import SELF, Pattern, Placement, Rule, Turn, label_fits
from niwaki.tasks.reorder.schemes import knows_label, meant_label

PUNCTUATION = "punct"


def item_fits(pattern: Pattern, item: Item) -> bool:
    """Whether a child fits; what its own children are is not seen here."""
    if item.label == SELF:
        return False
    if not any(label_fits(label, item.label) for label in pattern.labels):
        return False
    pairs = parse_pairs(item.feats)
    return (
        (not pattern.side or pattern.side == item.side)
        and (not pattern.upos or item.upos in pattern.upos)
        and (not pattern.words or item.word in pattern.words)
        and all(pairs.get(f.partition("=")[0]) == f.partition("=")[2] for f in pattern.feats)
    )


def narrower(parent: Pattern, item: Item) -> Iterator[Pattern]:
    """Patterns with one condition more that a child still fits."""
    if not parent.side:
        yield replace(parent, side=item.side)
    if not parent.upos and not parent.words:
        yield replace(parent, upos=(item.upos,))
    if not parent.words:
        yield replace(parent, words=(item.word,))
    if parent.labels != (item.label,):
        yield replace(parent, labels=(item.label,))
    if not parent.feats:
        for name, value in parse_pairs(item.feats).items():
            yield replace(parent, feats=(f"{name}={value}",))


def narrower_head(parent: Pattern, head: Head) -> Iterator[Pattern]:
    """Patterns with one condition more that a head still fits."""
    if not parent.upos:
        yield replace(parent, upos=(head.upos,))
    if not parent.has:
        for label in sorted({label.partition(":")[0] for label in head.has} - {PUNCTUATION}):
            yield replace(parent, has=(label,))
    if not parent.labels:
        yield replace(parent, labels=(head.label,))
        if ":" in head.label:
            yield replace(parent, labels=(head.label.partition(":")[0],))
    if not parent.words:
        yield replace(parent, words=(head.word,))


def scheme(rules: list[Rule]) -> str:
    """The labels' scheme, if it is one that rule files know."""
    patterns = [rule.head for rule in rules]
    patterns += [each.child for rule in rules for each in rule.placements]
    labels = {label for p in patterns for label in (*p.labels, *p.has)}
    fits = all(knows_label("ud", each) and meant_label("ud", each) is None for each in labels)
    return "ud" if fits else "any"


def rule_name(head: Pattern) -> str:
    parts = [*head.words, *head.upos] or ["any head"]
    if head.labels:
        parts.append(f"as {' '.join(head.labels)}")
    if head.has:
        parts.append(f"with {' '.join(head.has)}")
    return " ".join(parts)


def can_join(one: Placement, other: Placement) -> bool:
    """Whether two neighbouring tuples can be written as one with two labels."""
    return (
        not (one.is_self or other.is_self)
        and (one.weight, one.turn) == (other.weight, other.turn)
        and replace(one.child, labels=()) == replace(other.child, labels=())
    )


def useful(placements: list[Placement]) -> list[bool]:
    """Which tuples say more than what would happen anyway."""

    def is_default(each: Placement) -> bool:
        return each.weight == 0 and each.turn is Turn.NORMAL

    return [
        # A tuple with weight 0 may be an exception to a later one.
        not is_default(each)
        or (
            not each.is_self
            and any(
                not is_default(other) and _overlap(each, other) for other in placements[at + 1 :]
            )
        )
        for at, each in enumerate(placements)
    ]


def _overlap(one: Placement, other: Placement) -> bool:
    pairs = itertools.product(one.child.labels, other.child.labels)
    return not other.is_self and any(label_fits(a, b) or label_fits(b, a) for a, b in pairs)
