"""Partial trees: any heads, labels and other statements that are known of a sentence.

The cost is the share of what is known that a tree gets wrong. Where only the root is
known this is the question "what is the main verb?" of Hall et al. (2011), section 4.2:
0 or 1. If no candidate costs nothing, the parser is asked for the best tree that obeys.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from niwaki.data.conllu import read_conllu
from niwaki.data.constraints import Constraints, FixedHead, Labels
from niwaki.data.kbest import KBest
from niwaki.data.sentence import Sentence
from niwaki.data.tree import Tree
from niwaki.errors import ConfigError
from niwaki.objectives import Costs, LeftOut
from niwaki.objectives._trees import KnownTrees


@dataclass(frozen=True)
class Settings:
    """Nothing: the data say what is known."""


class Partial(KnownTrees):
    """Sentences of which something is known; those that say nothing are left out."""

    def __init__(self, sentences: Sequence[Sentence]) -> None:
        known = [(s, Constraints.of(s)) for s in sentences]
        super().__init__([s for s, constraints in known if constraints])
        silent = [s for s, constraints in known if not constraints]
        self.left_out = LeftOut.of(silent, "nothing is known of them")
        self._constraints = [constraints for _, constraints in known if constraints]
        # What heads and labels say is counted with arrays; the rest, which is rare, tree by tree.
        self._others = [
            Constraints(each.words, tuple(x for x in each.statements if not _is_plain(x, s)))
            for s, each in zip(self.sentences, self._constraints, strict=True)
        ]
        self._names: Sequence[str] = ()

    def open(self, tagged: Sequence[Sentence], labels: Sequence[str]) -> None:
        super().open(tagged, labels)
        self._names = labels
        for sentence, constraints in zip(self.sentences, self._constraints, strict=True):
            constraints.check(sentence)

    def cost(self, candidates: KBest) -> Costs:
        heads, labels = self._heads[candidates.number], self._labels[candidates.number]
        wrong = ((heads >= 0) & (candidates.heads != heads)).sum(axis=1)
        wrong += ((labels != -1) & (candidates.labels != labels)).sum(axis=1)
        if others := self._others[candidates.number]:
            for row in range(len(candidates)):
                names = tuple(self._names[label] for label in candidates.labels[row])
                tree = Tree(tuple(candidates.heads[row].tolist()), names)
                wrong[row] += sum(1 for _ in others.broken_by(tree))
        known = len(self._constraints[candidates.number].statements)
        return np.asarray(wrong / known, dtype=np.float64)

    def arc_costs(self, number: int) -> Costs | None:
        if self._others[number]:
            return None
        heads, labels = self._heads[number], self._labels[number]
        n, share = len(heads), 1 / len(self._constraints[number].statements)
        words = np.flatnonzero(heads >= 0)
        costs = np.zeros((n + 1, n))
        costs[:, words] = share
        costs[heads[words], words] = 0
        named = np.flatnonzero(labels != -1)
        if not len(named):
            return costs.ravel()
        by_label = np.repeat(costs[:, :, None], self._label_count, axis=2)
        by_label[:, named] += share
        known = named[labels[named] >= 0]
        by_label[:, known, labels[known]] -= share
        return by_label.reshape((n + 1) * n, -1)

    def constraints(self, number: int) -> Constraints | None:
        return self._constraints[number]


def _is_plain(statement: object, sentence: Sentence) -> bool:
    """Whether it stands in HEAD or DEPREL; what stands in MISC is looked at by itself."""
    if isinstance(statement, Labels):
        return statement.labels == (sentence.deprels[statement.word - 1],)
    return isinstance(statement, FixedHead)


def load(files: Sequence[str], settings: Settings) -> Partial:
    objective = Partial([s for file in files for s in read_conllu(file, unknown_heads=True)])
    if not objective.sentences:
        raise ConfigError(f"{', '.join(files)}: nothing is known of any tree; give some heads")
    return objective
