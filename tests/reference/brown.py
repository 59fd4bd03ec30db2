"""Brown clusters by the definition: every merge is tried, and all is counted again each time."""

from __future__ import annotations

from collections import Counter
from itertools import combinations, pairwise
from math import log2

EDGE, RARE = "<edge>", "<rare>"  # contexts that are no words

Classes = list[list[int]]
Text = Counter[tuple[object, ...]]  # sentences, and how often they stand there


def f(x: int) -> int:
    """x log x in whole 2^-20 bits."""
    return round(x * log2(x) * 2**20) if x > 1 else 0


def information(text: Text, classes: Classes) -> int:
    """N times the mutual information of neighbours, but for a constant."""
    class_of: dict[object, object] = {word: members[0] for members in classes for word in members}
    pairs: Counter[tuple[object, object]] = Counter()
    for sentence, times in text.items():
        seen = [EDGE, *(class_of.get(word, word) for word in sentence), EDGE]
        for pair in pairwise(seen):
            pairs[pair] += times
    first: Counter[object] = Counter()
    second: Counter[object] = Counter()
    for (left, right), count in pairs.items():
        first[left] += count
        second[right] += count
    return sum(map(f, pairs.values())) - sum(map(f, first.values())) - sum(map(f, second.values()))


def merge_best(text: Text, classes: Classes) -> tuple[Classes, tuple[int, int]]:
    """The classes, of which each is known by its first word, after the best merge."""

    def merged(pair: tuple[int, int]) -> Classes:
        low, high = pair
        rest = [members for members in classes if members[0] not in pair]
        both = [members for members in classes if members[0] in pair]
        assert len(both) == 2 and low < high
        return sorted([*rest, sorted(both[0] + both[1])])

    pairs = list(combinations(sorted(members[0] for members in classes), 2))
    best = min(pairs, key=lambda pair: (-information(text, merged(pair)), pair))
    return merged(best), best


def cluster(sentences: list[list[str]], clusters: int, min_count: int) -> dict[str, str]:
    """The bits of each word that occurs at least `min_count` times."""
    counts = Counter(word for sentence in sentences for word in sentence)
    words = sorted((w for w in counts if counts[w] >= min_count), key=lambda w: (-counts[w], w))
    rank: dict[str, object] = {word: number for number, word in enumerate(words)}
    text = Counter(tuple([rank.get(word, RARE) for word in sentence]) for sentence in sentences)
    classes: Classes = []
    for number in range(len(words)):
        classes.append([number])
        if len(classes) > clusters:
            classes, _ = merge_best(text, classes)
    final = {members[0]: members for members in classes}
    tree: dict[int, dict[int, str]] = {first: {first: ""} for first in final}
    while len(classes) > 1:
        classes, (low, high) = merge_best(text, classes)
        zero, one = tree.pop(low), tree.pop(high)
        tree[low] = {first: f"0{path}" for first, path in zero.items()}
        tree[low] |= {first: f"1{path}" for first, path in one.items()}
    (paths,) = tree.values()
    return {words[number]: paths[first] for first, members in final.items() for number in members}
