"""Precision and recall on non-projective arcs, counted by hand."""

from __future__ import annotations

import pytest

from niwaki.data.sentence import Sentence
from niwaki.errors import CorpusError
from niwaki.metrics.nonprojective import count_nonprojective


def sentence(heads: list[int], label: str = "dep") -> Sentence:
    labels = ["root" if head == 0 else label for head in heads]
    return Sentence.from_words([f"w{i}" for i in range(len(heads))], heads=heads, deprels=labels)


# In the first, 1 -> 3 spans the root; in the second, 4 -> 2 does; the third is projective.
LEFT, RIGHT, FLAT = [2, 0, 1, 2], [3, 4, 0, 3], [2, 0, 2, 2]


def test_each_side_is_counted_by_its_own_arcs() -> None:
    gold = [sentence(LEFT), sentence(RIGHT), sentence(FLAT), sentence(LEFT)]
    system = [sentence(LEFT), sentence(FLAT), sentence(RIGHT), sentence(LEFT, "other")]
    found = count_nonprojective(gold, system)
    assert found.counts.tolist() == [[1, 1, 1, 1], [1, 0, 0, 0], [0, 0, 1, 0], [1, 0, 1, 0]]
    assert (found.gold, found.system) == (3, 3)
    assert found.signature.endswith("|sentences=4|nonprojective arcs=3 gold, 3 system")
    scores = found.scores
    assert [round(score, 2) for score in scores.values()] == [33.33, 33.33, 33.33]


def test_projective_trees_score_nothing() -> None:
    found = count_nonprojective([sentence(FLAT)], [sentence(FLAT)])
    assert set(found.scores.values()) == {0.0}


def test_other_words_are_refused() -> None:
    with pytest.raises(CorpusError, match="without a partner"):
        count_nonprojective([sentence(LEFT)], [])
    with pytest.raises(CorpusError, match="word 4 is None"):
        count_nonprojective([sentence(LEFT)], [sentence([0, 1, 1])])
