"""What may become of a word: kept, dropped with all below it, or its place is taken from below.

`said` gives way to its clause, a first conjunct to the second: such a word promotes. Every choice
of words is made by these rules in one way, so that a compression is its own derivation. A rule is
known by what becomes of a word and of its head.
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence

import numpy as np

from niwaki.data.compressions import Kept
from niwaki.data.sentence import Sentence
from niwaki.errors import CorpusError
from niwaki.kernel.compress.chart import (
    KEPT,
    KEPT_BELOW,
    PROMOTING,
    PROMOTING_BELOW,
    Chart,
)
from niwaki.tasks.trees import TreeView
from niwaki.typing import FloatArray, IntArray

DROPPED = -1
RULES = 4
# Tables of a chart may grow with the square of a sentence's length.
MOST_WORDS = 2000


def rules_of(tree: TreeView, kept: Sequence[bool]) -> IntArray:
    """The rule of each word that makes this choice; DROPPED if nothing of it is left."""
    n = len(tree.heads)
    stands = [False] * (n + 1)
    for word in range(1, n + 1):
        if kept[word - 1]:
            for above in tree.chains[word - 1]:
                stands[above] = True
    rules = np.full(n, DROPPED, dtype=np.int32)
    for word, head in enumerate(tree.heads, start=1):
        if stands[word]:
            below = head > 0 and not kept[head - 1]
            own = (KEPT_BELOW if below else KEPT) if kept[word - 1] else None
            rules[word - 1] = own if own is not None else PROMOTING_BELOW if below else PROMOTING
    return rules


def chart_of(tree: TreeView, scores: FloatArray, kinds: Sequence[bool] | None = None) -> Chart:
    """The best choices by the number of words of two kinds; without kinds, of one."""
    which = np.zeros(len(tree.heads)) if kinds is None else ~np.asarray(kinds, dtype=np.bool_)
    return Chart(np.array(tree.heads, dtype=np.int32), scores, which.astype(np.int32))


def check_length(sentence: Sentence) -> None:
    if len(sentence) > MOST_WORDS:
        raise CorpusError(
            sentence.file,
            sentence.line,
            "SENTENCE",
            f"{len(sentence):,} words",
            f"give sentences of at most {MOST_WORDS:,} words",
        )


def k_best(tree: TreeView, scores: FloatArray, k: int) -> list[tuple[float, Kept]]:
    """The k best choices and their scores, best first."""
    n = len(tree.heads)
    # Choices below a word, itself kept or promoting; words are bits.
    kept: list[list[tuple[float, int]]] = [[(0.0, 0)]]
    kept += [[(0.0, 1 << word)] for word in range(n)]
    promoting: list[list[tuple[float, int]]] = [[] for _ in range(n + 1)]
    depths = [len(chain) for chain in tree.chains]
    for word in sorted(range(1, n + 1), key=lambda word: -depths[word - 1]):
        head, row = tree.heads[word - 1], scores[word - 1].tolist()
        above, below = (
            heapq.nlargest(
                k,
                [(row[rule] + score, chosen) for score, chosen in kept[word]]
                + [(row[rule + 1] + score, chosen) for score, chosen in promoting[word]],
            )
            for rule in (KEPT, KEPT_BELOW)
        )
        kept[head] = _best_sums(kept[head], [(0.0, 0), *above], k)
        promoting[head] = heapq.nlargest(
            k, [*_best_sums(promoting[head], [(0.0, 0), *below], k), *below]
        )
    found = sorted((each for each in kept[0] if each[1]), reverse=True)
    # The empty choice was one of the k: one more is asked for.
    if len(found) < min(k, 2**n - 1) and len(kept[0]) > len(found):
        return k_best(tree, scores, k + 1)[:k]
    return [(score, tuple(bool(chosen >> w & 1) for w in range(n))) for score, chosen in found]


def _best_sums(
    one: Sequence[tuple[float, int]], other: Sequence[tuple[float, int]], k: int
) -> list[tuple[float, int]]:
    sums = ((a + b, x | y) for a, x in one for b, y in other)
    return heapq.nlargest(k, sums)
