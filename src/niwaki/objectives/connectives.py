"""What a tree makes of the connectives of its sentence, as a cost.

A model of connectives, which stays as it is, reads the arguments off each candidate tree. The cost
is the share of arguments that are wrong, or with `smooth` the mean of -log P of the right ones. An
example is a sentence with connectives both of whose arguments stand in it; it is read by itself.
Where all candidates of a parser cost something, one more is searched for: most connectives hang
from their second argument, and most second arguments from the first (`_usual`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from niwaki.data.conllu import read_conllu
from niwaki.data.connectives import Connective, Document, Place, documents
from niwaki.data.constraints import Constraints
from niwaki.data.kbest import KBest
from niwaki.data.sentence import Sentence
from niwaki.errors import ConfigError
from niwaki.keys import key
from niwaki.objectives import Costs, LeftOut
from niwaki.objectives._usual import usual_tree, with_lacking
from niwaki.tasks.connectives.candidates import DocumentView
from niwaki.tasks.connectives.model import ConnectiveModel
from niwaki.tasks.connectives.questions import Questions
from niwaki.tasks.trees import TreeView

# What the right argument has at least, where a tree makes it no candidate.
_LEAST = 1e-4


@dataclass(frozen=True)
class Settings:
    """Who reads arguments off trees, and what mistakes cost."""

    connectives: str = key(
        "", "A model of `niwaki train-connectives`.", path="file", needed="a model of connectives"
    )
    smooth: bool = key(False, "-log P of the right arguments in place of the share of wrong ones.")
    arcs: float = key(0.0, "What it costs beside to lack the usual arcs.", least=0)


class Connectives:
    """Sentences with connectives; those without, or with arguments elsewhere, are left out."""

    def __init__(
        self,
        given: Sequence[Document],
        model: ConnectiveModel,
        *,
        smooth: bool = False,
        arcs: float = 0.0,
    ) -> None:
        self._model, self._smooth, self._arcs = model, smooth, arcs
        asked = [
            (sentence, _inside(document, number))
            for document in given
            for number, sentence in enumerate(document.sentences)
        ]
        self.sentences = tuple(s for s, found in asked if found)
        self.ids = tuple(s.id or f"{s.file}:{s.line}" for s in self.sentences)
        self._documents = [Document((s,), found) for s, found in asked if found]
        self._usual = [usual_tree(len(s), _arcs(found)) for s, found in asked if found]
        silent = [s for s, found in asked if not found]
        self.left_out = LeftOut.of(silent, "no connective has both arguments in them")

    def open(self, tagged: Sequence[Sentence], labels: Sequence[str]) -> None:
        self._documents = [
            replace(document, sentences=(sentence,))
            for document, sentence in zip(self._documents, tagged, strict=True)
        ]

    def costs(self, candidates: Sequence[KBest]) -> list[Costs]:
        views = [
            DocumentView(document, {0: TreeView(document.sentences[0], tree)})
            for each in candidates
            for document in [self._documents[each.number]]
            for tree in each
        ]
        questions = self._model.questions(views)
        wrong = self._surprise(questions) if self._smooth else self._mistakes(questions)
        # The mean over the connectives of each tree.
        asked = np.bincount(questions.documents, minlength=len(views))
        means = np.bincount(questions.documents, wrong, minlength=len(views)) / asked
        ends = np.cumsum([len(each) for each in candidates])
        costs = np.split(means, ends[:-1])
        return with_lacking(costs, candidates, self._usual, self._arcs)

    def _mistakes(self, questions: Questions) -> Costs:
        pairs = self._model.choose(questions)
        wrong = [
            (i != questions.right(0, number)) + (j != questions.right(1, number))
            for number, (i, j, _) in enumerate(pairs)
        ]
        return np.array(wrong, dtype=np.float64) / 2

    def _surprise(self, questions: Questions) -> Costs:
        """Mean of -log P of both arguments."""
        total = np.zeros(len(questions))
        for beliefs, data in zip(self._model.beliefs(questions), questions.sets, strict=True):
            right = np.add.reduceat(beliefs * data.shares, data.sets[:-1])
            total -= np.log(np.maximum(right, _LEAST))
        return total / 2

    def constraints(self, number: int) -> Constraints | None:
        return self._usual[number]


def _inside(document: Document, number: int) -> tuple[Connective, ...]:
    """The connectives of a sentence that join words of it, as those of a document of it alone."""
    found = []
    for each in document.connectives:
        heads = [each.arg1, each.arg2]
        if each.sentence == number and all(h and h.sentence == number for h in heads):
            places = (Place(0, head.word) for head in heads if head)
            found.append(Connective(0, each.words, *places))
    return tuple(found)


def _arcs(found: Sequence[Connective]) -> Iterator[tuple[int, int]]:
    """Where connectives and their second arguments hang in most trees."""
    for each in found:
        if each.arg1 and each.arg2:
            yield each.arg2.word, each.words[0]
            yield each.arg1.word, each.arg2.word


def load(files: Sequence[str], settings: Settings) -> Connectives:
    model = ConnectiveModel.load(settings.connectives)
    given = [
        document
        for file in files
        for document in documents(read_conllu(file, multi_root=True, unknown_heads=True))
    ]
    objective = Connectives(given, model, smooth=settings.smooth, arcs=settings.arcs)
    if not objective.sentences:
        raise ConfigError(
            f"{', '.join(files)}: no connective with both arguments in its sentence; "
            "mark some with Connective=, Arg1= and Arg2= in MISC"
        )
    return objective
