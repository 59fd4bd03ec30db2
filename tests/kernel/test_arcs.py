"""Features and scores of arcs against symbols, and the steps of learning against sums."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from niwaki.data.sentence import Sentence
from niwaki.features.arc_templates import arc_feature_set_names, compile_arcs, load_arc_feature_set
from niwaki.features.templates import read_lines
from niwaki.features.vocabulary import Values
from niwaki.kernel.batch import Batch
from niwaki.kernel.graph.arc_learning import ArcLearner
from niwaki.kernel.graph.arcs import ArcFeatures, ArcModel
from niwaki.kernel.linear import SparseWeights
from tests.reference.arcs import arc_features

LINES = [
    "h.form",
    "d.form + h.tag",
    "h+1.form + d-2.tag + direction",
    "h.tag + between.tag + d.tag",
    "between.tag + distance(h, d) + direction",
    "distance(h, d)",
]
SECOND = ["s.form + d.tag", "h.form + s+1.tag + distance(s, d)", "d.form + distance(s, d)"]
WORDS = ["a", "b", "c"]

sentences = st.lists(
    st.lists(st.tuples(st.sampled_from(WORDS), st.sampled_from("xyz")), min_size=1, max_size=7),
    min_size=1,
    max_size=3,
)


def as_batch(sentence_words: list[list[tuple[str, str]]]) -> tuple[Batch, list[Values]]:
    """A batch, and the values of `form` and `tag` (attributes 0 and 1)."""
    batch = Batch(
        [Sentence.from_words([form for form, _ in each]).source for each in sentence_words]
    )
    flat = [pair for each in sentence_words for pair in each]
    values = [
        np.array([100 * (a + 1) + ord(pair[a][0]) for pair in flat], dtype=np.uint32)
        for a in (0, 1)
    ]
    return batch, values


def compiled(lines: list[str]) -> tuple[ArcFeatures, ArcFeatures | None]:
    return compile_arcs("\n".join(lines), {"form": 0, "tag": 1}).programs(2)


def parts_of(n: int) -> list[tuple[int, int, int | None]]:
    """All arcs, then all dependents with a sibling between them and the head, or none."""
    arcs = [(h, d) for h in range(n + 1) for d in range(1, n + 1) if h != d]
    alone: list[tuple[int, int, int | None]] = [(h, d, None) for h, d in arcs]
    behind: list[tuple[int, int, int | None]] = [
        (h, d, s) for h, d in arcs for s in [0, *range(min(h, d) + 1, max(h, d))]
    ]
    return alone + behind


def as_rows(parts: list[tuple[int, int, int | None]]) -> np.ndarray:
    rows = [(h, d, -1 if s is None else s) for h, d, s in parts]
    return np.array(rows, dtype=np.int32).reshape(-1, 3)


@given(sentences)
def test_keys_are_alike_when_what_they_say_is(words: list[list[tuple[str, str]]]) -> None:
    batch, values = as_batch(words)
    programs = zip((LINES, SECOND), compiled(LINES + SECOND), strict=True)
    for second, (lines, program) in enumerate(programs):
        assert program is not None
        model = ArcModel(program, SparseWeights(1))
        pairs: set[tuple[object, int]] = set()
        for s, each in enumerate(words):
            known = {
                "form": ["ROOT", *(form for form, _ in each)],
                "tag": ["ROOT", *(tag for _, tag in each)],
            }
            parts = [p for p in parts_of(len(each)) if (p[2] is not None) == bool(second)]
            keys, counts = model.keys(batch, values, s, as_rows(parts))
            ends = np.cumsum(counts)
            for part, end, count in zip(parts, ends, counts, strict=True):
                own = keys[end - count : end].tolist()
                symbols = arc_features(lines, known, *part)
                assert len(set(own)) == len(own) == len(symbols)
                pairs |= set(itertools.product([frozenset(symbols)], [frozenset(own)]))
        # The same features give the same keys, and others other ones.
        assert (
            len({symbols for symbols, _ in pairs}) == len({own for _, own in pairs}) == len(pairs)
        )


def learned(program: ArcFeatures, classes: int, batch: Batch, values: list[Values]) -> ArcModel:
    """A model that knows something of some arcs."""
    learner = SparseWeights(classes)
    model = ArcModel(program, learner)
    arc_learner = ArcLearner(model, learner, batch, values)
    random = np.random.default_rng(3)
    for s, n in enumerate(batch.lengths):
        parts = as_rows([p for p in parts_of(n) if p[2] is None][::2])
        numbers = random.integers(0, classes, len(parts)).astype(np.int32)
        arc_learner.add(s, parts, numbers, random.normal(size=len(parts)).astype(np.float32))
    return model


@given(sentences, st.integers(1, 3))
def test_scores_are_sums_of_weights(words: list[list[tuple[str, str]]], classes: int) -> None:
    batch, values = as_batch(words)
    program, _ = compiled(LINES)
    model = learned(program, classes, batch, values)
    learner = learned_again(program, classes, batch, values)
    every = np.arange(len(words), dtype=np.int32)
    table = model.arcs(batch, values, every)
    start = 0
    for s, n in enumerate(batch.lengths):
        own = table[start : start + n * (n + 1)].reshape(n + 1, n, classes)
        start += n * (n + 1)
        parts = [p for p in parts_of(n) if p[2] is None]
        listed = model.listed(batch, values, s, as_rows(parts))
        for (head, word, _), row in zip(parts, listed, strict=True):
            keys, _ = model.keys(batch, values, s, as_rows([(head, word, None)]))
            assert np.allclose(row, learner.scores(keys), atol=1e-5)
            assert np.array_equal(row, own[head, word - 1])
    assert start == len(table)
    heads = np.concatenate([np.arange(n, dtype=np.int32) for n in batch.lengths])
    chosen = model.chosen(batch, values, heads)
    at = 0
    for s, n in enumerate(batch.lengths):
        rows = as_rows([(word - 1, word, None) for word in range(1, n + 1)])
        assert np.array_equal(chosen[at : at + n], model.listed(batch, values, s, rows))
        at += n


def learned_again(
    program: ArcFeatures, classes: int, batch: Batch, values: list[Values]
) -> SparseWeights:
    """The same weights, each feature of each part added by itself."""
    learner = SparseWeights(classes)
    model = ArcModel(program, learner)
    random = np.random.default_rng(3)
    for s, n in enumerate(batch.lengths):
        parts = as_rows([p for p in parts_of(n) if p[2] is None][::2])
        numbers = random.integers(0, classes, len(parts))
        steps = random.normal(size=len(parts)).astype(np.float32)
        for part, number, step in zip(parts, numbers, steps, strict=True):
            keys, _ = model.keys(batch, values, s, part[None])
            learner.add(keys, int(number), float(step))
    return learner


@given(sentences)
def test_siblings_are_scored_where_they_can_be(words: list[list[tuple[str, str]]]) -> None:
    batch, values = as_batch(words)
    _, program = compiled(LINES + SECOND)
    assert program is not None
    learner = SparseWeights(1)
    model = ArcModel(program, learner)
    arc_learner = ArcLearner(model, learner, batch, values)
    for s, n in enumerate(batch.lengths):
        parts = as_rows([p for p in parts_of(n) if p[2] is not None])
        arc_learner.add(
            s,
            parts,
            np.zeros(len(parts), dtype=np.int32),
            np.arange(len(parts), dtype=np.float32),
        )
    table = model.siblings(batch, values, np.arange(len(words), dtype=np.int32))
    start = 0
    for s, n in enumerate(batch.lengths):
        expected = np.zeros((n + 1, n, n + 1))
        parts = [p for p in parts_of(n) if p[2] is not None]
        rows = model.listed(batch, values, s, as_rows(parts))[:, 0]
        for (head, word, sibling), row in zip(parts, rows, strict=True):
            expected[head, word - 1, sibling or 0] = row
        assert np.array_equal(table[start : start + expected.size], expected.ravel())
        start += expected.size


@pytest.mark.parametrize("kept", [False, True])
@given(words=sentences)
def test_plain_vectors_of_weights(kept: bool, words: list[list[tuple[str, str]]]) -> None:
    batch, values = as_batch(words)
    program, _ = compiled(LINES)
    learner = SparseWeights(1)
    model = ArcModel(program, learner)
    arc_learner = ArcLearner(model, learner, batch, values)
    for s, n in enumerate(batch.lengths):
        parts = as_rows([p for p in parts_of(n) if p[2] is None][::3])
        nothing = np.zeros(len(parts), dtype=np.float32)
        arc_learner.add(s, parts, np.zeros(len(parts), dtype=np.int32), nothing)
    learner.close()
    assert len(learner)
    if kept:
        assert arc_learner.keep_rows(1 << 20)
    random = np.random.default_rng(5)
    weights = random.normal(size=len(learner))
    row_of = {key: row for row, key in enumerate(learner.export()["keys"].tolist())}
    for s, n in enumerate(batch.lengths):
        coefficients = random.normal(size=n * (n + 1))
        coefficients[::3] = 0
        found, out = arc_learner.dense_scores(s, weights), np.zeros(len(weights))
        arc_learner.dense_add(s, coefficients, out)
        expected = np.zeros(len(weights))
        for head, word in itertools.product(range(n + 1), range(1, n + 1)):
            if head != word:
                keys, _ = model.keys(batch, values, s, as_rows([(head, word, None)]))
                rows = [row_of[key] for key in keys.tolist() if key in row_of]
                arc = head * n + word - 1
                assert found[arc] == pytest.approx(weights[rows].sum())
                expected[rows] += coefficients[arc]
        assert np.allclose(out, expected)


def test_rows_are_not_kept_if_they_take_too_much_memory() -> None:
    batch, values = as_batch([[("a", "x")] * 80])
    program, _ = compiled(LINES)
    learner = SparseWeights(1)
    arc_learner = ArcLearner(ArcModel(program, learner), learner, batch, values)
    parts = as_rows([p for p in parts_of(80) if p[2] is None])
    zeros = np.zeros(len(parts), dtype=np.int32)
    arc_learner.add(0, parts, zeros, zeros.astype(np.float32))
    learner.close()
    weights = np.arange(len(learner), dtype=np.float64)
    expected = arc_learner.dense_scores(0, weights)
    assert [arc_learner.keep_rows(most) for most in (1000, 1 << 24)] == [False, True]
    assert np.array_equal(arc_learner.dense_scores(0, weights), expected)


def test_climbing_follows_the_gradient_and_leaves_out_what_is_small() -> None:
    batch, values = as_batch([[("a", "x"), ("b", "y"), ("c", "z")]])
    program, _ = compiled(["h.form + d.form"])
    learner = SparseWeights(2)
    model = ArcModel(program, learner)
    arc_learner = ArcLearner(model, learner, batch, values)
    parts = as_rows([(0, 1, None), (1, 2, None), (2, 3, None), (3, 1, None)])
    gradients = np.array([[0.5, -1.0], [0.02, 0.0], [0.2, 0.001], [0.0, 0.0]])
    arc_learner.climb(0, parts, gradients, 0.01, 0.1, 0.3, 0.5)
    listed = model.listed(batch, values, 0, parts)
    steps = 0.3 * gradients / (np.abs(gradients) + 0.5)
    assert np.allclose(listed[0], steps[0])
    assert np.allclose(listed[1], 0), "a small gradient gives no feature its first weight"
    assert np.allclose(listed[2], [steps[2, 0], 0])
    arc_learner.climb(0, parts[2:3], np.array([[0.05, 0.0]]), 0.01, 0.1, 0.3, 0.5)
    more = 0.3 * 0.05 / (np.hypot(0.2, 0.05) + 0.5)
    assert model.listed(batch, values, 0, parts[2:3])[0, 0] == pytest.approx(steps[2, 0] + more)


def test_what_does_not_fit_is_refused() -> None:
    batch, values = as_batch([[("a", "x"), ("b", "y")]])
    program, _ = compiled(LINES)
    learner = SparseWeights(1)
    model = ArcModel(program, learner)
    arc_learner = ArcLearner(model, learner, batch, values)
    one = np.zeros(1, dtype=np.int32)
    for part in [(0, 3, -1), (3, 1, -1), (1, 1, -1), (0, 0, -1), (0, 1, 3), (-1, 1, -1)]:
        with pytest.raises(ValueError, match="no such part"):
            model.listed(batch, values, 0, np.array([part], dtype=np.int32))
    with pytest.raises(ValueError, match="no sentence 1"):
        model.listed(batch, values, 1, as_rows([(0, 1, None)]))
    with pytest.raises(ValueError, match="no sentence"):
        model.arcs(batch, values, np.array([-1], dtype=np.int32))
    with pytest.raises(ValueError, match="attributes"):
        model.arcs(batch, values[:1], one)
    with pytest.raises(ValueError, match="class 1 of 1"):
        arc_learner.add(0, as_rows([(0, 1, None)]), one + 1, one.astype(np.float32))
    with pytest.raises(ValueError, match="out of range"):
        model.chosen(batch, values, np.array([0, 3], dtype=np.int32))
    with pytest.raises(ValueError, match="out of range"):
        model.chosen(batch, values, np.array([1, 0], dtype=np.int32))
    with pytest.raises(ValueError, match="a vector of 3"):
        arc_learner.dense_scores(0, np.zeros(3))
    with pytest.raises(ValueError, match="there will be no more"):
        arc_learner.keep_rows(1 << 20)
    with pytest.raises(ValueError, match="the learner's weights"):
        ArcLearner(model, SparseWeights(1), batch, values)


@pytest.mark.parametrize("name", arc_feature_set_names())
def test_named_sets_compile_and_no_line_stands_twice(name: str) -> None:
    text = load_arc_feature_set(name)
    attributes: dict[str, int] = {}
    templates = compile_arcs(text, attributes, clusters=True)
    assert len(list(read_lines(text))) == len(templates.arcs) + len(templates.siblings)
    templates.programs(len(attributes))
