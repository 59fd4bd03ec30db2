"""What is asked of connectives: the candidates of both arguments, with their features."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from niwaki.data.connectives import Connective, Place
from niwaki.learning.candidates import CandidateSets
from niwaki.tasks.connectives.candidates import Candidate, DocumentView, candidates
from niwaki.tasks.connectives.features import ConnectiveView, argument_features, right_candidate


@dataclass(frozen=True)
class Questions:
    """Connectives, and for each argument candidates and sets of their features."""

    views: Sequence[ConnectiveView]
    documents: NDArray[np.int64]  # which document each connective is of
    candidates: tuple[list[list[Candidate]], list[list[Candidate]]]
    sets: tuple[CandidateSets, CandidateSets]

    @classmethod
    def of(cls, documents: Iterable[DocumentView], size: int) -> Questions:
        """Questions of the connectives of documents, with the first `size` features."""
        pairs = [
            (number, ConnectiveView(view, connective))
            for number, view in enumerate(documents)
            for connective in view.document.connectives
        ]
        views = [view for _, view in pairs]
        first, second = (
            [candidates(each.view, each.connective, argument) for each in views]
            for argument in (0, 1)
        )
        return cls(
            views,
            np.array([number for number, _ in pairs], dtype=np.int64),
            (first, second),
            (_sets(views, first, 0, size), _sets(views, second, 1, size)),
        )

    def __len__(self) -> int:
        return len(self.views)

    def rows_of(self, argument: int, number: int) -> slice:
        """Where the candidates of a connective stand among those of all."""
        starts = self.sets[argument].sets
        return slice(int(starts[number]), int(starts[number + 1]))

    def right(self, argument: int, number: int) -> int | None:
        """The number of the right candidate, if it is one."""
        found = self.candidates[argument][number]
        return right_candidate(found, wanted(self.views[number].connective, argument))


def wanted(connective: Connective, argument: int) -> Place | None:
    return connective.arg2 if argument else connective.arg1


def _sets(
    views: Sequence[ConnectiveView], found: Sequence[Sequence[Candidate]], argument: int, size: int
) -> CandidateSets:
    return CandidateSets.of(
        (
            [argument_features(view, candidate, size) for candidate in chosen],
            right_candidate(chosen, wanted(view.connective, argument)),
        )
        for view, chosen in zip(views, found, strict=True)
    )
