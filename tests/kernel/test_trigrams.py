"""The trigram tagger: against all sequences tried one by one, and weights worked by hand."""

from __future__ import annotations

import dataclasses
import itertools
import random

import numpy as np
import pytest

from niwaki.data.sentence import Sentence
from niwaki.kernel.batch import Batch
from niwaki.kernel.tagging.lexicon import Lexicon, lexical_keys
from niwaki.kernel.tagging.trigrams import MAX_TAGS, TrigramTagger
from niwaki.tagging.trigrams import BEAM, Trigrams, interpolation_weights
from tests.reference.trigrams import Tagged, Twin, trigrams_of, weights_of

TAGS = ["N", "V", "D"]
# "click" is a noun wherever it was seen.
CORPUS: list[Tagged] = [
    [("The", "D"), ("gardener", "N"), ("prunes", "V"), ("the", "D"), ("pine", "N")],
    [("A", "D"), ("click", "N"), ("wakes", "V"), ("the", "D"), ("heron", "N")],
    [("Herons", "N"), ("fish", "V")],
    [("Prune", "V"), ("the", "D"), ("pine", "N")],
    [("the", "D"), ("fish", "N"), ("hides", "V")],
    [("Wait", "V")],
]


def batch_of(*sentences: list[str]) -> Batch:
    return Batch([Sentence.from_words(words).source for words in sentences])


def numbers_of(corpus: list[Tagged]) -> np.ndarray:
    tags = [TAGS.index(tag) if tag in TAGS else -1 for s in corpus for _, tag in s]
    return np.array(tags, dtype=np.int32)


def counted(corpus: list[Tagged], smoothing: float) -> Trigrams:
    batch = batch_of(*([word for word, _ in sentence] for sentence in corpus))
    return Trigrams.count(batch, numbers_of(corpus), len(TAGS), smoothing, lowercase=False)


def kernel_of(model: Trigrams, beam: float = 0.0) -> TrigramTagger:
    names = ("keys", "sizes", "tags", "counts")
    return TrigramTagger(
        Lexicon(*(model.arrays[name] for name in names)),
        model.transitions,
        model.prior,
        [(tag, -1) for tag in range(model.tags)],
        model.theta,
        model.smoothing,
        beam,
        False,
    )


def nothing(batch: Batch) -> np.ndarray:
    return np.full(batch.words, -1, dtype=np.int32)


def random_corpus(seed: int) -> list[Tagged]:
    """Few words with many tags, so that much is ambiguous and some is unknown."""
    choose = random.Random(seed)
    words = ["ab", "Ab", "cab", "dab", "b", "Ünb", "日本", "x" * 12 + "ab"]
    return [
        [(choose.choice(words), choose.choice(TAGS)) for _ in range(choose.randrange(1, 6))]
        for _ in range(12)
    ]


CORPORA = [CORPUS, *map(random_corpus, range(4))]
QUESTIONS = [
    ["click", "the", "pine"],
    ["The", "fish", "wakes", "Gardens"],
    ["ab", "Ab", "xab", "日本"],
    ["q"],
    ["Ünb", "b", "xxab", "fish", "cab"],
]


# -- counting --------------------------------------------------------------------


def test_interpolation_weights_worked_by_hand() -> None:
    """Two tags and the edge E over the sentences `A A` and `A B`, six trigrams in all.

    EEA twice: one tag (3-1)/(6-1) = 2/5, two tags (2-1)/(2-1) = 1 (E was followed by A twice
    of two times), three tags (2-1)/(2-1) = 1: 1 vote each for two and three.
    EAA once: (3-1)/5 = 2/5, two (1-1)/(3-1) = 0, three (1-1)/(2-1) = 0: 1 vote for one.
    AAE once: E (2-1)/5 = 1/5, two AE (1-1)/2 = 0, three 0/0 = 0: 1 vote for one.
    EAB once: B 0/5 = 0, two 0/2 = 0, three 0/1 = 0: a third each.
    ABE once: E 1/5, two BE 0/0 = 0, three 0/0 = 0: 1 vote for one.
    """
    counts = np.zeros((3, 3, 3), dtype=np.int64)
    a, b, edge = 0, 1, 2
    for trigram in [
        (edge, edge, a),
        (edge, edge, a),
        (edge, a, a),
        (a, a, edge),
        (edge, a, b),
        (a, b, edge),
    ]:
        counts[trigram] += 1
    expected = np.array([3 + 1 / 3, 1 + 1 / 3, 1 + 1 / 3]) / 6
    assert np.allclose(interpolation_weights(counts), expected)
    assert interpolation_weights(np.zeros_like(counts)) == (1, 0, 0)


