"""The hill climber of LEAF against a twin that lists every alignment and every operation."""

from __future__ import annotations

import math
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

from niwaki.kernel.bilingual.alignment import Table
from niwaki.kernel.bilingual.leaf import LARGEST_CEPT, LONGEST_MOVE, WEIGHTS, Climber
from tests.reference import leaf as slow

TYPES = 4
CLASSES = 3
SPAN = 2 * LONGEST_MOVE + 1
EVERYTHING = 10_000


def random_tables(random: np.random.Generator, table: Table) -> dict[str, Any]:
    """Logarithms of anything: nothing that is tested needs sums of 1."""
    entries = len(table.columns)

    def logs(*shape: int) -> np.ndarray:
        return np.log(random.uniform(0.05, 1, shape)).astype(np.float32)

    seen = random.integers(0, CLASSES + 1, entries)
    listed = [random.permutation(CLASSES)[:size] for size in seen]
    rate = random.uniform(0.1, 0.9)
    return {
        "kind": logs(TYPES, 3),
        "choice": logs(CLASSES, SPAN),
        "head": logs(entries),
        "size": logs(TYPES, 2, LARGEST_CEPT),
        "spurious": logs(TYPES),
        "first": logs(CLASSES + 1, CLASSES, SPAN),
        "second": logs(CLASSES, SPAN),
        "later": logs(CLASSES, SPAN),
        "word": logs(entries),
        "word_null": logs(TYPES),
        "chain": logs(entries),
        "chain_null": logs(TYPES),
        "size_alone": logs(2, LARGEST_CEPT),
        "size_word": logs(TYPES, LARGEST_CEPT),
        "seen": np.concatenate([[0], np.cumsum(seen)]).astype(np.int64),
        "seen_class": np.concatenate(listed).astype(np.int32),
        "seen_value": logs(int(seen.sum())),
        "unseen": logs(TYPES, CLASSES),
        "spurious_rate": np.log([1 - rate, rate]),
    }


class Case:
    """Random sentences and tables, for the kernel and for the twin."""

    def __init__(self, seed: int, shapes: list[tuple[int, int]]) -> None:
        random = np.random.default_rng(seed)
        self.pairs = [
            (random.integers(0, TYPES, one).tolist(), random.integers(0, TYPES, other).tolist())
            for one, other in shapes
        ]
        sides = []
        for side in zip(*self.pairs, strict=True):
            words = np.concatenate(side).astype(np.int32)
            sides += [words, np.cumsum([0, *map(len, side)]).astype(np.int64)]
        self.table = Table(*sides, TYPES, TYPES)
        self.classes = random.integers(0, CLASSES, (2, TYPES)).astype(np.int32)
        self.tables = [random_tables(random, self.table) for _ in range(2)]
        self.climber = Climber(self.table, *self.classes, *self.tables)
        self.weights = random.uniform(0, 1, WEIGHTS)
        rows = np.repeat(np.arange(TYPES), np.diff(self.table.rows)).tolist()
        entries = {
            pair: n for n, pair in enumerate(zip(rows, self.table.columns.tolist(), strict=True))
        }
        turned = {(t, s): n for (s, t), n in entries.items()}
        one, other = self.classes.tolist()
        self.twins = (
            slow.Direction(self.tables[0], entries, one, other),
            slow.Direction(self.tables[1], turned, other, one),
        )

    def twin(self, pair: int, alignment: slow.Alignment) -> list[float] | None:
        return slow.features(self.twins, *self.pairs[pair], alignment)


def arrays(alignments: list[slow.Alignment]) -> list[np.ndarray]:
    return [np.concatenate(side).astype(np.int32) for side in zip(*alignments, strict=True)]


@pytest.mark.parametrize("shape", [(1, 1), (1, 3), (2, 3), (3, 3)])
def test_features_of_all_alignments(shape: tuple[int, int]) -> None:
    case = Case(1, [shape])
    checked = 0
    for alignment in slow.all_alignments(*shape):
        found = case.climber.features(0, 1, *arrays([alignment]))[0]
        expected = case.twin(0, alignment)
        if expected is None:
            assert min(found[4], found[19]) < -900
        else:
            assert found == pytest.approx(expected, abs=1e-4)
            checked += 1
    assert checked


@pytest.mark.parametrize("shape", [(1, 2), (3, 2), (3, 3)])
def test_every_operation_changes_the_features_as_the_definition_does(shape) -> None:
    case = Case(2, [shape])
    checked = 0
    for alignment in slow.all_alignments(*shape):
        *made, features = case.climber.neighbours(0, EVERYTHING, case.weights, *arrays([alignment]))
        rows = zip(*(each.tolist() for each in made), strict=True)
        found = [slow.Alignment(*map(tuple, row)) for row in rows]
        assert found[0] == alignment
        assert len(found) == len(set(found))
        assert set(found[1:]) == slow.neighbours(alignment)
        for each, h in zip(found, features, strict=True):
            expected = case.twin(0, each)
            if expected is not None:
                assert h == pytest.approx(expected, abs=1e-3)
                checked += 1
    assert checked > 10


