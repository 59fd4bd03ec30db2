"""Translates sentences: options from the phrase table, the search, and n-best lists from it."""

from __future__ import annotations

import itertools
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from niwaki.errors import ConfigError, NiwakiError
from niwaki.kernel.translation.paths import Paths
from niwaki.kernel.translation.search import LARGEST_LIMIT, Search
from niwaki.tasks.translate.arpa import BEGIN
from niwaki.tasks.translate.features import (
    DISTANCE,
    LANGUAGE_MODEL,
    MSD,
    PENALTIES,
    PHRASES,
    REORDERING,
    SENSE,
    UNKNOWN,
    feature_names,
    weight_array,
)
from niwaki.tasks.translate.features import Weights as Weights
from niwaki.tasks.translate.language_model import LanguageModel
from niwaki.tasks.translate.nbest import Hypothesis, NBestList
from niwaki.tasks.translate.reordering import MaxentReordering
from niwaki.tasks.translate.table import Options, PhraseTable
from niwaki.typing import FloatArray, IntArray

# A sentence of more words is a mistake in a file.
LONGEST = 1000
# Translations that are looked at for each one that is wanted, if equal ones do not count.
_EQUAL = 20
# Sentences that a thread gets at a time, and how often so many wait for each thread.
_CHUNK, _AHEAD = 8, 4

# A score of each option of a sentence, for the feature `phrase-sense`.
Senses = Callable[[Options], FloatArray]


@dataclass(frozen=True)
class SearchSettings:
    """`limit` is the longest jump, 0 for none; `stack` the translations kept of each length.

    A phrase [s, e) may follow one that ends before L if |s - L| <= limit, and if the first word g
    that is not covered then has |g - e| <= limit.
    """

    limit: int = 6
    stack: int = 100

    def __post_init__(self) -> None:
        if not 0 <= self.limit <= LARGEST_LIMIT:
            raise ConfigError(f"limit is {self.limit}; it must be from 0 to {LARGEST_LIMIT}")
        if not 1 <= self.stack <= 10_000_000:
            raise ConfigError(f"stack is {self.stack}; it must be from 1 to 10,000,000")


