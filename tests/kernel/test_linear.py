"""Weight tables: learned, averaged, exported and frozen, against dictionaries."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from niwaki.features.weights import average, compress
from niwaki.kernel.compiled import CompiledWeights
from niwaki.kernel.linear import MAX_FEATURES, SparseWeights
from tests.reference.weights import averaged

CLASSES = 5
key = st.integers(1, 2**64 - 1)
keys = st.lists(key, min_size=1, max_size=6, unique=True)
steps = st.lists(
    st.tuples(keys, st.integers(0, CLASSES - 1), st.integers(-3, 3).filter(bool)), max_size=30
)


def as_keys(values: list[int]) -> np.ndarray:
    return np.array(values, dtype=np.uint64)


@given(steps)
def test_a_learner_is_a_dictionary_of_averages(made: list[tuple[list[int], int, int]]) -> None:
    learner = SparseWeights(CLASSES)
    weights: defaultdict[tuple[int, int], float] = defaultdict(float)
    sums: defaultdict[tuple[int, int], float] = defaultdict(float)
    ticks = 1
    for features, action, step in made:
        learner.add(as_keys(features), action, step)
        for feature in features:
            weights[feature, action] += step
        # An average over all moments: what the weights were before each tick.
        for place, value in weights.items():
            sums[place] += value
        learner.tick()
        ticks += 1
    seen = sorted({feature for features, _, _ in made for feature in features})
    means_of = averaged(learner.export(), CLASSES)
    for feature in seen:
        expected = [weights[feature, action] for action in range(CLASSES)]
        assert learner.scores(as_keys([feature])).tolist() == expected
        means = [sums[feature, action] / ticks for action in range(CLASSES)]
        assert np.allclose(means_of.scores(as_keys([feature])), means, atol=1e-5)
    assert len(learner) == len(seen)


@given(steps)
def test_export_and_restore(made: list[tuple[list[int], int, int]]) -> None:
    learner = SparseWeights(CLASSES)
    for features, action, step in made:
        learner.add(as_keys(features), action, step)
        learner.tick()
    exported = learner.export()
    other = SparseWeights(CLASSES)
    other.restore(**exported)
    assert set(exported) == set(other.export()) >= {"keys", "weights"}
    for name, array in other.export().items():
        assert np.array_equal(array, exported[name]), name


@pytest.mark.parametrize("classes", [40, 105, 256, 300, 2000])
def test_long_rows_are_rows_too(classes: int) -> None:
    """Rows of many classes are kept in another way; what they say is the same."""
    random = np.random.default_rng(classes)
    learner, resumed = SparseWeights(classes), SparseWeights(classes)
    weights: defaultdict[int, np.ndarray] = defaultdict(lambda: np.zeros(classes))
    for moment in range(600):
        feature = int(random.integers(1, 4))
        # Low classes first, so that rows grow beyond what they were made for.
        action = int(random.integers(0, 1 + classes * (moment + 1) // 600))
        for each in (learner, resumed):
            each.add(as_keys([feature]), min(action, classes - 1), 1)
            each.tick()
        weights[feature][min(action, classes - 1)] += 1
        if moment % 50 == 0:
            # Whoever was interrupted goes on as if nothing had happened.
            fresh = SparseWeights(classes)
            fresh.restore(**resumed.export())
            resumed = fresh
    assert set(weights) == {1, 2, 3}
    for feature, expected in weights.items():
        assert np.array_equal(learner.scores(as_keys([feature])), expected)
    exported = resumed.export()
    for name, array in learner.export().items():
        assert np.array_equal(array, exported[name]), name


def test_adagrad_steps() -> None:
    learner = SparseWeights(2)
    one = as_keys([7])
    learner.climb(one, 0, 0.5, 0.1, 0.0)
    assert np.allclose(learner.scores(one), [0.1, 0])
    learner.climb(one, 0, 0.5, 0.1, 0.0)
    assert np.allclose(learner.scores(one), [0.1 + 0.1 * 0.5 / np.sqrt(0.5), 0])


def test_patience_and_closing() -> None:
    learner = SparseWeights(2, min_updates=2)
    one, other = as_keys([7]), as_keys([1 << 40])
    learner.add(one, 0, 1)
    assert learner.scores(one).tolist() == [0, 0]
    learner.add(one, 0, 1)
    assert learner.scores(one).tolist() == [1, 0]
    learner.close()
    learner.add(other, 0, 1)
    learner.add(other, 0, 1)
    assert len(learner) == 1


def test_the_patient_are_restored_with_what_they_counted() -> None:
    learner, one, other = SparseWeights(2, min_updates=3), as_keys([7]), as_keys([1 << 40])
    for _ in range(3):
        learner.add(one, 0, 1)
    learner.add(other, 1, 1)
    learner.add(other, 1, 1)
    fresh = SparseWeights(2, min_updates=3)
    fresh.restore(**learner.export())
    assert fresh.scores(one).tolist() == [1, 0]
    fresh.add(other, 1, 1)
    assert fresh.scores(other).tolist() == [0, 1]


def random_learner(rows: int, classes: int, seed: int) -> SparseWeights:
    random = np.random.default_rng(seed)
    learner = SparseWeights(classes)
    for value in random.integers(1, 2**64, rows, dtype=np.uint64).tolist():
        for action in random.integers(0, classes, 3).tolist():
            learner.add(as_keys([value]), action, int(random.integers(1, 20)))
    return learner


@pytest.mark.parametrize("classes", [1, 3, 16, 64, 67, 128, 129, 1000])
def test_a_frozen_table_scores_like_its_learner(classes: int) -> None:
    learned = random_learner(400, classes, seed=classes).export()
    learned["clock"] = np.array([np.inf])
    compressed = compress(learned, classes, max_rows=1000)
    frozen = compressed.compile()
    exact = averaged(learned, classes)
    assert compressed.rows >= 380, "almost all rows find room"
    random = np.random.default_rng(1)
    lost = 0
    for _ in range(50):
        chosen = random.choice(learned["keys"], 20, replace=False)
        close = np.allclose(frozen.scores(chosen), exact.scores(chosen), atol=20 * frozen.scale)
        lost += not close
    assert lost < 25
    absent = random.integers(1, 2**64, 200, dtype=np.uint64)
    assert np.count_nonzero(frozen.scores(absent)) <= 3


def test_compression_keeps_the_largest_weights() -> None:
    learner = SparseWeights(2)
    for number in range(1, 101):
        learner.add(as_keys([number * 0x9E3779B97F4A7C15 % 2**64]), 0, number)
    learned = learner.export()
    learned["clock"] = np.array([np.inf])
    compressed = compress(learned, 2, max_rows=10)
    frozen = compressed.compile()
    assert compressed.rows == 10
    for number in range(1, 101):
        (score, _) = frozen.scores(as_keys([number * 0x9E3779B97F4A7C15 % 2**64]))
        assert (score == pytest.approx(number, abs=0.5)) == (number > 90)


def test_nothing_learned_is_a_table_too() -> None:
    compressed = compress(SparseWeights(3).export(), 3, 10)
    assert compressed.compile().scores(as_keys([5])).tolist() == [0, 0, 0]
    assert average(SparseWeights(3).export()).size == 0


def arrays(**changes: object) -> list[object]:
    made = {
        "classes": 2,
        "scale": 1.0,
        "fill": np.array([1], np.uint8),
        "prints": np.array([5], np.uint16),
        "counts": np.array([1], np.uint16),
        "entry_classes": np.array([1], np.uint16),
        "entry_weights": np.array([3], np.int8),
    }
    made.update(changes)
    return list(made.values())


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"classes": 0}, "1 to"),
        ({"fill": np.array([], np.uint8)}, "0 buckets"),
        ({"fill": np.array([17], np.uint8)}, "more than full"),
        ({"fill": np.array([2], np.uint8)}, "buckets and rows"),
        ({"counts": np.array([2], np.uint16)}, "rows and entries"),
        ({"entry_classes": np.array([2], np.uint16)}, "no class"),
        ({"entry_weights": np.array([], np.int8)}, "rows and entries"),
        ({"prints": np.array([0], np.uint16)}, "fingerprint"),
    ],
)
def test_frozen_refuses_what_does_not_fit(changes: dict[str, object], message: str) -> None:
    CompiledWeights(*arrays())
    with pytest.raises(ValueError, match=message):
        CompiledWeights(*arrays(**changes))


@pytest.mark.parametrize("classes", [CLASSES, 300])
@given(steps)
def test_a_table_over_an_image_scores_the_same(
    classes: int, made: list[tuple[list[int], int, int]]
) -> None:
    learner = SparseWeights(classes)
    for features, action, step in made:
        learner.add(as_keys(features), action, step)
    table = compress(learner.export(), classes, 1000)
    compiled = table.compile()
    image = {name: aligned(array) for name, array in compiled.image().items()}
    over = CompiledWeights(classes, table.scale, image=image)
    keys = as_keys(range(1, 30))
    assert over.scores(keys).tolist() == compiled.scores(keys).tolist()
    again = over.image()
    assert all(np.array_equal(again[name], image[name]) for name in image)


def aligned(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """As it is in a mapped file: at an address that is a multiple of 64, and not to be written."""
    room = np.zeros(array.nbytes + 64, dtype=np.uint8)
    start = -room.ctypes.data % 64
    found = room[start : start + array.nbytes].view(array.dtype)
    found[:] = array
    found.flags.writeable = False
    return found


def test_images_that_do_not_fit_are_refused() -> None:
    for classes, names in ((2, ("prints", "rows")), (300, ("prints", "starts", "classes"))):
        image = compress(SparseWeights(classes).export(), classes, 10).compile().image()
        whole = {name: aligned(array) for name, array in image.items()}
        CompiledWeights(classes, 1.0, image=whole)
        for name in names:
            with pytest.raises(ValueError, match="no image"):
                CompiledWeights(classes, 1.0, image={**whole, name: whole[name][:-1]})
    with pytest.raises(ValueError, match="arrays, or an image"):
        CompiledWeights(2, 1.0)


def test_learners_refuse_what_does_not_fit() -> None:
    with pytest.raises(ValueError, match="1 to"):
        SparseWeights(0)
    learner = SparseWeights(2)
    with pytest.raises(ValueError, match="class 2 of 2"):
        learner.add(as_keys([1]), 2, 1)
    with pytest.raises(ValueError, match="0 is not a key"):
        learner.add(as_keys([0]), 0, 1)
    with pytest.raises(ValueError, match="features a decision"):
        learner.scores(np.ones(MAX_FEATURES + 1, dtype=np.uint64))
    learner.add(as_keys([1]), 0, 1)
    exported = learner.export()
    with pytest.raises(ValueError, match="only a new learner"):
        learner.restore(**exported)
    for name in ("counts", "weights", "clock"):
        with pytest.raises(ValueError, match="fit together"):
            SparseWeights(2).restore(**{**exported, name: exported[name][:0]})
    with pytest.raises(ValueError, match="class 1"):
        SparseWeights(1).restore(**{**exported, "classes": np.array([1], np.uint16)})


@given(steps.filter(bool))
def test_gathered_rows_are_what_scores_are_made_of(made: list[tuple[list[int], int, int]]) -> None:
    learner = SparseWeights(CLASSES)
    for features, action, step in made:
        learner.add(as_keys(features), action, step)
        learner.tick()
    compressed = compress(learner.export(), CLASSES, 1000)
    frozen = compressed.compile()
    rows = [frozen.find_rows(as_keys(features)) for features, _, _ in made]
    counts = np.array([len(found) for found in rows], dtype=np.int32)
    sums = frozen.gather(np.concatenate(rows), counts)
    expected = frozen.scores(as_keys(made[-1][0]))
    assert np.allclose(sums * compressed.scale, expected, atol=1e-5)
    with pytest.raises(ValueError, match="do not fit"):
        frozen.gather(np.concatenate(rows), counts + 1)
