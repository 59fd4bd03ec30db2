"""Rankers of all connectives, of those of a type, and of one phrase, mixed (Elwell and Baldridge
2008): the probability of a candidate is a weighted mean of what they say.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from niwaki.learning.candidates import CandidateSets
from niwaki.learning.ranker import Ranker, RankerSettings, learn_ranker
from niwaki.tasks.connectives.features import ConnectiveView
from niwaki.typing import FloatArray

LEVELS = ("all", "type", "phrase")
_ROUNDS = 30
# A phrase gets a ranker of its own if it was seen so often.
_LEAST_SEEN = 40


@dataclass(frozen=True)
class Mixture:
    """Rankers by level and name, and the shares of the levels."""

    rankers: Mapping[str, Ranker]
    shares: tuple[float, ...] = (1.0, 0.0, 0.0)

    def parts(self, views: Sequence[ConnectiveView], data: CandidateSets) -> FloatArray:
        """What each level says of each candidate: probabilities, or -1 where it has no ranker."""
        names = np.array([_names(view) for view in views]).reshape(len(views), len(LEVELS))
        found = np.full((len(LEVELS), len(data.shares)), -1.0)
        for level in range(len(LEVELS)):
            if self.shares[level] == 0:
                continue
            for name in sorted(set(names[:, level].tolist()) & set(self.rankers)):
                chosen = names[:, level] == name
                rows = np.repeat(chosen, np.diff(data.sets))
                found[level, rows] = np.exp(self.rankers[name].log_probabilities(data.only(chosen)))
        return found

    def probabilities(self, views: Sequence[ConnectiveView], data: CandidateSets) -> FloatArray:
        """The probability of each candidate in its set."""
        return mixed(self.parts(views, data), self.shares)

    @property
    def arrays(self) -> dict[str, NDArray[Any]]:
        """What a model file keeps of it."""
        found: dict[str, NDArray[Any]] = {"shares": np.array(self.shares)}
        for name, ranker in self.rankers.items():
            found |= {f"{part} {name}": array for part, array in ranker.arrays.items()}
        return found

    @classmethod
    def of(cls, arrays: Mapping[str, NDArray[Any]]) -> Mixture:
        names = [name.removeprefix("keys ") for name in arrays if name.startswith("keys ")]
        rankers = {
            name: Ranker.of({part: arrays[f"{part} {name}"] for part in ("keys", "weights")})
            for name in names
        }
        if LEVELS[0] not in rankers or arrays["shares"].shape != (len(LEVELS),):
            raise ValueError("no ranker of all connectives")
        return cls(rankers, tuple(arrays["shares"].tolist()))


def learn_rankers(
    views: Sequence[ConnectiveView],
    data: CandidateSets,
    settings: RankerSettings,
    levels: int = len(LEVELS),
) -> Mixture:
    """Rankers of the first levels, with equal shares."""
    names = np.array([_names(view) for view in views])
    rankers = {}
    for level in range(levels):
        for name, seen in sorted(Counter(names[:, level].tolist()).items()):
            part = names[:, level] == name
            if (level < 2 or seen >= _LEAST_SEEN) and data.decided[part].any():
                rankers[name] = learn_ranker(data.only(part), settings)
    shares = [1 / levels] * levels + [0.0] * (len(LEVELS) - levels)
    return Mixture(rankers, tuple(shares))


def mixed(parts: FloatArray, shares: Sequence[float]) -> FloatArray:
    """Means of what levels say; those that say nothing leave their share to the others."""
    weights = np.where(parts >= 0, np.array(shares)[:, None], 0.0)
    return np.asarray((weights * parts).sum(axis=0) / weights.sum(axis=0))


def likeliest_shares(parts: FloatArray) -> tuple[float, ...]:
    """Shares that make what is right (levels x sets, held out) likeliest, by EM."""
    shares = (parts >= 0).any(axis=1).astype(np.float64)
    shares /= shares.sum()
    for _ in range(_ROUNDS):
        weights = np.where(parts >= 0, shares[:, None] * parts, 0.0)
        total = weights.sum(axis=0)
        known = total > 0
        shares = (weights[:, known] / total[known]).mean(axis=1) if known.any() else shares
    return tuple(shares.tolist())


def _names(view: ConnectiveView) -> tuple[str, str, str]:
    return LEVELS[0], f"type {view.type}", f"phrase {view.lower}"
