"""Quasi-synchronous grammar: how likely an answer with its tree becomes the question with its tree.

The score of an answer is log p(question, its tree | answer, its tree), summed over all alignments
of question words with answer words or none (Wang, Smith and Mitamura 2007). What a question word
looks like given its answer word is a mixture: of its tag, entity and label ("base"), and of how the
two words are related.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from niwaki.kernel.answers.quasi import FIXED_CONFIGURATIONS, RELATION_SETS, Grammar
from niwaki.tasks.answers.matcher import Matcher
from niwaki.tasks.answers.words import RELATIONS, WordView
from niwaki.typing import FloatArray, IntArray

# Sets of relations as rows of bits.
SETS = (np.arange(RELATION_SETS)[:, None] >> np.arange(len(RELATIONS)) & 1).astype(np.float64)


class Pairs(NamedTuple):
    """Questions and answers as the kernel wants them, and which go together."""

    asked: IntArray
    asked_starts: IntArray
    given: IntArray
    given_starts: IntArray
    pairs: IntArray
    related: NDArray[np.uint16]
    related_starts: NDArray[np.int64]


@dataclass(frozen=True)
class QuasiSynchronous(Matcher):
    """Names of tags, entities and labels, and tables of probabilities.

    A table has a row for what a question word has, and a column for what an answer word has; the
    row and column behind those with a name are of what was not seen, the last column of no word.
    """

    names: Mapping[str, tuple[str, ...]]
    tags: FloatArray = field(repr=False)
    entities: FloatArray = field(repr=False)
    labels: FloatArray = field(repr=False)  # label of the question x configuration
    weights: FloatArray = field(repr=False)  # of the relations
    alpha: float  # the share of the base
    best: bool = False  # the likeliest alignment in place of the sum

    name: ClassVar = "quasi"
    uses_trees: ClassVar = True

    @classmethod
    def uniform(
        cls,
        names: Mapping[str, tuple[str, ...]],
        alpha: float = 1.0,
        weight: float = 0.0,
        *,
        best: bool = False,
    ) -> Self:
        tags, entities, labels = (len(names[key]) + 1 for key in ("tags", "entities", "labels"))
        return cls(
            names,
            np.full((tags, tags + 1), 1 / tags),
            np.full((entities, entities + 1), 1 / entities),
            np.full((labels, FIXED_CONFIGURATIONS + 3 * labels), 1 / labels),
            np.full(len(RELATIONS), weight),
            alpha,
            best,
        )

    @cached_property
    def grammar(self) -> Grammar:
        return Grammar(
            self.tags, self.entities, self.labels, word_probabilities(self.weights), self.alpha
        )

    def scores(self, question: WordView, answers: Sequence[WordView]) -> FloatArray:
        return np.asarray(self.scores_of_trees([question], answers)[0])

    def scores_of_trees(
        self, questions: Sequence[WordView], answers: Sequence[WordView]
    ) -> FloatArray:
        """Of each tree of one question (rows) with each answer (columns)."""
        size = len(questions[0])
        related = [questions[0].relations(answer).ravel() for answer in answers]
        starts = np.cumsum([0, *(size * len(answer) for answer in answers)])[:-1]
        rows = np.indices((len(questions), len(answers)), dtype=np.int32).reshape(2, -1).T
        found = self.grammar.scores(
            *self._encoded(questions),
            *self._encoded(answers),
            np.ascontiguousarray(rows),
            np.concatenate([np.zeros(0, dtype=np.uint16), *related]),
            np.tile(starts.astype(np.int64), len(questions)),
            self.best,
        )
        return found.reshape(len(questions), len(answers))

    def pairs(self, pairs: Sequence[tuple[WordView, WordView]]) -> Pairs:
        """Each question with its own answer."""
        related = [question.relations(answer).ravel() for question, answer in pairs]
        numbers = np.arange(len(pairs), dtype=np.int32)
        return Pairs(
            *self._encoded([question for question, _ in pairs]),
            *self._encoded([answer for _, answer in pairs]),
            np.stack([numbers, numbers], axis=1),
            np.concatenate(related),
            np.cumsum([0, *map(len, related)])[:-1].astype(np.int64),
        )

    @cached_property
    def _numbers(self) -> dict[str, dict[str, int]]:
        return {key: {name: n for n, name in enumerate(v)} for key, v in self.names.items()}

    def _encoded(self, views: Sequence[WordView]) -> tuple[IntArray, IntArray]:
        """Heads, tags, entities and labels of all words, and where sentences begin."""
        heads = [head for view in views for head in view.tree.heads]
        rows = [heads]
        for key in ("tags", "entities", "labels"):
            known = self._numbers[key]
            values = (
                view.tree.deprels if key == "labels" else getattr(view, key) for view in views
            )
            rows.append([known.get(value, len(known)) for each in values for value in each])
        starts = np.cumsum([0, *map(len, views)]).astype(np.int32)
        return np.array(rows, dtype=np.int32).reshape(4, -1), starts

    @property
    def arrays(self) -> dict[str, NDArray[Any]]:
        found: dict[str, NDArray[Any]] = {
            "p(tag)": self.tags,
            "p(entity)": self.entities,
            "p(label)": self.labels,
            "weights": self.weights,
            "mixture": np.array([self.alpha, self.best], dtype=np.float64),
        }
        for key, names in self.names.items():
            found[f"names of {key}"] = np.frombuffer("\n".join(names).encode(), dtype=np.uint8)
        return found

    @classmethod
    def of(cls, arrays: Mapping[str, NDArray[Any]]) -> Self:
        """Of such arrays; raises ValueError if they do not fit together."""
        names = {}
        for key in ("tags", "entities", "labels"):
            text = arrays[f"names of {key}"].tobytes().decode()
            names[key] = tuple(text.split("\n")) if text else ()
        alpha, best = arrays["mixture"].tolist()
        tags, entities, labels = (arrays[f"p({key})"] for key in ("tag", "entity", "label"))
        made = cls(names, tags, entities, labels, arrays["weights"], alpha, bool(best))
        fresh = cls.uniform(names)
        for key in ("tags", "entities", "labels", "weights"):
            found, wanted = getattr(made, key), getattr(fresh, key)
            if found.shape != wanted.shape or not np.isfinite(found).all():
                raise ValueError(f"a table of {key} of another shape, or not of numbers")
        assert made.grammar
        return made


def word_probabilities(weights: FloatArray) -> FloatArray:
    """p of each set of relations: exp(w . f) / (prod (1 + exp w) - 1); of none 0."""
    scores = np.exp(SETS @ weights)
    scores[0] = 0.0
    return np.asarray(scores / np.expm1(np.log1p(np.exp(weights)).sum()))
