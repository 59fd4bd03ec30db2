"""The kernel of translation with odd arguments: extraction, the search and its paths."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from niwaki.kernel.translation.extraction import extract
from niwaki.kernel.translation.paths import Paths
from niwaki.kernel.translation.search import Search
from niwaki.tasks.translate.language_model import train
from tests.fuzz.choices import Choices
from tests.fuzz.kernel import numbers, odd, try_one

_MODEL = train([["a", "b"], ["b", "c", "a"]], 3).kernel


def check(data: bytes) -> None:
    try_one(data, TARGETS, ())


def _starts(choices: Choices, sentences: int, most: int) -> Any:
    lengths = [choices.below(most) for _ in range(sentences)]
    return odd(choices, np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)]).astype(np.int64))


def _extract(choices: Choices) -> None:
    sentences = choices.below(4)
    count = choices.below(12)
    links = np.resize(np.frombuffer(choices.take(24).ljust(1, b"\0"), np.uint8) % 6, (count, 2))
    found = extract(
        _starts(choices, sentences, 6),
        _starts(choices, sentences, 6),
        odd(choices, links.astype(np.int32)),
        _starts(choices, sentences, 5),
        odd(choices, 5),
        odd(choices, 7),
    )
    if found is not None:
        begins, shapes = found
        assert len(begins) == len(shapes)
        assert (shapes[:, :2] > 0).all()


def _search(choices: Choices) -> None:
    n, count = 1 + choices.below(5), choices.below(12)
    begins = np.array([choices.below(n) for _ in range(count)], np.int32)
    spans = np.stack([begins, begins + 1 + choices.below(2)], axis=1).reshape(-1, 2)
    starts = np.arange(count + 1, dtype=np.int32)
    scores = np.array([-choices.below(9) / 2 for _ in range(count)], np.float64)
    words = np.array([choices.below(5) for _ in range(count)], np.int32)
    msd = np.zeros((count, 6), np.float32), np.ones(6)
    jumps = np.zeros((n, 4), np.float32), np.zeros((4, 2, 4), np.float32), 1.0
    search = Search(
        odd(choices, _MODEL),
        n,
        odd(choices, spans.astype(np.int32)),
        odd(choices, scores),
        odd(choices, starts),
        odd(choices, words),
        odd(choices, words),
        odd(choices, 0.5),
        odd(choices, 0.5),
        odd(choices, choices.below(7)),
        odd(choices, 1 + choices.below(9)),
        odd(choices, msd) if choices.below(2) else None,
        odd(choices, jumps) if choices.below(2) else None,
    )
    paths, last = Paths(search), search.score
    for _ in range(20):
        path = paths.next()
        if path is None:
            break
        # Weights may be beyond all measure.
        assert path[2] <= last + 1e-6 * (1 + abs(last)) or not math.isfinite(last)
        last = path[2]
        assert sum(int(spans[o, 1] - spans[o, 0]) for o in path[0]) == n


def _paths(choices: Choices) -> None:
    Paths(odd(choices, Search.__new__(Search)))


def _table(choices: Choices) -> None:
    extract(*(numbers(choices, kind) for kind in ("i8", "i8", "i4", "i8")), 5, 7)


TARGETS = (_extract, _search, _paths, _table)
