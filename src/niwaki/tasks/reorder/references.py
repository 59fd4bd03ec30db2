"""Reference orders from word links (Talbot et al. 2011, section 3.1).

Source words are ranked by the first target word that they are linked to; words with the
same first target word form a group whose inner order is free. What to do with words that
have no link is a convention, and on sparse links it decides every score over all words.
"""

from __future__ import annotations

from collections.abc import Iterable

from niwaki.data.bilingual.bitext import Links
from niwaki.data.bilingual.references import Reference
from niwaki.data.tree import ROOT, Tree

# Words without a meaning of their own, by universal label.
FUNCTION_LABELS = frozenset({"aux", "case", "cc", "clf", "cop", "det", "mark", "punct"})


def make_reference(
    tokens: Iterable[str],
    links: Links,
    id: str = "",  # noqa: A002
    tree: Tree | None = None,
) -> Reference:
    """The order that the links of a sentence ask for; possible links count as well.

    A word without a link goes immediately before the next word that has one, or last
    if none follows. With a tree, function words without a link travel with their heads
    instead: immediately before the head if they stood before it, else after it.
    """
    words = tuple(tokens)
    first: dict[int, int] = {}
    for source, target in links.all:
        first[source] = min(target, first.get(source, target))
    leaders = _next_linked(len(words), first)
    if tree is not None:
        leaders = _with_heads(tree, first, leaders)
    by_target: dict[int, list[int]] = {}
    for source in sorted(first):
        by_target.setdefault(first[source], []).append(source)
    led: dict[int | None, list[int]] = {}
    for word, leader in enumerate(leaders):
        led.setdefault(leader, []).append(word)
    order: list[int] = []
    for _, group in sorted(by_target.items()):
        for leader in group:
            order += led[leader]
    order += led.get(None, [])
    groups = tuple(tuple(group) for _, group in sorted(by_target.items()) if len(group) > 1)
    return Reference(id, words, tuple(order), groups, tuple(sorted(first)))


def _next_linked(size: int, first: dict[int, int]) -> list[int | None]:
    """For each word the linked word that it is placed with: itself, or the next one."""
    leaders: list[int | None] = [None] * size
    leader = None
    for word in reversed(range(size)):
        leader = word if word in first else leader
        leaders[word] = leader
    return leaders


def _with_heads(tree: Tree, first: dict[int, int], leaders: list[int | None]) -> list[int | None]:
    """The same, with function words led by the nearest linked word above them."""
    result = list(leaders)
    for word in range(len(leaders)):
        label = tree.deprels[word].partition(":")[0]
        if word in first or label not in FUNCTION_LABELS:
            continue
        above, seen = tree.heads[word], {word}
        while above > ROOT and above - 1 not in first and above - 1 not in seen:
            seen.add(above - 1)
            above = tree.heads[above - 1]
        if above > ROOT and above - 1 in first:
            result[word] = above - 1
    return result
