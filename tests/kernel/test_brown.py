"""Brown clusters, judged by merging that tries everything and counts all again."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from niwaki.data.sentence import Sentence
from niwaki.features.brown import cluster
from niwaki.kernel.features.brown import Window
from tests.reference import brown

texts = st.lists(st.lists(st.sampled_from("abcdefgh"), min_size=1, max_size=7), max_size=8)


@given(texts, st.integers(2, 8), st.integers(1, 2))
def test_all_is_as_by_the_definition(text: list[list[str]], clusters: int, least: int) -> None:
    counts = np.unique([word for words in text for word in words], return_counts=True)[1]
    known = int((counts >= least).sum())
    assume(known >= 2)
    clusters = min(clusters, known)
    found = cluster([Sentence.from_words(words) for words in text], clusters, min_count=least)
    assert found.paths == brown.cluster(text, clusters, least)
    assert len(set(found.paths.values())) == clusters


def test_more_words_than_a_window_holds() -> None:
    """Words that repeat, in classes of a hidden grammar: merges of every kind happen."""
    rng = np.random.default_rng(4)
    kinds = [[f"{kind}{i}" for i in range(6)] for kind in "nvd"]
    text = []
    for _ in range(60):
        order = [2, 0, 1, 2, 0] if rng.random() < 0.7 else [0, 1, 0]
        text.append([kinds[kind][min(5, rng.geometric(0.4) - 1)] for kind in order])
    for clusters in (3, 5):
        found = cluster(map(Sentence.from_words, text), clusters, min_count=2).paths
        assert found == brown.cluster(text, clusters, 2)


def test_large_counts() -> None:
    """Beyond the table of logarithms."""
    text = [["a", "b"] * 1000] * 300 + [["b", "c"], ["c", "a"], ["d", "b"]] * 3
    sentences = {tuple(words): Sentence.from_words(words) for words in text}
    found = cluster([sentences[tuple(words)] for words in text], 2, min_count=1)
    assert found.counts["b"] == 300_006
    assert found.paths == brown.cluster(text, 2, 1)


def lists(*rows: dict[int, int]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    starts = np.cumsum([0, *map(len, rows)]).astype(np.int64)
    words = np.array([word for row in rows for word in row], np.int32)
    return starts, words, np.array([n for row in rows for n in row.values()], np.int32)


def test_what_does_not_fit_is_refused() -> None:
    counts = np.array([2, 1, 1])
    good = lists({1: 2}, {0: 1}, {3: 1})
    with pytest.raises(ValueError, match="classes"):
        Window(counts, good, good, 4)
    with pytest.raises(ValueError, match="classes"):
        Window(counts, good, good, 1)
    with pytest.raises(ValueError, match="do not fit"):
        Window(counts, lists({1: 2}), good, 2)
    with pytest.raises(ValueError, match="no such neighbour"):
        Window(counts, good, lists({5: 2}, {0: 1}, {3: 1}), 2)
    window = Window(counts, good, good, 2)
    with pytest.raises(ValueError, match="still to come"):
        window.merge()
    with pytest.raises(ValueError, match="still to come"):
        window.classes()
    assert window.insert(2) == 1
    assert window.insert(9) == 0
    assert window.merge()
    with pytest.raises(ValueError, match="one class is left"):
        window.merge()
