"""Trees beside trees: sums over alignments beside all alignments, edits beside all edits."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from niwaki.data.tree import Tree
from niwaki.kernel.answers.edits import edit_distance
from niwaki.kernel.answers.quasi import FIXED_CONFIGURATIONS, RELATION_SETS, Grammar
from niwaki.typing import FloatArray, IntArray
from tests.reference import answers as slow

pytestmark = pytest.mark.kernel

TAGS, ENTITIES, LABELS = 3, 2, 3
SIZES = st.integers(1, 4)
SEEDS = st.integers(0, 2**32 - 1)


def random_tree(random: np.random.Generator, n: int, roots: bool = False) -> list[int]:
    order = (random.permutation(n) + 1).tolist()
    heads = [0] * n
    for place, word in enumerate(order[1:], start=1):
        heads[word - 1] = 0 if roots and random.random() < 0.2 else order[random.integers(place)]
    return heads


class Case:
    """A random grammar, and a question and an answer of random trees."""

    def __init__(self, seed: int, n: int, m: int) -> None:
        random = np.random.default_rng(seed)
        self.tags = random.dirichlet(np.ones(TAGS), TAGS + 1).T.copy()
        self.entities = random.dirichlet(np.ones(ENTITIES), ENTITIES + 1).T.copy()
        columns = FIXED_CONFIGURATIONS + 3 * LABELS
        self.labels = random.dirichlet(np.ones(LABELS), columns).T.copy()
        self.words = random.random(RELATION_SETS)
        self.words[0] = 0
        self.alpha = float(random.uniform(0.1, 1))
        self.asked, self.given = (self._sentence(random, size) for size in (n, m))
        related = random.integers(0, RELATION_SETS, (n, m)) * random.integers(0, 2, (n, m))
        self.related = related.astype(np.uint16)

    def _sentence(self, random: np.random.Generator, size: int) -> IntArray:
        rows = [random_tree(random, size, roots=True)]
        rows += [random.integers(0, most, size).tolist() for most in (TAGS, ENTITIES, LABELS)]
        return np.array(rows, dtype=np.int32)

    def score(self, best: bool = False, counts: tuple[FloatArray, ...] | None = None) -> float:
        n, m = self.asked.shape[1], self.given.shape[1]
        grammar = Grammar(self.tags, self.entities, self.labels, self.words, self.alpha)
        (found,) = grammar.scores(
            *(self.asked, np.array([0, n], np.int32), self.given, np.array([0, m], np.int32)),
            *(np.zeros((1, 2), np.int32), self.related.ravel(), np.zeros(1, np.int64)),
            best,
            counts,
        )
        return float(found)

    def parts(self, i: int, one: int, other: int) -> tuple[float, float]:
        """What both sides of the mixture give for a word, its parent's answer word and its own."""
        _, tag, entity, label = self.asked[:, i]
        heads, tags, entities, labels = self.given
        column = slow.configuration(heads.tolist(), labels.tolist(), LABELS, one, other)
        base = self.tags[tag, tags[other - 1] if other else TAGS]
        base *= self.entities[entity, entities[other - 1] if other else ENTITIES]
        base *= self.labels[label, column]
        words = self.words[self.related[i, other - 1]] if other else 0.0
        return float(self.alpha * base), float((1 - self.alpha) * words)

    def alignments(self) -> dict[tuple[int, ...], float]:
        n, m = self.asked.shape[1], self.given.shape[1]
        return slow.all_alignments(
            n, m, lambda *place: sum(self.parts(*place)), self.asked[0].tolist()
        )


@given(SEEDS, SIZES, SIZES)
def test_sums_are_those_of_all_alignments(seed: int, n: int, m: int) -> None:
    case = Case(seed, n, m)
    every = case.alignments()
    assert case.score() == pytest.approx(np.log(sum(every.values())))
    assert case.score(best=True) == pytest.approx(np.log(max(every.values())))


def counts_of(case: Case, best: bool) -> tuple[FloatArray, ...]:
    tables = (np.zeros_like(each) for each in (case.tags, case.entities, case.labels))
    counts = (*tables, np.zeros(RELATION_SETS), np.zeros(2))
    case.score(best, counts)
    return counts


@given(SEEDS, SIZES, SIZES, st.booleans())
def test_counts_are_those_of_all_alignments(seed: int, n: int, m: int, best: bool) -> None:
    case = Case(seed, n, m)
    every = case.alignments()
    if best:
        chosen = max(every, key=lambda each: every[each])
        every = {chosen: 1.0}
    total = sum(every.values())
    base = words = 0.0
    heads = case.asked[0].tolist()
    wanted = np.zeros(RELATION_SETS)
    for alignment, weight in every.items():
        for i, head in enumerate(heads):
            pair = case.parts(i, alignment[head - 1] if head else 0, alignment[i])
            share = weight / total / sum(pair)
            base, words = base + share * pair[0], words + share * pair[1]
            if alignment[i]:
                wanted[case.related[i, alignment[i] - 1]] += share * pair[1]
    tags, entities, labels, found, components = counts_of(case, best)
    assert components == pytest.approx([base, words])
    assert found == pytest.approx(wanted)
    for table in (tags, entities, labels):
        assert table.sum() == pytest.approx(base)


