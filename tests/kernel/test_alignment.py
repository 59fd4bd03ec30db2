"""The kernel's EM against a twin that lists every alignment."""

from __future__ import annotations

import itertools
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from niwaki.kernel.bilingual.alignment import LEAST_COUNT, ONE_COUNT, Table
from niwaki.kernel.bilingual.cooccurrence import cooccurrences
from tests.reference import alignment as slow

TYPES = 4
CLASSES = 2
LIMIT = 2

sentences = st.lists(st.integers(0, TYPES - 1), min_size=1, max_size=3)
corpora = st.lists(st.tuples(sentences, sentences), min_size=1, max_size=4)
seeds = st.integers(0, 10_000)


def flat(side: list[list[int]]) -> tuple[np.ndarray, np.ndarray]:
    starts = np.cumsum([0, *(len(s) for s in side)])
    return np.array([w for s in side for w in s], np.int32), starts.astype(np.int64)


def table_of(corpus: list[tuple[list[int], list[int]]]) -> Table:
    return Table(*flat([s for s, _ in corpus]), *flat([t for _, t in corpus]), TYPES, TYPES)


class Parameters:
    """Random ones, in the kernel's form and in the twin's."""

    def __init__(self, table: Table, seed: int) -> None:
        random = np.random.default_rng(seed)
        self.empty = random.uniform(0.05, 0.6, 2)
        self.jumps = random.uniform(0.1, 1, (2, CLASSES + 2, 2 * LIMIT + 1))
        self.classes = random.integers(0, CLASSES, (2, TYPES)).astype(np.int32)
        for values in (table.forward, table.backward, table.null_forward, table.null_backward):
            values[:] = random.uniform(0.01, 1, len(values))
        self.counts = np.zeros(self.jumps.shape, np.int64)
        self.scores = np.zeros((table.pairs, 2))

    def arguments(self) -> tuple[np.ndarray, ...]:
        return (self.empty, self.jumps, self.classes[0], self.classes[1], self.counts, self.scores)

    def twins(self, table: Table) -> tuple[slow.Direction, slow.Direction]:
        rows = np.repeat(np.arange(TYPES), np.diff(table.rows)).tolist()
        entries = list(zip(rows, table.columns.tolist(), strict=True))
        forward = dict(zip(entries, table.forward.tolist(), strict=True))
        turned = [(t, s) for s, t in entries]
        backward = dict(zip(turned, table.backward.tolist(), strict=True))
        nulls = table.null_forward.tolist(), table.null_backward.tolist()
        first, second = (
            slow.Direction(
                probabilities,
                dict(enumerate(nulls[d])),
                float(self.empty[d]),
                self.jumps[d].tolist(),
                self.classes[d].tolist(),
            )
            for d, probabilities in enumerate((forward, backward))
        )
        return first, second


def twin_expectations(
    corpus: list[tuple[list[int], list[int]]], parameters: Parameters, table: Table, chain: bool
) -> list[tuple[slow.Expectation, slow.Expectation]]:
    weigh = slow.hmm_weight if chain else slow.model1_weight
    forward, backward = parameters.twins(table)
    return [
        (slow.expect(forward, s, t, weigh), slow.expect(backward, t, s, weigh)) for s, t in corpus
    ]


@given(corpora)
def test_the_table_has_an_entry_for_words_that_meet(corpus) -> None:
    rows, columns, column_sizes = cooccurrences(
        *flat([s for s, _ in corpus]), *flat([t for _, t in corpus]), TYPES, TYPES
    )
    met = {pair for s, t in corpus for pair in itertools.product(s, t)}
    listed = [(s, t) for s in range(TYPES) for t in columns[rows[s] : rows[s + 1]].tolist()]
    assert listed == sorted(met)
    assert column_sizes.tolist() == [sum(t == word for _, t in met) for word in range(TYPES)]
    table = table_of(corpus)
    every = np.array(list(itertools.product(range(TYPES), repeat=2)), np.int32)
    found = table.find(every[:, 0].copy(), every[:, 1].copy()).tolist()
    assert found == [listed.index((s, t)) if (s, t) in met else -1 for s, t in every.tolist()]


