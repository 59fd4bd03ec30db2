"""Brown clusters from Python."""

from __future__ import annotations

import random

import pytest

import niwaki
from niwaki.data.sentence import Sentence
from niwaki.errors import NiwakiError
from niwaki.features.clusters import folded

TEXT = """the pine leans over the pond
the maple leans over the roof
A heron stands on the roof
a crane stands on the pond
the crane saw a heron
the heron saw a crane"""
SENTENCES = [Sentence.from_words(line.split()) for line in TEXT.splitlines()]


def test_words_in_like_places_come_together() -> None:
    found = niwaki.cluster(SENTENCES, 6, min_count=2)
    assert found.counts == {
        "the": 8,
        "heron": 3,
        "crane": 3,
        "a": 3,
        "leans": 2,
        "over": 2,
        "saw": 2,
        "on": 2,
        "pond": 2,
        "roof": 2,
        "stands": 2,
    }
    assert found.paths["pond"] == found.paths["roof"]
    assert found.paths["heron"] == found.paths["crane"] != found.paths["the"]
    assert len(set(found.paths.values())) == 6


def test_the_order_of_the_text_does_not_matter() -> None:
    expected = niwaki.cluster(SENTENCES, 4, min_count=1)
    for seed in range(5):
        shuffled = random.Random(seed).sample(SENTENCES, len(SENTENCES))
        found = niwaki.cluster(shuffled, 4, min_count=1)
        assert (found.paths, found.counts) == (expected.paths, expected.counts)


def test_lower_case() -> None:
    found = niwaki.cluster(SENTENCES, 2, min_count=4, lowercase=True)
    assert found.counts == {"the": 8, "a": 4}
    assert found.paths == {"the": "0", "a": "1"}


def test_words_are_counted_however_their_characters_are_written() -> None:
    words = ["caf\u00e9", "cafe\u0301", "tea"]
    found = niwaki.cluster([Sentence.from_words(words)], 2, min_count=1)
    assert found.counts == {"café": 2, "tea": 1}


def test_folding_goes_by_characters() -> None:
    assert folded("Straße") == "straße"
    assert folded("ΣΑΣ") == "σασ", "no final sigma: a word's length and place do not matter"
    assert len(folded("İ")) == 1


@pytest.mark.parametrize(
    ("sentences", "settings", "message"),
    [
        ([], {}, "no words to cluster"),
        (SENTENCES, {"clusters": 1}, "1 clusters; give 2 to 5000"),
        (SENTENCES, {"clusters": 5001}, "5001 clusters; give 2 to 5000"),
        (SENTENCES, {"clusters": 2, "min_count": 0}, "a least count of 0"),
        (SENTENCES, {"clusters": 12, "min_count": 2}, "11 different words occur at least 2 times"),
    ],
)
def test_bad_input(sentences: list[Sentence], settings: dict[str, int], message: str) -> None:
    with pytest.raises(NiwakiError, match=message) as caught:
        niwaki.cluster(sentences, **settings)
    assert len(str(caught.value).splitlines()) == 1


def test_progress_adds_up() -> None:
    done: dict[str, int] = {}
    totals: dict[str, int] = {}

    def watch(stage: str, count: int, total: int) -> None:
        done[stage] = done.get(stage, 0) + count
        totals[stage] = total

    niwaki.cluster(SENTENCES, 5, min_count=1, watch=watch)
    words = sum(map(len, SENTENCES))
    assert done == {"reading": words, "clustering": totals["clustering"], "merging": 4}
    assert totals == {"reading": 0, "clustering": 14, "merging": 4}
