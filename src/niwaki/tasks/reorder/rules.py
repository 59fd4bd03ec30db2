"""Precedence rules (Xu et al. 2009): for a head, which of its children goes where.

A rule maps a head to tuples (child, weight, order). The head and its children are
sorted from the highest weight to the lowest; those of equal weight keep their order
(NORMAL) or are turned round (REVERSE). A child that no tuple names has weight 0 and
order NORMAL. The first rule that fits a head is applied, and within it the first tuple
that fits a child.
"""

from __future__ import annotations

import enum
import re
from dataclasses import dataclass, field

from niwaki.data.sentence import Sentence

SELF = "self"
ANY = "*"


class Turn(enum.Enum):
    """What happens to neighbours of equal weight."""

    NORMAL = "NORMAL"
    REVERSE = "REVERSE"


@dataclass(frozen=True)
class Pattern:
    """Which words are meant; what is empty or None is not looked at.

    A label also stands for its subtypes (`acl` for `acl:relcl`); a tag may end in `*`;
    words are compared in lower case; of `feats` all must be there, of the others one.
    `has` and `lacks` are labels of the word's own children, `children` bounds their
    number, `side` says on which side of its head a child stands.
    """

    labels: tuple[str, ...] = ()
    upos: tuple[str, ...] = ()
    xpos: tuple[str, ...] = ()
    feats: tuple[str, ...] = ()
    words: tuple[str, ...] = ()
    has: tuple[str, ...] = ()
    lacks: tuple[str, ...] = ()
    children: tuple[int, int | None] | None = None
    side: str = ""

    @property
    def is_open(self) -> bool:
        """Whether every word fits."""
        return self == Pattern(labels=self.labels) and (not self.labels or ANY in self.labels)


def label_fits(pattern: str, label: str) -> bool:
    return pattern == ANY or label == pattern or label.startswith(pattern + ":")


def tag_fits(pattern: str, tag: str) -> bool:
    if pattern.endswith(ANY):
        return tag.startswith(pattern[:-1])
    return tag == pattern


# The kernel counts children up to one more.
_MOST_CHILDREN = 14


def child_limits(text: str) -> tuple[int, int | None] | None:
    """The least and the most children that "2", "1-3" or "2+" mean; None for what means none."""
    found = re.fullmatch(r"(\d{1,2})(?:(\+)|-(\d{1,2}))?", text, re.ASCII)
    if found is None:
        return None
    limits = [int(part) for part in (found[1], found[3]) if part]
    if max(limits) > _MOST_CHILDREN or sorted(limits) != limits:
        return None
    return limits[0], None if found[2] else limits[-1]


@dataclass(frozen=True)
class Placement:
    """A tuple of a rule: the children that fit get this weight. `is_self` means the head."""

    child: Pattern
    weight: float
    turn: Turn = Turn.NORMAL
    is_self: bool = False


@dataclass(frozen=True)
class Rule:
    """What to do below the heads that fit.

    A child whose label is one of `barriers` keeps its place, and what stands on either
    side of it is sorted by itself.
    """

    name: str
    head: Pattern
    placements: tuple[Placement, ...]
    barriers: tuple[str, ...] = ()

    def contradiction(self) -> tuple[float, str] | None:
        """A weight that is given with both orders, and why; None if there is none."""
        turns: dict[float, Turn] = {}
        for each in self.placements:
            if turns.setdefault(each.weight, each.turn) is not each.turn:
                return each.weight, "both NORMAL and REVERSE"
        all_named = any(p.is_self for p in self.placements) and any(
            p.child.is_open and not p.is_self for p in self.placements
        )
        if turns.get(0.0) is Turn.REVERSE and not all_named:
            return 0.0, "REVERSE, but children without a tuple have weight 0 and NORMAL"
        return None

    @property
    def self_weight(self) -> float:
        return next((each.weight for each in self.placements if each.is_self), 0.0)

    @property
    def turns(self) -> dict[float, Turn]:
        """The order type of every weight that can occur."""
        return {0.0: Turn.NORMAL} | {each.weight: each.turn for each in self.placements}


@dataclass(frozen=True)
class Example:
    """A parsed sentence and the order that the rules must give it."""

    sentence: Sentence
    gives: tuple[str, ...]
    line: int = 0


@dataclass(frozen=True)
class RuleSet:
    """The rules of one target language, in the order in which they are tried."""

    name: str
    rules: tuple[Rule, ...]
    description: str = ""
    scheme: str = "ud"
    examples: tuple[Example, ...] = field(default=(), compare=False)

    def without(self, rule: Rule, placement: Placement | None = None) -> RuleSet:
        """The same rules with one switched off, or only one of its tuples.

        A rule that is switched off still takes its heads, so that no later rule does.
        """
        kept: tuple[Placement, ...] = ()
        if placement is not None:
            kept = tuple(each for each in rule.placements if each is not placement)
        changed = tuple(
            Rule(each.name, each.head, kept, each.barriers) if each is rule else each
            for each in self.rules
        )
        return RuleSet(self.name, changed, self.description, self.scheme)
