"""Arcs that are usual where an answer is known, as statements about a tree.

Where no candidate of a parser is right, the best tree with these arcs is one more candidate. It
need not be right: what it costs decides. And where a model that reads trees finds an answer on a
wrong tree by chance, such arcs tell that tree from a right one.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from niwaki.data.constraints import Constraints, FixedHead
from niwaki.data.kbest import KBest
from niwaki.errors import ConstraintError
from niwaki.objectives import Costs


def usual_tree(words: int, arcs: Iterable[tuple[int, int]]) -> Constraints | None:
    """The arcs (head, word) as statements about a tree of so many words, if one can have them.

    Of a word with two heads nothing is said.
    """
    heads: dict[int, set[int]] = {}
    for head, word in arcs:
        heads.setdefault(word, set()).add(head)
    agreed = {word: head for word, (head, *more) in heads.items() if not more and head != word}
    usual = Constraints.make(words, heads=agreed)
    try:
        _ = usual.tables
    except ConstraintError:
        return None
    return usual if usual else None


def with_lacking(
    costs: Sequence[Costs],
    candidates: Sequence[KBest],
    usual: Sequence[Constraints | None],
    weight: float,
) -> list[Costs]:
    """Costs of candidates, and the share of usual arcs that each lacks; `usual` is by example."""
    if not weight:
        return list(costs)
    found = []
    for cost, each in zip(costs, candidates, strict=True):
        wanted = usual[each.number]
        if wanted is not None:
            arcs = [(s.word - 1, s.head) for s in wanted.statements if isinstance(s, FixedHead)]
            words, heads = np.array(arcs).T
            cost = cost + weight * (each.heads[:, words] != heads).mean(axis=1)
        found.append(cost)
    return found
