"""Error profiles and oracles by their definitions, one arc after the other."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import product

from niwaki.data.sentence import Sentence
from tests.reference.trees import reaches_root

# A sentence's words and trees; an arc is (head, word).
Bin = Callable[[Sentence, Sentence, int], object]


def path_to_root(heads: Sequence[int], word: int) -> list[int]:
    """The words from a word up to the last one below the root."""
    path = []
    while word:
        path.append(word)
        word = heads[word - 1]
    return path


def length(heads: Sequence[int], word: int) -> int:
    return abs(heads[word - 1] - word)


def depth(heads: Sequence[int], word: int) -> int:
    return len(path_to_root(heads, word))


def siblings(heads: Sequence[int], word: int) -> int:
    others = [w for w in range(1, len(heads) + 1) if w != word]
    return sum(heads[w - 1] == heads[word - 1] for w in others)


def degree(heads: Sequence[int], word: int) -> int:
    head = heads[word - 1]
    between = set(range(min(head, word) + 1, max(head, word)))
    return sum(
        head != 0 and head not in path_to_root(heads, w) and heads[w - 1] not in between
        for w in between
    )


def recall(
    gold: Sequence[Sentence], system: Sequence[Sentence], bin_of: Bin
) -> dict[object, tuple[int, int]]:
    """For each bin: how many of its gold arcs the system has, and how many there are."""
    return _shares(gold, system, gold, bin_of)


def precision(
    gold: Sequence[Sentence], system: Sequence[Sentence], bin_of: Bin
) -> dict[object, tuple[int, int]]:
    """For each bin: how many of the system's arcs in it gold has, and how many there are."""
    return _shares(gold, system, system, bin_of)


def _shares(
    gold: Sequence[Sentence],
    system: Sequence[Sentence],
    binned: Sequence[Sentence],
    bin_of: Bin,
) -> dict[object, tuple[int, int]]:
    found: dict[object, tuple[int, int]] = {}
    for one, other, tree in zip(gold, system, binned, strict=True):
        for word in range(1, len(one) + 1):
            name = bin_of(tree, one, word)
            right, count = found.get(name, (0, 0))
            found[name] = (right + is_right(one, other, word), count + 1)
    return found


def is_right(gold: Sentence, system: Sentence, word: int) -> bool:
    return (gold.heads[word - 1], gold.deprels[word - 1]) == (
        system.heads[word - 1],
        system.deprels[word - 1],
    )


def best_tree(gold: Sentence, systems: Sequence[Sentence]) -> int:
    return max(sum(is_right(gold, s, w) for w in range(1, len(gold) + 1)) for s in systems)


def best_tree_of_arcs(gold: Sentence, systems: Sequence[Sentence]) -> int:
    """Tries all ways to give each word an arc of some system."""
    words = range(1, len(gold) + 1)
    single = all(system.heads.count(0) == 1 for system in systems)
    best = 0
    for chosen in product(range(len(systems)), repeat=len(gold)):
        heads = tuple(systems[s].heads[w - 1] for s, w in zip(chosen, words, strict=True))
        if reaches_root(heads) and (not single or heads.count(0) == 1):
            right = sum(is_right(gold, systems[s], w) for s, w in zip(chosen, words, strict=True))
            best = max(best, right)
    return best
