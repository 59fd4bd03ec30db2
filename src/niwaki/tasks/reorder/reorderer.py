"""Puts the words of parsed sentences into the order that rules ask for, and says why."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from niwaki.data.sentence import Sentence
from niwaki.data.tree import Tree
from niwaki.errors import CorpusError
from niwaki.kernel.batch import Batch
from niwaki.kernel.bilingual.reorder import lift, reorder
from niwaki.tasks.reorder.rules import Placement, Rule, RuleSet, Turn
from niwaki.tasks.reorder.tables import CompiledRules

# Sentences that are handed to the kernel together: enough that Python does not count.
BATCH = 256
_NO_TUPLE, _BARRIER = -1, -2


@dataclass(frozen=True)
class Place:
    """A head or one of its children in a move: which word, and what put it there."""

    word: int
    label: str
    weight: float
    turn: Turn
    why: str  # "tuple", "default", "barrier" or "self"


@dataclass(frozen=True)
class Move:
    """What one rule did to one head and its children, each named by its word number."""

    head: int
    rule: Rule
    before: tuple[int, ...]
    after: tuple[Place, ...]

    @property
    def moved(self) -> bool:
        return self.before != tuple(place.word for place in self.after)

    @property
    def record(self) -> dict[str, object]:
        """All of it as it is written to JSON."""
        after = [
            {
                "word": place.word,
                "label": place.label,
                "weight": place.weight,
                "order": place.turn.value,
                "why": place.why,
            }
            for place in self.after
        ]
        return {
            "rule": self.rule.name,
            "head": self.head,
            "moved": self.moved,
            "before": self.before,
            "after": after,
        }


@dataclass(frozen=True)
class Reordering:
    """A sentence in its new order: `order[p]` is the source position (from 0) of place p."""

    sentence: Sentence
    order: tuple[int, ...]
    _rules: tuple[int, ...]
    _tuples: tuple[int, ...]
    _compiled: CompiledRules

    @property
    def tokens(self) -> tuple[str, ...]:
        forms = self.sentence.forms
        return tuple([forms[position] for position in self.order])

    @property
    def applied(self) -> frozenset[str]:
        """The names of the rules that were applied."""
        rules = self._compiled.rules.rules
        return frozenset(rules[number].name for number in self._rules if number >= 0)

    def moves(self) -> Iterator[Move]:
        """What each rule did, from the first word to the last; heads that stayed included."""
        tree = lifted(self.sentence.tree)
        place = {word: at for at, word in enumerate(self.order)}
        for head, number in enumerate(self._rules, start=1):
            if number < 0:
                continue
            rule = self._compiled.rules.rules[number]
            family = sorted([head, *tree.children(head)])
            # A subtree stands together after reordering as well, so any word of it will do.
            after = sorted(family, key=lambda word: place[word - 1])
            yield Move(
                head, rule, tuple(family), tuple(self._place(rule, head, word) for word in after)
            )

    def _place(self, rule: Rule, head: int, word: int) -> Place:
        label = self.sentence.deprels[word - 1]
        if word == head:
            return Place(word, "self", rule.self_weight, rule.turns[rule.self_weight], "self")
        number = self._tuples[word - 1]
        placement: Placement | None = None
        if number >= 0:
            placement = self._compiled.placement(number)
        if placement is None:
            why = "barrier" if number == _BARRIER else "default"
            return Place(word, label, 0.0, Turn.NORMAL, why)
        return Place(word, label, placement.weight, placement.turn, "tuple")


class Reorderer:
    """Applies a rule set. Safe to use from many threads at once.

    Crossing trees are lifted first (see `lifted`), so that without a matching rule a
    sentence keeps its order whatever its tree is; the result is always a permutation.
    """

    def __init__(self, rules: RuleSet) -> None:
        self.rules = rules
        self._compiled = CompiledRules(rules)

    def reorder(self, sentences: Iterable[Sentence]) -> Iterator[Reordering]:
        """Yield the sentences in their new order, as they come."""
        stream = iter(sentences)
        while batch := list(itertools.islice(stream, BATCH)):
            yield from self.reorder_batch(batch)

    def reorder_batch(self, sentences: Sequence[Sentence]) -> list[Reordering]:
        """The sentences in their new order, all in one call of the kernel."""
        batch = Batch([sentence.source for sentence in sentences])
        order, rules, tuples = self._apply(batch, sentences)
        result = []
        start = 0
        for sentence, length in zip(sentences, batch.lengths, strict=True):
            stop = start + length
            result.append(
                Reordering(
                    sentence,
                    tuple(order[start:stop]),
                    tuple(rules[start:stop]),
                    tuple(tuples[start:stop]),
                    self._compiled,
                )
            )
            start = stop
        return result

    def _apply(
        self, batch: Batch, sentences: Sequence[Sentence]
    ) -> tuple[list[int], list[int], list[int]]:
        starts = np.zeros(batch.sentences + 1, dtype=np.int32)
        np.cumsum(batch.lengths, out=starts[1:])
        texts = [batch.texts_of(column) for column in self._compiled.columns]
        rows, fitting, marks = self._compiled.rows(texts)
        order, rules, tuples = (np.empty(batch.words, dtype=np.int32) for _ in range(3))
        cycle = reorder(
            self._compiled.tables,
            starts,
            batch.given_heads(),
            rows,
            fitting,
            marks,
            order,
            rules,
            tuples,
        )
        if cycle >= 0:
            raise cycle_error(sentences[cycle])
        return order.tolist(), rules.tolist(), tuples.tolist()


def cycle_error(sentence: Sentence) -> CorpusError:
    return CorpusError(
        sentence.file, sentence.line, "HEAD", "heads that form a cycle", "give a tree"
    )


def lifted(tree: Tree) -> Tree:
    """The tree without crossing arcs that is reordered; a projective tree is itself.

    The block of a word is the longest run of neighbours around it that all hang below
    it; each word is attached to the lowest word above it whose block it stands in.
    Unknown heads become roots.
    """
    heads = lift(np.array(tree.heads, dtype=np.int32))
    if heads is None:
        raise ValueError("heads that form a cycle")
    return Tree(tuple(heads.tolist()), tree.deprels)
