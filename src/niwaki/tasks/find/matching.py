"""Matches patterns against forests: a table with a row for each match so far, joined by words.

A query begins at the word that the fewest words of the forest can be. From there each arrow to a
word that is not yet known gives new rows, and each arrow between known words takes rows away.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from niwaki.tasks.find.forest import NO_HEAD, Fitting, Forest, Numbers
from niwaki.tasks.find.pattern import (
    COLUMNS,
    Arrow,
    Comparison,
    Condition,
    Pattern,
    Relation,
    value_of,
)
from niwaki.tasks.find.relations import related, sentences_of, stand_so
from niwaki.tasks.reorder.rules import child_limits
from niwaki.typing import IntArray

# First words that are joined at once: they bound the memory that a query takes.
_AT_ONCE = 1 << 14
# Relations that give few words before those that give many.
_FEW_FIRST = ("<", ">", "$", "<<", ">>", "")
# The column of a table that says from which row of another one each row came.
_ORIGIN = -1
# In the place of an optional word that is not there.
NO_WORD = -1

# Words of the forest by the numbers of the query's words, a row for each match.
_Table = dict[int, Numbers]


def find_rows(forest: Forest, pattern: Pattern, told: Sequence[int]) -> Iterator[IntArray]:
    """Arrays with a row for each match, of the words that are told, some sentences at a time.

    Rows are distinct, and in the order of sentences and words; an optional word that is not there
    is NO_WORD.
    """
    matcher = _Matcher(forest)
    start = min(pattern.words, key=lambda word: matcher.at_most(pattern.of_word(word)))
    words = matcher.words(pattern.of_word(start))
    for part in _by_sentences(forest, words):
        table = matcher.solved(pattern, {start: part})
        yield _distinct(forest, [table[number] for number in told])


def _by_sentences(forest: Forest, words: IntArray) -> Iterator[IntArray]:
    """Words in parts, each with all that are of its sentences."""
    begin = 0
    while begin < len(words):
        end = begin + _AT_ONCE
        if end < len(words):
            sentence = sentences_of(forest, words[end - 1 : end])
            end = int(np.searchsorted(words, forest.starts[sentence + 1])[0])
        yield words[begin:end]
        begin = end


def _distinct(forest: Forest, columns: Sequence[Numbers]) -> IntArray:
    rows = np.stack(columns, axis=1).astype(np.int32)
    # By sentences first, because words that are not there have no place.
    sentences = sentences_of(forest, rows.max(axis=1))
    rows = rows[np.lexsort([*rows.T[::-1], sentences])]
    is_new = np.ones(len(rows), dtype=bool)
    is_new[1:] = (rows[1:] != rows[:-1]).any(axis=1)
    return rows[is_new]


class _Matcher:
    """Patterns in one forest; what values fit conditions is found out once."""

    def __init__(self, forest: Forest) -> None:
        self._forest = forest
        self._fitting: dict[Condition, Fitting] = {}
        # Texts that were compared, as numbers.
        self._texts: dict[str, int] = {}

    # -- words by themselves --------------------------------------------------------

    def at_most(self, conditions: Sequence[Condition]) -> int:
        return self._forest.at_most(self._by_column(conditions))

    def words(self, conditions: Sequence[Condition]) -> IntArray:
        """All words that fit."""
        words = self._forest.words(self._by_column(conditions))
        return words[self._placed(conditions, words)]

    def _fit(self, conditions: Sequence[Condition], words: Numbers) -> Fitting:
        """Whether each of some words fits."""
        fit = self._placed(conditions, words)
        for column, fits in self._by_column(conditions).items():
            fit &= fits[self._forest.codes(column)[words]]
        return fit

    def _by_column(self, conditions: Sequence[Condition]) -> Mapping[str, Fitting]:
        """For each column that conditions look at, the values that fit all of them."""
        found: dict[str, Fitting] = {}
        for condition in conditions:
            if condition.column:
                fits = self._values(condition)
                found[condition.column] = found.get(condition.column, True) & fits
        return found

    def _values(self, condition: Condition) -> Fitting:
        if condition not in self._fitting:
            values = self._forest.values(condition.column)
            self._fitting[condition] = np.array(condition.fitting(values), dtype=bool)
        return self._fitting[condition]

    def _placed(self, conditions: Sequence[Condition], words: Numbers) -> Fitting:
        """Whether words fit what conditions say about their places in trees."""
        fit = np.ones(len(words), dtype=bool)
        for condition in conditions:
            if not condition.column:
                fit &= self._in_place(condition, words) != condition.negated
        return fit

    def _in_place(self, condition: Condition, words: Numbers) -> Fitting:
        forest, values = self._forest, condition.values
        if condition.key == "side":
            heads = forest.heads[words]
            stands = {"after": words > heads, "before": words < heads}
            fit = [stands[value.text] & (heads != NO_HEAD) for value in values]
            return np.asarray(np.logical_or.reduce(fit))
        if condition.key == "children":
            starts = forest.children[0]
            counts = starts[words + 1] - starts[words]
            limits = [child_limits(value.text) or (0, None) for value in values]
            fit = [
                (counts >= low) & (counts <= (counts if high is None else high))
                for low, high in limits
            ]
            return np.asarray(np.logical_or.reduce(fit))
        rows, children = related(forest, Relation(">"), words)
        fitting = self._values(Condition("label", values))
        has = np.zeros(len(words), dtype=bool)
        has[rows[fitting[forest.codes("DEPREL")[children]]]] = True
        return has if condition.key == "has" else ~has

    # -- joins ----------------------------------------------------------------------

    def solved(self, pattern: Pattern, table: _Table) -> _Table:
        """The table with all words of a pattern, a row for each way in which it comes true."""
        table = self._asked(pattern, table)
        waiting = list(pattern.arrows)
        missing = [word for word in pattern.words if word not in table]
        while True:
            for arrow in [each for each in waiting if {each.start, each.end} <= table.keys()]:
                waiting.remove(arrow)
                table = _chosen(table, self._holds(arrow, table))
            if not missing:
                break
            arrow = self._next(waiting, missing, table)
            if arrow in waiting:
                waiting.remove(arrow)
            elif arrow.reversed in waiting:
                waiting.remove(arrow.reversed)
            missing.remove(arrow.end)
            table = self._joined(pattern, arrow, table)
        for comparison in pattern.comparisons:
            table = _chosen(table, self._compared(comparison, table))
        for refused in pattern.without:
            table = self._without(refused, table)
        known = pattern.words
        for optional in pattern.maybe:
            before = set(table)
            table = self._with_optional(replace(optional, words=known + optional.words), table)
            known += tuple(set(table) - before)
        return table

    def _asked(self, pattern: Pattern, table: _Table) -> _Table:
        """The rows whose known words fit what a negation asks of them besides."""
        for word, condition in pattern.conditions:
            if word in table and word not in pattern.words:
                table = _chosen(table, self._fit([condition], table[word]))
        return table

    def _next(self, waiting: Sequence[Arrow], missing: Sequence[int], table: _Table) -> Arrow:
        """The arrow to take from a known word; to any word of the sentence if there is none."""
        both = [way for arrow in waiting for way in (arrow, arrow.reversed)]
        known = [arrow for arrow in both if arrow.start in table and arrow.end in missing]
        if not known:
            return Arrow(next(word for word in table if word >= 0), Relation(), missing[0])
        return min(known, key=lambda arrow: _FEW_FIRST.index(arrow.relation.tree))

    def _joined(self, pattern: Pattern, arrow: Arrow, table: _Table) -> _Table:
        """The table with the word at the end of an arrow."""
        rows, found = related(self._forest, arrow.relation, table[arrow.start])
        fit = self._fit(pattern.of_word(arrow.end), found)
        rows, found = rows[fit], found[fit]
        # Two words of a pattern are two words.
        others = [word for word in pattern.words if word in table]
        apart = np.ones(len(rows), dtype=bool)
        for word in others:
            apart &= table[word][rows] != found
        table = _chosen(table, rows[apart])
        table[arrow.end] = found[apart]
        # A label that is asked of the known word: the end's own were asked above.
        if arrow.relation.label is not None and arrow.lower == arrow.start:
            table = _chosen(table, self._fit([arrow.relation.label], table[arrow.start]))
        return table

    def _holds(self, arrow: Arrow, table: _Table) -> Fitting:
        words, others = table[arrow.start], table[arrow.end]
        held = stand_so(self._forest, arrow.relation, words, others)
        if arrow.relation.label is not None:
            held &= self._fit([arrow.relation.label], table[arrow.lower])
        return held

    def _without(self, refused: Pattern, table: _Table) -> _Table:
        """The rows for which a pattern does not come true."""
        size = len(next(iter(table.values())))
        tried = self.solved(refused, {**table, _ORIGIN: np.arange(size)})
        kept = np.ones(size, dtype=bool)
        kept[tried[_ORIGIN]] = False
        return _chosen(table, kept)

    def _with_optional(self, optional: Pattern, table: _Table) -> _Table:
        """Rows for each way in which a pattern comes true, or one in which its words are not."""
        size = len(next(iter(table.values())))
        tried = self.solved(optional, {**table, _ORIGIN: np.arange(size)})
        is_alone = np.ones(size, dtype=bool)
        is_alone[tried[_ORIGIN]] = False
        alone = np.flatnonzero(is_alone)
        found = _chosen(table, np.concatenate([tried[_ORIGIN], alone]))
        for word in tried.keys() - table.keys() - {_ORIGIN}:
            found[word] = np.concatenate([tried[word], np.full(len(alone), NO_WORD)])
        return found

    def _compared(self, comparison: Comparison, table: _Table) -> Fitting:
        one = self._told(comparison.key, table[comparison.word])
        other = self._told(comparison.other_key, table[comparison.other])
        same = (one == other) & (one >= 0)
        return np.asarray(same != comparison.negated)

    def _told(self, key: str, words: Numbers) -> Numbers:
        """The number of what each word has under a key; negative if that is not known."""
        column = COLUMNS.get(key, "FEATS")
        codes, places = np.unique(self._forest.codes(column)[words], return_inverse=True)
        values = self._forest.values(column)
        texts = [value_of(key, values[code]) for code in codes.tolist()]
        unknown = (None,) if column == "FORM" else (None, "_")
        numbers = [
            -1 if text in unknown else self._texts.setdefault(str(text), len(self._texts))
            for text in texts
        ]
        return np.array(numbers, dtype=np.int64)[places]


def _chosen(table: _Table, rows: Numbers) -> _Table:
    return {word: numbers[rows] for word, numbers in table.items()}