def test_neighbours_come_by_falling_score() -> None:
    case = Case(3, [(3, 3)])
    start = arrays([slow.Alignment((0, 0, -1), (0, -1, 0), (0, -1, -1))])
    features = case.climber.neighbours(0, 5, case.weights, *start)[-1]
    scores = features @ case.weights
    assert len(scores) == 6
    assert (np.diff(scores[1:]) <= 1e-9).all()


@pytest.mark.parametrize("seed", range(5))
def test_the_climb_ends_on_a_hill(seed: int) -> None:
    case = Case(seed, [(3, 3)])
    best = -math.inf
    for alignment in slow.all_alignments(3, 3):
        before = case.climber.features(0, 1, *arrays([alignment]))[0] @ case.weights
        made, scores = arrays([alignment]), np.zeros(1)
        case.climber.climb(0, 1, case.weights, *made, scores)
        assert scores[0] >= before - 1e-9
        found = slow.Alignment(*(tuple(each.tolist()) for each in made))
        top = case.twin(0, found)
        assert top is not None
        assert scores[0] == pytest.approx(np.dot(top, case.weights), abs=1e-4)
        around = [h for each in slow.neighbours(found) if (h := case.twin(0, each))]
        assert all(np.dot(h, case.weights) <= scores[0] + 1e-4 for h in around)
        best = max(best, scores[0])
    possible = [h for each in slow.all_alignments(3, 3) if (h := case.twin(0, each))]
    assert best == pytest.approx(max(np.dot(h, case.weights) for h in possible), abs=1e-4)


def test_threads_change_nothing() -> None:
    random = np.random.default_rng(5)
    case = Case(5, [tuple(random.integers(1, 15, 2)) for _ in range(60)])
    size = len(case.table.source_words), len(case.table.target_words)

    def climbed(parts: int, threads: int) -> list[bytes]:
        made = [np.full(n, -1, np.int32) for n in (size[0], size[1], size[0])]
        scores = np.zeros(60)
        edges = np.linspace(0, 60, parts + 1).astype(int).tolist()
        with ThreadPoolExecutor(threads) as pool:
            list(
                pool.map(
                    lambda a, b: case.climber.climb(a, b, case.weights, *made, scores),
                    edges[:-1],
                    edges[1:],
                )
            )
        return [each.tobytes() for each in (*made, scores)]

    assert climbed(1, 1) == climbed(13, 3)


@pytest.mark.parametrize("shape", [(1, 2), (2, 2), (2, 3), (3, 3)])
def test_alignments_sum_to_what_the_story_gives(shape: tuple[int, int]) -> None:
    case = Case(7, [shape])
    source, target = case.pairs[0]
    possible = [
        h
        for each in slow.all_alignments(*shape)
        if (h := slow.direction_features(case.twins[0], source, target, each))
    ]
    total = math.fsum(math.exp(sum(h[:10])) for h in possible)
    assert total == pytest.approx(slow.story_probability(case.twins[0], source, target), rel=1e-6)


@pytest.mark.parametrize(
    "alignment",
    [
        slow.Alignment((0, -1), (-1, -1), (0, -1)),  # a link to a word that is no head
        slow.Alignment((0, 1), (0, -1), (0, 0)),  # two links of one head
        slow.Alignment((1, -1), (-1, -1), (-1, -1)),  # a head that has no link
        slow.Alignment((0, -1), (0, -1), (-1, -1)),
        slow.Alignment((0, 5), (0, -1), (0, -1)),
        slow.Alignment((0, -1), (0, -1), (7, -1)),
    ],
)
def test_what_is_no_alignment_is_refused(alignment: slow.Alignment) -> None:
    case = Case(1, [(2, 2)])
    with pytest.raises(ValueError, match="no alignment"):
        case.climber.features(0, 1, *arrays([alignment]))
    with pytest.raises(ValueError, match="no alignment"):
        case.climber.neighbours(0, 3, case.weights, *arrays([alignment]))


def test_tables_that_do_not_fit_are_refused() -> None:
    case = Case(1, [(2, 2)])
    for change in ({"choice": np.zeros((2, 5), np.float32)}, {"seen": np.zeros(3, np.int64)}):
        with pytest.raises(ValueError, match=r"fit|shape|class"):
            Climber(case.table, *case.classes, {**case.tables[0], **change}, case.tables[1])
    start = arrays([slow.Alignment((-1, -1), (-1, -1), (-1, -1))])
    with pytest.raises(ValueError, match="30 numbers"):
        case.climber.climb(0, 1, np.zeros(3), *start, np.zeros(1))
    with pytest.raises(ValueError, match="out of range"):
        case.climber.climb(0, 2, case.weights, *start, np.zeros(1))
