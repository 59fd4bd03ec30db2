"""Shorter sentences: rules beside all choices, the most violated one, budgets, learning, files."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from niwaki.data.compressions import Compression
from niwaki.data.modelfile import write_model_file
from niwaki.data.sentence import Sentence
from niwaki.errors import ConfigError, CorpusError, ModelError, NiwakiError
from niwaki.tasks.compress.budget import shared_out, words_at
from niwaki.tasks.compress.learning import Example, learn_compressor
from niwaki.tasks.compress.likelihood import Forest
from niwaki.tasks.compress.loss import losses
from niwaki.tasks.compress.model import Compressor, Settings
from niwaki.tasks.compress.rules import MOST_WORDS, k_best, rules_of
from niwaki.tasks.trees import TreeView
from tests.kernel.test_compress import random_tree
from tests.reference.compress import choices, score
from tests.shorter import aside, choice, pairs, told


def view(random: np.random.Generator, n: int) -> TreeView:
    heads = random_tree(random, n).tolist()
    return TreeView(Sentence.from_words(["w"] * n, heads=heads, deprels=["dep"] * n))


@given(st.integers(0, 2**32 - 1), st.integers(1, 8))
def test_rules_add_up_to_the_score_of_a_choice(seed: int, n: int) -> None:
    random = np.random.default_rng(seed)
    tree, scores = view(random, n), random.normal(size=(n, 4))
    for kept in choices(n):
        rules = rules_of(tree, kept)
        total = sum(scores[word, rule] for word, rule in enumerate(rules.tolist()) if rule >= 0)
        assert total == pytest.approx(score(tree.heads, scores, kept))
    assert len({tuple(rules_of(tree, kept)) for kept in choices(n)}) == 2**n - 1


def test_said_gives_way_to_its_clause() -> None:
    given = told(0)
    rules = rules_of(TreeView(given.sentence), given.references[0]).tolist()
    # said promotes; rakes and the full stop take its place; words below rakes are kept below it.
    assert rules == [-1, 1, 0, -1, 2, 0, 2]


@given(st.integers(0, 2**32 - 1), st.integers(1, 7), st.integers(1, 12))
def test_the_k_best_are_those_of_brute_force(seed: int, n: int, k: int) -> None:
    random = np.random.default_rng(seed)
    tree, scores = view(random, n), random.normal(size=(n, 4))
    every = sorted((score(tree.heads, scores, kept) for kept in choices(n)), reverse=True)
    found = k_best(tree, scores, k)
    assert [value for value, _ in found] == pytest.approx(every[:k])
    assert len({kept for _, kept in found}) == len(found) == min(k, 2**n - 1)
    for value, kept in found:
        assert score(tree.heads, scores, kept) == pytest.approx(value)


@given(
    st.integers(0, 2**32 - 1),
    st.integers(2, 8),
    st.sampled_from(["slack", "margin"]),
    st.sampled_from(["bp2", "bp1", "precision"]),
)
def test_the_most_violated_choice_is_that_of_brute_force(
    seed: int, n: int, scaling: str, kind: str
) -> None:
    random = np.random.default_rng(seed)
    tree, scores = view(random, n), random.normal(size=(n, 4)) * random.choice([0.1, 1])
    right = list(choices(n))[int(random.integers(2**n - 1))]
    table = losses(sum(right), right.count(False), kind)  # type: ignore[arg-type]
    of_right = score(tree.heads, scores, right)
    most = 0.0
    for kept in choices(n):
        true = sum(a and b for a, b in zip(kept, right, strict=True))
        loss = table[true, sum(kept) - true]
        apart = score(tree.heads, scores, kept) - of_right
        most = max(most, (1 + apart) * loss if scaling == "slack" else (loss > 0) * (loss + apart))
    found = Example(tree, right, rules_of(tree, right), table).worst(scores, scaling)
    if found is None:
        assert most <= 1e-9
        return
    loss, rules = found
    total = sum(scores[word, rule] for word, rule in enumerate(rules.tolist()) if rule >= 0)
    apart = total - of_right
    value = (1 + apart) * loss if scaling == "slack" else loss + apart
    assert value == pytest.approx(most)


def test_losses() -> None:
    table = losses(4, 2)
    assert table[4, 0] == 0 and table[0, 2] == 1 == table[0, 0]
    # Copying: precision 4/6, too long by half.
    assert table[4, 2] == pytest.approx(1 - 4 / 6 * np.exp(1 - 1.5))
    assert table[2, 0] == pytest.approx(1 - np.exp(1 - 2.0))
    assert losses(4, 2, "bp1")[4, 2] == pytest.approx(1 / 3)
    assert losses(4, 2, "precision")[1, 0] == 0


@given(st.integers(0, 2**32 - 1), st.integers(1, 4), st.integers(1, 14))
def test_words_are_shared_out_where_they_bring_most(seed: int, count: int, total: int) -> None:
    """On concave tables as brute force does; and always so many as were asked for."""
    random = np.random.default_rng(seed)
    tables = []
    for _ in range(count):
        steps = np.sort(random.normal(size=int(random.integers(1, 6))))[::-1]
        tables.append(np.concatenate([[-np.inf], np.cumsum(steps)]))
    total = int(np.clip(total, count, sum(len(table) - 1 for table in tables)))
    sizes = shared_out(tables, total)
    assert sum(sizes) == total and min(sizes) >= 1
    best = {0: 0.0}
    for table in tables:
        sums: dict[int, float] = {}
        for words, value in best.items():
            for more in range(1, len(table)):
                sums[words + more] = max(sums.get(words + more, -np.inf), value + table[more])
        best = sums
    found = sum(table[size] for table, size in zip(tables, sizes, strict=True))
    assert found == pytest.approx(best[total])


def test_rates_are_of_whole_words() -> None:
    assert [words_at(rate, 10) for rate in (0.01, 0.25, 0.66, 1.0)] == [1, 2, 7, 10]
    assert words_at(0.1, 1) == 1


@given(st.integers(0, 2**32 - 1), st.integers(1, 7))
def test_sums_over_all_choices(seed: int, n: int) -> None:
    random = np.random.default_rng(seed)
    trees = [view(random, n), view(random, 3)]
    scores = 3 * random.normal(size=(n + 3, 4))
    total, wanted, start = 0.0, np.zeros((n + 3, 4)), 0
    for tree in trees:
        own = scores[start : start + len(tree.heads)]
        values = {kept: score(list(tree.heads), own, kept) for kept in choices(len(tree.heads))}
        whole = np.logaddexp.reduce(list(values.values()))
        total += whole
        for kept, value in values.items():
            for word, rule in enumerate(rules_of(tree, kept)):
                if rule >= 0:
                    wanted[start + word, rule] += np.exp(value - whole)
        start += len(tree.heads)
    found, rules = Forest(trees).expected(scores)
    assert found == pytest.approx(total) and np.allclose(rules, wanted)


def test_choices_of_people_are_made_likely() -> None:
    gains: list[float] = []
    model = learn_compressor(pairs(), Settings(l2=1.0), told=gains.append)
    assert gains[-1] < 1e-5
    found = model.compress([each.sentence for each in new()])
    assert found == [each.references[0] for each in new()]
    # By rules alone the same; and what is believed of words is between the two.
    alone = dataclasses.replace(model, settings=Settings(l2=1.0, belief=0.0), bias=0.0)
    tree = TreeView(told(0).sentence)
    assert np.array_equal(alone.scores([tree]), model.weights.scores([tree]))
    assert alone.compress([told(0).sentence]) == [told(0).references[0]]


@pytest.fixture(scope="module")
def model() -> Compressor:
    return learn_compressor(pairs())


def new() -> list[Compression]:
    return [each for number in range(12, 18) for each in (told(number), aside(number))]


@pytest.mark.parametrize("scaling", ["slack", "margin"])
@pytest.mark.parametrize("loss", ["bp2", "bp1"])
def test_what_people_drop_is_learned(scaling: str, loss: str) -> None:
    gaps: list[float] = []
    settings = Settings(learner="svm", scaling=scaling, loss=loss)  # type: ignore[arg-type]
    model = learn_compressor(pairs(), settings, told=gaps.append)
    assert gaps[-1] < 1e-3, "the bounds of the optimum meet"
    found = model.compress([each.sentence for each in new()])
    assert found == [each.references[0] for each in new()]


def test_another_person_is_learned_from() -> None:
    whole = [Compression(e.sentence, (*e.references, (True,) * len(e.sentence))) for e in pairs()]
    first, *_ = learn_compressor(whole).compress([told(0).sentence])
    assert first == told(0).references[0]
    with pytest.raises(NiwakiError, match="no word is dropped by person 2; give"):
        learn_compressor(whole, Settings(annotator=2))
    with pytest.raises(NiwakiError, match="no word is dropped by person 3"):
        learn_compressor(whole, Settings(annotator=3))


def test_rates_and_sizes(model: Compressor) -> None:
    sentences = [each.sentence for each in new()]
    for sizes in ([1] * 12, [len(s) for s in sentences], [3] * 12):
        assert list(map(sum, model.compress(sentences, sizes=sizes))) == sizes
    half = model.compress(sentences, 0.5)
    assert list(map(sum, half)) == [4] * 12
    together = model.compress(sentences, 0.5, document=True)
    assert sum(map(sum, together)) == 45 and len({sum(kept) for kept in together}) > 1


def test_the_best_of_k_is_the_best(model: Compressor) -> None:
    tree = TreeView(told(1).sentence)
    (first, best), *others = model.k_best(tree, 5)
    assert best == told(1).references[0] and len(others) == 4
    assert all(value <= first for value, _ in others)


def test_a_model_comes_back_from_its_file(model: Compressor, tmp_path: Path) -> None:
    model.save(tmp_path / "c.niwaki")
    again = Compressor.load(tmp_path / "c.niwaki")
    assert again.settings == model.settings
    sentences = [each.sentence for each in new()]
    assert again.compress(sentences, 0.6) == model.compress(sentences, 0.6)
    again.save(tmp_path / "d.niwaki")
    assert (tmp_path / "c.niwaki").read_bytes() == (tmp_path / "d.niwaki").read_bytes()


def test_other_models_and_damaged_ones_are_refused(model: Compressor, tmp_path: Path) -> None:
    path = tmp_path / "x.niwaki"
    write_model_file(path, {"config.json": {"kind": "roles"}})
    with pytest.raises(ModelError, match="no compressor; give one of `niwaki train-compressor`"):
        Compressor.load(path)
    card = {"kind": "compressor", "settings": dataclasses.asdict(Settings())}
    broken = {"keys": model.weights.keys[::-1], "table": model.weights.table}
    write_model_file(path, {"config.json": card, "rules.safetensors": broken})
    with pytest.raises(ModelError, match="weights out of order"):
        Compressor.load(path)
    write_model_file(path, {"config.json": {**card, "settings": {"c": -1.0}}})
    with pytest.raises(ModelError, match="not a compressor that this niwaki can use"):
        Compressor.load(path)
    with pytest.raises(ConfigError, match="c is 0"):
        Settings(c=0.0)


def test_trees_are_needed_and_sentences_have_an_end(model: Compressor) -> None:
    with pytest.raises(CorpusError, match="no tree above word 1"):
        model.compress([Sentence.from_words(["Go", "on"])])
    n = MOST_WORDS + 1
    long = Sentence.from_words(["w"] * n, heads=range(n), deprels=["dep"] * n)
    with pytest.raises(CorpusError, match="2,001 words; give sentences of at most 2,000"):
        model.compress([long])
    assert choice("01") == (False, True)
