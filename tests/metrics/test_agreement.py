"""Agreement of annotators, beside figures worked out by hand."""

from __future__ import annotations

import pytest

from niwaki.metrics.agreement import agreement, cohen_kappa, link_agreement


def test_kappa_is_agreement_beyond_chance() -> None:
    # 20 of 25 + 10 of 25: the usual example, 35 of 50 agreed and 25 by chance.
    one = ["yes"] * 25 + ["no"] * 25
    other = ["yes"] * 20 + ["no"] * 5 + ["yes"] * 10 + ["no"] * 15
    assert cohen_kappa(one, other) == pytest.approx((0.7 - 0.5) / 0.5)
    assert cohen_kappa(["a", "b"], ["a", "b"]) == 1.0
    assert cohen_kappa(["a", "b"], ["b", "a"]) == -1.0
    assert cohen_kappa(["a", "a"], ["a", "a"]) == 1.0
    assert cohen_kappa([], []) is None
    with pytest.raises(ValueError, match="1 and 2 labels"):
        cohen_kappa(["a"], ["a", "b"])


def test_only_what_both_annotated_counts() -> None:
    one = [{1: (2, "nsubj"), 2: (0, "root"), 3: (2, "obj")}, {1: (0, "")}, {}]
    other = [{1: (2, "nsubj"), 2: (0, "root"), 3: (1, "obj"), 4: (2, "")}, {1: (0, "root")}, {}]
    found = agreement(one, other)
    assert (found.sentences, found.words, found.labelled) == (2, 4, 3)
    assert found.uas == pytest.approx(75)
    assert found.las == pytest.approx(100 * 2 / 3)
    assert found.kappa == 1.0
    nothing = agreement([{1: (0, "root")}], [{2: (1, "obj")}])
    assert (nothing.words, nothing.uas, nothing.las, nothing.kappa) == (0, None, None, None)


def test_links_agree_as_far_as_they_are_the_same() -> None:
    assert link_agreement([[(0, 0), (1, 1)]], [[(0, 0)]]) == pytest.approx(100 * 2 / 3)
    assert link_agreement([[]], [[]]) is None
