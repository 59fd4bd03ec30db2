"""What is known of a tree before it is parsed, in one language for parsing and training.

A `Constraints` is a set of statements about the words of one sentence. They are read
from a partial tree and from MISC, or made in Python:

* HEAD that is not `_`: the head of the word; 0 makes it the root.
* DEPREL that is not `_`: the label of the word.
* MISC `Forbid=3,4`: none of these is the head (0: the word is not the root).
* MISC `LabelSet=obj,obl`: the label is one of these.
* MISC `Subtree=NAME`: the words with this name are one of them and all that hangs
  below it, no less and no more. `Subtree=A,B` puts a word into two, one in the other.

Whether a tree with one root can obey all of them is decided exactly: by a chart if it
must be projective, else by a search for spanning trees. If none can, statements are left
out as long as it stays so: what is left is what contradicts.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from niwaki.data.sentence import Sentence
from niwaki.data.tree import ROOT, UNKNOWN, Tree
from niwaki.errors import ConstraintError, shown
from niwaki.kernel.graph.spanning import decode
from niwaki.kernel.transition.constraints import MAX_WORDS, Chart


@dataclass(frozen=True)
class FixedHead:
    """The head of a word; 0 makes it the root."""

    word: int
    head: int

    def __str__(self) -> str:
        if self.head == ROOT:
            return f"word {self.word} is the root"
        return f"the head of word {self.word} is {self.head}"


@dataclass(frozen=True)
class ForbiddenHead:
    """A head that a word must not have; 0: it is not the root."""

    word: int
    head: int

    def __str__(self) -> str:
        if self.head == ROOT:
            return f"word {self.word} is not the root"
        return f"the head of word {self.word} is not {self.head}"


@dataclass(frozen=True)
class Labels:
    """The labels that a word may have, the first being the usual one."""

    word: int
    labels: tuple[str, ...]

    def __str__(self) -> str:
        return f"the label of word {self.word} is {' or '.join(self.labels) or 'none at all'}"


@dataclass(frozen=True)
class Subtree:
    """Words that are one of them and all that hangs below it; kept in order, each once."""

    words: tuple[int, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "words", tuple(sorted(set(self.words))))

    def __str__(self) -> str:
        return f"words {_listed(self.words)} are one subtree"


Statement = FixedHead | ForbiddenHead | Labels | Subtree


@dataclass(frozen=True)
class Tables:
    """Statements about heads as the kernel knows them (`kernel/transition/constraints`).

    Where trees need not be projective, no arc says where a subtree begins and ends.
    """

    projective: bool
    arcs: NDArray[np.uint8]
    left: NDArray[np.int32]
    right: NDArray[np.int32]
    heads: NDArray[np.int32]
    subtrees: NDArray[np.uint8]

    def nearest(self, guide: Sequence[int]) -> tuple[int, ...] | None:
        """The allowed tree with the most heads of `guide`; of several, one of short arcs."""
        side = len(self.arcs)
        place = np.arange(side, dtype=np.int64)
        # Lengths add up to less than n squared, so they never outweigh a head.
        weights = -np.abs(place[:, None] - place[None, :])
        weights[0] = 0
        known = [(head, word) for word, head in enumerate(guide, start=1) if head >= 0]
        if known:
            weights[tuple(np.array(known).T)] += side * side
        if not self.projective:
            return self._spanning(weights)
        heads = Chart(self.arcs, self.left, self.right, np.ascontiguousarray(weights)).tree()
        return None if heads is None else tuple(heads.tolist())

    def _spanning(self, weights: NDArray[np.int64]) -> tuple[int, ...] | None:
        """The tree of most weight, whether arcs cross or not.

        At least one arc leads into each subtree, and none may lead out of it. An arc in
        costs more than all weights together, so that a tree in which some subtree has two
        is only found if there is no other.
        """
        side = len(self.arcs)
        inside = self.subtrees.astype(np.int64)
        entered = (1 - inside).T @ inside
        table = np.where(self.arcs, weights - 2 * side**3 * entered, -np.inf)[:, 1:]
        heads = np.zeros(side - 1, dtype=np.int32)
        lengths = np.array([side - 1], dtype=np.int32)
        if decode(np.ascontiguousarray(table).ravel(), lengths, True, heads) >= 0:
            return None
        entering = entered[heads, np.arange(1, side)].sum()
        return tuple(heads.tolist()) if entering == len(self.subtrees) else None


@dataclass(frozen=True)
class Constraints:
    """Statements about the tree of a sentence of so many words; all else is unknown.

    >>> known = Constraints.make(4, heads={1: 2}, labels={3: ["obj", "obl"]}, root=2)
    >>> [str(one) for one in known.statements][:2]
    ['the head of word 1 is 2', 'word 2 is the root']
    """

    words: int
    statements: tuple[Statement, ...] = ()

    def __post_init__(self) -> None:
        for statement in self.statements:
            heads: tuple[int, ...] = ()
            words = statement.words if isinstance(statement, Subtree) else (statement.word,)
            if isinstance(statement, FixedHead | ForbiddenHead):
                heads = (statement.head,)
            sound = all(1 <= word <= self.words for word in words)
            if not words or not sound or not all(ROOT <= head <= self.words for head in heads):
                raise ConstraintError(f"{statement}: there are the words 1 to {self.words}")

    @classmethod
    def make(
        cls,
        words: int,
        *,
        heads: Mapping[int, int] | None = None,
        root: int | None = None,
        forbidden: Mapping[int, Iterable[int]] | None = None,
        labels: Mapping[int, str | Iterable[str]] | None = None,
        subtrees: Iterable[Iterable[int]] = (),
    ) -> Constraints:
        """Constraints by word: heads, forbidden heads, a label or labels; and subtrees."""
        found: list[Statement] = [FixedHead(word, head) for word, head in (heads or {}).items()]
        if root is not None:
            found.append(FixedHead(root, ROOT))
        for word, unwanted in (forbidden or {}).items():
            found += [ForbiddenHead(word, head) for head in unwanted]
        for word, names in (labels or {}).items():
            found.append(Labels(word, (names,) if isinstance(names, str) else tuple(names)))
        found += [Subtree(tuple(group)) for group in subtrees]
        return cls(words, tuple(found))

    @classmethod
    def of(cls, sentence: Sentence) -> Constraints:
        """What a sentence says about its tree: HEAD, DEPREL and MISC."""
        found: list[Statement] = []
        subtrees: dict[str, list[int]] = {}
        columns = zip(sentence.heads, sentence.deprels, sentence.misc, strict=True)
        for word, (head, label, misc) in enumerate(columns, start=1):
            if head != UNKNOWN:
                found.append(FixedHead(word, head))
            if label != "_":
                found.append(Labels(word, (label,)))
            if misc != "_":
                notes = sentence.notes[word - 1]
                found += _read_notes(sentence, word, notes)
                for name in filter(None, notes.get("Subtree", "").split(",")):
                    subtrees.setdefault(name, []).append(word)
        found += [Subtree(tuple(group)) for group in subtrees.values()]
        try:
            return cls(len(sentence), tuple(found))
        except ConstraintError as error:
            raise ConstraintError(f"{_place(sentence)}: {error}") from None

    def __and__(self, other: Constraints) -> Constraints:
        """Both of them."""
        if self.words != other.words:
            raise ValueError(f"constraints of {self.words} and of {other.words} words")
        return Constraints(self.words, (*self.statements, *other.statements))

    def __bool__(self) -> bool:
        return bool(self.statements)

    def labels_of(self, word: int) -> tuple[str, ...] | None:
        """The labels that a word may have; None for any."""
        return self._labels.get(word)

    @cached_property
    def _labels(self) -> Mapping[int, tuple[str, ...]]:
        return _common_labels(self.statements)

    @cached_property
    def tables(self) -> Tables:
        """For the kernel; raises ConstraintError if no projective tree obeys."""
        return self._checked(True)

    @cached_property
    def nonprojective_tables(self) -> Tables:
        """The same for trees that may cross; raises ConstraintError if no tree obeys."""
        return self._checked(False)

    def _checked(self, projective: bool) -> Tables:
        if self.words > MAX_WORDS:
            raise ConstraintError(
                f"constraints on a sentence of {self.words} words; "
                f"they can be followed up to {MAX_WORDS}"
            )
        if not _can_be_obeyed(self.words, self.statements, projective):
            needed = _contradiction(self.words, self.statements, projective)
            kind = "projective tree" if projective else "tree"
            reasons = "; ".join(map(str, needed))
            raise ConstraintError(f"no {kind} obeys all of: {reasons}; give up one")
        return _tables(self.words, self.statements, projective)

    def check(self, sentence: Sentence, *, projective: bool = True) -> None:
        """Raise ConstraintError, with the place of the sentence, if no tree can obey."""
        if self.words != len(sentence):
            raise ValueError(f"constraints of {self.words} words for {len(sentence)}")
        try:
            _ = self.tables if projective else self.nonprojective_tables
        except ConstraintError as error:
            raise ConstraintError(f"{_place(sentence)}: {error}") from None

    def broken_by(self, tree: Tree) -> Iterator[Statement]:
        """The statements that a tree does not obey."""
        for statement in self.statements:
            match statement:
                case FixedHead(word, head):
                    obeyed = tree.heads[word - 1] == head
                case ForbiddenHead(word, head):
                    obeyed = tree.heads[word - 1] != head
                case Labels(word, labels):
                    obeyed = tree.deprels[word - 1] in labels
                case Subtree(words):
                    tops = [w for w in words if tree.heads[w - 1] not in words]
                    obeyed = len(tops) == 1 and tree.subtree(tops[0]) == words
            if not obeyed:
                yield statement


def _place(sentence: Sentence) -> str:
    return f"{sentence.file}:{sentence.line}"


def _read_notes(sentence: Sentence, word: int, notes: Mapping[str, str]) -> Iterator[Statement]:
    for item in filter(None, notes.get("Forbid", "").split(",")):
        if not (item.isascii() and item.isdecimal() and len(item) < 10):
            raise ConstraintError(
                f"{_place(sentence)}: Forbid={shown(item)} of word {word}; "
                "give numbers of words, such as Forbid=3,4"
            )
        yield ForbiddenHead(word, int(item))
    if "LabelSet" in notes:
        yield Labels(word, tuple(filter(None, notes["LabelSet"].split(","))))


def _listed(words: Sequence[int]) -> str:
    """`3-5, 8`"""
    runs: list[list[int]] = []
    for word in words:
        if runs and word == runs[-1][1] + 1:
            runs[-1][1] = word
        else:
            runs.append([word, word])
    return ", ".join(str(a) if a == b else f"{a}-{b}" for a, b in runs)


def _common_labels(statements: Iterable[Statement]) -> dict[int, tuple[str, ...]]:
    common: dict[int, tuple[str, ...]] = {}
    for statement in statements:
        if isinstance(statement, Labels):
            before = common.get(statement.word, statement.labels)
            common[statement.word] = tuple(x for x in before if x in statement.labels)
    return common


def _tables(words: int, statements: Iterable[Statement], projective: bool) -> Tables:
    side = words + 1
    arcs = np.ones((side, side), dtype=np.uint8)
    np.fill_diagonal(arcs, 0)
    arcs[:, 0] = 0
    left = np.zeros((side, side), dtype=np.int32)
    right = np.zeros((side, side), dtype=np.int32)
    heads = np.full(words, UNKNOWN, dtype=np.int32)
    subtrees = []
    for statement in statements:
        match statement:
            case FixedHead(word, head):
                others = np.arange(side) != head
                arcs[others, word] = 0
                heads[word - 1] = head
                if head == ROOT:
                    arcs[0, np.arange(side) != word] = 0
            case ForbiddenHead(word, head):
                arcs[head, word] = 0
            case Subtree(group):
                inside = np.zeros(side, dtype=bool)
                inside[list(group)] = True
                subtrees.append(inside)
                arcs[np.ix_(inside, ~inside)] = 0
                if not projective:
                    continue
                first, last = group[0], group[-1]
                if last - first + 1 != len(group):
                    arcs[:] = 0  # what stands apart is no subtree of a projective tree
                entering = np.ix_(~inside, inside)
                for edges, edge in ((left, first), (right, last)):
                    # Who is the top of two subtrees needs both to begin and end alike.
                    arcs[entering] &= np.isin(edges[entering], (0, edge))
                    edges[entering] = edge
    members = np.array(subtrees, dtype=np.uint8).reshape(-1, side)
    return Tables(projective, arcs, left, right, heads, members)


def _can_be_obeyed(words: int, statements: Sequence[Statement], projective: bool) -> bool:
    if not all(_common_labels(statements).values()):
        return False
    return _tables(words, statements, projective).nearest(()) is not None


def _contradiction(
    words: int, statements: Sequence[Statement], projective: bool
) -> list[Statement]:
    """Statements that cannot all be obeyed, while all but any one of them can.

    Left out are first halves, then quarters ... of those that remain: few charts when
    few contradict.
    """
    needed = list(statements)
    size = max(1, len(needed) // 2)
    while True:
        at = 0
        while at < len(needed):
            fewer = needed[:at] + needed[at + size :]
            if _can_be_obeyed(words, fewer, projective):
                at += size
            else:
                needed = fewer
        if size == 1:
            return needed
        size = max(1, size // 2)
