"""Hand-aligned pairs choose how many letters of words count, and are counted by the HMM."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from niwaki.data.bilingual.bitext import Links
from niwaki.kernel.bilingual.alignment import ONE_COUNT
from niwaki.tasks.align import Settings
from niwaki.tasks.align.aligner import Aligner
from niwaki.tasks.align.corpus import Corpus
from niwaki.tasks.align.known import KnownCounts
from niwaki.verbs._hand_aligned import LENGTHS, TRIALS, Pairs, choose_stems

NOUNS = ("garden", "bridge", "lantern", "maple")
VERBS = ("waters", "paints", "mended", "leaves")


def inflected() -> tuple[Pairs, dict[int, Links]]:
    """Each word of the target has endings of its own: none is seen twice."""
    endings = (f"{a}{b}" for a, b in itertools.product("aeiou", repeat=2))
    pairs: Pairs = [
        ([noun, verb], [f"{verb[:4]}{next(endings)}", f"{noun[:4]}{next(endings)}"])
        for noun, verb in itertools.islice(itertools.product(NOUNS, VERBS), 12)
    ]
    return pairs, {number: Links(frozenset({(0, 1), (1, 0)})) for number in range(6)}


def test_stems_are_chosen_where_whole_words_are_rare() -> None:
    pairs, gold = inflected()
    count = 0

    def tried() -> None:
        nonlocal count
        count += 1

    found = choose_stems(pairs, gold, Settings(same_word=0), alpha=0.4, tried=tried)
    assert found.target_prefix in (4, 5) and count == TRIALS
    assert found.source_prefix is None  # all are as good


def test_words_stay_whole_where_stems_are_no_better() -> None:
    pairs: Pairs = [(["a", "pine"], ["x", "matsu"]), (["a", "carp"], ["x", "koi"])] * 3
    gold = {0: Links(frozenset({(0, 0), (1, 1)}))}
    assert choose_stems(pairs, gold, Settings(), alpha=0.4) == Settings()
    assert LENGTHS[0] is None


@pytest.mark.parametrize("given", [Settings(source_prefix=3), Settings(target_prefix=9)])
def test_lengths_that_are_given_are_kept(given: Settings) -> None:
    pairs, gold = inflected()
    assert choose_stems(pairs, gold, given, alpha=0.4) is given


def test_without_links_nothing_is_chosen() -> None:
    assert choose_stems([(["a"], ["b"])], {}, Settings(), alpha=0.4) == Settings()


def test_links_and_words_left_alone_are_counted() -> None:
    """`the` has no link in the second pair (an empty one stands before it), `no` none in either."""
    corpus = Corpus(Settings())
    for source, target in (("the pine", "matsu no"), ("", "ki"), ("the carp", "no koi")):
        corpus.add(source.split(), target.split())
    links = {0: Links(frozenset({(0, 0), (1, 0)})), 2: Links(frozenset({(1, 1)}))}
    aligner = Aligner(corpus, Settings(), gold=links)
    table = aligner.table
    table.clear_counts()
    used = {corpus.used_number(pair): each for pair, each in links.items()}
    assert list(used) == [0, 1]
    KnownCounts(table, used).add_to(table)
    once = ONE_COUNT // 4
    source, target = corpus.source.types, corpus.target.types
    words = [("the", "matsu"), ("pine", "matsu"), ("carp", "koi"), ("the", "no"), ("pine", "no")]
    entries = table.find(
        np.array([source[a] for a, _ in words], np.int32),
        np.array([target[b] for _, b in words], np.int32),
    )
    expected = [once, once, once, 0, 0]
    assert table.forward_counts[entries].tolist() == expected
    assert table.backward_counts[entries].tolist() == expected
    assert table.forward_counts.sum() == table.backward_counts.sum() == 3 * once
    assert table.null_backward_counts[source["the"]] == once
    assert table.null_backward_counts.sum() == once
    assert table.null_forward_counts[target["no"]] == 2 * once
    assert table.null_forward_counts.sum() == 2 * once
