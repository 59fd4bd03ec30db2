"""Text without spaces, and tokens of several words: cut by what is known of words."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from itertools import product

import numpy as np

from niwaki.data.sentence import Sentence
from niwaki.kernel.segmenting.lexicon import hash_of
from niwaki.learning.corpus import Corpus
from niwaki.segmenting.config import SegmenterConfig
from niwaki.segmenting.segmenter import Needs, Segmenter, codes_of
from niwaki.segmenting.trainer import needs_of, train_segmenter
from tests.saving import saved

GARDEN = ("松", "石", "小石", "庭", "池", "石庭", "竹")
ENDINGS = ("が", "に", "も")
# Articles and prepositions are written together with the noun behind them.
BEFORE = (("to",), ("ni",), ("ni", "to"), ("ka", "to"))
NOUNS = ("pine", "pond", "stone", "moss", "tonic", "nib")


def unspaced(words: Sequence[str]) -> Sentence:
    return Sentence.from_words([*words, "。"], misc=["SpaceAfter=No"] * (len(words) + 1))


def glued(groups: Sequence[Sequence[str]]) -> Sentence:
    """A sentence of tokens, of which each is several words."""
    lines = []
    word = 1
    for group in groups:
        columns = "\t_" * 8
        if len(group) > 1:
            lines.append(f"{word}-{word + len(group) - 1}\t{''.join(group)}{columns}")
        for form in group:
            lines.append(f"{word}\t{form}\t_\t_\t_\t_\t{0 if word == 1 else 1}\t_\t_\t_")
            word += 1
    return Sentence.from_conllu("\n".join(lines) + "\n\n")


@cache
def trained_unspaced() -> Segmenter:
    pairs = list(product(GARDEN, ENDINGS))
    every = [unspaced([*a, *b]) for a in pairs for b in pairs if ("石庭" in a) + ("竹" in b) < 2]
    return trained(every)


@cache
def trained_cuts() -> Segmenter:
    groups = [(*before, noun) for before, noun in product(BEFORE, NOUNS)]
    # One noun is seen with one article only.
    known = [group for group in groups if group[-1] != "moss" or len(group) == 2]
    every = [glued([a, b, (".",)]) for a in known for b in known]
    return trained(every)


def trained(sentences: Sequence[Sentence]) -> Segmenter:
    corpus = Corpus(("garden",), tuple(sentences))
    return train_segmenter(corpus, SegmenterConfig(min_updates=1), 1, lambda count: None)


def test_text_without_spaces() -> None:
    text = "石庭が竹に。小石も松が。"
    found = list(trained_unspaced().segment(text))
    assert [sentence.forms for sentence in found] == [
        ("石庭", "が", "竹", "に", "。"),
        ("小石", "も", "松", "が", "。"),
    ]


def test_tokens_are_cut_into_words() -> None:
    (found,) = trained_cuts().segment("nitomoss tonic katopond .")
    assert found.forms == ("ni", "to", "moss", "tonic", "ka", "to", "pond", ".")
    assert [(each.first, each.last, each.form) for each in found.ranges] == [
        (1, 3, "nitomoss"),
        (5, 7, "katopond"),
    ]
    assert found.misc[:3] == ("TokenRange=0:2", "TokenRange=2:4", "TokenRange=4:8")
    assert found.metadata["text"] == "nitomoss tonic katopond ."


def test_rules_are_for_what_cuts_cannot_do() -> None:
    """`du` is no `de` and `le` one after the other."""
    every = [glued([("de", "le", noun), ("ni", other)]) for noun in NOUNS for other in NOUNS]
    assert trained(every).rules == []
    changed = [
        Sentence.from_conllu(
            str(sentence).replace(f"dele{sentence.forms[2]}", f"du{sentence.forms[2]}")
        )
        for sentence in every
    ]
    both = trained(changed)
    assert len(both.rules) > 0 and "cuts" in both.features
    (found,) = both.segment("dupond nistone")
    assert found.forms == ("de", "le", "pond", "ni", "stone")


def test_the_model_is_the_same_after_saving() -> None:
    for segmenter, text in (
        (trained_unspaced(), "石庭が竹に。小石も松が。"),
        (trained_cuts(), "nitomoss tonic katopond ."),
    ):
        again = Segmenter.load(saved(segmenter.parts()))
        assert again is not None and again.lexicon is not None
        assert list(again.segment(text)) == list(segmenter.segment(text))
    lexicon = trained_unspaced().lexicon
    assert lexicon is not None and lexicon.pieces is None
    words = {*GARDEN, *ENDINGS, "。"}
    assert lexicon.words.tolist() == sorted(hash_of(codes_of(word)) for word in words)


def test_what_a_text_asks_for() -> None:
    assert needs_of([unspaced(["松", "が"])]) == Needs(unspaced=True, plain=True)
    assert needs_of([glued([("to", "pine")])]) == Needs(plain=True, cuts=True)
    assert needs_of([glued([("Moss",), ("grows",)])]) == Needs()
    # One token in ten is not enough for cuts.
    assert needs_of([glued([("The",), *[("moss",)] * 8, ("to", "pine")])]) == Needs()
    assert needs_of([glued([("Ao ca",)])]) == Needs(joins=True)
    assert not Needs(plain=True).lexicon


def test_without_a_lexicon_nothing_is_known() -> None:
    plain = trained([glued([("Moss",), ("grows",)])] * 3)
    assert plain.lexicon is None
    assert np.count_nonzero(plain.kernel.segment(codes_of("Moss grows"))[5]) == 0