@pytest.mark.parametrize("corpus", CORPORA)
def test_counts_and_weights_are_those_of_the_twin(corpus: list[Tagged]) -> None:
    model = counted(corpus, 0.0)
    twin = Twin(corpus, TAGS, 0.0)
    names = [*TAGS, "edge"]
    for trigram in itertools.product(range(4), repeat=3):
        a, b, c = (names[tag] for tag in trigram)
        assert model.counts[trigram] == twin.trigrams[a, b, c]
        assert model.transitions[trigram] == pytest.approx(twin.transition(a, b, c), rel=1e-5)
    weights = [float(weight) for weight in weights_of(trigrams_of(corpus))]
    assert interpolation_weights(model.counts) == pytest.approx(weights)
    assert model.theta == pytest.approx(twin.theta)
    # After tags that were seen, probabilities sum to 1.
    after = model.counts.sum(axis=2) > 0
    assert np.allclose(model.transitions.sum(axis=2)[after], 1, atol=1e-5)


def test_words_without_a_tag_show_nothing() -> None:
    holes = [[(w, "?" if w in ("fish", "the") else t) for w, t in s] for s in CORPUS]
    model = counted(holes, 0.0)
    whole = [trigrams_of([s]) for s in holes]
    expected = sum(n for found in whole for t, n in found.items() if "?" not in t)
    assert model.counts.sum() == expected
    batch = batch_of(["fish"])
    # It is unknown now, so that it can have every tag.
    assert (kernel_of(model).distribution(batch) > 0).all()


# -- words -----------------------------------------------------------------------


@pytest.mark.parametrize("smoothing", [0.0, 0.5])
@pytest.mark.parametrize("corpus", CORPORA)
def test_words_alone_are_tagged_as_by_the_twin(corpus: list[Tagged], smoothing: float) -> None:
    """In a sentence of one word, what it says of its tags decides."""
    twin = Twin(corpus, TAGS, smoothing)
    words = sorted({word for s in corpus for word, _ in s} | {w for q in QUESTIONS for w in q})
    found = kernel_of(counted(corpus, smoothing)).distribution(batch_of(*[[w] for w in words]))
    expected = [list(twin.marginals([word])[0].values()) for word in words]
    assert np.allclose(found, expected, rtol=1e-4)


def test_endings_are_learned_from_rare_words_only() -> None:
    often: list[Tagged] = [[("seeing", "D")]] * 11 + [[("king", "N")], [("run", "V")]]
    found = kernel_of(counted(often, 0.0)).distribution(batch_of(["ring"]))
    twin = Twin(often, TAGS, 0.0)
    assert twin.shares("ring")["N"] > twin.shares("ring")["D"]
    assert np.allclose(found, [list(twin.marginals(["ring"])[0].values())], rtol=1e-4)


def test_keys_of_words_and_endings() -> None:
    keys = lexical_keys(batch_of(["ab", "Ab", "b", "ab"]), False)
    assert (keys[0] == keys[3]).all()
    assert keys[0, 0] != keys[1, 0]
    assert (keys[0, 4:] == 0).all(), "two characters have endings of 0, 1 and 2"
    assert keys[0, 2] == keys[2, 2], "both end in b"
    assert not set(keys[0][:4].tolist()) & set(keys[1][:4].tolist()), "capitals stand apart"
    assert (lexical_keys(batch_of(["ab", "Ab"]), True)[1] == keys[0]).all()


# -- search ----------------------------------------------------------------------


@pytest.mark.parametrize("smoothing", [0.0, 0.5])
@pytest.mark.parametrize("corpus", CORPORA)
@pytest.mark.parametrize("words", QUESTIONS)
def test_the_best_of_all_sequences(
    corpus: list[Tagged], words: list[str], smoothing: float
) -> None:
    twin = Twin(corpus, TAGS, smoothing)
    tagger = kernel_of(counted(corpus, smoothing))
    batch = batch_of(words)
    pairs, likely, seconds, less = tagger.tag(batch, nothing(batch), nothing(batch))
    sequences = twin.sequences(words)
    best = max(sequences.values())
    # Equally likely sequences may be told apart by the last bit.
    assert sequences[tuple(TAGS[pair] for pair in pairs)] == pytest.approx(best, rel=1e-5)
    marginals = [[each[tag] for tag in TAGS] for each in twin.marginals(words)]
    assert np.allclose(tagger.distribution(batch), marginals, atol=1e-5)
    for place, row in enumerate(marginals):
        assert likely[place] == pytest.approx(row[pairs[place]], abs=1e-5)
        others = [p for tag, p in enumerate(row) if tag != pairs[place]]
        assert less[place] == pytest.approx(max(others), abs=1e-5)
        if seconds[place] >= 0:
            assert row[seconds[place]] == pytest.approx(max(others), abs=1e-5)


def test_known_words_are_held_to_their_tags_or_not() -> None:
    """The verb `click` was only ever seen as a noun."""
    batch = batch_of(["click", "the", "pine"])
    noun, verb, _ = range(3)
    held = kernel_of(counted(CORPUS, 0.0)).distribution(batch)
    assert held[0, noun] == pytest.approx(1)
    free = kernel_of(counted(CORPUS, 0.5)).distribution(batch)
    assert free[0, verb] > 0.01


