"""All trees of a few words, one by one: what decoders and sums are judged by."""

from __future__ import annotations

import math
from functools import cache
from itertools import product

import numpy as np

from niwaki.data.tree import Tree


@cache
def all_trees(n: int, single_root: bool = True, projective: bool = False) -> np.ndarray:
    """The heads of every tree of n words, one row each."""
    found = []
    for heads in product(*([h for h in range(n + 1) if h != d] for d in range(1, n + 1))):
        if single_root and heads.count(0) != 1:
            continue
        if reaches_root(heads) and (not projective or Tree(heads, ("_",) * n).is_projective):
            found.append(heads)
    return np.array(found, dtype=np.int32).reshape(-1, n)


def reaches_root(heads: tuple[int, ...]) -> bool:
    for word in range(1, len(heads) + 1):
        steps = 0
        while word:
            word = heads[word - 1]
            steps += 1
            if steps > len(heads):
                return False
    return True


def tree_scores(arcs: np.ndarray, trees: np.ndarray) -> np.ndarray:
    return arcs[trees, np.arange(trees.shape[1])].sum(axis=1)


def siblings_score(arcs: np.ndarray, siblings: np.ndarray, heads: np.ndarray) -> float:
    """Each arc, and each dependent with the one before it on its side, from the head outwards."""
    total = 0.0
    n = len(heads)
    for head in range(n + 1):
        for side in (range(head - 1, 0, -1), range(head + 1, n + 1)):
            before = 0
            for word in side:
                if heads[word - 1] == head:
                    total += arcs[head, word - 1] + siblings[head, word - 1, before]
                    before = word
    return total


def distribution(arcs: np.ndarray, trees: np.ndarray) -> tuple[float, np.ndarray]:
    """The logarithm of the sum of exp(score), and the probability of each tree."""
    scores = tree_scores(arcs, trees)
    top = scores.max()
    log_sum = top + math.log(math.fsum(np.exp(scores - top)))
    return log_sum, np.exp(scores - log_sum)


def arc_marginals(probabilities: np.ndarray, trees: np.ndarray) -> np.ndarray:
    n = trees.shape[1]
    marginals = np.zeros((n + 1, n))
    for probability, heads in zip(probabilities, trees, strict=True):
        marginals[heads, np.arange(n)] += probability
    return marginals
