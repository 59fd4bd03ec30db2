"""Rules compiled into the tables of bits and numbers that the kernel applies."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from niwaki.data.faults import COLUMNS
from niwaki.data.sentence import parse_pairs
from niwaki.kernel.bilingual.reorder import RuleTables
from niwaki.tasks.reorder.rules import (
    Pattern,
    Placement,
    Rule,
    RuleSet,
    Turn,
    label_fits,
    tag_fits,
)

_MOST_CHILDREN = 15  # as in the kernel
_BITS = 64


def _fits_feats(pattern: Pattern, value: str) -> bool:
    pairs = parse_pairs(value)
    wanted = (feature.partition("=") for feature in pattern.feats)
    return all(pairs.get(name) == text for name, _, text in wanted)


# What a pattern says about one attribute of a word, by the column in which it stands.
_ATTRIBUTES: dict[str, tuple[str, Callable[[Pattern, str], bool]]] = {
    "DEPREL": (
        "labels",
        lambda pattern, value: any(label_fits(label, value) for label in pattern.labels),
    ),
    "UPOS": ("upos", lambda pattern, value: any(tag_fits(tag, value) for tag in pattern.upos)),
    "XPOS": ("xpos", lambda pattern, value: any(tag_fits(tag, value) for tag in pattern.xpos)),
    "FEATS": ("feats", _fits_feats),
    "FORM": ("words", lambda pattern, value: value.lower() in pattern.words),
}


class _Rows(dict[bytes, int]):
    """Rows of one attribute: a value that is new gets a row when it is first asked for."""

    def __init__(self, make: Callable[[bytes], int]) -> None:
        self._make = make

    def __missing__(self, value: bytes) -> int:
        self[value] = row = self._make(value)
        return row


@dataclass
class CompiledRules:
    """A rule set as the kernel wants it; safe to use from many threads."""

    rules: RuleSet
    columns: tuple[int, ...] = field(init=False)
    tables: RuleTables = field(init=False)

    def __post_init__(self) -> None:
        self._patterns: list[Pattern] = []
        self._owner: list[tuple[Rule, Placement | None]] = []
        self._bits: dict[str, list[int]] = {"heads": []}
        numbers = self._number_patterns()
        self._lock = threading.Lock()
        self._names = [
            name
            for name, (attribute, _) in _ATTRIBUTES.items()
            # The label is always there: it also says what `has` and `lacks` see.
            if name == "DEPREL" or any(getattr(p, attribute) for p in self._patterns)
        ]
        self.columns = tuple(COLUMNS.index(name) for name in self._names)
        self._marked = sorted({label for p in self._patterns for label in (*p.has, *p.lacks)})
        if len(self._marked) > _BITS:
            raise ValueError(f"more than {_BITS} labels in `has` and `lacks`")
        self.tables = self._make_tables(numbers)
        self._values = [_Rows(self._maker(name)) for name in self._names]
        self._fitting: list[NDArray[np.uint64]] = []
        self._marks: list[int] = []
        self._arrays: tuple[NDArray[np.uint64], NDArray[np.uint64]] | None = None

    # -- patterns -------------------------------------------------------------

    def _number_patterns(self) -> list[int]:
        """Give each pattern its bit and its number: a rule for heads, a rank for children."""
        numbers = []
        for number, rule in enumerate(self.rules.rules):
            self._add("heads", rule.head, rule, None)
            numbers.append(number)
        for number, rule in enumerate(self.rules.rules):
            ranks = self.ranks(rule)
            for placement in rule.placements:
                if not placement.is_self:
                    self._add(f"tuples {number}", placement.child, rule, placement)
                    numbers.append(ranks.index(placement.weight))
            for label in rule.barriers:
                self._add(f"barriers {number}", Pattern(labels=(label,)), rule, None)
                numbers.append(0)
        return numbers

    def _add(self, kind: str, pattern: Pattern, rule: Rule, placement: Placement | None) -> None:
        self._bits.setdefault(kind, []).append(len(self._patterns))
        self._patterns.append(pattern)
        self._owner.append((rule, placement))

    @staticmethod
    def ranks(rule: Rule) -> list[float]:
        """The weights of a rule from the highest to the lowest."""
        return sorted(rule.turns, reverse=True)

    def placement(self, pattern: int) -> Placement | None:
        """The tuple behind a number that the kernel gave for a child."""
        return self._owner[pattern][1]

    # -- tables ---------------------------------------------------------------

    @property
    def _width(self) -> int:
        return max(1, -(-len(self._patterns) // _BITS))

    def _set(self, patterns: Iterable[int]) -> NDArray[np.uint64]:
        value = sum(1 << pattern for pattern in patterns)
        mask = (1 << _BITS) - 1
        return np.array(
            [(value >> _BITS * at) & mask for at in range(self._width)], dtype=np.uint64
        )

    def _sets(self, kind: str) -> NDArray[np.uint64]:
        """A set for each rule."""
        rows = [self._set(self._bits.get(f"{kind} {n}", ())) for n in range(len(self.rules.rules))]
        return np.array(rows, dtype=np.uint64).reshape(-1, self._width)

    def _make_tables(self, numbers: Sequence[int]) -> RuleTables:
        rules = self.rules.rules
        numbered = list(enumerate(self._patterns))
        longest = max((len(self.ranks(rule)) for rule in rules), default=1)
        turned = np.zeros((len(rules), longest), dtype=np.uint8)
        for row, rule in zip(turned, rules, strict=True):
            for rank, weight in enumerate(self.ranks(rule)):
                row[rank] = rule.turns[weight] is Turn.REVERSE

        def by_rule(weights: Iterable[tuple[Rule, float]]) -> NDArray[np.int32]:
            return np.array([self.ranks(r).index(w) for r, w in weights], dtype=np.int32)

        def marks(labels: Iterable[tuple[str, ...]]) -> NDArray[np.uint64]:
            sets = [sum(1 << self._marked.index(label) for label in each) for each in labels]
            return np.array(sets, dtype=np.uint64)

        return RuleTables(
            heads=self._set(self._bits["heads"]),
            before=self._set(i for i, p in numbered if p.side in ("", "before")),
            after=self._set(i for i, p in numbered if p.side in ("", "after")),
            counts=np.array(
                [
                    self._set(i for i, p in numbered if _count_fits(p, count))
                    for count in range(_MOST_CHILDREN + 1)
                ],
                dtype=np.uint64,
            ),
            needed=marks(p.has for p in self._patterns),
            refused=marks(p.lacks for p in self._patterns),
            numbers=np.array(numbers, dtype=np.int32),
            tuples=self._sets("tuples"),
            barriers=self._sets("barriers"),
            self_ranks=by_rule((rule, rule.self_weight) for rule in rules),
            other_ranks=by_rule((rule, 0.0) for rule in rules),
            turned=turned,
        )

    # -- rows of words --------------------------------------------------------

    def _maker(self, name: str) -> Callable[[bytes], int]:
        attribute, fits = _ATTRIBUTES[name]

        def make(value: bytes) -> int:
            text = value.decode("utf-8")
            row = self._set(
                number
                for number, pattern in enumerate(self._patterns)
                if not getattr(pattern, attribute) or fits(pattern, text)
            )
            marks = 0
            if name == "DEPREL":
                marks = sum(1 << i for i, m in enumerate(self._marked) if label_fits(m, text))
            with self._lock:
                self._fitting.append(row)
                self._marks.append(marks)
                self._arrays = None
                return len(self._fitting) - 1

        return make

    def rows(
        self, texts: Sequence[Sequence[bytes]]
    ) -> tuple[NDArray[np.int32], NDArray[np.uint64], NDArray[np.uint64]]:
        """For texts of `columns`: rows of the words, and the two tables that they point into."""
        found = np.array(
            [
                list(map(rows.__getitem__, values))
                for rows, values in zip(self._values, texts, strict=True)
            ],
            dtype=np.int32,
        )
        with self._lock:
            if self._arrays is None:
                fitting = np.array(self._fitting, dtype=np.uint64).reshape(-1, self._width)
                self._arrays = fitting, np.array(self._marks, dtype=np.uint64)
            return (found, *self._arrays)


def _count_fits(pattern: Pattern, count: int) -> bool:
    if pattern.children is None:
        return True
    low, high = pattern.children
    return low <= count and (high is None or count <= high)
