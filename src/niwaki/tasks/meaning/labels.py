"""Formal labels (Alshawi et al. 2011, table 2): instructions that make an expression.

A label takes what has been made of the head word and adds the dependent. `-*2` goes from the head's
word to the tuple around it (-), makes a symbol of the dependent (*) and puts it at place 2.
`[:^1-*0` makes a tuple, joins it to the head's word by `:`, puts an abstracted argument at place 1,
and the dependent at place 0. The label of a root only makes: `[*0`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property, lru_cache

from niwaki.data.expressions import BRACKETS, CONNECTIVES

# Of a word that says nothing, as punctuation.
SILENT = "~"
# The last place of a bracket that a label can name.
LAST_PLACE = 99

_OPENING = "".join(map(re.escape, BRACKETS))
_JOINING = "".join(map(re.escape, CONNECTIVES))
_FILLS = r"(?:[_^][1-9][0-9]?-)*"
_LABEL = re.compile(
    rf"(?P<up>-*)"
    rf"(?:(?P<outer>[{_OPENING}])(?P<outer_to>[{_JOINING}]|[1-9][0-9]?)?(?P<fills>{_FILLS})"
    rf"(?P<inner>(?:[{_OPENING}]0{_FILLS})*)\*0"
    rf"|\*(?P<to>[{_JOINING}]|[1-9][0-9]?)?)"
)
_INNER = re.compile(rf"([{_OPENING}])0({_FILLS})")
_FILL = re.compile(r"([_^])([1-9][0-9]?)-")


@dataclass(frozen=True)
class Opened:
    """A bracket that a label makes: how it opens, and its arguments without words, by place."""

    bracket: str
    blanks: tuple[tuple[int, str], ...] = ()


@dataclass(frozen=True)
class FormalLabel:
    """What a label says: how far up from the head's word, by what (a connective, the number of a
    place, or "" for a root), and the brackets around the new word, from the outermost.
    """

    up: int
    joint: str
    opened: tuple[Opened, ...] = ()

    @cached_property
    def place(self) -> int:
        """The place in a bracket; 0 if it is joined by a connective, or is a root."""
        return int(self.joint) if self.joint.isdecimal() else 0

    def __str__(self) -> str:
        parts = ["-" * self.up]
        joint = self.joint
        for each in self.opened:
            blanks = "".join(f"{blank}{place}-" for place, blank in each.blanks)
            parts.append(f"{each.bracket}{joint}{blanks}")
            joint = "0"
        return "".join([*parts, "*", joint])


@lru_cache(maxsize=4096)
def read_label(text: str) -> FormalLabel | None:
    """What a label says; None for one that is no formal label."""
    found = _LABEL.fullmatch(text)
    if found is None:
        return None
    if found["outer"] is None:
        return FormalLabel(len(found["up"]), found["to"] or "")
    inner = [Opened(bracket, _blanks(fills)) for bracket, fills in _INNER.findall(found["inner"])]
    outer = Opened(found["outer"], _blanks(found["fills"]))
    return FormalLabel(len(found["up"]), found["outer_to"] or "", (outer, *inner))


def _blanks(fills: str) -> tuple[tuple[int, str], ...]:
    return tuple((int(place), blank) for blank, place in _FILL.findall(fills))


def is_formal(label: str) -> bool:
    """Whether it is a label of trees that say expressions."""
    return label == SILENT or read_label(label) is not None
