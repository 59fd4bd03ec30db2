"""Trains the word aligner by EM and gives the posteriors of its sentence pairs."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from numpy.typing import NDArray

from niwaki.data.bilingual.bitext import Links
from niwaki.data.bilingual.posteriors import Posteriors
from niwaki.errors import NiwakiError
from niwaki.kernel.bilingual.alignment import ONE_COUNT, Table
from niwaki.tasks.align.corpus import Corpus, Side
from niwaki.tasks.align.known import KnownCounts
from niwaki.tasks.align.learned import LearnedAlignment
from niwaki.tasks.align.settings import Settings

# Jumps of up to this many words have a weight of their own, longer ones share one with
# others of about that length, and those beyond the limit are all alike.
_SINGLE_JUMPS = 5
_LONGEST_JUMP = 50
# A thread gets this much work at a time, in cells of pairs.
_CELLS = 1 << 17

Words = Sequence[str]
# Told the stage ("Model 1 3/5") and its mean log-likelihood a word, after each iteration.
Report = Callable[[str, float], None]


class Aligner:
    """Learns from a corpus; then `posteriors` aligns the pairs that it learned from.

    With what another has `learned`, the corpus is aligned by that, and nothing is learned from it.
    `gold` has links made by people, by the number of the pair. The result does not depend on the
    number of threads.
    """

    def __init__(
        self,
        corpus: Corpus,
        settings: Settings,
        threads: int = 1,
        report: Report | None = None,
        learned: LearnedAlignment | None = None,
        gold: Mapping[int, Links] | None = None,
    ) -> None:
        if threads < 1:
            raise ValueError("threads is at least 1")
        self._corpus, self._settings, self._threads = corpus, settings, threads
        source, target = corpus.source, corpus.target
        if not source.types:
            raise NiwakiError("there is no sentence pair to learn from; give parallel text")
        self._table = Table(
            source.words,
            source.starts,
            target.words,
            target.starts,
            len(source.types),
            len(target.types),
        )
        classes = settings.jump_classes
        self._classes = _frequency_classes(source, classes), _frequency_classes(target, classes)
        self._jumps = np.ones((2, classes + 3, 2 * _LONGEST_JUMP + 1))
        self._empty = np.full(2, settings.empty)
        self._scores = np.zeros((self._table.pairs, 2))
        self._equal = self._equal_words()
        known = {corpus.used_number(pair): links for pair, links in (gold or {}).items()}
        self._known = KnownCounts(self._table, known) if known else None
        if learned is not None:
            self._classes = learned.fill(self._table, source.types, target.types)
            self._jumps = learned.arrays["jumps"]
            return
        with ThreadPoolExecutor(threads) as pool:
            self._train(pool, report)

    @property
    def learned(self) -> LearnedAlignment:
        """What can be kept, to align other text."""
        types = self._corpus.source.types, self._corpus.target.types
        return LearnedAlignment.of(self._settings, types, self._table, self._jumps, self._classes)

    def posteriors(self, count: int | None = None) -> Iterator[Posteriors]:
        """Those of the first `count` pairs (default: all), in their order."""
        last = self._corpus.size if count is None else min(count, self._corpus.size)
        used = last - sum(pair < last for pair in self._corpus.empty)
        found = self._used_posteriors(used)
        for pair in range(last):
            if pair in self._corpus.empty:
                nothing = np.zeros(self._corpus.empty[pair], np.float32)
                yield Posteriors(nothing, nothing)
            else:
                yield next(found)

    @property
    def perplexities(self) -> tuple[float, float]:
        """exp of the mean -log P a word, as of the last iteration: of target words given the
        source, and of source words given the target (Kumar, Och and Macherey 2007, Table 2).
        """
        words = len(self._table.target_words), len(self._table.source_words)
        forward, backward = np.exp(-self._scores.sum(axis=0) / words).tolist()
        return forward, backward

    @property
    def table(self) -> Table:
        """The pairs that have words on both sides, and what was learned of their words."""
        return self._table

    @property
    def corpus(self) -> Corpus:
        return self._corpus

    def used(self) -> Iterator[Posteriors]:
        """Posteriors of the table's pairs."""
        return self._used_posteriors(self._table.pairs)

    # ---- EM ----

    def _train(self, pool: ThreadPoolExecutor, report: Report | None) -> None:
        settings = self._settings
        for chain, iterations, name in (
            (False, settings.model1_iterations, "Model 1"),
            (True, settings.hmm_iterations, "HMM"),
        ):
            for iteration in range(1, iterations + 1):
                # Agreement of Model 1 is too sure of itself too early: it was worse.
                jump_counts = self._expect(pool, chain, settings.agreement and chain)
                self._maximize(pool)
                if chain:
                    self._jumps = estimate_jumps(jump_counts / ONE_COUNT, settings.jump_support)
                if report is not None:
                    words = len(self._table.source_words) + len(self._table.target_words)
                    report(f"{name} {iteration}/{iterations}", self._scores.sum() / words)

    def _expect(self, pool: ThreadPoolExecutor, chain: bool, agree: bool) -> NDArray[np.int64]:
        self._table.clear_counts()

        def work(part: tuple[int, int]) -> NDArray[np.int64]:
            counts = np.zeros(self._jumps.shape, np.int64)
            self._table.expect(
                *part, chain, agree, self._empty, self._jumps, *self._classes, counts, self._scores
            )
            return counts

        total = np.zeros(self._jumps.shape, np.int64)
        for counts in pool.map(work, self._parts(self._table.pairs)):
            total += counts
        return total

    def _maximize(self, pool: ThreadPoolExecutor) -> None:
        table, smoothing = self._table, self._settings.smoothing
        table.forward_counts[self._equal] += round(self._settings.same_word * ONE_COUNT)
        table.backward_counts[self._equal] += round(self._settings.same_word * ONE_COUNT)
        if self._known is not None:
            self._known.add_to(table)
        table.sum_columns(smoothing)
        places = np.linspace(0, len(table.columns), 4 * self._threads + 1)
        edges = np.searchsorted(table.rows, places).tolist()
        edges[-1] = len(table.rows) - 1
        list(pool.map(lambda a, b: table.maximize(a, b, smoothing), edges[:-1], edges[1:]))
        table.maximize_null(smoothing)

    # ---- parts ----

    def _equal_words(self) -> NDArray[np.int64]:
        """The table's entries of words that are the same in both languages: numbers, names."""
        target = self._corpus.target.types
        equal = [
            (n, target[word]) for word, n in self._corpus.source.types.items() if word in target
        ]
        pairs = np.array(equal, np.int32).reshape(-1, 2)
        found = self._table.find(
            np.ascontiguousarray(pairs[:, 0]), np.ascontiguousarray(pairs[:, 1])
        )
        return found[found >= 0]

    def _parts(self, pairs: int) -> list[tuple[int, int]]:
        """The first pairs, cut into runs of about the same work."""
        table = self._table
        cells = np.diff(table.source_starts[: pairs + 1]) * np.diff(
            table.target_starts[: pairs + 1]
        )
        ends = np.cumsum(cells)
        total = int(ends[-1]) if pairs else 0
        edges = np.searchsorted(ends, np.arange(_CELLS, total, _CELLS)) + 1
        edges = np.unique(np.concatenate([[0], edges, [pairs]])).tolist()
        return list(itertools.pairwise(edges))

    def _used_posteriors(self, pairs: int) -> Iterator[Posteriors]:
        parts = self._parts(pairs)
        with ThreadPoolExecutor(self._threads) as pool:
            # A few parts at a time: all posteriors together may not fit into memory.
            step = 2 * self._threads
            for start in range(0, len(parts), step):
                for made in pool.map(self._part_posteriors, parts[start : start + step]):
                    yield from made

    def _part_posteriors(self, part: tuple[int, int]) -> list[Posteriors]:
        table, (first, last) = self._table, part
        shapes = np.stack(
            [
                np.diff(starts[first : last + 1])
                for starts in (table.source_starts, table.target_starts)
            ],
            axis=1,
        )
        edges = np.concatenate([[0], np.cumsum(shapes.prod(axis=1))])
        forward, backward = np.zeros((2, int(edges[-1])), np.float32)
        table.expect(
            first,
            last,
            self._settings.hmm_iterations > 0,
            False,
            self._empty,
            self._jumps,
            *self._classes,
            np.zeros(self._jumps.shape, np.int64),
            self._scores,
            forward,
            backward,
        )
        return [
            Posteriors(forward[a:b].reshape(shape), backward[a:b].reshape(shape))
            for a, b, shape in zip(edges[:-1], edges[1:], shapes.tolist(), strict=True)
        ]


