"""LEAF (Fraser and Marcu 2007): links of many words with many, learned by Viterbi EM.

It starts from the HMM's likeliest links in both directions; both directions' models score
one alignment, which hill climbing improves. With hand-aligned pairs the factors are features
with weights (EMD): tables, weights and alignments are found in turn. The links of these pairs are
counted themselves, which the paper does not do: of its millions of pairs they were too few.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from niwaki.data.bilingual.bitext import Links
from niwaki.data.bilingual.posteriors import Posteriors
from niwaki.errors import ConfigError
from niwaki.kernel.bilingual.leaf import Climber
from niwaki.tasks.align.aligner import Aligner
from niwaki.tasks.align.leaf.alignments import Alignments, joined
from niwaki.tasks.align.leaf.counts import Words, count
from niwaki.tasks.align.leaf.gold import GoldPairs
from niwaki.tasks.align.leaf.start import common, of_links, variants
from niwaki.tasks.align.leaf.tables import tables
from niwaki.tasks.align.symmetrize import best_links

# So often a hand-aligned pair is counted: chosen on the first 1,000 pairs of CzEnAli, where 10 and
# 30 gave the same and 1 less.
_GOLD_AMOUNT = 10.0
# Pairs that a thread climbs at a time.
_PAIRS = 64

Classes = NDArray[np.int32]
Cells = np.ndarray[tuple[int, int], np.dtype[np.bool_]]
# Alignments of hand-aligned pairs, by the number of the pair.
Variants = dict[int, list[Alignments]]
# Told a stage, what was done since, and what there is to do.
Report = Callable[[str, int, int], None]


@dataclass(frozen=True)
class LeafSettings:
    """Iterations of EM (default: one, or two with hand-aligned pairs) and alpha of their F."""

    iterations: int | None = None
    alpha: float = 0.4

    def __post_init__(self) -> None:
        if self.iterations is not None and self.iterations < 1:
            raise ConfigError(f"iterations is {self.iterations}; it must be at least 1")
        if not 0 <= self.alpha <= 1:
            raise ConfigError(f"alpha is {self.alpha}; it must be from 0 to 1")


def generative_weights() -> NDArray[np.float64]:
    """Those of the unsupervised model: the ten factors of both directions, multiplied."""
    return np.tile(np.repeat([1.0, 0.0], [10, 5]), 2)


class Leaf:
    """Learns from the pairs of an aligner, and gives their links.

    `classes` are those of source and target words, by number; `gold` has links made by people,
    by the number of the pair. The result does not depend on the number of threads.
    """

    def __init__(
        self,
        aligner: Aligner,
        classes: tuple[Classes, Classes],
        settings: LeafSettings | None = None,
        gold: Mapping[int, Links] | None = None,
        threads: int = 1,
        report: Report | None = None,
    ) -> None:
        self._table, self._corpus, self._classes = aligner.table, aligner.corpus, classes
        self._threads = threads
        self._report = report or (lambda stage, done, total: None)
        self._starts = self._table.source_starts, self._table.target_starts
        self.weights = generative_weights()
        settings = settings or LeafSettings()
        number = self._corpus.used_number
        self._links = {number(pair): links for pair, links in (gold or {}).items()}
        self._gold = None
        if gold:
            self._gold = GoldPairs(self._links, self._starts, settings.alpha, threads)
        iterations = settings.iterations or (2 if gold else 1)
        self._alignments = self._train(aligner.used(), iterations)

    def links(self, count: int | None = None) -> Iterator[Links]:
        """Those of the first `count` pairs (default: all): cepts that are linked, word by word."""
        return (Links(_linked(cells)) for cells in self._cells(count))

    def posteriors(self, count: int | None = None) -> Iterator[Posteriors]:
        """The same as probabilities: a word that has several links shares itself out evenly."""
        for cells in self._cells(count):
            yield Posteriors.from_links(Links(_linked(cells)), cells.shape)

    def _cells(self, count: int | None) -> Iterator[Cells]:
        corpus, made = self._corpus, self._alignments.pairs(*self._starts)
        for pair in range(corpus.size if count is None else min(count, corpus.size)):
            yield np.zeros(corpus.empty[pair], bool) if pair in corpus.empty else next(made).cells

    # ---- EMD ----

    def _train(self, posteriors: Iterator[Posteriors], iterations: int) -> Alignments:
        groups, bare = [], []
        known: Variants = {}
        for number, each in enumerate(posteriors):
            forward = {j: i for i, j in best_links(each.forward)}
            turned = best_links(np.ascontiguousarray(each.backward.T))
            directions = forward, {i: j for j, i in turned}, *each.shape
            groups.append(variants(*directions))
            bare.append(common(*directions))
            if number in self._links:
                known[number] = of_links(each, self._links[number])
        starts = [joined([group[0] for group in groups]), joined(bare)]
        for _ in range(iterations):
            climber = self._estimate(groups, known)
            if self._gold is not None:
                self.weights = self._gold.fit(
                    self._halves(self._gold, groups, known),
                    self.weights,
                    starts,
                    lambda n, of: self._report("weighting", 1, 0),
                )
            found = self._climb(climber, starts, iterations)
            groups = [[each] for each in found.pairs(*self._starts)]
            starts = [*starts[:2], found]
        return found

    def _halves(
        self, gold: GoldPairs, groups: Sequence[Sequence[Alignments]], known: Variants
    ) -> tuple[Climber, Climber]:
        """For each half of the hand-aligned pairs, tables that know the links of the other half."""
        halves = ({n: known[n] for n in gold.half(1 - half)} for half in range(2))
        one, other = (self._estimate(groups, each) for each in halves)
        return one, other

    def _estimate(self, groups: Sequence[Sequence[Alignments]], known: Variants) -> Climber:
        """The M-step: tables from the alignments of each pair, or those that are known of it."""
        chosen = [known.get(number, group) for number, group in enumerate(groups)]
        sizes = np.array([len(group) for group in chosen])
        amounts = np.ones(len(chosen))
        amounts[list(known)] = _GOLD_AMOUNT
        return self._counted(
            joined([each for group in chosen for each in group]),
            np.repeat(np.arange(len(chosen)), sizes),
            np.repeat(amounts / sizes, sizes),
        )

    def _counted(
        self, alignments: Alignments, pairs: NDArray[np.int64], amounts: NDArray[np.float64]
    ) -> Climber:
        """Tables from alignments of these pairs, each counted so often."""
        table = self._table
        source = self._words(table.source_words, 0, alignments.source_heads, pairs)
        target = self._words(table.target_words, 1, alignments.target_heads, pairs)
        heads = np.flatnonzero(alignments.mates >= 0)
        places = target.starts[source.sentences[heads]] + alignments.mates[heads]
        turned = np.full(len(target.words), -1, np.int32)
        turned[places] = source.places[heads]
        forward = count(source, target, alignments.mates, table, False, amounts)
        backward = count(target, source, turned, table, True, amounts)
        return Climber(
            table, *self._classes, tables(forward, table, False), tables(backward, table, True)
        )

    def _words(
        self,
        words: NDArray[np.int32],
        side: int,
        heads: NDArray[np.int32],
        pairs: NDArray[np.int64],
    ) -> Words:
        """One side of the pairs, which may be repeated."""
        starts, classes = self._starts[side], self._classes[side]
        lengths = np.diff(starts)[pairs]
        new = np.concatenate([[0], np.cumsum(lengths)])
        at = np.arange(new[-1]) + np.repeat(starts[pairs] - new[:-1], lengths)
        return Words(words[at], new, heads, classes, int(classes.max(initial=0)) + 1)

    def _climb(self, climber: Climber, starts: Sequence[Alignments], iterations: int) -> Alignments:
        """The E-step: for each pair, the best of what all starts lead to."""
        pairs = self._table.pairs
        made = [each.copy() for each in starts]
        scores = [np.zeros(pairs) for _ in starts]

        def work(first: int) -> int:
            last = min(first + _PAIRS, pairs)
            for each, score in zip(made, scores, strict=True):
                climber.climb(first, last, self.weights, *each.arrays, score)
            return last - first

        with ThreadPoolExecutor(self._threads) as pool:
            for done in pool.map(work, range(0, pairs, _PAIRS)):
                self._report("climbing", done, pairs * iterations)
        best = np.argmax(scores, axis=0)
        chosen = [np.repeat(best, np.diff(each)) for each in self._starts]
        return Alignments(
            np.choose(chosen[0], [each.source_heads for each in made]),
            np.choose(chosen[1], [each.target_heads for each in made]),
            np.choose(chosen[0], [each.mates for each in made]),
        )


def _linked(cells: Cells) -> frozenset[tuple[int, int]]:
    rows, columns = np.nonzero(cells)
    return frozenset(zip(rows.tolist(), columns.tolist(), strict=True))
