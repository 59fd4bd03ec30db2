"""Small phrase tables for tests, written as what they mean."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence

import numpy as np

from niwaki.tasks.translate.table import PhraseTable

Words = tuple[str, ...]
# Of each source phrase: targets with four scores and six logarithms of orientations.
Entries = Mapping[Words, Sequence[tuple[Words, tuple[float, ...], tuple[float, ...]]]]


def table_of(entries: Entries, *, msd: bool = False) -> PhraseTable:
    """The phrase table of these entries."""
    source = sorted({word for phrase in entries for word in phrase})
    target = sorted({word for options in entries.values() for each in options for word in each[0]})
    known: set[Words] = {phrase[:k] for phrase in entries for k in range(1, len(phrase) + 1)}
    keys, levels, places = [], [0], [0]
    rows: list[tuple[Words, tuple[float, ...], tuple[float, ...]]] = []
    parents: dict[Words, int] = {(): 0}
    for k in range(1, max(map(len, known)) + 1):
        phrases = sorted(each for each in known if len(each) == k)
        for number, phrase in enumerate(phrases):
            parents[phrase] = number
            keys.append(parents[phrase[:-1]] << 32 | source.index(phrase[-1]))
            rows += entries.get(phrase, ())
            places.append(len(rows))
        levels.append(len(keys))
    starts = np.concatenate([[0], np.cumsum([len(row[0]) for row in rows])])
    return PhraseTable(
        tuple(source),
        tuple(target),
        np.array(keys, np.int64),
        np.array(levels, np.int64),
        np.array(places, np.int64),
        np.arange(len(rows), dtype=np.int32),
        np.array([target.index(word) for row in rows for word in row[0]], np.int32),
        starts.astype(np.int64),
        np.array([row[1] for row in rows], np.float32).reshape(-1, 4),
        np.array([row[2] for row in rows], np.float32).reshape(-1, 6) if msd else None,
    )


def random_entries(chance: random.Random, source: Sequence[str], target: Sequence[str]) -> Entries:
    """Translations of some of the phrases of a sentence."""
    entries: dict[Words, list[tuple[Words, tuple[float, ...], tuple[float, ...]]]] = {}
    for begin in range(len(source)):
        for end in range(begin + 1, min(len(source), begin + 3) + 1):
            count = chance.choice((0, 1, 2) if end > begin + 1 else (0, 1, 1, 2))
            made = {tuple(chance.choices(target, k=chance.randint(1, 3))) for _ in range(count)}
            if made:
                entries[tuple(source[begin:end])] = [
                    (words, _logs(chance, 4), _logs(chance, 6)) for words in sorted(made)
                ]
    return entries


def _logs(chance: random.Random, count: int) -> tuple[float, ...]:
    return tuple(-chance.randint(0, 24) / 8 for _ in range(count))
