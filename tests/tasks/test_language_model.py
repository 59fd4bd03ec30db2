"""Language models: against their slow twin, against kenlm, and as files."""

from __future__ import annotations

import math
import random
from pathlib import Path

import numpy as np
import pytest

from niwaki.errors import ConfigError, CorpusError, ModelError
from niwaki.kernel.translation import language_model as kernel
from niwaki.tasks.translate.language_model import LanguageModel, read_arpa, train
from tests.reference.language_model import KneserNey


def sentences(count: int, seed: int = 1, words: int = 12) -> list[list[str]]:
    """Lines in which some words follow others more often."""
    rng = random.Random(seed)
    names = [f"w{number}" for number in range(words)]
    found = []
    for _ in range(count):
        at = rng.randrange(words)
        line = []
        for _ in range(rng.randrange(9)):
            at = (at + rng.choice([1, 1, 1, 2, 5])) % words if rng.random() < 0.8 else 0
            line.append(names[at])
        found.append(line)
    return found


TEXT = sentences(60)


@pytest.fixture(scope="module", params=[False, True], ids=["whole", "pruned"])
def model(request: pytest.FixtureRequest) -> LanguageModel:
    return train(TEXT, 5, prune=request.param)


@pytest.mark.parametrize("order", [1, 2, 3, 5])
@pytest.mark.parametrize("pruned", [False, True])
def test_it_says_what_the_twin_says(order: int, pruned: bool) -> None:
    text = TEXT[:25]
    model, twin = train(text, order, prune=pruned), KneserNey(text, order, pruned)
    checked = 0
    for line in [*text[:6], ["w0", "never", "w1", "w2"], ["w3", "w3", "w3", "w3", "w3"]]:
        scores = model.score(line)
        known = [word if word in twin.vocabulary else "<unk>" for word in line]
        before = ("<s>", *known)
        for at, word in enumerate([*known, "</s>"]):
            expected = math.log(twin.probability(word, before[: at + 1]))
            assert scores[at] == pytest.approx(expected, abs=1e-5)
            checked += 1
    assert checked > 20


def test_probabilities_sum_to_one(model: LanguageModel) -> None:
    rng = random.Random(5)
    sums = []
    for _ in range(60):
        line = ["<s>", *rng.choice(TEXT)]
        first = rng.randrange(len(line))
        context = model.numbers(line[first : first + rng.randrange(6)])
        likely = np.exp(model.kernel.following(context))
        sums.append(likely.sum() - likely[model.number("<s>")])
    assert sums == pytest.approx([1.0] * 60, abs=1e-5)


def test_a_state_keeps_what_the_model_can_use_only(model: LanguageModel) -> None:
    line = model.numbers(TEXT[3] + ["never"])
    assert model.kernel.after(line) == []
    context = model.numbers(["<s>"])
    assert model.kernel.after(context) == context.tolist()
    listed = {tuple(gram) for grams in model.grams for gram in grams.tolist()}
    kept = 0
    for text in TEXT:
        state = model.kernel.after(model.numbers(text))
        assert len(state) <= 4
        kept = max(kept, len(state))
        if len(state) > 1:
            assert tuple(state) in listed
    assert kept >= 2


def test_kenlm_says_the_same(model: LanguageModel, tmp_path: Path) -> None:
    kenlm = pytest.importorskip("kenlm", reason="kenlm is not installed: pip install kenlm")
    path = tmp_path / "model.arpa"
    model.write_arpa(path)
    judge = kenlm.Model(str(path))
    read = read_arpa(path)
    lines = [*TEXT, *sentences(40, seed=2), ["never", "w1", "w2"], []]
    for line in lines:
        expected = [math.log(10) * p for p, _, _ in judge.full_scores(" ".join(line))]
        assert model.score(line).tolist() == pytest.approx(expected, abs=1e-4)
        assert read.score(line).tolist() == pytest.approx(expected, abs=1e-4)
    assert len(lines) > 100


def test_kenlm_says_the_same_of_a_file_with_gaps(tmp_path: Path) -> None:
    kenlm = pytest.importorskip("kenlm", reason="kenlm is not installed: pip install kenlm")
    path = tmp_path / "gaps.arpa"
    # `b c` is missing below `a b c`, and `a b` has a backoff of 0 that is one all the same.
    path.write_text(GAPS, encoding="utf-8")
    judge, model = kenlm.Model(str(path)), read_arpa(path)
    lines = [line.split() for line in ("a b c", "b c", "a b c c", "c a b a", "a b b c", "z a b c")]
    for line in lines:
        expected = [math.log(10) * p for p, _, _ in judge.full_scores(" ".join(line))]
        assert model.score(line).tolist() == pytest.approx(expected, abs=1e-4), line
    assert len(model.grams[0]) == 8


