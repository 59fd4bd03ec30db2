"""Model 1 and the HMM by listing every alignment of a sentence pair: slow and obvious.

A state is a word of the conditioning side, a step one of the other; None is the null.
"""

from __future__ import annotations

import itertools
import math
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

Path = tuple[int | None, ...]
Jump = tuple[int, int]  # (row of the jump table, clipped distance)


@dataclass
class Direction:
    """Parameters of one direction. `jumps[row][distance + limit]` are weights."""

    translation: dict[tuple[int, int], float]  # (state's word, step's word)
    null: dict[int, float]
    empty: float
    jumps: Sequence[Sequence[float]]
    classes: Sequence[int]

    @property
    def limit(self) -> int:
        return len(self.jumps[0]) // 2

    def clip(self, distance: int) -> int:
        return max(-self.limit, min(self.limit, distance))

    def weight(self, row: int, distance: int) -> float:
        return self.jumps[row][self.clip(distance) + self.limit]


@dataclass
class Expectation:
    """Posteriors of one pair, its log-likelihood and the expected jumps."""

    score: float
    links: dict[tuple[int, int], float] = field(default_factory=lambda: defaultdict(float))
    null: dict[int, float] = field(default_factory=lambda: defaultdict(float))
    jumps: dict[Jump, float] = field(default_factory=lambda: defaultdict(float))


def emission(direction: Direction, states: Sequence[int], word: int, state: int | None) -> float:
    if state is None:
        return direction.empty * direction.null[word]
    return (1 - direction.empty) * direction.translation[states[state], word]


def model1_weight(
    direction: Direction, states: Sequence[int], steps: Sequence[int], path: Path
) -> float:
    made = 1.0
    for word, state in zip(steps, path, strict=True):
        made *= emission(direction, states, word, state)
        if state is not None:
            made /= len(states)
    return made


def path_jumps(direction: Direction, states: Sequence[int], path: Path) -> list[Jump]:
    """The first jump starts before the sentence; the null word does not move."""
    made, last = [], -1
    for state in path:
        if state is not None:
            row = 0 if last < 0 else direction.classes[states[last]] + 1
            made.append((row, direction.clip(state - last)))
            last = state
    made.append((len(direction.jumps) - 1, direction.clip(len(states) - last)))
    return made


def hmm_weight(
    direction: Direction, states: Sequence[int], steps: Sequence[int], path: Path
) -> float:
    made, last, size = 1.0, -1, len(states)
    for word, state in zip(steps, path, strict=True):
        made *= emission(direction, states, word, state)
        if state is not None:
            row = 0 if last < 0 else direction.classes[states[last]] + 1
            reachable = sum(direction.weight(row, k - last) for k in range(size))
            made *= direction.weight(row, state - last) / reachable
            last = state
    row = len(direction.jumps) - 1
    ends = sum(direction.weight(row, size - k) for k in range(-1, size))
    return made * direction.weight(row, size - last) / ends


def expect(
    direction: Direction,
    states: Sequence[int],
    steps: Sequence[int],
    weigh: Callable[[Direction, Sequence[int], Sequence[int], Path], float],
) -> Expectation:
    choices = [None, *range(len(states))]
    paths = list(itertools.product(choices, repeat=len(steps)))
    weights = [weigh(direction, states, steps, path) for path in paths]
    total = math.fsum(weights)
    made = Expectation(math.log(total))
    for path, weight in zip(paths, weights, strict=True):
        share = weight / total
        for step, state in enumerate(path):
            if state is None:
                made.null[step] += share
            else:
                made.links[state, step] += share
        for jump in path_jumps(direction, states, path):
            made.jumps[jump] += share
    return made


def estimate(counts: dict[tuple[int, int], float], prior: float) -> dict[tuple[int, int], float]:
    """Shares of each first word's counts, every count raised by `prior`."""
    totals: dict[int, float] = defaultdict(float)
    for (given, _), count in counts.items():
        totals[given] += count + prior
    return {
        (given, word): max(1e-30, (count + prior) / max(1e-30, totals[given]))
        for (given, word), count in counts.items()
    }
