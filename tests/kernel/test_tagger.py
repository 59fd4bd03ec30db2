"""The tagger and the classifier: against plain sums, and on what they can learn."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from niwaki.data.sentence import Sentence
from niwaki.features.templates import compile_window, tagging_features
from niwaki.kernel.batch import Batch
from niwaki.kernel.linear import SparseWeights
from niwaki.kernel.tagging.lexicon_classifier import Candidates, Factors, LexiconClassifier
from niwaki.kernel.tagging.tagger import Tagger
from niwaki.kernel.tagging.window import Window

WORDS = "the old pine leans over the pond and The Old pines lean Over 1,000 ponds".split()


def batch_of(*sentences: list[str]) -> Batch:
    return Batch([Sentence.from_words(words).source for words in sentences])


def tagger_with(
    learner: SparseWeights, pairs: list[tuple[int, int]], text: str | None = None
) -> Tagger:
    window = compile_window(tagging_features("tags") if text is None else text)
    upos = 1 + max(u for u, _ in pairs)
    return Tagger(learner, window, pairs, upos, [100 + i for i in range(len(pairs))])


PAIRS = [(0, 0), (0, 1), (1, 0), (2, -1)]


def trained(epochs: int, rate: float = 0.1) -> tuple[Tagger, Batch, np.ndarray]:
    """A tagger that learned to tag by the first letter and the tag before."""
    sentences = [WORDS[i : i + 5] for i in range(8)]
    batch = batch_of(*sentences)
    gold = []
    for sentence in sentences:
        before = 0
        for word in sentence:
            before = (ord(word[0]) + before) % 4
            gold.append(before)
    tagger = tagger_with(SparseWeights(5), PAIRS)
    wanted = np.array(gold, dtype=np.int32)
    order = np.arange(len(sentences), dtype=np.int32)
    for _ in range(epochs):
        tagger.learn(batch, wanted, order, rate, 0.1, 1.0)
    return tagger, batch, wanted


def nothing_given(batch: Batch) -> np.ndarray:
    return np.full(batch.words, -1, dtype=np.int32)


@pytest.mark.parametrize("rate", [0.1, 0.0])
def test_it_learns_by_either_rule(rate: float) -> None:
    tagger, batch, gold = trained(30, rate)
    pairs, likely, seconds, less = tagger.tag(batch, nothing_given(batch), nothing_given(batch))
    assert pairs.tolist() == gold.tolist()
    assert ((likely >= less) & (likely <= 1) & (less >= 0)).all()
    assert (pairs != seconds).all()


def test_kept_sums_change_nothing() -> None:
    """Types seen before are tagged from their sums; the result is that of a new memory."""
    tagger, batch, _ = trained(2)
    none = nothing_given(batch)
    first = tagger.tag(batch, none, none)
    again = tagger.tag(batch, none, none)
    assert [each.tolist() for each in first] == [each.tolist() for each in again]
    assert batch.words > 5
    for number, start in enumerate(range(0, batch.words, 5)):
        single = Batch([batch.sources[number]])
        pairs, *_ = tagger.tag(single, none[:5], none[:5])
        assert pairs.tolist() == first[0][start : start + 5].tolist()


def test_probabilities_are_a_softmax_over_pairs() -> None:
    tagger, batch, _ = trained(2)
    none = nothing_given(batch)
    pairs, likely, seconds, less = tagger.tag(batch, none, none)
    distribution = tagger.distribution(batch)
    assert np.allclose(distribution.sum(axis=1), 1, atol=1e-5)
    rows = np.arange(batch.words)
    assert np.allclose(distribution[rows, pairs], likely, atol=1e-3)
    assert np.allclose(distribution[rows, seconds], less, atol=1e-3)
    assert (distribution.argmax(axis=1) == pairs).all()


def test_what_is_given_is_kept() -> None:
    tagger, batch, _ = trained(2)
    none = nothing_given(batch)
    upos = np.full_like(none, 0)
    pairs, likely, _, _ = tagger.tag(batch, upos, none)
    assert set(pairs.tolist()) <= {0, 1}
    xpos = np.full_like(none, 0)
    pairs, likely, seconds, _ = tagger.tag(batch, upos, xpos)
    assert set(pairs.tolist()) == {0}
    assert np.allclose(likely, 1)
    assert (seconds == -1).all()
    # No pair agrees with both: the one half is kept.
    pairs, *_ = tagger.tag(batch, np.full_like(none, 2), np.full_like(none, 1))
    assert set(pairs.tolist()) == {3}


def test_scores_are_sums_over_templates() -> None:
    """One template at a time: a weight on its key is seen at exactly the words it describes."""
    cases = {
        "w0.lower": lambda words, i: words[i].lower(),
        "w-1.lower + w0.shape": lambda words, i: (
            i and words[i - 1].lower(),
            words[i][0].isupper(),
        ),
        "w+2.form": lambda words, i: words[i + 2] if i + 2 < len(words) else None,
        "first + w0.capital": lambda words, i: (i == 0, words[i][0].isupper()),
    }
    for text, meaning in cases.items():
        words = ["The", "pine", "the", "Pine", "the", "pine"]
        batch = batch_of(words)
        tagger = tagger_with(SparseWeights(2), [(0, -1), (1, -1)], text)
        gold = np.full(len(words), -1, dtype=np.int32)
        gold[3] = 1
        tagger.learn(batch, gold, np.zeros(1, dtype=np.int32), 0.0, 0.1, 1.0)
        pairs, *_ = tagger.tag(batch, nothing_given(batch), nothing_given(batch))
        expected = [int(meaning(words, i) == meaning(words, 3)) for i in range(len(words))]
        assert pairs.tolist() == expected, text


def test_a_sentence_of_many_new_words() -> None:
    """More types than a memory keeps: they are forgotten between sentences, never within."""
    tagger, _, _ = trained(1)
    long = batch_of([f"word{i}" for i in range(40_000)], ["the"], [f"other{i}" for i in range(9)])
    pairs, *_ = tagger.tag(long, nothing_given(long), nothing_given(long))
    alone = batch_of([f"other{i}" for i in range(9)])
    expected, *_ = tagger.tag(alone, nothing_given(alone), nothing_given(alone))
    assert pairs[-9:].tolist() == expected.tolist()


def test_refusals() -> None:
    with pytest.raises(ValueError, match="needs tags"):
        Tagger(SparseWeights(2), compile_window("w0.form"), [], 1, [])
    with pytest.raises(ValueError, match="out of range"):
        Tagger(SparseWeights(2), compile_window("w0.form"), [(2, -1)], 2, [1])
    with pytest.raises(ValueError, match="no such part"):
        Window([[(0, 3, 0)]])
    with pytest.raises(ValueError, match="cannot be combined"):
        Window([[(1, 0, 0), (0, 0, 0)]])
    tagger, batch, gold = trained(1)
    with pytest.raises(ValueError, match="no tag 9"):
        tagger.learn(batch, np.full_like(gold, 9), np.zeros(1, np.int32), 0.1, 0.1, 1.0)
    with pytest.raises(ValueError, match="no sentence 99"):
        tagger.learn(batch, gold, np.full(1, 99, np.int32), 0.1, 0.1, 1.0)
    with pytest.raises(ValueError, match="do not fit"):
        tagger.tag(batch, gold[:3], gold)


# -- choosing -------------------------------------------------------------------


@pytest.mark.parametrize("many", [256, 257])
def test_keys_that_meet_in_one_place_are_few(many: int) -> None:
    """Else each look-up, and each new key, would walk past all the others."""
    entries = {(n + 1) << 40: [0] for n in range(many)}
    if many > 256:
        with pytest.raises(ValueError, match="too many keys for one place"):
            candidates(entries)
    else:
        assert candidates(entries).count == many


def candidates(entries: dict[int, list[int]]) -> Candidates:
    return Candidates(
        np.array(list(entries), dtype=np.uint64),
        np.array([len(classes) for classes in entries.values()], dtype=np.uint16),
        np.array([action for classes in entries.values() for action in classes], dtype=np.uint16),
    )


def test_candidates_come_from_the_first_level_that_knows_the_word() -> None:
    batch = batch_of(["known", "unknown", "strange"])
    tags = np.array([50, 50, 60], dtype=np.uint64)
    levels = compile_window("w0.lower + t0\nt0")
    probe = LexiconClassifier(SparseWeights(1), compile_window("t0"), levels, candidates({}))
    keys = probe.level_keys(batch, tags)
    assert probe.choose(batch, tags).tolist() == [-1, -1, -1]
    table = candidates({int(keys[0, 0]): [2], int(keys[1, 1]): [0, 1]})
    learner = SparseWeights(3)
    classifier = LexiconClassifier(learner, compile_window("w0.form"), levels, table)
    gold = np.array([2, 1, 2], dtype=np.int32)
    order = np.zeros(1, dtype=np.int32)
    choices, mistakes = classifier.learn(batch, tags, gold, order, 0.1, 0.1)
    assert (choices, mistakes) == (2, 1)
    assert classifier.choose(batch, tags).tolist() == [2, 1, -1]


FACTORS = Factors(np.array([2, 2, 1, 0], np.uint16), np.array([0, 1, 0, 2, 1], np.uint16))


def chooser(learner: SparseWeights, batch: Batch, tags: np.ndarray, features: str) -> Any:
    """Among all classes of FACTORS, for each word."""
    levels = compile_window("t0")
    probe = LexiconClassifier(SparseWeights(4), levels, levels, candidates({}))
    every = {int(key): [0, 1, 2, 3] for key in probe.level_keys(batch, tags)[0]}
    return LexiconClassifier(learner, compile_window(features), levels, candidates(every), FACTORS)


def keys_of(features: str, batch: Batch) -> np.ndarray:
    """What the templates make of the first word."""
    window = compile_window(features)
    probe = LexiconClassifier(SparseWeights(1), window, window, candidates({}))
    return np.ascontiguousarray(probe.level_keys(batch, np.zeros(batch.words, np.uint64))[:, 0])


def test_the_score_of_a_class_is_that_of_its_factors() -> None:
    batch, tags = batch_of(["a"]), np.array([50], dtype=np.uint64)
    for scores, best in (((1, 2, 0), 0), ((1, -1, 2), 1), ((-1, 2, 0), 2), ((-1, -1, -1), 3)):
        learner = SparseWeights(3)
        classifier = chooser(learner, batch, tags, "w0.form")
        key = keys_of("w0.form", batch)
        for column, score in enumerate(scores):
            learner.add(key, column, score)
        assert classifier.choose(batch, tags).tolist() == [best]


def test_a_step_climbs_the_likelihood_of_the_right_class() -> None:
    """The gradient of a column is how often the right class has it, less how often one expects."""
    batch, tags = batch_of(["a"]), np.array([50], dtype=np.uint64)
    start, rate, damping = (0.5, -0.25, 1.0), 0.1, 1.0
    columns = [[0, 1], [0, 2], [1], []]
    for right in range(4):
        learner = SparseWeights(3)
        classifier = chooser(learner, batch, tags, "w0.form")
        key = keys_of("w0.form", batch)
        for column, score in enumerate(start):
            learner.add(key, column, score)
        scores = np.array([sum(start[c] for c in x) for x in columns])
        shares = np.exp(scores) / np.exp(scores).sum()
        has = np.array([[column in x for column in range(3)] for x in columns])
        gradient = has[right] - shares @ has
        gold, order = np.array([right], dtype=np.int32), np.zeros(1, dtype=np.int32)
        classifier.learn(batch, tags, gold, order, rate, damping)
        wanted = np.array(start) + rate * gradient / (np.abs(gradient) + damping)
        assert learner.scores(key) == pytest.approx(wanted, abs=1e-5)


def test_features_of_feats() -> None:
    batch, tags = batch_of(["a", "a"]), np.array([50, 50], dtype=np.uint64)
    feats, gold = np.array([70, 80], dtype=np.uint64), np.array([0, 2], dtype=np.int32)
    learner = SparseWeights(3)
    classifier = chooser(learner, batch, tags, "f0")
    for _ in range(20):
        classifier.learn(batch, tags, gold, np.zeros(1, dtype=np.int32), 0.5, 0.1, feats)
    assert classifier.choose(batch, tags, feats).tolist() == [0, 2]
    assert classifier.choose(batch, tags, feats[::-1].copy()).tolist() == [2, 0]
    # Without them, all words are the same.
    assert len(set(classifier.choose(batch, tags).tolist())) == 1


def test_lexicon_classifier_refusals() -> None:
    levels = compile_window("t0")
    batch, tags = batch_of(["a"]), np.array([50], dtype=np.uint64)
    with pytest.raises(ValueError, match="columns that there are not"):
        chooser(SparseWeights(2), batch, tags, "t0")
    with pytest.raises(ValueError, match="columns do not fit together"):
        Factors(np.ones(2, np.uint16), np.ones(1, np.uint16))
    with pytest.raises(ValueError, match="tags do not fit"):
        chooser(SparseWeights(3), batch, tags, "t0").choose(batch, tags, tags[:0])
    with pytest.raises(ValueError, match="no class"):
        LexiconClassifier(SparseWeights(1), levels, levels, candidates({5: [1]}))
    with pytest.raises(ValueError, match="no candidate"):
        candidates({5: []})
    with pytest.raises(ValueError, match="fit together"):
        Candidates(np.zeros(1, np.uint64), np.ones(1, np.uint16), np.zeros(0, np.uint16))
