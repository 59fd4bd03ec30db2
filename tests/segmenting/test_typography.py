"""Treebanks whose text was cut into tokens: their models read text as people write it."""

from __future__ import annotations

import pytest

from niwaki.data.rawtext import token_spans
from niwaki.data.sentence import Sentence
from niwaki.learning.corpus import Corpus
from niwaki.segmenting.config import SegmenterConfig
from niwaki.segmenting.trainer import train_segmenter
from niwaki.segmenting.typography import closed_up, is_cut_apart


def sentence(text: str) -> Sentence:
    return Sentence.from_words(text.split(), comments=[f"text = {text}"])


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("A heron , a crane .", "A heron, a crane."),
        ('She said : " Come ! " and left ...', 'She said: "Come!" and left...'),
        ("( so ) « he » [ them ]", "(so) «he» [them]"),
        ("sun & moon / 5 % - now", "sun & moon / 5 % - now"),
        ("నువ్వు పని చెయ్యాలి ।", "నువ్వు పని చెయ్యాలి।"),
        (". and ( on", ". and (on"),
        ('an open "', 'an open "'),
        (", ?!", ",?!"),
        ("a  b .", "a  b."),
    ],
)
def test_signs_are_closed_up(text: str, written: str) -> None:
    found, spans = closed_up(*token_spans(sentence(text)))
    assert found == written
    assert [found[span.start : span.end] for span in spans] == text.split()
    assert [span.token.form for span in spans] == text.split()


def test_what_is_cut_apart() -> None:
    apart, together = sentence("We saw it ."), Sentence.from_conllu(TOGETHER)
    assert is_cut_apart([apart] * 20)
    assert not is_cut_apart([apart] * 19), "too few signs tell nothing"
    assert is_cut_apart([apart] * 16 + [together] * 5)
    assert not is_cut_apart([apart] * 5 + [together] * 16)
    assert not is_cut_apart([sentence("no signs at all")] * 50)


def test_a_segmenter_reads_both() -> None:
    words = ("heron", "crane", "maple", "pine", "stone", "pond")
    made = [sentence(f"The {one} saw the {other} .") for one in words for other in words]
    config = SegmenterConfig(epochs=6, min_updates=1)
    segmenter = train_segmenter(Corpus(("garden",), tuple(made)), config, 1, lambda count: None)
    for text in ("The owl saw the pine. The pine saw the owl.", "The owl saw the pine . The pine"):
        first, second = segmenter.segment(text)
        assert first.forms == ("The", "owl", "saw", "the", "pine", ".")
        assert second.forms[:2] == ("The", "pine")


TOGETHER = "".join(
    f"{number}\t{form}\t_\t_\t_\t_\t{head}\t{label}\t_\t{misc}\n"
    for number, (form, head, label, misc) in enumerate(
        [("We", 2, "nsubj", "_"), ("saw", 0, "root", "SpaceAfter=No"), (".", 2, "punct", "_")],
        start=1,
    )
)
