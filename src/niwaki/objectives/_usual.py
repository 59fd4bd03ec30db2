"""Arcs that are usual where an answer is known, as statements about a tree.

Where no candidate of a parser is right, the best tree with these arcs is one more candidate. It
need not be right: what it costs decides.
"""

from __future__ import annotations

from collections.abc import Iterable

from niwaki.data.constraints import Constraints
from niwaki.errors import ConstraintError


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
