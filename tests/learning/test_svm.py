"""Support vector machines beside a slow twin: the dual, decisions, votes."""

from __future__ import annotations

import numpy as np
import pytest

from niwaki.errors import NiwakiError
from niwaki.learning.svm import SvmSettings, learn_two, radial, solve_dual, votes
from tests.reference import svm as twin


def problem(seed: int) -> tuple[np.ndarray, np.ndarray, SvmSettings]:
    random = np.random.default_rng(seed)
    size = int(random.integers(2, 12))
    points = random.normal(size=(size, 3)).round(1)
    # Equal points with different labels are among them.
    points[size // 2] = points[0]
    labels = random.permutation([1.0, -1.0] * size)[:size]
    labels[:2] = 1.0, -1.0
    settings = SvmSettings(
        c=float(random.choice([0.3, 1, 20])), gamma=float(random.choice([0.001, 0.5]))
    )
    return points, labels, settings


@pytest.mark.parametrize("seed", range(30))
def test_the_dual_is_that_of_the_slow_twin(seed: int) -> None:
    points, labels, settings = problem(seed)
    table = radial(points, points, settings.gamma)
    rows, marks = points.tolist(), [int(y) for y in labels]
    slow = [[twin.kernel(a, b, settings.gamma) for b in rows] for a in rows]
    assert table == pytest.approx(np.array(slow))
    shares, _ = solve_dual(table, labels, settings.c)
    assert shares.min() >= 0 and shares.max() <= settings.c and abs(shares @ labels) < 1e-9
    wanted = twin.objective(slow, marks, twin.solved(slow, marks, settings.c))
    assert twin.objective(slow, marks, shares.tolist()) == pytest.approx(wanted, abs=1e-6)


def test_points_of_two_heaps_are_told_apart() -> None:
    random = np.random.default_rng(1)
    points = np.concatenate([random.normal(size=(20, 2)), random.normal(size=(20, 2)) + 6])
    model = learn_two(points, [True] * 20 + [False] * 20, SvmSettings(gamma=0.1))
    assert (model.decide(points) > 0).tolist() == [True] * 20 + [False] * 20
    assert len(model.points) < 40
    # On the margin f is 1 or -1.
    inside = np.abs(model.weights) < 1 - 1e-9
    assert inside.any()
    assert np.abs(model.decide(model.points[inside])) == pytest.approx(1, abs=1e-4)


def test_each_cluster_is_set_against_each_other() -> None:
    clusters = {
        name: np.array([[place, 0.0], [place, 1.0]])
        for name, place in zip("abc", (0.0, 5.0, 9.0), strict=True)
    }
    found = votes(clusters, np.array([4.5, 0.5]), SvmSettings(gamma=0.1, c=10))
    assert {name: count for name, (count, _) in found.items()} == {"a": 0, "b": 2, "c": 1}
    assert sum(value for _, value in found.values()) == pytest.approx(0)
    assert votes({"a": clusters["a"]}, np.zeros(2)) == {"a": (0, 0.0)}


def test_one_class_alone_is_refused() -> None:
    with pytest.raises(NiwakiError, match="points of one class alone; give some of both"):
        learn_two(np.zeros((2, 2)), [True, True])