@settings(max_examples=40)
@given(corpora, seeds, st.booleans())
def test_posteriors_are_those_of_all_alignments(corpus, seed, chain) -> None:
    table = table_of(corpus)
    parameters = Parameters(table, seed)
    cells = sum(len(s) * len(t) for s, t in corpus)
    forward, backward = np.zeros((2, cells), np.float32)
    table.expect(0, table.pairs, chain, False, *parameters.arguments(), forward, backward)
    at = 0
    expected = twin_expectations(corpus, parameters, table, chain)
    for pair, ((s, t), (one, other)) in enumerate(zip(corpus, expected, strict=True)):
        for i, j in itertools.product(range(len(s)), range(len(t))):
            place = at + i * len(t) + j
            assert forward[place] == pytest.approx(one.links[i, j], abs=1e-6)
            assert backward[place] == pytest.approx(other.links[j, i], abs=1e-6)
        at += len(s) * len(t)
        assert parameters.scores[pair].tolist() == pytest.approx([one.score, other.score], abs=1e-9)
    assert not table.forward_counts.any() and not parameters.counts.any()


@settings(max_examples=40)
@given(corpora, seeds, st.booleans(), st.booleans())
def test_counts_are_sums_of_posteriors(corpus, seed, chain, agree) -> None:
    table = table_of(corpus)
    parameters = Parameters(table, seed)
    table.expect(0, table.pairs, chain, agree, *parameters.arguments())
    expected = twin_expectations(corpus, parameters, table, chain)
    counts = np.zeros((2, len(table.columns)))
    nulls = np.zeros((2, TYPES))
    jumps = np.zeros(parameters.jumps.shape)
    for (s, t), (one, other) in zip(corpus, expected, strict=True):
        for i, j in itertools.product(range(len(s)), range(len(t))):
            entry = table.find(np.array([s[i]], np.int32), np.array([t[j]], np.int32))[0]
            p, q = one.links[i, j], other.links[j, i]
            counts[:, entry] += (p * q, p * q) if agree else (p, q)
        for j, word in enumerate(t):
            nulls[0, word] += one.null[j]
        for i, word in enumerate(s):
            nulls[1, word] += other.null[i]
        for d, each in enumerate((one, other)):
            for (row, distance), count in each.jumps.items():
                jumps[d, row, distance + LIMIT] += count
    tolerance = 40 * LEAST_COUNT
    found = np.stack([table.forward_counts, table.backward_counts]) / ONE_COUNT
    assert np.allclose(found, counts, rtol=0, atol=tolerance)
    found = np.stack([table.null_forward_counts, table.null_backward_counts]) / ONE_COUNT
    assert np.allclose(found, nulls, rtol=0, atol=1e-6)
    if chain:
        assert np.allclose(parameters.counts / ONE_COUNT, jumps, rtol=0, atol=1e-6)


@given(corpora, seeds, st.floats(0, 0.5))
def test_estimates_are_shares_of_counts(corpus, seed, prior) -> None:
    table = table_of(corpus)
    random = np.random.default_rng(seed)
    for counts in (
        *(table.forward_counts, table.backward_counts),
        *(table.null_forward_counts, table.null_backward_counts),
    ):
        counts[:] = random.integers(0, 3, len(counts)) * ONE_COUNT // 2
    table.sum_columns(prior)
    table.maximize(0, 1, prior)
    table.maximize(1, TYPES, prior)
    table.maximize_null(prior)
    rows = np.repeat(np.arange(TYPES), np.diff(table.rows)).tolist()
    columns = table.columns.tolist()
    for given_words, words, counts, found in (
        (rows, columns, table.forward_counts, table.forward),
        (columns, rows, table.backward_counts, table.backward),
        ([0] * TYPES, range(TYPES), table.null_forward_counts, table.null_forward),
        ([0] * TYPES, range(TYPES), table.null_backward_counts, table.null_backward),
    ):
        keys = list(zip(given_words, words, strict=True))
        shares = slow.estimate(dict(zip(keys, (counts / ONE_COUNT).tolist(), strict=True)), prior)
        assert found.tolist() == pytest.approx([shares[key] for key in keys], rel=1e-5)


