"""Precision and recall on crossing arcs, counted by hand."""

from __future__ import annotations

from niwaki.data.sentence import Sentence
from niwaki.metrics.nonprojective import Crossing, count_crossing


def sentence(heads: list[int], label: str = "dep") -> Sentence:
    labels = ["root" if head == 0 else label for head in heads]
    return Sentence.from_words([f"w{i}" for i in range(len(heads))], heads=heads, deprels=labels)


# In the first, 1 -> 3 spans the root; in the second, 4 -> 2 does; the third is projective.
LEFT, RIGHT, FLAT = [2, 0, 1, 2], [3, 4, 0, 3], [2, 0, 2, 2]


def test_each_side_is_counted_by_its_own_arcs() -> None:
    gold = [sentence(LEFT), sentence(RIGHT), sentence(FLAT), sentence(LEFT)]
    system = [sentence(LEFT), sentence(FLAT), sentence(RIGHT), sentence(LEFT, "other")]
    found = count_crossing(gold, system)
    assert found == Crossing(gold=3, found=1, system=3, right=1)
    scores = found.scores
    assert [round(score, 2) for score in scores.values()] == [33.33, 33.33, 33.33]


def test_nothing_crosses() -> None:
    found = count_crossing([sentence(FLAT)], [sentence(FLAT)])
    assert set(found.scores.values()) == {0.0}
