"""Greedy parsers learned as classifiers: against a twin, and gradients against differences."""

from __future__ import annotations

import numpy as np
import pytest

from niwaki.kernel.linear import SparseWeights
from niwaki.kernel.transition.local_learning import LocalLearner
from niwaki.kernel.transition.systems import system_names
from niwaki.parsers.transition.model import TransitionModel
from tests.kernel.test_parser_learning import Training, corpus
from tests.reference.local_learning import Example, Twin, examples_of

LINES = ["s0.form", "s1.form", "b0.form", "b1.form"]


class LocalTraining(Training):
    """The training of the other learners, move by move."""

    def __init__(self, system: str) -> None:
        super().__init__(system)
        self.teacher = LocalLearner(self.parser.kernel, self.parser.class_numbers())

    def learn(
        self,
        hinge: bool,
        rate: float = 0.2,
        damping: float = 0.1,
        decay: float = 0.0,
        least: float = 0.0,
    ) -> tuple[int, int, float, int]:
        return self.teacher.learn_locally(
            self.batch,
            self.values,
            self.heads,
            self.labels,
            self.order,
            hinge,
            rate,
            damping,
            decay,
            least,
        )

    def with_weights(self, arrays: dict[str, np.ndarray]) -> None:
        """Begin again with other weights."""
        spec = self.parser.spec
        self.learner = SparseWeights(len(spec.classes))
        self.learner.restore(**arrays)
        self.parser = TransitionModel(spec, self.learner)
        self.teacher = LocalLearner(self.parser.kernel, self.parser.class_numbers())


@pytest.mark.parametrize("system", system_names())
@pytest.mark.parametrize("hinge", [False, True])
def test_it_separates_what_is_separable(system: str, hinge: bool) -> None:
    training = LocalTraining(system)
    first = training.learn(hinge)
    for _ in range(25):
        moves, mistakes, loss, unreachable = training.learn(hinge)
    assert (moves, mistakes, unreachable) == (first[0], 0, 0)
    assert loss < first[2] / 10
    assert training.mistakes(1) == 0


@pytest.mark.parametrize("hinge", [False, True])
@pytest.mark.parametrize(("decay", "least"), [(0.0, 0.0), (0.05, 0.0), (0.01, 0.1)])
def test_losses_are_those_of_the_twin(hinge: bool, decay: float, least: float) -> None:
    training = LocalTraining("arc-standard")
    training.order = training.order[-12:]
    twin = Twin(hinge, 0.2, 0.1, decay, least)
    examples: list[Example] = []
    sentences = corpus("arc-standard")
    start = np.cumsum([0, *map(len, sentences)])
    for s in training.order.tolist():
        labels = training.labels[start[s] : start[s + 1]].tolist()
        examples += examples_of(
            list(sentences[s].forms),
            sentences[s].heads,
            labels,
            training.parser.spec.classes,
            LINES,
        )
    for _ in range(4):
        moves, _, loss, _ = training.learn(hinge, decay=decay, least=least)
        assert moves == len(examples)
        assert loss == pytest.approx(sum(map(twin.learn, examples)), rel=1e-3, abs=1e-4)


def test_gradients_are_differences_of_the_loss() -> None:
    """A step that is so short that nothing else changes goes down the slope of the loss."""
    training = LocalTraining("arc-standard")
    training.order = training.order[-10:]
    for _ in range(2):
        training.learn(False)
    before = training.learner.export()
    before["squares"] = np.zeros_like(before["squares"])
    short = 1e-3
    training.with_weights(before)
    training.learn(False, rate=short * 1e4, damping=1e4)
    after = training.learner.export()
    assert np.array_equal(after["keys"], before["keys"])
    slopes = (after["weights"] - before["weights"]) / short
    changed = np.flatnonzero(np.abs(slopes) > 0.05)
    assert len(changed) > 20
    for place in changed[:: len(changed) // 20].tolist():
        losses = []
        for step in (0.01, -0.01):
            moved = dict(before)
            moved["weights"] = before["weights"].copy()
            moved["weights"][place] += step
            training.with_weights(moved)
            losses.append(training.learn(False, rate=0.0)[2])
        slope = (losses[0] - losses[1]) / 0.02
        assert slopes[place] == pytest.approx(-slope, rel=0.03, abs=0.01)


def test_without_a_rate_nothing_is_learned() -> None:
    training = LocalTraining("arc-eager")
    training.learn(False)
    before = training.learner.export()
    assert training.learn(False, rate=0.0) == training.learn(False, rate=0.0)
    for name, array in training.learner.export().items():
        assert np.array_equal(array, before[name])


def test_decay_keeps_weights_small() -> None:
    sizes = []
    for decay in (0.0, 0.3):
        training = LocalTraining("arc-hybrid")
        for _ in range(10):
            training.learn(False, decay=decay)
        sizes.append(float(np.abs(training.learner.export()["weights"]).mean()))
    assert sizes[1] < 0.8 * sizes[0]


def test_trees_that_the_oracle_cannot_reach_are_counted() -> None:
    training = LocalTraining("arc-hybrid")
    training.labels[::3] = -1
    assert training.learn(True)[3] > 0
    with pytest.raises(ValueError, match="no sentence 999"):
        training.order = np.array([999], dtype=np.int32)
        training.learn(True)