def _frequency_classes(side: Side, count: int) -> NDArray[np.int32]:
    """Class 0 for most words; the `count` most frequent ones have a class each."""
    classes = np.zeros(len(side.types), np.int32)
    frequencies = np.bincount(side.words, minlength=len(classes))
    top = np.argsort(-frequencies, kind="stable")[:count]
    classes[top] = 1 + np.arange(len(top))
    return classes


def estimate_jumps(counts: NDArray[np.float64], support: float) -> NDArray[np.float64]:
    """Weights of jumps from their expected counts: directions x classes x distances.

    The first row (the first jump) and the last (to the end) have one count added to
    each distance; the classes of words between them lean on their common histogram.
    """
    merged = counts.copy()
    distances = np.arange(counts.shape[-1]) - counts.shape[-1] // 2
    beyond = np.maximum(np.abs(distances) - _SINGLE_JUMPS, 0)
    # |d| of 6, 7-8, 9-12, 13-20, ... share a bin: the widths double.
    bins = np.where(beyond > 0, 1 + np.floor(np.log2(np.maximum(beyond, 1))), 0)
    for sign in (-1, 1):
        for number in range(1, int(bins.max(initial=0)) + 1):
            members = (bins == number) & (np.sign(distances) == sign)
            merged[..., members] = counts[..., members].mean(axis=-1, keepdims=True)
    common = merged[:, 1:-1].sum(axis=1, keepdims=True) + 1
    common /= common.sum(axis=-1, keepdims=True)
    weights = merged + 1
    weights[:, 1:-1] = merged[:, 1:-1] + support * common
    return weights


def train(
    pairs: Iterable[tuple[Words, Words]],
    settings: Settings | None = None,
    threads: int = 1,
    report: Report | None = None,
) -> Aligner:
    """An aligner that has learned from tokenised sentence pairs."""
    settings = settings or Settings()
    corpus = Corpus(settings)
    for source, target in pairs:
        corpus.add(source, target)
    return Aligner(corpus, settings, threads, report)
