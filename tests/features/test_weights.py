"""From learned weights to the table that is shipped."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from niwaki.features.weights import (
    Interpolation,
    PackedWeights,
    average,
    compress,
    compress_onto,
    noted,
    pruned,
)
from niwaki.kernel.compiled import SLOTS, CompiledWeights
from niwaki.kernel.linear import SparseWeights
from tests.reference.weights import averaged

CLASSES = 6
weight = st.integers(-400, 400).filter(bool)
Row = dict[int, int]
Rows = dict[int, Row]
rows = st.lists(
    st.dictionaries(st.integers(0, CLASSES - 1), weight, min_size=1), min_size=1, max_size=40
)


def learned(weights: Rows, classes: int = CLASSES) -> dict[str, np.ndarray]:
    """Weights as a learner exports them, averaged over no time at all."""
    learner = SparseWeights(classes)
    for key, row in weights.items():
        for action, value in row.items():
            learner.add(np.array([key], dtype=np.uint64), action, value)
    return {**learner.export(), "clock": np.array([np.inf])}


def score(compressed: PackedWeights, key: int) -> np.ndarray:
    return compressed.compile().scores(np.array([key], dtype=np.uint64))


def spread(count: int) -> list[int]:
    """Keys as hashes are: all over the place."""
    return [number * 0x9E3779B97F4A7C15 % 2**64 for number in range(1, count + 1)]


@given(rows)
@settings(max_examples=40)
def test_eight_bits_err_by_half_a_step(made: list[Row]) -> None:
    weights = dict(zip(spread(len(made)), made, strict=True))
    exported = learned(weights)
    compressed = compress(exported, CLASSES, max_rows=1000)
    largest = max(abs(value) for row in weights.values() for value in row.values())
    assert compressed.scale == pytest.approx(largest / 127)
    exact = averaged(exported, CLASSES)
    # A row may fall out of a full bucket; what stays is as near as it can be.
    lost = 0
    for key in weights:
        error = score(compressed, key) - exact.scores(np.array([key], dtype=np.uint64))
        lost += bool(np.abs(error).max() > compressed.scale / 2 * 1.001)
    assert lost <= len(weights) - compressed.rows
    if len(weights) <= SLOTS // 2:
        assert lost == 0


def test_the_largest_weights_are_exact() -> None:
    weights = {key: {0: 127 - number, 3: number - 127} for number, key in enumerate(spread(20))}
    compressed = compress(learned(weights), CLASSES, max_rows=100)
    assert compressed.scale == 1
    for key, row in weights.items():
        assert score(compressed, key).tolist() == [row[0], 0, 0, row[3], 0, 0]


def test_rows_of_nothing_but_small_weights_are_dropped() -> None:
    tiny, small, large = spread(3)
    compressed = compress(learned({tiny: {1: 1}, small: {1: 2}, large: {2: 300}}), CLASSES, 100)
    # A step is 300 / 127: one is less than half of it, two are not.
    assert compressed.rows == 2
    assert score(compressed, tiny).tolist() == [0] * CLASSES
    assert score(compressed, small)[1] == pytest.approx(300 / 127)


def test_weights_of_few_steps_may_be_dropped() -> None:
    # A step is 1: the largest weight is 127.
    small, mixed, large = spread(3)
    weights = learned({small: {0: 1, 1: -1}, mixed: {0: 1, 1: -2, 2: 3}, large: {3: 127}})
    whole, thin = (compress(weights, CLASSES, 10, least=least) for least in (1, 2))
    assert (whole.rows, thin.rows) == (3, 2)
    assert score(whole, mixed).tolist() == [1, -2, 3, 0, 0, 0]
    assert score(thin, mixed).tolist() == [0, -2, 3, 0, 0, 0]
    assert not score(thin, small).any()


@pytest.mark.parametrize("max_rows", [1, 7, 64])
def test_the_most_important_rows_are_kept(max_rows: int) -> None:
    weights = {key: {number % CLASSES: 100 + number} for number, key in enumerate(spread(64))}
    compressed = compress(learned(weights), CLASSES, max_rows)
    kept = [key for key in weights if score(compressed, key).any()]
    assert len(kept) <= max_rows
    assert compressed.rows >= 0.9 * max_rows
    assert set(kept) <= set(list(weights)[-max_rows:])
    assert compressed.size == sum(array.nbytes for array in compressed.arrays.values())


def test_no_bucket_is_overfull() -> None:
    weights = {key: {0: 50} for key in spread(5000)}
    compressed = compress(learned(weights), CLASSES, max_rows=10_000)
    fill = compressed.arrays["fill"]
    assert fill.max() <= SLOTS
    assert fill.sum() == compressed.rows >= 0.98 * 5000


@given(rows, rows, st.sampled_from([0.25, 0.5, 0.9]))
@settings(max_examples=40)
def test_a_vote_is_the_sum_of_weights(one: list[Row], other: list[Row], share: float) -> None:
    keys = spread(len(one) + len(other))
    # Some rows are known to both.
    own = dict(zip(keys, one, strict=False))
    others = dict(zip(keys[len(one) // 2 :], other, strict=False))
    interpolation = Interpolation(share, noted(learned(others), max_rows=1000))
    compressed = compress(learned(own), CLASSES, 1000, interpolation)
    lost = 0
    for key in {*own, *others}:
        wanted = np.zeros(CLASSES)
        for row, part in ((own.get(key, {}), 1 - share), (others.get(key, {}), share)):
            for action, value in row.items():
                wanted[action] += part * value
        error = np.abs(score(compressed, key) - wanted).max()
        # Weights that round to nothing in either table are not looked at.
        lost += bool(error > compressed.scale / 2 * 1.001 + 400 / 127 / 2)
    assert lost <= len({*own, *others}) - compressed.rows


@given(st.lists(rows, min_size=2, max_size=4))
@settings(max_examples=40)
def test_the_mean_of_runs_has_the_mean_of_each_weight(runs: list[list[Row]]) -> None:
    # Each run knows its own rows, and shares some with the run before.
    keys = spread(sum(map(len, runs)))
    made = [dict(zip(keys[number:], run, strict=False)) for number, run in enumerate(runs)]
    last, *others = made
    mean = Interpolation.of_runs([noted(learned(run), 1000) for run in others], CLASSES)
    compressed = compress(learned(last), CLASSES, 1000, mean)
    everything = {key for run in made for key in run}
    lost = 0
    for key in everything:
        wanted = [sum(run.get(key, {}).get(c, 0) for run in made) / len(made) for c in range(6)]
        error = np.abs(score(compressed, key) - wanted).max()
        # Weights that round to nothing in a run are not looked at.
        lost += bool(error > compressed.scale / 2 * 1.001 + 400 / 127 / 2)
    assert lost <= len(everything) - compressed.rows


def test_many_classes_need_wide_numbers() -> None:
    (key,) = spread(1)
    compressed = compress(learned({key: {299: 5}}, classes=300), 300, 10)
    assert compressed.arrays["entry_classes"].dtype == np.uint16
    assert score(compressed, key).nonzero()[0].tolist() == [299]


def test_averages_are_over_time() -> None:
    learner = SparseWeights(1)
    key = np.array([5], dtype=np.uint64)
    for _ in range(2):
        learner.tick()
    learner.add(key, 0, 8)
    learner.tick()
    # Four moments, and the weight was there at one of them.
    assert average(learner.export()).tolist() == [2]
    assert learner.scores(key).tolist() == [8]


def test_the_same_weights_give_the_same_table() -> None:
    weights = {key: {number % CLASSES: 1 + number} for number, key in enumerate(spread(200))}
    one, other = (compress(learned(weights), CLASSES, 100) for _ in range(2))
    assert one.rows and set(one.arrays) == set(other.arrays)
    for name, array in one.arrays.items():
        assert np.array_equal(array, other.arrays[name]), name


def test_a_model_to_which_nothing_is_added_stays_the_same() -> None:
    weights = {key: {number % CLASSES: number + 1} for number, key in enumerate(spread(300))}
    base = compress(learned(weights), CLASSES, max_rows=1000)
    same = compress_onto(base, learned({}))
    assert same.scale == pytest.approx(base.scale)
    for key in weights:
        assert score(same, key).tolist() == pytest.approx(score(base, key).tolist())


def test_differences_are_added_where_they_fall() -> None:
    keys = spread(60)
    weights = {key: {0: 100, 1: 7} for key in keys[:40]}
    base = compress(learned(weights), CLASSES, max_rows=1000)
    more = {key: {0: -50, 2: 90} for key in keys[20:]}
    both = compress_onto(base, learned(more))
    # A row may fall out of a bucket that is full; the others are both together.
    found = {key: score(both, key)[:3] for key in keys}
    wanted = dict.fromkeys(keys[:20], (100, 7, 0))
    wanted |= dict.fromkeys(keys[20:40], (50, 7, 90))
    wanted |= dict.fromkeys(keys[40:], (-50, 0, 90))
    right = [np.allclose(found[key], wanted[key], atol=2 * both.scale) for key in keys]
    assert sum(right) >= 50


def test_of_differences_a_share_may_be_added() -> None:
    keys = spread(20)
    base = compress(learned({key: {0: 100, 1: 7} for key in keys}), CLASSES, max_rows=1000)
    more = learned({key: {0: -80, 2: 40} for key in keys})
    half = compress_onto(base, more, 0.5)
    found = np.array([score(half, key)[:3] for key in keys])
    assert found == pytest.approx(np.tile([60, 7, 20], (len(keys), 1)), abs=2 * half.scale)


def test_many_small_differences_are_not_rounded_away() -> None:
    keys = spread(600)
    base = compress(learned({key: {0: 1270, 1: 30} for key in keys}), CLASSES, max_rows=1000)
    assert base.scale == pytest.approx(10)
    # Each is three tenths of what a weight can change by; a sentence sees all of them.
    both = compress_onto(base, learned({key: {0: -3, 1: 3} for key in keys}))
    before, after = (np.sum([score(table, key) for key in keys], axis=0) for table in (base, both))
    changed = (after - before)[:2] / len(keys)
    assert changed.tolist() == pytest.approx([-3, 3], abs=0.6)
    # And each is as near as it can be.
    for key in keys[:50]:
        assert set((score(both, key) - score(base, key))[:2].round().tolist()) <= {-10, 0, 10}


def test_a_table_of_which_little_is_left_can_still_be_read() -> None:
    keys = spread(3000)
    base = compress(learned({key: {0: 1} for key in keys}), CLASSES, max_rows=5000)
    # Beside such a weight, nothing of the old ones is left after rounding.
    new = compress_onto(base, learned({keys[0]: {1: 100_000}}))
    assert score(new, keys[0])[1] == pytest.approx(100_000)
    assert score(new, keys[1]).tolist() == [0] * CLASSES


@pytest.mark.parametrize("empty", [64, 65])
def test_buckets_without_rows_are_few(empty: int) -> None:
    fill, none = np.zeros(empty, np.uint8), np.zeros(0, np.uint16)
    table = PackedWeights(
        CLASSES,
        1.0,
        {
            "fill": fill,
            "prints": none,
            "counts": none,
            "entry_classes": none,
            "entry_weights": none.astype(np.int8),
        },
    )
    if empty == 64:
        assert table.compile().scores(np.array([7], np.uint64)).tolist() == [0] * CLASSES
    else:
        with pytest.raises(ValueError, match="65 buckets for 0 rows"):
            table.compile()


def test_a_learner_on_a_base_scores_both() -> None:
    keys = np.array(spread(3), dtype=np.uint64)
    base = compress(learned({int(keys[0]): {0: 127}, int(keys[1]): {1: 50}}), CLASSES, 100)
    learner = SparseWeights(CLASSES, base=base.compile())
    assert learner.scores(keys).tolist() == base.compile().scores(keys).tolist()
    learner.add(keys[1:], 1, 3)
    assert learner.scores(keys)[1] == pytest.approx(56)
    assert len(learner.export()["keys"]) == 2, "only what was added is its own"
    with pytest.raises(ValueError, match="on a base of"):
        SparseWeights(CLASSES + 1, base=base.compile())


@pytest.mark.parametrize("share", [0.9, 0.45, 0.3, 0.12, 0.05])
def test_a_pruned_table_knows_its_most_important_rows_by_their_keys(share: float) -> None:
    """Buckets are put together without the keys; each key must be found where it is looked for."""
    rows = 12000  # small tables are not made such that buckets can be put together
    keys = random_keys(rows)
    table = compress(
        learned({key: {n % CLASSES: 1 + n} for n, key in enumerate(keys)}), CLASSES, rows
    )
    small = pruned(table, int(share * rows))
    assert small.rows <= max(share * rows, 0.4 * rows / 12 + 300)
    assert len(small.arrays["fill"]) < len(table.arrays["fill"]) or share > 0.4
    last = keys[-int(share * rows * 0.9) :]
    same = [np.array_equal(score_of(small, key), score_of(table, key)) for key in last]
    # A full bucket drops a row now and then, in both tables.
    assert np.mean(same) > 0.97
    gone = [np.any(score_of(small, key)) for key in keys[: int((1 - share) * rows * 0.9)]]
    assert np.mean(gone) < 0.03


def test_a_pruned_table_that_keeps_all_is_the_same() -> None:
    keys = random_keys(200)
    table = compress(learned({key: {0: 3, 2: -n} for n, key in enumerate(keys, 1)}), CLASSES, 1000)
    same = pruned(table, table.rows)
    assert same.size == table.size
    for key in keys:
        np.testing.assert_array_equal(score_of(same, key), score_of(table, key))


def random_keys(count: int) -> list[int]:
    return np.random.default_rng(1).integers(1, 2**64, count, dtype=np.uint64).tolist()


def score_of(table: PackedWeights, key: int) -> np.ndarray:
    compiled = _COMPILED.setdefault(id(table), (table, table.compile()))[1]
    return compiled.scores(np.array([key], dtype=np.uint64))


_COMPILED: dict[int, tuple[PackedWeights, CompiledWeights]] = {}
