"""The integer programme, beside all choices and beside a dynamic programme; counts of words."""

from __future__ import annotations

import numpy as np
import pytest

from niwaki.tasks.compress.ngrams import END, START, NGrams, count_ngrams
from niwaki.tasks.compress.programme import Demand, Grid, Programme, Weights
from tests.reference.compress import Worth, best_walk, choices, worth

TEXT = [line.split() for line in ("a b a c", "a b", "c a b d", "b a")]


def random_problem(
    random: np.random.Generator, n: int, skip: int, demands: tuple[Demand, ...] = ()
) -> tuple[Programme, Worth]:
    grid = Grid(n, skip, demands)
    numbers = [random.normal(size=k) for k in (n, n, len(grid.triples), len(grid.pairs))]
    rows = dict(zip(map(tuple, grid.triples.tolist()), numbers[2].tolist(), strict=True))
    last = dict(zip(map(tuple, grid.pairs.tolist()), numbers[3].tolist(), strict=True))
    return Programme(grid, Weights(*numbers)), (numbers[0], numbers[1], rows, last)


def obeys(kept: tuple[bool, ...], demands: tuple[Demand, ...]) -> bool:
    sums = [sum(s * kept[w - 1] for w, s in zip(d.words, d.signs, strict=True)) for d in demands]
    return all(d.least <= total <= d.most for d, total in zip(demands, sums, strict=True))


def test_the_dynamic_programme_is_enumeration() -> None:
    random = np.random.default_rng(1)
    for n in (1, 2, 3, 5, 7):
        _, of = random_problem(random, n, 3)
        value, kept = best_walk(of, n)
        assert value == pytest.approx(max(worth(of, each) for each in choices(n)))
        assert worth(of, kept) == pytest.approx(value)


@pytest.fixture
def highs() -> None:
    pytest.importorskip("highspy", reason="HiGHS is not installed: pip install 'niwaki[ilp]'")


def test_the_optimum_is_that_of_the_dynamic_programme(highs: None) -> None:
    random = np.random.default_rng(2)
    for _ in range(60):
        n, skip = int(random.integers(1, 11)), int(random.integers(1, 12))
        programme, of = random_problem(random, n, skip)
        assert worth(of, programme.solve()) == pytest.approx(best_walk(of, n)[0])


def test_demands_and_sizes_are_those_of_enumeration(highs: None) -> None:
    random = np.random.default_rng(3)
    for _ in range(40):
        n = int(random.integers(3, 9))
        a, b, c = (int(word) for word in random.permutation(n)[:3] + 1)
        demands = (Demand((c,), (1,), 1), Demand((a, b), (1, -1), 0), Demand((b, c), (1, -1), 0, 0))
        some = demands[int(random.integers(2)) : int(random.integers(2, 4))]
        size = int(random.integers(1, n + 1))
        programme, of = random_problem(random, n, n, some)
        kept = Programme(programme.grid, programme.weights, size).solve()
        every = [choice for choice in choices(n) if obeys(choice, some)]
        # What no choice can have is left out, and nothing else.
        assert np.isfinite([worth(of, each) for each in every]).all()
        near = min(abs(sum(each) - size) for each in every)
        wanted = max(worth(of, each) for each in every if abs(sum(each) - size) == near)
        assert kept in every and abs(sum(kept) - size) == near
        assert worth(of, kept) == pytest.approx(wanted)


def test_probabilities_add_up_to_one() -> None:
    counts = count_ngrams(TEXT)
    assert counts.words == ("a", "b", "c")
    every = np.arange(1, counts.size)
    for context in ([START, START], [START, 3], [3, 4], [4, 3], [2, 2]):
        first, second = (np.full(len(every), number) for number in context)
        found = counts.probabilities(first, second, every)
        # The place before a sentence never follows, but has a share of what nobody saw.
        nothing = counts.probabilities(first[:1], second[:1], np.array([START]))
        assert found.min() > 0 and found.sum() + nothing.sum() == pytest.approx(1)
    likely, unlikely = counts.probabilities(
        np.array([START, START]), np.array([START, START]), counts.ids(["A", "d"])
    )
    assert likely > unlikely
    assert counts.count("a") == 6 and counts.count("new") == 1 and counts.total == 13


def test_counts_by_hand() -> None:
    counts = count_ngrams(TEXT, least_count=1)
    a, b = counts.ids(["a", "b"])
    # After "a b": a, end, d, each once.
    kinds, total = 5, 12 + 4
    alone = (4 + kinds / counts.size) / (total + kinds)
    after_b = (1 + 3 * alone) / (4 + 3)
    found = counts.probabilities(*(np.array([x]) for x in (a, b, END)))
    assert found[0] == pytest.approx((1 + 3 * after_b) / (3 + 3))


def test_counts_come_back_from_their_arrays() -> None:
    counts = count_ngrams(TEXT)
    again = NGrams.of(counts.words, counts.arrays)
    at = [np.array([START, 3]), np.array([3, 4]), np.array([4, END])]
    assert again.probabilities(*at).tolist() == counts.probabilities(*at).tolist()
    with pytest.raises(ValueError, match="do not fit together"):
        NGrams.of(counts.words[:-1], counts.arrays)
    with pytest.raises(ValueError, match="do not fit together"):
        NGrams.of(counts.words, {**counts.arrays, "pairs": counts.pairs[::-1]})
