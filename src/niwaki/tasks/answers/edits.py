"""TreeMatch: what it costs to turn the question's tree into the answer's (Punyakanok et al. 2004).

Function words are cheap to remove and to add; words that are the same cost nothing to change, and
related ones half.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from niwaki.kernel.answers.edits import edit_distance
from niwaki.tasks.answers.matcher import Matcher
from niwaki.tasks.answers.words import RELATED, SAME, WordView
from niwaki.typing import FloatArray, IntArray

_FUNCTION, _CONTENT, _NEAR = 0.025, 1.0, 0.5


@dataclass(frozen=True)
class TreeMatch(Matcher):
    """The cost, negative, of edits between the trees."""

    name: ClassVar = "tree-match"
    uses_trees: ClassVar = True

    def scores(self, question: WordView, answers: Sequence[WordView]) -> FloatArray:
        order, left = _postorder(question)
        removed = _costs(question)[order]
        found = []
        for answer in answers:
            other_order, other_left = _postorder(answer)
            changed = _changes(question, answer)[np.ix_(order, other_order)]
            added = _costs(answer)[other_order]
            found.append(-edit_distance(left, other_left, removed, added, changed))
        return np.array(found, dtype=np.float64)


def _postorder(view: WordView) -> tuple[IntArray, IntArray]:
    order, left = view.tree.postorder()
    return np.array(order, dtype=np.int32), np.array(left, dtype=np.int32)


def _costs(view: WordView) -> FloatArray:
    return np.array([_CONTENT, *(_CONTENT if x else _FUNCTION for x in view.content)])


def _changes(question: WordView, answer: WordView) -> FloatArray:
    relations = question.relations(answer)
    costs = np.where(relations & RELATED, _NEAR, 2 * _CONTENT)
    changed = np.full((len(question) + 1, len(answer) + 1), 2 * _CONTENT)
    changed[0, 0] = 0
    changed[1:, 1:] = np.where(relations & SAME, 0, costs)
    return changed
