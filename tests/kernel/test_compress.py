"""The chart of words to keep, beside all choices of sentences of up to 8 words."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from niwaki.kernel.compress.chart import Chart
from tests.reference.compress import choices, score


def random_tree(random: np.random.Generator, n: int) -> np.ndarray:
    """Heads of a tree, some of them with several roots."""
    names = random.permutation(n) + 1
    heads = np.zeros(n, dtype=np.int32)
    for place in range(1, n):
        if random.random() < 0.9:
            heads[names[place] - 1] = names[int(random.integers(place))]
    return heads


def counts(kinds: np.ndarray, kept: tuple[bool, ...]) -> tuple[int, int]:
    chosen = kinds[list(kept)]
    return int((chosen == 0).sum()), int((chosen == 1).sum())


@given(st.integers(0, 2**32 - 1), st.integers(1, 8))
def test_each_cell_is_the_best_of_all_choices(seed: int, n: int) -> None:
    random = np.random.default_rng(seed)
    heads, scores = random_tree(random, n), random.normal(size=(n, 4))
    kinds = random.integers(0, 2, n).astype(np.int32)
    chart = Chart(heads, scores, kinds)
    found = np.full_like(chart.best, -np.inf)
    assert found.shape == (1 + (kinds == 0).sum(), 1 + (kinds == 1).sum())
    for kept in choices(n):
        cell = counts(kinds, kept)
        found[cell] = max(found[cell], score(heads.tolist(), scores, kept))
    assert np.allclose(chart.best, found)
    for cell in np.argwhere(np.isfinite(found)).tolist():
        kept = tuple(map(bool, chart.kept(*cell)))
        assert list(counts(kinds, kept)) == cell
        assert score(heads.tolist(), scores, kept) == pytest.approx(chart.best[*cell])


def test_what_makes_no_chart_is_refused() -> None:
    zeros, row = np.zeros(2, np.int32), np.zeros((2, 4))
    for heads, kinds in (([2, 1], zeros), ([0, 3], zeros), ([0, 1], np.array([0, 2], np.int32))):
        with pytest.raises(ValueError, match="no tree"):
            Chart(np.array(heads, np.int32), row, kinds)
    with pytest.raises(ValueError, match="do not fit"):
        Chart(zeros, np.zeros((2, 3)), zeros)
    chart = Chart(zeros, row, zeros)
    for cell in ((0, 0), (3, 0), (0, 1), (-1, 0)):
        with pytest.raises(ValueError, match=r"no such choice|more words"):
            chart.kept(*cell)


def test_long_chains_are_no_trouble() -> None:
    n = 600
    heads = np.arange(n, dtype=np.int32)
    scores = np.tile([1.0, -1.0, 0.5, -0.5], (n, 1))
    chart = Chart(heads, scores, np.zeros(n, np.int32))
    # The top k words are kept; to keep words further down would cost what promotes.
    assert chart.best[1:, 0].tolist() == [float(k) for k in range(1, n + 1)]
    assert chart.kept(7, 0).tolist() == [1] * 7 + [0] * (n - 7)
