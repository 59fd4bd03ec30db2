"""The translation kernel against its slow twins."""

from __future__ import annotations

import itertools
import random

import numpy as np
import pytest

from niwaki.data.bilingual.bitext import Links
from niwaki.kernel.translation.extraction import extract
from niwaki.tasks.translate.decoder import Decoder, SearchSettings
from niwaki.tasks.translate.features import feature_names
from niwaki.tasks.translate.language_model import LanguageModel, train
from niwaki.tasks.translate.phrases import linked_arrays
from niwaki.tasks.translate.reordering import MaxentReordering
from tests.reference.translation import (
    choices,
    consistent_pairs,
    derivations,
    features_of,
)
from tests.translated import random_entries, table_of

TARGET = ("x", "y", "z", "w")
UNLIMITED = 1_000_000


def extracted(
    n: int, m: int, links: set[tuple[int, int]], longest: tuple[int, int]
) -> list[tuple[int, int, int, int, str, str]]:
    arrays = linked_arrays([Links(frozenset(links))])
    ends = [np.array([0, size], np.int64) for size in (n, m)]
    found = extract(*ends, *arrays, *longest)
    assert found is not None
    return [
        (a, a + k, c, c + size, "msd"[before], "msd"[after])
        for (a, c), (k, size, before, after) in zip(*(each.tolist() for each in found), strict=True)
    ]


@pytest.mark.parametrize("longest", [(5, 7), (2, 2)])
def test_extraction_finds_all_consistent_pairs_of_all_small_link_sets(
    longest: tuple[int, int],
) -> None:
    for n, m in ((1, 1), (2, 2), (1, 3), (3, 2), (3, 3)):
        cells = list(itertools.product(range(n), range(m)))
        for chosen in itertools.product((False, True), repeat=len(cells)):
            links = set(itertools.compress(cells, chosen))
            found = extracted(n, m, links, longest)
            assert len(found) == len(set(found))
            assert set(found) == consistent_pairs(n, m, links, longest)


def test_extraction_of_longer_sentences() -> None:
    chance = random.Random(7)
    for _ in range(100):
        n, m = chance.randint(4, 12), chance.randint(4, 12)
        links = {(chance.randrange(n), chance.randrange(m)) for _ in range(chance.randint(0, 12))}
        assert set(extracted(n, m, links, (5, 7))) == consistent_pairs(n, m, links, (5, 7))


def test_links_outside_of_sentences_are_refused() -> None:
    arrays = linked_arrays([Links(frozenset({(1, 3)}))])
    ends = [np.array([0, 2], np.int64)] * 2
    assert extract(*ends, *arrays, 5, 7) is None


@pytest.fixture(scope="module")
def language_model() -> LanguageModel:
    chance = random.Random(3)
    return train([chance.choices(TARGET, k=chance.randint(1, 6)) for _ in range(60)], 3)


def jumps_of(chance: random.Random, source: tuple[str, ...]) -> MaxentReordering:
    words = source, ("<s>", *TARGET)
    made = np.random.default_rng(chance.randint(0, 9**6))
    return MaxentReordering(
        words[0],
        words[1],
        made.normal(size=(len(words[0]), 3, 4)).astype(np.float32),
        made.normal(size=(len(words[1]), 2, 4)).astype(np.float32),
        made.normal(size=4).astype(np.float32),
    )


@pytest.mark.parametrize("reordering", ["none", "msd", "maxent"])
@pytest.mark.parametrize("limit", [0, 1, 2, 3, 64])
def test_the_decoder_finds_the_best_of_all_segmentations_and_orders(
    language_model: LanguageModel, reordering: str, limit: int
) -> None:
    chance = random.Random(limit)
    ranked = 0
    for _ in range(12):
        tokens = tuple(chance.choices("abcde", k=chance.randint(1, 5 if limit < 64 else 4)))
        entries = random_entries(chance, tokens, TARGET)
        names = feature_names(msd=reordering == "msd", jumps=reordering == "maxent")
        weights = {name: chance.choice((-0.5, 0.25, 0.5, 1.0)) for name in names}
        decoder = Decoder(
            table_of(
                {**entries, ("a", "spare"): [(("x",), (0.0,) * 4, (0.0,) * 6)]},
                msd=reordering == "msd",
            ),
            language_model,
            weights,
            jumps_of(chance, ("a", "b", "c")) if reordering == "maxent" else None,
            SearchSettings(limit, UNLIMITED),
        )
        every = derivations(len(tokens), choices(tokens, entries), limit)
        slow = [features_of(tokens, chosen, decoder) for chosen in every]
        order = np.array([weights[name] for name in names])
        scores = sorted((float(each @ order) for each in slow), reverse=True)
        found = decoder.translate(tokens, 50, distinct=False)
        assert [each.score for each in found] == pytest.approx(scores[:50], abs=1e-4)
        assert len(found) == min(50, len(scores))
        for each in found:
            assert each.features @ order == pytest.approx(each.score, abs=1e-4)
        for each in found:
            assert np.abs(np.array(slow) - each.features).max(axis=1).min() < 1e-3
        ranked += len(found)
    assert ranked > 12
