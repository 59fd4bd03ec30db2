"""From an expression to a tree with formal labels: each word hangs on the head of what holds it."""

from __future__ import annotations

from niwaki.data.expressions import Expression
from niwaki.data.tree import Tree
from niwaki.errors import NiwakiError
from niwaki.tasks.meaning.labels import LAST_PLACE, SILENT, FormalLabel, Opened


def encode(expression: Expression | None, length: int) -> Tree:
    """The tree of a sentence of so many words; those that are not in the expression are silent."""
    heads, labels = [-1] * length, [SILENT] * length
    todo = [(0, 0, "", expression)] if expression is not None else []
    while todo:
        head, up, joint, node = todo.pop()
        spine = node.spine
        word = spine[-1].word
        if word > length or heads[word - 1] != -1:
            raise NiwakiError(
                f"word {word} of an expression is there twice, or not among the {length} words; "
                "give each word once"
            )
        opened = tuple(Opened(each.bracket, _blanks(each)) for each in spine[:-1])
        heads[word - 1], labels[word - 1] = head, str(FormalLabel(up, joint, opened))
        for level, each in enumerate(reversed(spine)):
            todo += [(word, level, name, other) for name, other in each.joined]
            for place, item in enumerate(each.items):
                if place and isinstance(item, Expression):
                    todo.append((word, level, str(place), item))
    return Tree(tuple(with_silent(heads)), tuple(labels))


def _blanks(node: Expression) -> tuple[tuple[int, str], ...]:
    if len(node.items) > LAST_PLACE + 1:
        raise NiwakiError(
            f"a bracket of {len(node.items)} items; labels name {LAST_PLACE} behind the first"
        )
    return tuple((place, item) for place, item in enumerate(node.items) if isinstance(item, str))


def with_silent(heads: list[int]) -> list[int]:
    """Heads with those of silent words, which are -1 so far.

    They hang as low as words can that cross no arc: on the lowest word above both
    neighbours that say something, at an end of the sentence on the root.
    """
    root = next((word for word, head in enumerate(heads, start=1) if head == 0), 1)
    if 0 not in heads:
        return [0 if word == root else root for word in range(1, len(heads) + 1)]
    found = list(heads)
    before = 0
    waiting: list[int] = []
    for word, head in enumerate([*heads, 0], start=1):
        if head == -1:
            waiting.append(word)
            continue
        if waiting:
            inside = before and word <= len(heads)
            above = _lowest_above(heads, before, word) if inside else root
            for each in waiting:
                found[each - 1] = above
            waiting = []
        before = word
    return found


def _lowest_above(heads: list[int], one: int, other: int) -> int:
    above = {one}
    while heads[one - 1]:
        one = heads[one - 1]
        above.add(one)
    while other not in above:
        other = heads[other - 1]
    return other