@given(SEEDS, SIZES, SIZES)
def test_counts_are_slopes_of_the_score(seed: int, n: int, m: int) -> None:
    """d score / d log p is how often p is used."""
    case = Case(seed, n, m)
    counts = counts_of(case, best=False)
    random, step = np.random.default_rng(seed), 1e-5
    for table, uses in zip((case.tags, case.entities, case.labels), counts, strict=False):
        place = tuple(int(random.integers(size)) for size in table.shape)
        before = table[place]
        ends = []
        for factor in (np.exp(step), np.exp(-step)):
            table[place] = before * factor
            ends.append(case.score())
        table[place] = before
        assert (ends[0] - ends[1]) / (2 * step) == pytest.approx(uses[place], abs=1e-6)
    assert len(counts) == 5


def test_long_sentences_do_not_vanish() -> None:
    flat = Case(1, 400, 2)
    flat.asked[0, 1:] = 1
    flat.asked[0, 0] = 0
    for case in (Case(1, 400, 2), flat):
        case.words[:] = 0
        assert -1e5 < case.score() < -800, "a product would be 0"
        components = counts_of(case, best=False)[-1]
        assert components == pytest.approx([400, 0])


def test_what_does_not_fit_is_refused() -> None:
    case = Case(1, 2, 2)
    tables = case.tags, case.entities, case.labels, case.words
    for change, message in (
        ((case.tags[:, :-1].copy(), *tables[1:], 0.5), "a column more than rows"),
        ((*tables[:2], case.labels[:, :-1].copy(), case.words, 0.5), "do not fit together"),
        ((*tables, 0.0), "alpha is 0.0"),
    ):
        with pytest.raises(ValueError, match=message):
            Grammar(*change)
    for row, value in ((0, 3), (0, -1), (1, TAGS), (2, ENTITIES), (3, LABELS)):
        broken = Case(1, 2, 2)
        broken.asked[row, 0] = value
        with pytest.raises(ValueError, match="no trees, or have what the tables do not know"):
            broken.score()
    circle = Case(1, 2, 2)
    circle.given[0] = [2, 1]
    with pytest.raises(ValueError, match="no trees"):
        circle.score()
    grammar, starts = Grammar(*tables, 0.5), np.array([0, 2], np.int32)
    sentences = case.asked, starts, case.given, starts
    none = np.zeros(1, np.int64)
    for pairs, related, places, message in (
        (
            np.array([[0, 1]], np.int32),
            np.zeros(4, np.uint16),
            none,
            "sentences that are not there",
        ),
        (np.zeros((1, 2), np.int32), np.zeros(3, np.uint16), none, "has no relations"),
        # The end of these would be below 0 in 64 bits.
        (
            np.zeros((1, 2), np.int32),
            np.zeros(4, np.uint16),
            np.array([2**63 - 1]),
            "has no relations",
        ),
        (np.zeros((1, 2), np.int32), np.full(4, 1 << 13, np.uint16), none, "a set of relations"),
        (np.zeros((1, 2), np.int32), np.zeros(4, np.uint16), none[:0], "without a place"),
    ):
        with pytest.raises(ValueError, match=message):
            grammar.scores(*sentences, pairs, related, places, False)
    beyond = np.array([0, 2**31 - 1, 2], np.int32)
    with pytest.raises(ValueError, match="no trees"):
        grammar.scores(case.asked, beyond, case.given, starts, pairs, related, none, False)
    with pytest.raises(ValueError, match="not of the shape"):
        case.score(counts=(case.tags, case.tags, case.labels, case.words, np.zeros(2)))


def postorder(heads: list[int]) -> tuple[IntArray, IntArray]:
    order, left = Tree(tuple(heads), ("_",) * len(heads)).postorder()
    return np.array(order, np.int32), np.array(left, np.int32)


@given(SEEDS, SIZES, SIZES)
def test_edits_are_the_least_of_all(seed: int, n: int, m: int) -> None:
    random = np.random.default_rng(seed)
    # Of projective trees, in which what hangs on the left stands on the left.
    heads, others = (
        [0, *(int(random.integers(1, word)) for word in range(2, size + 1))] for size in (n, m)
    )
    removed, added = random.random(n + 1), random.random(m + 1)
    changed = random.random((n + 1, m + 1)) * 3
    (order, left), (other_order, other_left) = postorder(heads), postorder(others)
    table = np.ascontiguousarray(changed[np.ix_(order, other_order)])
    found = edit_distance(left, other_left, removed[order], added[other_order], table)
    assert found == pytest.approx(slow.edit_distance(heads, others, removed, added, changed))


def test_edits_of_nothing_and_of_no_tree() -> None:
    none, one = np.zeros(0, np.int32), np.zeros(1, np.int32)
    assert edit_distance(none, one, np.zeros(0), np.full(1, 2.5), np.zeros((0, 1))) == 2.5
    for left in (np.array([1], np.int32), np.array([-1], np.int32)):
        with pytest.raises(ValueError, match="do not fit together"):
            edit_distance(left, one, np.ones(1), np.ones(1), np.ones((1, 1)))
    with pytest.raises(ValueError, match="do not fit together"):
        edit_distance(one, one, np.ones(2), np.ones(1), np.ones((1, 1)))
