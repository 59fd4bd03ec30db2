"""Words that hold spaces: learned, found in any pieces of text, written as CoNLL-U has them."""

from __future__ import annotations

from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from niwaki.data.sentence import Sentence
from niwaki.learning.corpus import Corpus
from niwaki.segmenting import segmenter as module
from niwaki.segmenting.config import SegmenterConfig
from niwaki.segmenting.segmenter import Segmenter
from niwaki.segmenting.trainer import train_segmenter
from tests.saving import saved

# Garden words of two syllables; `cay` alone is a word too.
WORDS = ("cay thong", "hon da", "cay", "vuon", "tre", "ao ca")


def sentence(words: list[str]) -> Sentence:
    made = Sentence.from_words([*words, "."])
    misc = ["_"] * (len(words) - 1) + ["SpaceAfter=No", "_"]
    return made.replace(misc=misc).with_comments([f"# text = {' '.join(words)}."])


@cache
def trained() -> Segmenter:
    every = tuple(sentence([a, b, c]) for a in WORDS for b in WORDS for c in WORDS)
    corpus = Corpus(("garden",), every)
    return train_segmenter(corpus, SegmenterConfig(min_updates=1), 1, lambda count: None)


def forms(text: str, **options: bool) -> list[str]:
    return [form for each in trained().segment(text, **options) for form in each.forms]


def test_words_go_on_after_a_space() -> None:
    assert forms("cay cay thong ao ca.") == ["cay", "cay thong", "ao ca", "."]


def test_a_line_end_within_a_word_is_written_as_a_space() -> None:
    (found,) = trained().segment("hon\nda tre.")
    assert found.forms == ("hon da", "tre", ".")
    assert found.misc[0] == "TokenRange=0:6"
    assert found.metadata["text"] == "hon da tre."
    # Each line is a sentence of its own, if that is asked for.
    assert forms("hon\nda", by_lines=True) == ["hon", "da"]
    # Two spaces, or a blank line, end every word.
    assert forms("hon  da") == forms("hon\n\nda") == ["hon", "da"]


def test_the_model_is_the_same_after_saving() -> None:
    again = Segmenter.load(saved(trained().parts()))
    assert again is not None and "joins" in again.features
    text = "ao ca hon da. cay thong vuon tre."
    assert list(again.segment(text)) == list(trained().segment(text))


def test_where_no_word_holds_a_space_none_is_looked_for() -> None:
    corpus = Corpus(("garden",), tuple(sentence([a, "tre"]) for a in ("cay", "vuon") * 9))
    plain = train_segmenter(corpus, SegmenterConfig(), 1, lambda count: None)
    assert "joins" not in plain.features


@settings(max_examples=60, deadline=None)
@given(st.lists(st.sampled_from([*WORDS, ".", "\n", "\n\n"]), max_size=60), st.integers(8, 40))
def test_pieces_make_no_difference(words: list[str], block: int) -> None:
    text = " ".join(words)
    whole = list(trained().segment(text))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_BLOCK", block)
        assert list(trained().segment(text[at : at + 7] for at in range(0, len(text), 7))) == whole
