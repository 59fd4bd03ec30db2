"""The k best trees of a sentence: one shape from the decoders to the cost functions of users."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from niwaki.data.probabilities import as_text, without_probabilities
from niwaki.data.sentence import Sentence
from niwaki.data.token import known_probabilities
from niwaki.data.tree import Tree
from niwaki.typing import FloatArray, IntArray

_OF_A_TREE = ("arc", "label", "tree")


@dataclass(frozen=True, eq=False)
class KBest:
    """Distinct trees of one sentence, best first, a row each.

    `labels` are numbers of `names`; where only heads were ranked, all are 0. A score rises
    with belief and never rises down the list. `temperature` is what scores are divided by to
    be logarithms of weights. `histories` are the labelled moves by which a transition parser
    came to each tree: all that an update needs, because features are found again from them.
    """

    heads: IntArray
    labels: IntArray
    scores: NDArray[Any]
    names: Sequence[str] = ("_",)
    histories: tuple[NDArray[np.uint8], ...] = ()
    temperature: float = 1.0
    number: int = 0  # of the sentence in its data set
    tagged_sentence: Sentence | None = None

    def __post_init__(self) -> None:
        k = len(self.scores)
        if not len(self.heads) == len(self.labels) == k or len(self.histories) not in (0, k):
            raise ValueError("each candidate needs a tree, a score and a history")

    @classmethod
    def of_trees(
        cls, trees: Sequence[Tree], scores: ArrayLike, names: Sequence[str] = (), **more: Any
    ) -> KBest:
        """Of trees with names of labels; those that `names` lacks are put behind them."""
        numbers = {name: number for number, name in enumerate(names)}
        labels = [[numbers.setdefault(x, len(numbers)) for x in tree.deprels] for tree in trees]
        words = len(trees[0].heads) if trees else 0
        return cls(
            np.array([tree.heads for tree in trees], dtype=np.int32).reshape(len(trees), words),
            np.array(labels, dtype=np.int32).reshape(len(trees), words),
            np.array(scores),
            tuple(numbers),
            **more,
        ).distinct()

    def distinct(self) -> KBest:
        """Without trees that stand higher up; of two ways to one tree the better speaks for it."""
        rows: dict[bytes, int] = {}
        both = np.concatenate([self.heads, self.labels], axis=1)
        for row, tree in enumerate(both):
            rows.setdefault(tree.tobytes(), row)
        return self if len(rows) == len(self) else self.only(list(rows.values()))

    def only(self, rows: Sequence[int]) -> KBest:
        """Some of the trees."""
        chosen = list(rows)
        histories = tuple(self.histories[row] for row in chosen) if self.histories else ()
        return replace(
            self,
            heads=self.heads[chosen],
            labels=self.labels[chosen],
            scores=self.scores[chosen],
            histories=histories,
        )

    def and_then(self, last: KBest) -> KBest:
        """These, and behind them others of the same sentence, whatever they score."""
        return replace(
            self,
            heads=np.concatenate([self.heads, last.heads]),
            labels=np.concatenate([self.labels, last.labels]),
            scores=np.concatenate([self.scores, last.scores]),
            names=max(self.names, last.names, key=len),
            histories=(*self.histories, *last.histories),
        )

    def of(self, sentence: Sentence) -> KBest:
        """The same with the sentence, as it is tagged."""
        return replace(self, tagged_sentence=sentence)

    @property
    def sentence(self) -> Sentence:
        """The sentence as it is tagged; trees alone do not know theirs."""
        if self.tagged_sentence is None:
            raise ValueError("these trees come without their sentence")
        return self.tagged_sentence

    @cached_property
    def trees(self) -> tuple[Tree, ...]:
        names = self.names
        return tuple(
            Tree(tuple(heads), tuple([names[label] for label in labels]))
            for heads, labels in zip(self.heads.tolist(), self.labels.tolist(), strict=True)
        )

    @cached_property
    def probabilities(self) -> FloatArray:
        """Normalised over these candidates: p ~ exp(score / temperature)."""
        if not len(self):
            return np.zeros(0)
        scores = self.scores.astype(np.float64)
        weights = np.exp((scores - scores.max()) / self.temperature)
        return np.asarray(weights / weights.sum())

    @property
    def shares(self) -> list[float] | list[None]:
        """The probabilities; unknown for a single tree, which has nothing to be compared with."""
        return self.probabilities.tolist() if len(self) > 1 else [None] * len(self)

    def ranked(self) -> Iterator[Sentence]:
        """The sentence with each of the trees, and with comments of rank, score and probability.

        What the sentence knows of the probabilities of arcs, labels and tree stays with the
        tree that it has.
        """
        sentence = self.sentence
        other = without_probabilities(sentence, _OF_A_TREE)
        rows = zip(self.trees, self.scores.tolist(), self.shares, strict=True)
        for rank, (tree, score, share) in enumerate(rows, start=1):
            base = sentence if tree == sentence.tree else other
            comments = [*base.comments, f"rank = {rank}", f"score = {score:.4f}"]
            if share is not None:
                comments.append(f"probability = {as_text(share)}")
            yield base.with_tree(tree).with_comments(comments)

    def to_dict(self) -> dict[str, Any]:
        """The tagged sentence as `Sentence.to_dict` has it, with `parses` instead of a tree.

        Each parse has its heads, deprels, score and probability among them, best first; a
        single one has the probability None. `probabilities` of tags are the sentence's, those
        of arcs, labels and tree are with the parse that they are of.
        """
        sentence = self.sentence
        found = without_probabilities(sentence, _OF_A_TREE).to_dict()
        for column in ("heads", "deprels"):
            del found[column]
        known = {k: v for k, v in known_probabilities(sentence).items() if k in _OF_A_TREE}
        rows = zip(self.trees, self.scores.tolist(), self.shares, strict=True)
        found["parses"] = [
            {
                "heads": list(tree.heads),
                "deprels": list(tree.deprels),
                "score": score,
                "probability": share,
                **({"probabilities": known} if known and tree == sentence.tree else {}),
            }
            for tree, score, share in rows
        ]
        return found

    def __len__(self) -> int:
        return len(self.scores)

    def __getitem__(self, row: int) -> Tree:
        return self.trees[row]

    def __iter__(self) -> Iterator[Tree]:
        return iter(self.trees)
