"""Reordering scores: the papers' examples, groups, linked words, text, signatures."""

from __future__ import annotations

import numpy as np
import pytest

from niwaki.data.bilingual.references import Reference
from niwaki.errors import NiwakiError
from niwaki.metrics.correlation import pearson, ranks, spearman
from niwaki.metrics.reordering import evaluate_orders, evaluate_texts
from niwaki.metrics.significance import compare_all


def reference(text: str, **rest: object) -> Reference:
    words = tuple(text.split())
    return Reference("r", words, tuple(range(len(words))), **rest)  # type: ignore[arg-type]


def scores(wanted: Reference, system: str) -> dict[str, float]:
    return evaluate_texts([wanted], [system.split()]).scores


def test_a_b_e_c_d() -> None:
    assert scores(reference("A B C D E"), "A B E C D")["frs"] == 0.5
    found = evaluate_orders([reference("A B C D E")], [[0, 1, 4, 2, 3]])
    assert found.scores["frs"] == found.scores["frs_linked"] == 0.5
    assert found.scores["chunks"] == 3
    assert found.scores["tau"] == pytest.approx(1 - 2 * 2 / 10)


def test_figure_1_of_katz_brown() -> None:
    wanted = reference("15 or greater of an SPF has that sunscreen Wear")
    assert scores(wanted, "15 or greater of an SPF has that Wear sunscreen")["frs"] == (
        pytest.approx(0.78, abs=0.005)
    )
    good = scores(wanted, "15 or greater of an SPF has that sunscreen Wear")
    assert (good["frs"], good["exact"], good["tau"]) == (1, 1, 1)


def test_short_sentences_score_1() -> None:
    for wanted in (reference("a"), reference("a b", linked=(1,)), reference("a b", linked=())):
        found = evaluate_orders([wanted], [range(len(wanted.tokens))]).scores
        assert (found["frs_linked"], found["tau"], found["exact_linked"]) == (1, 1, 1)
    assert scores(reference("a b"), "x y")["frs"] == 1


def test_only_linked_words() -> None:
    wanted = Reference("r", tuple("abcd"), (3, 1, 0, 2), linked=(0, 3))
    found = evaluate_orders([wanted], [(1, 3, 2, 0)]).scores
    assert (found["frs_linked"], found["exact_linked"], found["tau"]) == (1, 1, 1)
    assert found["frs"] == 0


def test_the_inner_order_of_groups_is_free() -> None:
    wanted = reference("a b c d", groups=((1, 2),))
    for order in ((0, 1, 2, 3), (0, 2, 1, 3)):
        found = evaluate_orders([wanted], [order]).scores
        assert (found["frs"], found["tau"], found["exact"]) == (1, 1, 1)
    # The group's places need not be neighbours.
    apart = Reference("r", tuple("abc"), (0, 1, 2), ((0, 2),))
    assert evaluate_orders([apart], [(2, 1, 0)]).scores["frs"] == 1


def test_text_is_matched_to_the_first_free_instance() -> None:
    wanted = Reference("r", ("the", "cat", "the", "dog"), (2, 3, 0, 1))
    found = evaluate_texts([wanted], ["the dog and the cat".split()])
    assert found.scores["frs"] == 1
    assert found.pieces[0, 0].tolist()[:2] == [1, 4]
    # Two of four words are matched; not all of them, so it is not exact.
    part = evaluate_texts([wanted], ["the dog".split()])
    assert (part.scores["frs"], part.scores["exact"]) == (1, 0)
    assert part.pieces[0, 0, 1] == 2
    assert "matched by=text" in part.signature


def test_the_mean_is_over_sentences() -> None:
    wanted = [reference("A B C D E"), reference("a b")]
    found = evaluate_orders(wanted, [(0, 1, 4, 2, 3), (0, 1)])
    assert found.scores["frs"] == 0.75
    assert "sentences=2|words=7|linked=7" in found.signature
    with pytest.raises(NiwakiError, match="1 orders for 2 references"):
        evaluate_orders(wanted, [(0,)])
    with pytest.raises(NiwakiError, match="order 2 has 1 words, not 2"):
        evaluate_orders(wanted, [(0, 1, 2, 3, 4), (0,)])


def test_significance_of_means() -> None:
    wanted = [reference("a b c d")] * 40
    good = evaluate_orders(wanted, [(0, 1, 2, 3)] * 40)
    bad = evaluate_orders(wanted, [(0, 1, 2, 3)] * 10 + [(3, 2, 1, 0)] * 30)
    pairs = compare_all([bad, good, good], 500)
    assert list(pairs) == [(0, 1), (0, 2), (1, 2)]
    differences = {each.metric: each for each in pairs[0, 1]}
    assert differences["frs"].is_significant
    assert differences["frs"].difference == pytest.approx(0.75)
    assert not any(each.is_significant for each in pairs[1, 2])
    low, high = bad.interval(500)["frs"]
    assert low < bad.scores["frs"] < high


def test_correlations() -> None:
    assert pearson([1, 2, 3], [2, 4, 6]) == pytest.approx(1)
    assert pearson([1, 2, 3, 4], [1, 3, 2, 5]) == pytest.approx(0.8315, abs=1e-4)
    assert spearman([1, 2, 3, 4], [10, 1000, 100, 10_000]) == pytest.approx(0.8)
    assert ranks([5, 1, 5, 2]).tolist() == [3.5, 1, 3.5, 2]
    assert np.isnan(pearson([1, 1], [1, 2]))
    with pytest.raises(ValueError, match="paired"):
        pearson([1], [1, 2])
