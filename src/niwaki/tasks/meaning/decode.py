"""From a tree with formal labels to the expression that they say.

Trees of a parser may contradict themselves. The decoder then decides, and counts it: of two
arguments at one place the second takes the next free one, a place that nobody takes is
unspecified, and what can hang nowhere is joined by %.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from niwaki.data.expressions import (
    DEEPEST,
    SEQUENCE,
    UNCOVERED,
    UNSPECIFIED,
    Expression,
    Joined,
    symbol,
)
from niwaki.data.meaning import Meaning
from niwaki.data.sentence import Sentence
from niwaki.data.tree import UNKNOWN, Tree
from niwaki.errors import CorpusError
from niwaki.tasks.meaning.labels import (
    LAST_PLACE,
    SILENT,
    FormalLabel,
    Opened,
    is_formal,
    read_label,
)

_UNCOVERED_WORD = FormalLabel(0, UNCOVERED)
# Brackets that one label may open; more would be a way around DEEPEST.
_MOST_OPENED = 8
# So deep a word may be that another one still finds room below it.
DEEPEST_HEAD = DEEPEST - _MOST_OPENED - 1


def meaning_of(sentence: Sentence) -> Meaning:
    """The expression of a sentence whose tree has formal labels."""
    if not has_formal_labels(sentence):
        odd = next(label for label in sentence.deprels if not is_formal(label))
        raise CorpusError(
            sentence.file,
            sentence.line,
            "DEPREL",
            f"no formal label {odd!r}",
            "give trees with labels such as [*0 and -*1, or convert trees to them",
        )
    tree = sentence.tree
    if UNKNOWN in tree.heads:
        raise CorpusError(
            *(sentence.file, sentence.line, "HEAD"), "no whole tree", "give whole trees, or parse"
        )
    expression, repairs = decode(tree)
    return Meaning(sentence, expression, repairs)


def has_formal_labels(sentence: Sentence) -> bool:
    return all(map(is_formal, sentence.deprels))


def instruction(name: str) -> FormalLabel:
    """What a label says, and of one that cannot be followed, that its word is not covered."""
    found = read_label(name)
    return found if found and len(found.opened) <= _MOST_OPENED else _UNCOVERED_WORD


def decode(tree: Tree) -> tuple[Expression | None, int]:
    """The expression of a whole tree, and how often the decoder had to decide."""
    return _Decoder(tree).decode()


def most_consistent(trees: Iterable[Tree], conflicts: Callable[[Tree], int]) -> Tree:
    """Of trees, best first, the first one without contradictions, or with the fewest."""
    fewest, chosen = -1, None
    for tree in trees:
        found = conflicts(tree)
        if chosen is None or found < fewest:
            fewest, chosen = found, tree
        if not fewest:
            break
    if chosen is None:
        raise ValueError("at least one tree is needed")
    return chosen


@dataclass
class _Part:
    """A word or a bracket on the spine of a word while it is made."""

    opened: Opened | None
    taken: dict[int, Expression | str] = field(default_factory=dict)
    joined: list[Joined] = field(default_factory=list)


class _Decoder:
    def __init__(self, tree: Tree) -> None:
        self._tree = tree
        self.repairs = 0
        self._labels = [self._label(name) for name in tree.deprels]
        self._order, self._below, self._tops = self._walk()

    def decode(self) -> tuple[Expression | None, int]:
        made: dict[int, tuple[FormalLabel, Expression]] = {}
        for word in reversed(self._order):
            label = self._labels[word - 1]
            below = [made[child] for child in self._below[word]]
            made[word] = label, self._expression(word, label, below)
        tops = [made[word][1] for word in self._tops]
        for word in self._tops:
            # A root is joined to nothing.
            self.repairs += bool(made[word][0].joint or made[word][0].up)
        if not tops:
            return None, self.repairs
        if len(tops) > 1:
            self.repairs += len(tops) - 1
            return Expression(bracket=SEQUENCE, items=tuple(tops)), self.repairs
        return tops[0], self.repairs

    def _walk(self) -> tuple[list[int], dict[int, list[int]], list[int]]:
        """The words that say something, each after its head; what hangs on each; and the roots.

        What hangs on a silent word hangs on the next one above it that says something, and what
        is deeper than expressions can be hangs on the last one that is not.
        """
        order: list[int] = []
        below: dict[int, list[int]] = {}
        tops: list[int] = []
        todo = [(word, 0, 0) for word in reversed(self._tree.children(0))]
        while todo:
            word, above, depth = todo.pop()
            silent = self._tree.deprels[word - 1] == SILENT
            if not silent:
                (below[above] if above else tops).append(word)
                below[word] = []
                order.append(word)
            deeper = depth + 1 + len(self._labels[word - 1].opened)
            passed = silent or (above and deeper > DEEPEST_HEAD)
            children = self._tree.children(word)
            if passed:
                self.repairs += sum(self._tree.deprels[each - 1] != SILENT for each in children)
            below_it = (above, depth) if passed else (word, deeper)
            todo += [(child, *below_it) for child in reversed(children)]
        return order, below, tops

    def _label(self, name: str) -> FormalLabel:
        found = instruction(name)
        self.repairs += found is _UNCOVERED_WORD and name != SILENT
        return found

    def _expression(
        self, word: int, label: FormalLabel, below: list[tuple[FormalLabel, Expression]]
    ) -> Expression:
        if not below and not label.opened:
            return symbol(word)
        # From the word outwards, as labels count.
        parts = [_Part(None), *(_Part(each, dict(each.blanks)) for each in label.opened[::-1])]
        late = []
        for how, what in below:
            part = self._part(parts, how)
            if not how.place:
                part.joined.append(Joined(self._connective(how), what))
            elif part.opened is None:
                self.repairs += 1
                part.joined.append(Joined(UNCOVERED, what))
            elif how.place in part.taken:
                late.append((part, how.place, what))
            else:
                part.taken[how.place] = what
        for part, place, what in late:
            self.repairs += 1
            free = next((x for x in range(place, LAST_PLACE + 1) if x not in part.taken), 0)
            if free:
                part.taken[free] = what
            else:
                part.joined.append(Joined(UNCOVERED, what))
        made = Expression(word, joined=tuple(parts[0].joined))
        for part in parts[1:]:
            made = self._bracket(part, made)
        return made

    def _part(self, parts: list[_Part], how: FormalLabel) -> _Part:
        if how.up < len(parts):
            return parts[how.up]
        if not how.place:
            self.repairs += 1
        return parts[-1]

    def _connective(self, how: FormalLabel) -> str:
        if how.joint:
            return how.joint
        self.repairs += 1  # a root below another word
        return UNCOVERED

    def _bracket(self, part: _Part, first: Expression) -> Expression:
        assert part.opened is not None
        items: list[Expression | str] = [first]
        for place in range(1, max(part.taken, default=0) + 1):
            if place not in part.taken:
                self.repairs += 1
            items.append(part.taken.get(place, UNSPECIFIED))
        return Expression(0, part.opened.bracket, tuple(items), tuple(part.joined))
