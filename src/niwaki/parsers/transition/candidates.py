"""A parser while it is being taught by costs: it gives candidates, and changes its weights."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np

from niwaki.data.constraints import Constraints
from niwaki.data.kbest import CandidateArrays
from niwaki.kernel.batch import Batch
from niwaki.kernel.transition.learning import TransitionLearner
from niwaki.objectives import Costs
from niwaki.parsers.transition.model import Numbers, TransitionParser
from niwaki.parsers.transition.search import constrained_kbest
from niwaki.tagging.tagger import Tags


class Lister(Protocol):
    """A parser with the sentences of one data set. Candidates are asked for by many threads."""

    @property
    def labels(self) -> Sequence[str]:
        """The names of the labels of candidates."""

    def candidates(self, s: int, k: int) -> CandidateArrays:
        """Up to k distinct trees of sentence s under the weights of this moment, best first."""


class Trainee(Lister, Protocol):
    """The same while it is being taught."""

    @property
    def usual_scale(self) -> float:
        """What differences of scores are like: the scale of costs where none is given."""

    def obeying(self, s: int, constraints: Constraints) -> CandidateArrays:
        """The best tree of sentence s that obeys."""

    def update(self, candidates: CandidateArrays, towards: int, away: int, step: float) -> None:
        """Move the weights towards one of the candidates and away from another."""


@dataclass(frozen=True)
class Slopes:
    """The gradient of an expected cost: by scores of arcs, and of the labels of some arcs."""

    number: int
    arcs: Numbers
    arc_slopes: Costs
    labelled: Numbers
    label_slopes: Costs


@runtime_checkable
class ArcTrainee(Protocol):
    """A parser that can do with costs of arcs what others do with candidates."""

    def augmented(self, s: int, costs: Costs, scale: float) -> CandidateArrays:
        """The best tree, that of hope and that of fear."""

    def expectation(
        self, s: int, costs: Costs, scale: float
    ) -> tuple[CandidateArrays, Slopes, float]:
        """The best tree and the cheapest one; the expected cost's gradient, and that cost."""

    def descend(self, slopes: Slopes, step: float) -> None:
        """Move the weights down a gradient."""


class TransitionCandidates:
    """What the beam of a transition parser finds in the sentences of a data set."""

    usual_scale = 100.0

    def __init__(self, parser: TransitionParser, batch: Batch, tags: Tags, beam: int) -> None:
        self._parser, self._batch, self._beam = parser, batch, beam
        self._values = parser.attribute_values(batch, tags)
        self.labels = parser.labels.names

    def candidates(self, s: int, k: int) -> CandidateArrays:
        heads, labels, scores, moves = self._parser.kernel.kbest(
            self._batch, s, self._values, k, self._beam
        )
        words = heads.shape[1]
        flat = self._parser.decoded(heads.ravel(), labels.ravel(), [words] * len(heads))
        heads, labels = (each.reshape(-1, words) for each in flat)
        return CandidateArrays(s, heads, labels, scores, tuple(moves))

    def obeying(self, s: int, constraints: Constraints) -> CandidateArrays:
        (found,) = constrained_kbest(
            self._parser, self._batch, s, self._values, constraints, 1, self._beam
        )
        labels = [self._parser.labels.number(name) for name in found.tree.deprels]
        return CandidateArrays(
            s,
            np.array([found.tree.heads], dtype=np.int32),
            np.array([labels], dtype=np.int32),
            np.array([found.score], dtype=np.float32),
            (np.frombuffer(found.moves, dtype=np.uint8),),
        )


class TransitionTrainee(TransitionCandidates):
    """The same while the parser is being taught."""

    def __init__(
        self,
        parser: TransitionParser,
        move_learner: TransitionLearner,
        batch: Batch,
        tags: Tags,
        beam: int,
    ) -> None:
        super().__init__(parser, batch, tags, beam)
        self._move_learner = move_learner

    def update(self, candidates: CandidateArrays, towards: int, away: int, step: float) -> None:
        better, worse = candidates.histories[towards], candidates.histories[away]
        self._move_learner.update(self._batch, candidates.number, self._values, better, worse, step)
