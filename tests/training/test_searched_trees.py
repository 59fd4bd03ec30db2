"""When a tree is searched for beside the candidates of a list."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from niwaki.data.constraints import Constraints
from niwaki.data.kbest import KBest
from niwaki.data.tree import Tree
from niwaki.objectives import Costs
from niwaki.training.config import CostConfig
from niwaki.training.pricing import Pricer, TaggedExamples

LABELS = ("root", "dep", "dep")
FIRST, SECOND, THIRD = (Tree(heads, LABELS) for heads in ((0, 1, 1), (0, 1, 2), (0, 3, 1)))


class Listed:
    """Two trees are listed; whatever is asked for, the third one is found."""

    def __init__(self) -> None:
        self.searches = 0

    def kbest(self, s: int, k: int, constraints: Constraints | None = None) -> KBest:
        if constraints is None:
            return KBest.of_trees([FIRST, SECOND], [2.0, 1.0], sorted(set(LABELS)), number=s)
        self.searches += 1
        return KBest.of_trees([THIRD], [0.0], sorted(set(LABELS)), number=s)


class Asked:
    """All trees cost something, the third one the least."""

    ids = ("a",)

    def __init__(self, heads: dict[int, int]) -> None:
        self._heads = heads

    def costs(self, candidates: list[KBest]) -> list[Costs]:
        return [np.where(each.heads[:, 1] == 3, 0.2, 0.5) for each in candidates]

    def constraints(self, number: int) -> Constraints | None:
        return Constraints.make(3, heads=self._heads)


@pytest.mark.parametrize(
    ("heads", "rescue", "costs"),
    [
        ({2: 3}, True, [0.5, 0.5, 0.2]),
        ({2: 3}, False, [0.5, 0.5]),
        # The second tree of the list is such a tree: a search would find it again.
        ({3: 2}, True, [0.5, 0.5]),
    ],
)
def test_what_the_list_has_is_not_searched_for(
    heads: dict[int, int], rescue: bool, costs: list[float]
) -> None:
    listed, objective = Listed(), Asked(heads)
    examples: Any = TaggedExamples(None, listed)  # type: ignore[arg-type]
    pricer = Pricer(CostConfig(kind="x", k=2, rescue=rescue), objective, [examples])  # type: ignore[arg-type]
    (priced,) = pricer.price([0])
    assert priced.costs.tolist() == costs
    assert listed.searches == len(costs) - 2 and priced.rescued == (len(costs) == 3)
