"""LEAF's tables: logarithms of smoothed probabilities from the counts of one direction.

The paper estimates by relative frequency and leaves what was never seen to the backed-off
features. Here each table leans on a coarser one as if that had been seen SUPPORT times, so
that no alignment of words that occur together is impossible: words on the HMM, classes on
all words, displacements on all classes.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from niwaki.kernel.bilingual.alignment import LEAST_PROBABILITY, Table
from niwaki.tasks.align.leaf.counts import Amounts, Counts

# Chosen on the first 1,000 pairs of CzEnAli; from 10 to 100 it hardly matters.
SUPPORT = 30.0

Tables = dict[str, NDArray[Any]]


def tables(counts: Counts, table: Table, turned: bool) -> Tables:
    """All tables of a direction; `turned` says that it goes from target to source words."""
    chain = table.backward if turned else table.forward
    chain_null = table.null_backward if turned else table.null_forward
    rows = np.repeat(np.arange(len(table.rows) - 1), np.diff(table.rows))
    givers = table.columns if turned else rows
    types = len(counts.kind)

    def of_words(amounts: Amounts) -> Amounts:
        totals = np.bincount(givers, amounts, minlength=types)
        return np.asarray((amounts + SUPPORT * chain) / (totals + SUPPORT)[givers])

    word = of_words(counts.word)
    sizes = counts.size.sum(axis=0)
    alone = _leaning(sizes, _shares(sizes.sum(axis=0) + 1))
    null = counts.spurious.sum()
    spurious = (counts.spurious + SUPPORT * chain_null) / (null + SUPPORT)
    # Each of the other words brings forth a spurious one or not.
    rate = min((null + 1) / (counts.linked + 2), 0.5)
    first = counts.first.sum(axis=(0, 1))
    made = {
        "kind": _leaning(counts.kind, _shares(counts.kind.sum(axis=0) + 1)),
        "choice": _leaning(counts.choice, _shares(counts.choice.sum(axis=0) + 1)),
        "head": of_words(counts.head),
        "size": _leaning(counts.size, alone),
        "size_alone": alone,
        "size_word": _leaning(counts.size.sum(axis=1), _shares(sizes.sum(axis=0) + 1)),
        "spurious": spurious,
        "first": _leaning(counts.first, _shares(first + 1)),
        "second": _leaning(counts.second, _shares(counts.second.sum(axis=0) + 1)),
        "later": _leaning(counts.later, _shares(counts.later.sum(axis=0) + 1)),
        "word": word,
        "word_null": spurious,
        "chain": chain,
        "chain_null": chain_null,
    }
    return {
        **{name: _logs(values) for name, values in made.items()},
        **_non_heads(counts, word, givers, types),
        "spurious_rate": np.log([1 - rate, rate]),
    }


def _non_heads(counts: Counts, word: Amounts, givers: NDArray[Any], types: int) -> Tables:
    """Non-heads given the source head and the class of the target head.

    What was seen stands in lists, an entry's classes together; the rest is the share that is
    left to translation whatever the type.
    """
    classes = counts.second.shape[0]
    keys, where = np.unique(
        counts.non_head_entries * classes + counts.non_head_classes, return_inverse=True
    )
    amounts = np.bincount(where.ravel(), counts.non_head_amounts, minlength=len(keys))
    entries, kinds = keys // classes, keys % classes
    cells = givers[entries] * classes + kinds
    totals = np.bincount(cells, amounts, minlength=types * classes)
    values = (amounts + SUPPORT * word[entries]) / (totals[cells] + SUPPORT)
    return {
        "seen": np.searchsorted(entries, np.arange(len(word) + 1)).astype(np.int64),
        "seen_class": kinds.astype(np.int32),
        "seen_value": _logs(values),
        "unseen": _logs(SUPPORT / (totals + SUPPORT)).reshape(types, classes),
    }


def _shares(amounts: Amounts) -> Amounts:
    return np.asarray(amounts / amounts.sum())


def _leaning(amounts: Amounts, common: Amounts) -> Amounts:
    """Rows of probabilities that lean on a common one."""
    totals = amounts.sum(axis=-1, keepdims=True)
    return np.asarray((amounts + SUPPORT * common) / (totals + SUPPORT))


def _logs(values: NDArray[Any]) -> NDArray[np.float32]:
    logs = np.log(np.maximum(values, LEAST_PROBABILITY))
    return np.ascontiguousarray(logs, dtype=np.float32)