GAPS = """\\data\\
ngram 1=6
ngram 2=7
ngram 3=1

\\1-grams:
-99\t<s>\t-0.3
-1\t</s>
-2\t<unk>
-0.5\ta\t-0.25
-0.75\tb\t-0.125
-1.25\tc\t-0.0625

\\2-grams:
-0.25\t<s> a\t-0.5
-0.5\ta b
-0.5\tc a\t-0.25
-0.625\tb a
-1.5\tb b\t-0.5
-1.5\tc c
-1.5\ta c

\\3-grams:
-0.125\ta b c

\\end\\
"""


def test_files_hold_the_whole_model(model: LanguageModel, tmp_path: Path) -> None:
    model.save(tmp_path / "model.lm")
    again = LanguageModel.load(tmp_path / "model.lm")
    assert again.words == model.words
    assert again.perplexity(TEXT) == model.perplexity(TEXT)
    model.write_arpa(tmp_path / "one.arpa")
    again.write_arpa(tmp_path / "other.arpa")
    assert (tmp_path / "one.arpa").read_bytes() == (tmp_path / "other.arpa").read_bytes()
    assert not again.unigrams.flags.writeable


def test_perplexity() -> None:
    model = train([["a"]] * 4, 1)
    mean = np.mean([model.score(["a"]).sum() / 2])
    assert model.perplexity([["a"], ["a"]]) == pytest.approx(math.exp(-mean))
    assert model.perplexity([["never"]]) > model.perplexity([["a"]])


def test_reserved_words_in_text_are_unknown_ones() -> None:
    model = train([["<s>", "a", "</s>"], ["a", "b"]], 2)
    assert model.words == ("<unk>", "<s>", "</s>", "a", "b")
    assert model.number("c") == model.number("<unk>") == 0
    likely = np.exp(model.kernel.following(np.array([1], np.int32)))
    assert likely.sum() - likely[1] == pytest.approx(1.0)


@pytest.mark.parametrize("order", [0, 6])
def test_orders_are_from_1_to_5(order: int) -> None:
    with pytest.raises(ConfigError, match="give 1 to 5"):
        train(TEXT, order)


def test_no_sentences() -> None:
    with pytest.raises(ConfigError, match="no sentences"):
        train([], 3)


@pytest.mark.parametrize(
    ("changed", "expected"),
    [
        (("\\end\\", ""), "LINE: no .end."),
        (("-0.5\ta b\n", "-0.5\ta b b\n"), "LINE: .*write log10 P"),
        (("-0.5\ta b\n", "nan\ta b\n"), "LINE: .*write log10 P"),
        (("-0.5\ta b\n", "-0.5\ta x\n"), "no 1-gram x"),
        (("-0.5\ta b\n", "-0.5\tc a\n"), "again"),
        (("ngram 2=7", "ngram 2=6"), "as many n-grams"),
        (("ngram 2=7", "ngram 2=many"), "ngram 2=COUNT"),
        (("\\data\\", "data"), "ARPA"),
        (("-1\t</s>", "-1\td"), "no 1-gram </s>"),
    ],
)
def test_a_wrong_file_is_named_by_its_line(
    changed: tuple[str, str], expected: str, tmp_path: Path
) -> None:
    (tmp_path / "a.arpa").write_text(GAPS.replace(*changed), encoding="utf-8")
    with pytest.raises(CorpusError, match=expected) as caught:
        read_arpa(tmp_path / "a.arpa")
    assert "\n" not in str(caught.value)


def test_what_is_no_model_is_refused(model: LanguageModel, tmp_path: Path) -> None:
    path = tmp_path / "model.lm"
    model.save(path)
    whole = path.read_bytes()
    for damaged in (b"", whole[:-9], whole.replace(b'"order": 5', b'"order": 4', 1)):
        path.write_bytes(damaged)
        with pytest.raises(ModelError, match="language model"):
            LanguageModel.load(path)
    assert whole


def test_the_kernel_refuses_what_does_not_fit() -> None:
    unigrams, table = np.zeros((4, 2), np.float32), np.zeros((2, 2), np.uint64)
    with pytest.raises(ValueError, match="order"):
        kernel.LanguageModel(6, unigrams, table)
    with pytest.raises(ValueError, match="power"):
        kernel.LanguageModel(2, unigrams, np.zeros((3, 2), np.uint64))
    with pytest.raises(ValueError, match="unigrams"):
        kernel.LanguageModel(2, unigrams[:2], table)
    grams = np.zeros((1, 2), np.int32)
    kernel.insert(table, grams, unigrams[:1])
    with pytest.raises(ValueError, match="twice"):
        kernel.insert(table, grams, unigrams[:1])
    # A word that is no number of a word is unknown.
    model = kernel.LanguageModel(2, unigrams, table)
    starts = np.array([0, 2], np.int64)
    found = model.score(np.array([-5, 99], np.int32), starts)
    assert np.isfinite(found).all()
    with pytest.raises(ValueError, match="fit"):
        model.score(np.array([1], np.int32), starts)