def test_a_beam_keeps_what_is_likely() -> None:
    for corpus in CORPORA:
        model = counted(corpus, 0.5)
        exact, quick = kernel_of(model), kernel_of(model, BEAM)
        batch = batch_of(*QUESTIONS)
        one = exact.tag(batch, nothing(batch), nothing(batch))
        other = quick.tag(batch, nothing(batch), nothing(batch))
        assert one[0].tolist() == other[0].tolist()
        assert np.allclose(one[1], other[1], atol=0.02)
        narrow = kernel_of(model, 1.0).distribution(batch)
        assert np.allclose(narrow.sum(axis=1), 1, atol=1e-5)


def test_what_is_given_is_kept() -> None:
    model = counted(CORPUS, 0.0)
    names = ("keys", "sizes", "tags", "counts")
    lexicon = Lexicon(*(model.arrays[name] for name in names))
    pairs = [(0, 0), (1, 0), (1, -1)]
    tagger = TrigramTagger(
        lexicon, model.transitions, model.prior, pairs, model.theta, 0.0, 0.0, False
    )
    batch = batch_of(["the", "fish", "hides"])
    none = nothing(batch)

    def tagged(upos: int, xpos: int) -> list[int]:
        return tagger.tag(batch, np.full_like(none, upos), np.full_like(none, xpos))[0].tolist()

    assert tagged(-1, -1) == [2, 0, 1]
    assert set(tagged(1, -1)) <= {1, 2}
    # `the` was never seen with the tag that is given.
    assert tagged(0, -1) == [0, 0, 0]
    assert set(tagged(-1, 0)) <= {0, 1}
    # No pair agrees with both: the one half is kept.
    assert set(tagged(0, 5)) == {0}
    assert tagged(7, 7) == tagged(-1, -1)


def test_long_sentences_and_many_words() -> None:
    """Sums stay finite, and words are forgotten and found again."""
    tagger = kernel_of(counted(random_corpus(1), 0.5), BEAM)
    words = [f"{i % 5000}ab" for i in range(12_000)]
    batch = batch_of(words, ["ab", "b"])
    pairs, likely, _, less = tagger.tag(batch, nothing(batch), nothing(batch))
    assert np.isfinite(likely).all()
    assert ((likely >= 0) & (likely <= 1 + 1e-5) & (less >= 0)).all()
    alone = batch_of(["ab", "b"])
    expected = tagger.tag(alone, nothing(alone), nothing(alone))
    assert pairs[-2:].tolist() == expected[0].tolist()
    assert np.allclose(tagger.distribution(batch).sum(axis=1), 1, atol=1e-4)


def test_more_states_than_are_kept() -> None:
    """Many tags, all equally likely: the search stays within its room."""
    side = 60
    lexicon = Lexicon(
        np.zeros(0, np.uint64),
        np.zeros(0, np.uint16),
        np.zeros(0, np.uint8),
        np.zeros(0, np.uint32),
    )
    uniform = np.full((side + 1,) * 3, 1 / side, dtype=np.float32)
    tagger = TrigramTagger(
        lexicon,
        uniform,
        np.full(side, 1 / side),
        [(i, -1) for i in range(side)],
        0.1,
        0.0,
        0.0,
        False,
    )
    batch = batch_of(["a", "b", "c", "d"])
    pairs, likely, *_ = tagger.tag(batch, nothing(batch), nothing(batch))
    assert ((pairs >= 0) & (pairs < side)).all()
    assert np.isfinite(likely).all()


def test_refusals() -> None:
    model = counted(CORPUS, 0.0)
    with pytest.raises(ValueError, match="do not fit"):
        batch = batch_of(["a", "b"])
        kernel_of(model).tag(batch, nothing(batch)[:1], nothing(batch))
    with pytest.raises(ValueError, match="not a probability"):
        broken = model.transitions
        broken[0, 0, 0] = np.nan
        TrigramTagger(
            Lexicon(*(model.arrays[name] for name in ("keys", "sizes", "tags", "counts"))),
            broken,
            model.prior,
            [(0, -1)] * 3,
            0.1,
            0.0,
            0.0,
            False,
        )
    arrays = dict(model.arrays)
    for name, value, message in [
        ("keys", np.zeros_like(arrays["keys"]), "a key is 0"),
        ("keys", np.ones_like(arrays["keys"]), "stands twice"),
        ("sizes", arrays["sizes"][1:], "fit together"),
        ("tags", arrays["tags"] + 9, "tags that there are not"),
        ("counts", np.zeros_like(arrays["counts"]), "never seen"),
        ("trigrams", arrays["trigrams"] + 9, "a trigram has a tag"),
    ]:
        changed = dataclasses.replace(model, arrays={**arrays, name: value})
        with pytest.raises(ValueError, match=message):
            changed.kernel([(0, -1)] * 3, lowercase=False)
    with pytest.raises(ValueError, match="3 tags of trigrams, but 2 tags"):
        model.kernel([(0, -1)] * 2, lowercase=False)
    assert MAX_TAGS == 255
