"""Scores from raw text on: spans, alignment of words, attachment over aligned words."""

from __future__ import annotations

import pytest

from niwaki.data.sentence import Sentence
from niwaki.errors import CorpusError
from niwaki.metrics.attachment import evaluate
from niwaki.metrics.segmentation import METRICS, evaluate_segmentation
from tests.garden import make_sentence, treebank


def scores(gold: list[str], system: list[str]) -> dict[str, float]:
    return evaluate_segmentation(map(make_sentence, gold), map(make_sentence, system)).scores


def f1(right: int, gold: int, system: int) -> float:
    return pytest.approx(200 * right / (gold + system))  # type: ignore[no-any-return]


def test_the_same_is_right() -> None:
    result = evaluate_segmentation(treebank(), treebank())
    assert dict(result.scores) == dict.fromkeys(METRICS, 100.0)
    assert "sentences=20|" in result.signature


def test_with_the_same_words_it_is_the_plain_evaluation() -> None:
    gold = treebank()
    system = [
        s.replace(
            heads=[2 if n == 1 else 0 if n == 2 else 1 for n in range(1, len(s) + 1)],
            deprels=["dep:x" if n % 3 else "case" for n in range(len(s))],
        )
        for s in gold
    ]
    plain = evaluate(gold, system).scores
    found = evaluate_segmentation(gold, system).scores
    assert 0 < plain["UAS"] < 100
    assert {metric: found[metric] for metric in plain} == pytest.approx(plain)


def test_tokens_and_sentences_are_spans_of_characters() -> None:
    found = scores(["moss grows_ .", "pines lean"], ["moss grows.", "pines", "lean"])
    assert found["Tokens"] == found["Words"] == f1(3, 5, 4)
    assert found["Sentences"] == f1(1, 2, 3)
    # White space does not count: a sentence end in another place of the gap is the same.
    assert scores(["a_ b", "c"], ["a b", "c"])["Sentences"] == 100


def test_words_of_multiword_tokens_are_aligned_by_their_forms() -> None:
    found = scores(["I do+n't know"], ["I don't know"])
    assert (found["Tokens"], found["Words"]) == (100, f1(2, 4, 3))
    found = scores(["I do+n't know"], ["I do_ n't know"])
    assert (found["Tokens"], found["Words"]) == (f1(2, 3, 4), 100)
    # One of the words is right.
    found = scores(["I ca+n't"], ["I can+'t"])
    assert found["Words"] == f1(1, 3, 3)
    # Overlapping multiword tokens are one region.
    found = scores(["a+b_ c+d e"], ["a_ b+c_ d e"])
    assert (found["Tokens"], found["Words"]) == (f1(1, 3, 4), f1(5, 5, 5))


def test_heads_are_compared_through_the_alignment() -> None:
    # All words hang from the first one; "a" stands whole on one side only.
    found = scores(["a+b c d"], ["ab c d"])
    assert found["Words"] == f1(2, 4, 3)
    assert found["UAS"] == 0
    found = scores(["x a+b c"], ["x ab c"])
    assert found["UAS"] == found["LAS"] == f1(2, 4, 3)


def test_other_text_is_refused() -> None:
    gold = [make_sentence("moss grows")]
    with pytest.raises(CorpusError, match=r"goes on with 'ed', but with 's' in the gold"):
        evaluate_segmentation(gold, [make_sentence("moss growed")])
    with pytest.raises(CorpusError, match="same text"):
        evaluate_segmentation(gold, [Sentence.from_words(["moss"])])
    with pytest.raises(CorpusError, match="same text"):
        evaluate_segmentation(gold, [])


def test_counts_are_those_of_the_gold_sentences() -> None:
    gold = ["moss grows_ .", "pines lean"]
    found = evaluate_segmentation(
        map(make_sentence, gold), map(make_sentence, ["moss grows.", "pi", "nes lean"])
    )
    counts = dict(zip(METRICS, found.counts.swapaxes(0, 1).tolist(), strict=True))
    # (right, gold, system) of the first sentence, then of the second.
    assert counts["Tokens"] == [[1, 3, 2], [1, 2, 3]]
    assert counts["Sentences"] == [[1, 1, 1], [0, 1, 2]]
    # A sentence that begins in the first one counts there, wherever it ends.
    joined = evaluate_segmentation(
        map(make_sentence, gold), [make_sentence("moss grows_ . pines lean")]
    )
    assert joined.counts[:, METRICS.index("Sentences")].tolist() == [[0, 1, 1], [0, 1, 0]]


def test_no_text_at_all() -> None:
    found = evaluate_segmentation([], [])
    assert (found.sentences, set(found.scores.values())) == (0, {0.0})
