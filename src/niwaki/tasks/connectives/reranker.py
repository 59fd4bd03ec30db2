"""Chooses a pair of arguments: the best pairs of both rankers, weighed anew together.

With `P_loc = P(arg1) P(arg2)`, 0 if both are the same word, a pair has `P_loc^gamma P_r`, where
P_r is a ranker of the N pairs that are best by P_loc.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from niwaki.learning.candidates import CandidateSets
from niwaki.learning.ranker import Ranker, RankerSettings, learn_ranker
from niwaki.tasks.connectives.features import pair_features
from niwaki.tasks.connectives.questions import Questions
from niwaki.typing import FloatArray

# Both numbers of candidates, and log P_loc.
Pair = tuple[int, int, float]
_LEAST = 1e-300


def best_pairs(
    questions: Questions, beliefs: tuple[FloatArray, FloatArray], most: int
) -> list[list[Pair]]:
    """The best pairs of each connective by P_loc, best first."""
    found = []
    for number in range(len(questions)):
        one, other = (
            np.log(np.maximum(beliefs[a][questions.rows_of(a, number)], _LEAST)) for a in (0, 1)
        )
        places = [[c.place for c in questions.candidates[a][number]] for a in (0, 1)]
        # Beyond the best `most` of each there can be no pair among the best `most`, equal words
        # aside.
        firsts, seconds = (np.argsort(-each, kind="stable")[: most + 1] for each in (one, other))
        pairs = [
            (int(i), int(j), float(one[i] + other[j]))
            for i in firsts
            for j in seconds
            if places[0][i] != places[1][j]
        ]
        pairs.sort(key=lambda pair: -pair[2])
        found.append(pairs[:most] or [(int(firsts[0]), int(seconds[0]), 0.0)])
    return found


def _sets(questions: Questions, pairs: Sequence[Sequence[Pair]]) -> CandidateSets:
    made = []
    for number, chosen in enumerate(pairs):
        view = questions.views[number]
        first, second = (questions.candidates[a][number] for a in (0, 1))
        right = questions.right(0, number), questions.right(1, number)
        rows = [pair_features(view, first[i].place, second[j].place) for i, j, _ in chosen]
        good = next((n for n, (i, j, _) in enumerate(chosen) if (i, j) == right), None)
        made.append((rows, good))
    return CandidateSets.of(made)


@dataclass(frozen=True)
class Reranker:
    """P_r and how much P_loc weighs beside it."""

    ranker: Ranker
    gamma: float

    def log_weights(self, questions: Questions, pairs: Sequence[Sequence[Pair]]) -> FloatArray:
        """log of `P_loc^gamma P_r` of all pairs, one connective after the other."""
        logs = self.ranker.log_probabilities(_sets(questions, pairs))
        local = np.array([log for chosen in pairs for _, _, log in chosen])
        return np.asarray(self.gamma * local + logs)


def learn_reranker(
    questions: Questions,
    pairs: Sequence[Sequence[Pair]],
    settings: RankerSettings,
    gamma: float,
) -> Reranker:
    """P_r from the best pairs of connectives that the rankers of arguments have not seen."""
    return Reranker(learn_ranker(_sets(questions, pairs), settings), gamma)
