"""Comparison of orders in the kernel against its slow twin, on all small permutations."""

from __future__ import annotations

import itertools
import random

import numpy as np
import pytest

from niwaki.data.bilingual.references import Reference
from niwaki.kernel.bilingual.orders import compare_orders
from niwaki.metrics.reordering import evaluate_orders
from tests.reference import reorder as twin


@pytest.mark.parametrize("words", [0, 1, 2, 3, 4, 5])
def test_all_small_permutations(words: int) -> None:
    chance = random.Random(words)
    references, orders = [], []
    for order in itertools.permutations(range(words)):
        for wanted in itertools.permutations(range(words)):
            if words == 5 and chance.random() < 0.9:
                continue
            positions = chance.sample(range(words), words)
            cut = chance.randint(0, words)
            groups = tuple(g for g in (tuple(positions[:cut][:3]), tuple(positions[cut:])) if g)
            linked = tuple(p for p in range(words) if chance.random() < 0.7)
            kept = groups if chance.random() < 0.5 else ()
            references.append(Reference("r", ("w",) * words, wanted, kept, linked))
            orders.append(order)
    counts = evaluate_orders(references, orders).pieces
    for reference, order, (every, linked_only) in zip(references, orders, counts, strict=True):
        assert tuple(every) == twin.compare(reference, order, set(range(words)))
        assert reference.linked is not None
        assert tuple(linked_only) == twin.compare(reference, order, set(reference.linked))


def test_a_long_sentence() -> None:
    size = 20_000
    reference = Reference("r", ("w",) * size, tuple(range(size)))
    ((every, _),) = evaluate_orders([reference], [range(size - 1, -1, -1)]).pieces
    assert every.tolist() == [size, size, size * (size - 1) // 2, size * (size - 1) // 2]


@pytest.mark.parametrize(
    ("system", "reference", "groups"),
    [([0, 0], [0, 1], [-1, -1]), ([0, 1], [0, 2], [-1, -1]), ([0, 1], [0, 1], [2, -1])],
)
def test_what_is_no_permutation_is_refused(
    system: list[int], reference: list[int], groups: list[int]
) -> None:
    with pytest.raises(ValueError, match="permutation"):
        compare_orders(
            *(np.array(v, dtype=np.int32) for v in ([0, 2], system, reference, groups)),
            np.ones(2, dtype=np.uint8),
            np.zeros((1, 4), dtype=np.int64),
        )
