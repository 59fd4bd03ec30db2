"""How good a choice among the trees of several systems could be: two upper bounds.

McDonald & Nivre (2007, section 4.4) choose the best tree of each sentence, or the best tree
that can be put together from the arcs of all. For the second, an arc of the union weighs 1 if
it is right and 0 if not, and all others are forbidden: then there is always a tree, as those
of the systems are among them.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from niwaki.data.tree import ROOT
from niwaki.parsers.decoding import Scores, decode

Mask = NDArray[np.bool_]


def tree_oracle(right: Mask) -> int:
    """How many arcs of one sentence are right in the best tree; `right` is systems x words."""
    return int(right.sum(axis=1).max(initial=0))


def arc_oracle(heads: NDArray[np.int64], right: Mask) -> int:
    """How many arcs are right in the best tree made of the systems' arcs (systems x words).

    The tree has one root if each of the systems' trees has.
    """
    words = heads.shape[1]
    # Trees that agree leave no choice.
    if not words or (heads == heads[0]).all():
        return int(right.any(axis=0).sum())
    scores = np.full((words + 1, words), -np.inf)
    places = np.arange(words)
    for tree in heads:
        scores[tree, places] = 0.0
    for tree, good in zip(heads, right, strict=True):
        scores[tree[good], places[good]] = 1.0
    single = bool(((heads == ROOT).sum(axis=1) == 1).all())
    return round(float(decode(Scores.of([scores]), single_root=single).scores[0]))


def agreement(names: Sequence[str], right: Mask) -> dict[str, int]:
    """How many words all systems get right, none, and each of them alone; systems x words."""
    votes = right.sum(axis=0)
    alone = {
        f"only {name}": int((mine & (votes == 1)).sum())
        for name, mine in zip(names, right, strict=True)
    }
    return {"all": int((votes == len(names)).sum()), **alone, "none": int((votes == 0).sum())}
