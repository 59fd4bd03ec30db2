"""What tasks see of a tree: its words, the ways from each to the root, and between two."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from niwaki.data.sentence import Sentence
from niwaki.data.tree import Tree
from niwaki.errors import CorpusError


class TreeView:
    """The words of a sentence in its tree, and the ways from each up to the root."""

    def __init__(self, sentence: Sentence, tree: Tree | None = None) -> None:
        """`tree` is another one than that of the sentence."""
        self.forms, self.upos = sentence.forms, sentence.upos
        self.heads, self.deprels = (
            (sentence.heads, sentence.deprels) if tree is None else (tree.heads, tree.deprels)
        )
        self.lemmas = tuple(
            (form if lemma == "_" else lemma).lower()
            for form, lemma in zip(sentence.forms, sentence.lemmas, strict=True)
        )
        self.relations = tuple(label.partition(":")[0] for label in self.deprels)
        self._name = sentence.file, sentence.line
        # A word, its head, and so on to the root's place, which is 0.
        self.chains = [self._chain(word) for word in range(1, len(self.heads) + 1)]

    def _chain(self, word: int) -> tuple[int, ...]:
        chain = [word]
        while chain[-1] > 0 and len(chain) <= len(self.heads):
            chain.append(self.heads[chain[-1] - 1])
        if chain[-1] != 0:
            raise CorpusError(
                *self._name,
                "HEAD",
                f"no tree above word {word}",
                "give whole trees, or parse them: --parser en",
            )
        return tuple(chain)

    @cached_property
    def children(self) -> list[list[int]]:
        """The words below each word, itself counted from 1; 0 is the root's place."""
        below: list[list[int]] = [[] for _ in range(len(self.heads) + 1)]
        for word, head in enumerate(self.heads, start=1):
            below[head].append(word)
        return below


def path_between(tree: TreeView, start: int, end: int) -> tuple[str, ...]:
    """Labels of the arcs from one word to another, with the direction of each."""
    ups, downs = tree.chains[start - 1], tree.chains[end - 1]
    above = set(downs)
    meeting = next(number for number, word in enumerate(ups) if word in above)
    return (
        *up(tree, ups[:meeting]),
        *down(tree, downs[: downs.index(ups[meeting])]),
    )


def up(tree: TreeView, words: Sequence[int]) -> tuple[str, ...]:
    return tuple(f"{tree.deprels[word - 1]}^" for word in words)


def down(tree: TreeView, words: Sequence[int]) -> tuple[str, ...]:
    return tuple(f"{tree.deprels[word - 1]}v" for word in reversed(words))
