"""Weights that were learned apart are mixed as the equations say."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from niwaki.features.weights import average
from niwaki.kernel.linear import SparseWeights
from niwaki.learning.checkpoint import below
from niwaki.learning.mixing import Start, add_changes, mixed, shares_of
from niwaki.typing import Arrays

CLASSES = 40
Steps = list[tuple[int, int, int]]
Table = dict[tuple[int, int], float]

# Of one learner: a key, a class and a step, after each of which the clock ticks.
steps = st.lists(
    st.tuples(st.integers(1, 6), st.integers(0, CLASSES - 1), st.integers(-3, 3)), max_size=60
)
shards = st.lists(steps, min_size=1, max_size=4)


def table_of(state: Arrays | None, min_updates: int = 1) -> SparseWeights:
    weights = SparseWeights(CLASSES, min_updates)
    if state is not None:
        weights.restore(**below(state, "weights"))
    return weights


def teach(weights: SparseWeights, made: Steps) -> None:
    for key, action, step in made:
        weights.add(np.array([key << 20], dtype=np.uint64), action, step)
        weights.tick()


def state_of(weights: SparseWeights) -> Arrays:
    return {f"weights.{name}": array for name, array in weights.export().items()}


def learn(start: Arrays | None, made: Steps, min_updates: int = 1) -> Arrays:
    weights = table_of(start, min_updates)
    teach(weights, made)
    return state_of(weights)


def mix(
    start: Arrays, epochs: Sequence[Steps], shares: Sequence[float], min_updates: int = 1
) -> Arrays:
    """The state after an epoch of several learners, as the head has it."""
    changes = []
    for made in epochs:
        tables = {"weights": table_of(start, min_updates)}
        begun = Start(tables)
        teach(tables["weights"], made)
        changes.append(begun.changes())
    head = {"weights": table_of(start, min_updates)}
    add_changes(head, mixed(head, changes, shares))
    return state_of(head["weights"])


def as_table(state: Arrays, values: Sequence[float]) -> Table:
    table = below(state, "weights")
    keys = np.repeat(table["keys"], table["counts"])
    entries = zip(keys.tolist(), table["classes"].tolist(), values, strict=True)
    return {(key >> 20, action): value for key, action, value in entries if value}


def weights_of(state: Arrays) -> Table:
    return as_table(state, state["weights.weights"].tolist())


def averages_of(state: Arrays) -> Table:
    return as_table(state, average(below(state, "weights")).tolist())


class Moments:
    """The slow twin: keeps the weights of every moment."""

    def __init__(self, table: Table | None = None) -> None:
        self.now = dict(table or {})
        self.sums: Table = {}
        self.count = 0

    def look(self) -> None:
        self.count += 1
        for place, weight in self.now.items():
            self.sums[place] = self.sums.get(place, 0.0) + weight

    def learn(self, made: Steps) -> None:
        for key, action, step in made:
            self.now[key, action] = self.now.get((key, action), 0.0) + step
            self.look()


def combined(tables: Sequence[Table], factors: Sequence[float]) -> Table:
    places = {place for table in tables for place in table}
    pairs = list(zip(tables, factors, strict=True))
    return {place: sum(f * t.get(place, 0.0) for t, f in pairs) for place in places}


def same(found: Table, expected: Table) -> bool:
    places = {*found, *expected}
    return all(found.get(x, 0.0) == pytest.approx(expected.get(x, 0.0), abs=1e-4) for x in places)


@given(steps, shards, shards, st.sampled_from(["uniform", "weighted"]))
def test_mixed_weights_and_averages(
    before: Steps, first: list[Steps], second: list[Steps], mixing: str
) -> None:
    """Two epochs; averages are over the moments of all learners, each with its share."""
    state, twin = learn(None, before), Moments()
    twin.look()  # the clock begins with 1, when all weights are 0
    twin.learn(before)
    for epoch in (first, second):
        updates = [len(made) for made in epoch]
        shares = shares_of(mixing, updates)  # type: ignore[arg-type]
        state = mix(state, epoch, shares)
        apart = [Moments(twin.now) for _ in epoch]
        for moments, made in zip(apart, epoch, strict=True):
            moments.learn(made)
        all_moments = sum(updates)
        # Who saw nothing has kept its weights.
        means = [
            combined([each.sums], [1 / each.count]) if each.count else each.now for each in apart
        ]
        mean = combined(means, shares)
        twin.now = combined([each.now for each in apart], shares)
        twin.sums = combined([twin.sums, mean], [1, all_moments])
        twin.count += all_moments
        assert state["weights.clock"][0] == twin.count
        assert same(weights_of(state), twin.now)
        assert same(averages_of(state), combined([twin.sums], [1 / twin.count]))


def test_one_learner_alone_stays_as_it_is() -> None:
    start = learn(None, [(1, 0, 2), (2, 3, -1)])
    made: Steps = [(1, 1, 1), (7, 0, 3)]
    alone, state = learn(start, made), mix(start, [made], [1.0])
    assert weights_of(state) == weights_of(alone)
    assert averages_of(state) == pytest.approx(averages_of(alone))
    assert state["weights.keys"].tolist() == alone["weights.keys"].tolist()


@given(steps, st.lists(shards, min_size=2, max_size=3))
def test_learners_keep_what_the_head_has(before: Steps, epochs: list[list[Steps]]) -> None:
    """Workers that go on with changes, a new one that is given all, and the head agree bit by bit:
    in what they have, and in what they learn next.
    """
    first = state_of(table_of(learn(None, before)))
    head = {"weights": table_of(first)}
    count = max(map(len, epochs))
    workers = [{"weights": table_of(first)} for _ in range(count)]
    starts = [Start(tables) for tables in workers]
    for epoch in epochs:
        found = []
        for tables, start, made in zip(workers, starts, epoch, strict=False):
            fresh = {"weights": table_of(state_of(head["weights"]))}
            anew = Start(fresh)
            for each in (tables, fresh):
                teach(each["weights"], made)
            found.append(start.changes())
            assert_same(anew.changes(), found[-1])
        changes = mixed(head, found, [1 / len(found)] * len(found))
        add_changes(head, changes)
        for tables, start in zip(workers, starts, strict=True):
            start.go_on(changes)
            assert_same(state_of(tables["weights"]), state_of(head["weights"]))
    ticks = sum(len(made) for epoch in epochs for made in epoch)
    assert head["weights"].clock == 1 + len(before) + ticks


def assert_same(one: Arrays, other: Arrays) -> None:
    assert one.keys() == other.keys()
    for name in one:
        assert one[name].tolist() == other[name].tolist(), name


def test_only_what_changed_travels() -> None:
    start = learn(None, [(key, 0, 1) for key in range(1, 500)])
    tables = {"weights": table_of(start)}
    begun = Start(tables)
    teach(tables["weights"], [(3, 5, 2), (600, 1, 1), (7, 0, 1), (7, 0, -1)])
    found = below(begun.changes(), "weights")
    # Of a weight that went there and back, the average has changed.
    assert [key >> 20 for key in found["keys"].tolist()] == [3, 7, 600]
    assert found["counts"].tolist() == [1, 1, 1]
    assert found["classes"].tolist() == [5, 0, 1]
    assert found["weights"].tolist() == [2.0, 0.0, 1.0]


def test_shares_are_equal_or_go_by_updates() -> None:
    assert shares_of("uniform", [5, 1]) == [0.5, 0.5]
    assert shares_of("weighted", [5, 15]) == [0.25, 0.75]
    assert shares_of("weighted", [0, 0]) == [0.5, 0.5]


def test_keys_that_wait_for_a_row_are_counted_together() -> None:
    """Three learners that saw a feature once each have seen it three times."""
    start = learn(None, [], min_updates=4)
    state = mix(start, [[(1, 0, 1)]] * 3, [1 / 3] * 3, min_updates=4)
    assert weights_of(state) == {}
    assert weights_of(learn(state, [(1, 0, 1)], min_updates=4)) == {(1, 0): 1.0}
    assert state["weights.doorkeeper"].max() == 3
    many = {"asked_at": np.array([5], dtype=np.uint32), "asked": np.array([400], dtype=np.uint32)}
    full = table_of(state, min_updates=4)
    full.add_changes(**{**below(state_of(SparseWeights(CLASSES)), "weights"), **many})
    assert full.export()["doorkeeper"][5] == 255


def test_a_table_that_does_not_fit_is_refused() -> None:
    table = below(learn(None, [(1, 3, 2)]), "weights")
    arrays = [table[name] for name in ("keys", "counts", "classes", "weights", "totals", "squares")]
    SparseWeights(4).add_multiple(*arrays, 1.0, 0.0, 1.0)
    with pytest.raises(ValueError, match="class 3 of 3"):
        SparseWeights(3).add_multiple(*arrays, 1.0, 0.0, 1.0)
    with pytest.raises(ValueError, match="fit together"):
        SparseWeights(4).add_multiple(*arrays[:-1], arrays[-1][:0], 1.0, 0.0, 1.0)
    zero = np.zeros(1, dtype=np.uint64)
    with pytest.raises(ValueError, match="0 is not a key"):
        SparseWeights(4).add_multiple(zero, *arrays[1:], 1.0, 0.0, 1.0)


def test_tables_of_another_kind_are_refused() -> None:
    one, other = SparseWeights(3), SparseWeights(4)
    with pytest.raises(ValueError, match="another kind"):
        one.copy(other)
    with pytest.raises(ValueError, match="another kind"):
        SparseWeights(3, 2).copy(one)
    one.add(np.array([1], dtype=np.uint64), 0, 1.0)
    with pytest.raises(ValueError, match="another kind"):
        SparseWeights(3).changes(one)
