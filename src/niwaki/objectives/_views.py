"""What objectives share that let a task look at candidate trees."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from niwaki.data.kbest import KBest
from niwaki.data.sentence import Sentence
from niwaki.objectives import Costs
from niwaki.tasks.trees import TreeView


def views_of(
    candidates: Sequence[KBest], tagged: Sequence[Sentence]
) -> tuple[list[int], list[TreeView]]:
    """All trees of all lists, and the number of the example that each is of."""
    numbers = [each.number for each in candidates for _ in range(len(each))]
    trees = (tree for each in candidates for tree in each)
    pairs = zip(numbers, trees, strict=True)
    return numbers, [TreeView(tagged[number], tree) for number, tree in pairs]


def in_lists(costs: Costs, candidates: Sequence[KBest]) -> list[Costs]:
    """The costs of all trees, list by list again."""
    ends = np.cumsum([len(each) for each in candidates])
    return np.split(costs, ends[:-1])