@dataclass(frozen=True)
class Decoder:
    """All parts of a system, with weights. Safe to use from many threads at once."""

    table: PhraseTable
    language_model: LanguageModel
    weights: Weights
    jumps: MaxentReordering | None = None
    settings: SearchSettings = SearchSettings()
    senses: Senses | None = None

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The features, in their order."""
        return feature_names(
            msd=self.table.msd is not None,
            jumps=self.jumps is not None,
            senses=self.senses is not None,
        )

    def translate(
        self, tokens: Sequence[str], nbest: int = 1, *, distinct: bool = True
    ) -> tuple[Hypothesis, ...]:
        """The best translations of a sentence, the best first.

        If they are to be distinct, equal strings stand once, with the best score; among
        20 * `nbest` translations there may be less than `nbest` different ones.
        """
        if not tokens:
            features = np.zeros(len(self.names), np.float32)
            return (Hypothesis((), features, 0.0),)
        if len(tokens) > LONGEST:
            raise NiwakiError(f"a sentence of {len(tokens)} words; give at most {LONGEST}")
        options = self.table.find(tokens)
        values = self._static(options)
        search = self._search(options, values)
        return tuple(self._hypotheses(search, options, values, nbest, distinct))

    def translate_all(
        self,
        sentences: Iterable[Sequence[str]],
        nbest: int = 1,
        *,
        distinct: bool = True,
        threads: int = 1,
    ) -> Iterator[NBestList]:
        """Yield the lists of many sentences; the same whatever the number of threads."""

        def work(chunk: list[Sequence[str]]) -> list[tuple[Hypothesis, ...]]:
            return [self.translate(tokens, nbest, distinct=distinct) for tokens in chunk]

        stream, index = iter(sentences), itertools.count()
        self._prepare()
        # Chunks wait in a window that moves: at a border between batches threads would be idle.
        waiting: deque[Future[list[tuple[Hypothesis, ...]]]] = deque()
        with ThreadPoolExecutor(threads) as pool:
            while True:
                while len(waiting) < _AHEAD * threads and (
                    chunk := list(itertools.islice(stream, _CHUNK))
                ):
                    waiting.append(pool.submit(work, chunk))
                if not waiting:
                    return
                for hypotheses in waiting.popleft().result():
                    yield NBestList(next(index), hypotheses)

    def _prepare(self) -> None:
        """What threads would else make at the same time."""
        self.table.find(("",))
        _ = (
            self.names,
            self._lm_numbers,
            self._jump_scores,
            self._weights,
            self.language_model.kernel,
        )
        if self.jumps is not None:
            self.jumps.source_scores(("",))

    # ---- arrays ----

    @cached_property
    def _weights(self) -> FloatArray:
        return weight_array(self.weights, self.names)

    def _columns(self, *names: str) -> list[int]:
        return [self.names.index(name) for name in names]

    @cached_property
    def _lm_numbers(self) -> IntArray:
        return self.language_model.numbers(self.table.target_words)

    @cached_property
    def _jump_scores(self) -> NDArray[np.float32] | None:
        if self.jumps is None:
            return None
        return self.jumps.target_scores([*self.table.target_words, BEGIN])

    def _static(self, options: Options) -> NDArray[np.float32]:
        """The values of features that an option has wherever it stands."""
        values = np.zeros((len(options), len(self.names)), np.float32)
        copied = options.rows < 0
        first = self.names.index(PHRASES[0])
        values[~copied, first : first + len(PHRASES)] = self.table.scores[options.rows[~copied]]
        values[:, self.names.index(PENALTIES[0])] = -1
        values[:, self.names.index(PENALTIES[1])] = -np.diff(options.starts)
        values[copied, self.names.index(UNKNOWN)] = -1
        if self.senses is not None:
            values[:, self.names.index(SENSE)] = self.senses(options)
        return values

    def _search(self, options: Options, values: NDArray[np.float32]) -> Search:
        weights = self._weights
        copied = options.words < 0
        lm_words = self._lm_numbers[options.words]
        if copied.any():
            begins = options.spans[options.rows < 0, 0].tolist()
            lm_words[copied] = self.language_model.numbers(options.tokens[at] for at in begins)
        msd = jumps = None
        if self.table.msd is not None:
            found = self.table.msd[options.rows]
            found[options.rows < 0] = 0
            msd = found, weights[self._columns(*MSD)]
        if self.jumps is not None and self._jump_scores is not None:
            source = np.ascontiguousarray(self.jumps.source_scores(options.tokens), np.float32)
            jumps = source, self._jump_scores, float(weights[self.names.index(REORDERING)])
        lm_weight, distance_weight = weights[self._columns(LANGUAGE_MODEL, DISTANCE)].tolist()
        return Search(
            self.language_model.kernel,
            len(options.tokens),
            options.spans,
            values @ weights,
            options.starts,
            options.words,
            lm_words,
            lm_weight,
            distance_weight,
            self.settings.limit,
            self.settings.stack,
            msd,
            jumps,
        )

    def _hypotheses(
        self,
        search: Search,
        options: Options,
        values: NDArray[np.float32],
        nbest: int,
        distinct: bool,
    ) -> Iterator[Hypothesis]:
        paths, seen = Paths(search), set()
        said: dict[int, tuple[str, ...]] = {}
        dynamic = [LANGUAGE_MODEL, DISTANCE, *MSD, REORDERING]
        columns = [
            (at, self.names.index(name)) for at, name in enumerate(dynamic) if name in self.names
        ]
        places, into = (list(each) for each in zip(*columns, strict=True))
        given = 0
        for _ in range(_EQUAL * nbest if distinct else nbest):
            if given == nbest or (path := paths.next()) is None:
                return
            chosen, sums, score = path
            for option in chosen:
                if option not in said:
                    said[option] = options.target(option)
            tokens = tuple([word for option in chosen for word in said[option]])
            if distinct and tokens in seen:
                continue
            seen.add(tokens)
            features = values[chosen].sum(axis=0, dtype=np.float64)
            features[into] += sums[places]
            yield Hypothesis(tokens, features.astype(np.float32), score, _phrases(options, chosen))
            given += 1


def _phrases(options: Options, chosen: Sequence[int]) -> tuple[tuple[int, int, int, int], ...]:
    found, at = [], 0
    for option in chosen:
        begin, end = options.spans[option].tolist()
        length = int(options.starts[option + 1] - options.starts[option])
        found.append((begin, end, at, at + length))
        at += length
    return tuple(found)
