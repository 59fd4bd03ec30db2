"""A greedy parser learned as a classifier, by the definitions: dictionaries, one move at a time.

Only for arc-standard, whose static oracle is a few lines.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from niwaki.kernel.transition.systems import MOVES
from tests.reference.features import Symbolic
from tests.reference.systems import Slow, SlowStandard


@dataclass(frozen=True)
class Example:
    """A state: its features, the classes that are legal there and the right one."""

    features: list[tuple[str, tuple[object, ...]]]
    legal: list[int]
    right: int


def oracle_move(state: Slow, heads: Sequence[int]) -> tuple[str, int]:
    """The move towards the tree, and the word whose head it decides (0: none)."""
    stack = state.stack
    if len(stack) == 2 and not state.buffer:
        return "root", stack[-1]
    if len(stack) > 2:
        below, top = stack[-2:]
        if heads[below - 1] == top:
            return "left", below
        waiting = any(heads[word - 1] == top for word in state.buffer)
        if heads[top - 1] == below and not waiting:
            return "right", top
    return "shift", 0


def examples_of(
    forms: list[str],
    heads: Sequence[int],
    labels: Sequence[int],
    classes: Sequence[tuple[int, int]],
    lines: Sequence[str],
) -> list[Example]:
    state: Slow = SlowStandard.start(len(forms))
    known: dict[int, int] = {}
    found = []
    while state.moves():
        move, word = oracle_move(state, heads)
        symbols = Symbolic(state, known, {"form": forms})
        legal = [k for k, (number, _) in enumerate(classes) if MOVES[number] in state.moves()]
        wanted = (MOVES.index(move), labels[word - 1] if word else 0)
        features = [(line, symbols.feature(line)) for line in lines]
        found.append(Example(features, legal, classes.index(wanted)))
        if word:
            known[word] = labels[word - 1]
        state = state.moves()[move]
    return found


class Twin:
    def __init__(
        self, hinge: bool, rate: float, damping: float, decay: float, least: float
    ) -> None:
        self.hinge, self.rate, self.damping = hinge, rate, damping
        self.decay, self.least = decay, least
        self.weights: defaultdict[tuple[object, int], float] = defaultdict(float)
        self.squares: defaultdict[tuple[object, int], float] = defaultdict(float)

    def learn(self, example: Example) -> float:
        """Make a step; returns the loss before it."""
        scores = {k: sum(self.weights[f, k] for f in example.features) for k in example.legal}
        right = scores[example.right]
        rest = {k: score for k, score in scores.items() if k != example.right}
        gradients: dict[int, float] = {}
        if not rest:
            return 0.0
        if self.hinge:
            wrong = max(rest, key=lambda k: rest[k])
            loss = max(0.0, 1 + rest[wrong] - right)
            if loss > 0:
                gradients = {example.right: 1.0, wrong: -1.0}
        else:
            total = sum(math.exp(score) for score in scores.values())
            loss = math.log(total) - right
            for k, score in scores.items():
                gradients[k] = (k == example.right) - math.exp(score) / total
        for k, gradient in gradients.items():
            if abs(gradient) > self.least:
                for feature in example.features:
                    self.step((feature, k), gradient)
        return loss

    def step(self, place: tuple[object, int], gradient: float) -> None:
        gradient -= self.decay * self.weights[place]
        self.squares[place] += gradient**2
        self.weights[place] += (
            self.rate * gradient / (math.sqrt(self.squares[place]) + self.damping)
        )
