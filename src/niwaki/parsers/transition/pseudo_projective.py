"""Crossing trees for parsers that cannot build them (Nivre and Nilsson 2005).

Before training, crossing arcs are lifted to a head further up, and the label of a lifted
word keeps what its head was: `obl↑nsubj` is an `obl` whose head is an `nsubj` somewhere
below the word that it now hangs on. After parsing, that head is looked for.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import replace

from niwaki.data.sentence import Sentence
from niwaki.data.tree import ROOT, Tree
from niwaki.errors import ConfigError

LIFTED = "↑"
# A label that was lifted less often is not learned; the arc is lifted without a trace.
LEAST = 3


def plain_label(label: str) -> str:
    """A label without what it says of a lifted head."""
    return label.partition(LIFTED)[0]


def encode(tree: Tree) -> Tree:
    """The nearest projective tree, with labels that tell where lifted arcs came from."""
    if tree.is_projective:
        return tree
    lifted = tree.lifted()
    labels = [
        label if now == before else f"{label}{LIFTED}{tree.deprels[before - 1]}"
        for label, now, before in zip(tree.deprels, lifted.heads, tree.heads, strict=True)
    ]
    return Tree(lifted.heads, tuple(labels))


def decode(tree: Tree) -> Tree:
    """Hang lifted words where their labels say, and make all labels plain.

    Below the head that a word now has, the first word with the label of the lost head is
    looked for, breadth first, the nearest to the word first. Those that make the arc cross
    another are preferred, since it was lifted for that. Where none is found, the head stays.
    """
    labels = tuple(map(plain_label, tree.deprels))
    if labels == tree.deprels:
        return tree
    heads = list(tree.heads)
    lifted = [word for word in _top_down(tree) if tree.deprels[word - 1] != labels[word - 1]]
    # A head that was lifted itself may have to come back first.
    for _ in range(len(lifted)):
        waiting = []
        for word in lifted:
            now = Tree(tuple(heads), labels)
            wanted = tree.deprels[word - 1].partition(LIFTED)[2]
            candidates = [other for other in _below(now, word) if labels[other - 1] == wanted]
            crossing = [other for other in candidates if _crosses(now, word, other)]
            if candidates:
                heads[word - 1] = [*crossing, *candidates][0]
            else:
                waiting.append(word)
        if len(waiting) == len(lifted):
            break
        lifted = waiting
    return Tree(tuple(heads), labels)


def _top_down(tree: Tree) -> list[int]:
    order = list(tree.children(ROOT))
    for word in order:
        order.extend(tree.children(word))
    return order


def _below(tree: Tree, word: int) -> Iterator[int]:
    """What hangs below the head of a word, but not below the word; level by level."""
    level = [tree.heads[word - 1]]
    while level:
        below = [child for head in level for child in tree.children(head) if child != word]
        level = sorted(below, key=lambda other: (abs(other - word), other))
        yield from level


def _crosses(tree: Tree, word: int, head: int) -> bool:
    """Whether an arc spans a word that does not descend from its head."""
    below = {*tree.subtree(head), *tree.subtree(word)}
    return any(other not in below for other in range(min(word, head) + 1, max(word, head)))


def encode_all(
    sentences: Sequence[Sentence], most_arcs: int, *, partial: Container[int] = ()
) -> list[Sentence]:
    """Sentences with encoded trees; `most_arcs` kinds of labelled arcs can be told apart.

    A lifted label that is rare, or not among the most frequent labelled arcs, would be
    guessed and not learned: it becomes plain. Those with the numbers `partial` have no
    whole trees and stay as they are.
    """
    trees = []
    counts: Counter[tuple[bool, str]] = Counter()
    for number, sentence in enumerate(sentences):
        if any(LIFTED in label for label in sentence.deprels):
            raise ConfigError(
                f"{sentence.file}:{sentence.line}: a label with {LIFTED}, which "
                'model.nonprojective = "pseudo-projective" needs for itself; rename it'
            )
        trees.append(sentence.tree if number in partial else encode(sentence.tree))
        counts.update(_arcs(trees[-1]))
    kept = {
        arc
        for arc, count in counts.most_common(most_arcs)
        if count >= LEAST or LIFTED not in arc[1]
    }
    made = []
    for sentence, tree in zip(sentences, trees, strict=True):
        if tree is not sentence.tree:
            labels = [arc[1] if arc in kept else plain_label(arc[1]) for arc in _arcs(tree)]
            sentence = sentence.with_tree(replace(tree, deprels=tuple(labels)))
        made.append(sentence)
    return made


def _arcs(tree: Tree) -> Iterable[tuple[bool, str]]:
    """Direction and label of each arc."""
    for word, (head, label) in enumerate(zip(tree.heads, tree.deprels, strict=True), start=1):
        yield head > word, label