@given(corpora, seeds, st.booleans())
def test_any_division_of_the_work_gives_the_same_bytes(corpus, seed, agree) -> None:
    results = []
    for parts in ([(0, len(corpus))], [(p, p + 1) for p in reversed(range(len(corpus)))]):
        table = table_of(corpus)
        parameters = Parameters(table, seed)
        for part in parts:
            table.expect(*part, True, agree, *parameters.arguments())
        results.append(
            [table.forward_counts, table.null_backward_counts, parameters.counts, parameters.scores]
        )
    whole, pieces = ([array.tobytes() for array in each] for each in results)
    assert whole == pieces


def test_threads_add_to_the_same_counts() -> None:
    random = np.random.default_rng(1)
    corpus = [
        (random.integers(0, TYPES, 9).tolist(), random.integers(0, TYPES, 7).tolist())
        for _ in range(400)
    ]

    def run(threads: int) -> list[bytes]:
        table = table_of(corpus)
        empty, jumps, sources, targets, counts, scores = Parameters(table, 5).arguments()

        def work(first: int) -> np.ndarray:
            own = np.zeros_like(counts)
            table.expect(first, first + 5, True, True, empty, jumps, sources, targets, own, scores)
            return own

        with ThreadPoolExecutor(threads) as pool:
            total = sum(pool.map(work, range(0, 400, 5)))
        arrays = [table.forward_counts, table.null_forward_counts, total, scores]
        assert all(array.any() for array in arrays)
        return [array.tobytes() for array in arrays]

    assert run(1) == run(4)


def test_a_long_sentence_does_not_underflow() -> None:
    words = [0, 1, 2, 3] * 100
    table = table_of([(words, words)])
    parameters = Parameters(table, 3)
    for values in (table.forward, table.backward, table.null_forward, table.null_backward):
        values[:] = 1e-30
    table.expect(0, 1, True, False, *parameters.arguments())
    assert np.isfinite(parameters.scores).all()
    steps = (table.forward_counts.sum() + table.null_forward_counts.sum()) / ONE_COUNT
    assert steps == pytest.approx(400, abs=0.2)


@pytest.mark.parametrize(
    ("sources", "starts", "message"),
    [
        ([0, 1], [0, 1], "starts do not fit"),
        ([0, 1], [0, 0, 2], "empty sentence"),
        ([0, TYPES], [0, 1, 2], "out of range"),
        ([-1, 0], [0, 1, 2], "out of range"),
        ([0, 1], [1, 1, 2], "starts do not fit"),
        ([0, 1], [0, 2], "different numbers"),
        ([0] * 30_002, [0, 1, 30_002], "too long"),
    ],
)
def test_a_corpus_that_does_not_fit_is_refused(sources, starts, message) -> None:
    with pytest.raises(ValueError, match=message):
        Table(
            np.array(sources, np.int32),
            np.array(starts, np.int64),
            *flat([[0], [1]]),
            TYPES,
            TYPES,
        )


def test_arguments_that_do_not_fit_are_refused() -> None:
    table = table_of([([0, 1], [1, 2])])
    good = Parameters(table, 1)

    def changed(place: int, value: np.ndarray) -> list[np.ndarray]:
        return [value if k == place else a for k, a in enumerate(good.arguments())]

    short = np.zeros(3, np.float32)
    for first, last, arguments in (
        (0, 2, list(good.arguments())),
        (-1, 1, list(good.arguments())),
        (0, 1, changed(0, good.empty[:1])),
        (0, 1, changed(1, good.jumps[:, :, :-1].copy())),
        (0, 1, changed(1, good.jumps[:1].copy())),
        (0, 1, changed(2, good.classes[0] + CLASSES)),
        (0, 1, changed(2, good.classes[0] - CLASSES)),
        (0, 1, changed(3, good.classes[1][:1].copy())),
        (0, 1, changed(4, good.counts[:, 1:].copy())),
        (0, 1, changed(5, good.scores[:, :1].copy())),
        (0, 1, [*good.arguments(), short, short]),
    ):
        with pytest.raises(ValueError, match=r"fit|range|direction|class"):
            table.expect(first, last, True, False, *arguments)
    with pytest.raises(ValueError, match="out of range"):
        table.find(np.array([TYPES], np.int32), np.array([0], np.int32))
    with pytest.raises(ValueError, match="before"):
        table.maximize(0, TYPES, 0.1)
