"""The segmenter: any text, exact places, pieces that make no difference, words split by rule."""

from __future__ import annotations

import re
from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from niwaki.data.rawtext import paragraphs, raw_text, surface_tokens, token_spans
from niwaki.data.sentence import Sentence
from niwaki.features.weights import PackedWeights
from niwaki.learning.corpus import Corpus
from niwaki.metrics.segmentation import evaluate_segmentation
from niwaki.segmenting import segmenter as module
from niwaki.segmenting.config import SegmenterConfig
from niwaki.segmenting.segmenter import Segmenter
from niwaki.segmenting.splits import (
    Piece,
    apply_rule,
    find_rules,
    from_json,
    shortest_token,
    to_json,
)
from niwaki.segmenting.trainer import can_segment, train_segmenter
from tests.garden import make_sentence, treebank
from tests.saving import saved

ANY_TEXT = st.text(
    st.one_of(
        st.sampled_from("aB1.,'\"()-!? \n\r\t\0\ud800\udc00\u2028\u2029\ufeff\u200b漢שa\u0301"),
        st.characters(),
    ),
    max_size=120,
)


@cache
def trained() -> Segmenter:
    corpus = Corpus(("garden",), tuple(treebank()))
    config = SegmenterConfig(epochs=15, min_updates=1)
    return train_segmenter(corpus, config, 1, lambda count: None)


def places(sentence: Sentence) -> list[tuple[str, int, int]]:
    """The surface tokens with their TokenRange."""
    ranges = {r.first: r for r in sentence.ranges}
    found = []
    for token in surface_tokens(sentence):
        misc = ranges[token.first].misc if token.first in ranges else sentence.misc[token.first - 1]
        match = re.search(r"TokenRange=(\d+):(\d+)", misc)
        assert match
        found.append((token.form, int(match[1]), int(match[2])))
    return found


def test_it_learns_the_garden() -> None:
    gold = treebank()
    scores = evaluate_segmentation(gold, trained().segment(raw_text(gold))).scores
    assert scores["Tokens"] == scores["Words"] == scores["Sentences"] == 100


def test_it_goes_beyond_what_it_saw() -> None:
    (sentence,) = trained().segment("She hadn't seen it.")
    assert sentence.forms == ("She", "had", "n't", "seen", "it", ".")
    assert [(r.first, r.last, r.form) for r in sentence.ranges] == [(2, 3, "hadn't")]


def test_what_the_lines_say() -> None:
    found = list(trained().segment("\n They  did.\nI don't know.\n\nGood night!"))
    assert [str(sentence).split("\n1")[0] for sentence in found] == [
        "# newdoc\n# sent_id = 1\n# text = They did.",
        "# sent_id = 2\n# text = I don't know.",
        "# newpar\n# sent_id = 3\n# text = Good night!",
    ]
    assert [sentence.line for sentence in found] == [2, 3, 5]
    assert found[0].misc == (
        "TokenRange=2:6",
        "SpaceAfter=No|TokenRange=8:11",
        "TokenRange=11:12",
    )
    assert found[1].ranges[0].misc == "TokenRange=15:20"
    assert found[1].misc[1:3] == ("TokenRange=15:17", "TokenRange=17:20")


def test_lines_are_not_split() -> None:
    text = "They did. I wait.\n\n\nGood\u2028night!\r\n"
    found = list(trained().segment(text, by_lines=True))
    assert [sentence.text for sentence in found] == ["They did. I wait.", "Good night!"]
    assert [sentence.line for sentence in found] == [1, 4]
    assert found[0].forms[2] == "."


@settings(max_examples=300)
@given(ANY_TEXT, st.booleans())
def test_every_character_is_in_one_token(text: str, by_lines: bool) -> None:
    covered = []
    previous = 0
    for sentence in trained().segment(text, by_lines=by_lines):
        assert Sentence.from_conllu(sentence.source) == sentence
        tokens = surface_tokens(sentence)
        for token, (form, start, end) in zip(tokens, places(sentence), strict=True):
            assert previous <= start < end
            assert form == re.sub("[\0\ud800-\udfff]", "\ufffd", text[start:end])
            assert not any(char.isspace() for char in text[start:end])
            if not token.space_after:
                assert not text[end].isspace()
            covered += range(start, end)
            previous = end
        for note in sentence.notes:
            if "TokenRange" in note:
                start, end = map(int, note["TokenRange"].split(":"))
                assert 0 <= start < end <= len(text)
        assert token_spans(sentence)[0] == sentence.metadata["text"]
    assert covered == [place for place, char in enumerate(text) if not char.isspace()]


@settings(max_examples=100)
@given(ANY_TEXT, ANY_TEXT)
def test_blank_lines_are_boundaries(one: str, other: str) -> None:
    segmenter = trained()
    together = list(segmenter.segment(f"{one}\n\n{other}"))
    apart = [list(segmenter.segment(text)) for text in (one, other)]
    assert [s.forms for s in together] == [s.forms for part in apart for s in part]
    if all(apart):
        assert together[len(apart[0])].comments[0] == "newpar"


@settings(max_examples=100)
@given(
    st.text(st.sampled_from("aB.' \n\0"), max_size=300),
    st.lists(st.integers(0, 60), max_size=12),
    st.sampled_from([1, 7, 40]),
    st.booleans(),
)
def test_pieces_make_no_difference(text: str, cuts: list[int], block: int, by_lines: bool) -> None:
    segmenter = trained()
    whole = [s.source for s in segmenter.segment(text, by_lines=by_lines)]
    pieces, rest = [], text
    for cut in cuts:
        pieces.append(rest[:cut])
        rest = rest[cut:]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_BLOCK", block)
        found = list(segmenter.segment([*pieces, rest], by_lines=by_lines))
    assert [s.source for s in found] == whole


def test_a_sentence_without_end_is_cut_at_the_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_BLOCK", 16)
    monkeypatch.setattr(module, "LONGEST_SENTENCE", 64)
    pieces: list[int] = []

    def endless() -> object:
        for _ in range(200):
            pieces.append(1)
            yield "moss "

    found = trained().segment(endless())  # type: ignore[arg-type]
    first = next(found)
    assert len(first) < 20 and len(pieces) < 40
    assert sum(map(len, found)) + len(first) == 200


def test_long_words_and_long_sentences() -> None:
    segmenter = trained()
    for text in ("x" * 300_000, "a." * 50_000, "moss " * 60_000, " " * 300_000, "\0" * 70_000):
        covered = sum(end - start for s in segmenter.segment(text) for _, start, end in places(s))
        assert covered == len(text) - text.count(" ")


def test_it_is_the_same_every_time_and_after_json() -> None:
    corpus = Corpus(("garden",), tuple(treebank()))
    config = SegmenterConfig(epochs=15, min_updates=1)
    again = train_segmenter(corpus, config, 1, lambda count: None)
    first = trained()
    assert isinstance(first.model, PackedWeights) and isinstance(again.model, PackedWeights)
    assert all((first.model.arrays[k] == again.model.arrays[k]).all() for k in first.model.arrays)
    assert isinstance(first.split_model, PackedWeights)
    copy = Segmenter.load(saved(first.parts()))
    assert copy is not None
    text = "".join(raw_text(treebank()))
    assert list(copy.segment(text)) == list(first.segment(text))


def test_sentences_that_stand_alone_are_learned_too() -> None:
    alone = [
        sentence.with_comments(["newpar", f"text = {sentence.text}"]) for sentence in treebank()
    ]
    corpus = Corpus(("garden",), tuple(alone))
    config = SegmenterConfig(epochs=15, min_updates=1)
    found = train_segmenter(corpus, config, 1, lambda count: None).segment("They did. Good night!")
    assert [sentence.text for sentence in found] == ["They did.", "Good night!"]


def test_text_without_spaces() -> None:
    lines = ["老_ 松_ 倾_ 斜_ 。", "苔_ 长_ 在_ 石_ 上_ 。", "僧_ 人_ 种_ 松_ 。"]
    corpus = Corpus(("garden",), tuple(make_sentence(line) for line in lines * 4))
    segmenter = train_segmenter(corpus, SegmenterConfig(min_updates=1), 1, lambda count: None)
    (sentence,) = segmenter.segment("松长在石上。")
    assert sentence.forms == tuple("松长在石上。")


def test_who_can_learn() -> None:
    bare = Sentence.from_words(["a", "b"])
    assert not can_segment(Corpus(("x",), (bare,)))
    assert can_segment(Corpus(("x",), (bare.with_comments(["text = a b"]),)))
    assert can_segment(Corpus(("x",), (bare.replace(misc=["SpaceAfter=No", "_"]),)))


# -- rules --------------------------------------------------------------------


@pytest.mark.parametrize(
    ("form", "words", "other", "result"),
    [
        ("don't", ["do", "n't"], "hadn't", ["had", "n't"]),
        ("della", ["di", "la"], "dello", ["di", "lo"]),
        ("zum", ["zu", "dem"], "Zum", ["Zu", "dem"]),
        ("na", ["em", "a"], "NO", ["EM", "O"]),
        ("dámelo", ["dá", "me", "lo"], "cómpramelo", ["cómpra", "me", "lo"]),
        ("du", ["de", "le"], "Du", ["De", "le"]),
    ],
)
def test_rules_serve_other_tokens(
    form: str, words: list[str], other: str, result: list[str]
) -> None:
    rule = find_rules(form, words)[0]
    parts = apply_rule(other, rule)
    assert parts is not None and [part.form for part in parts] == result
    assert from_json(to_json(rule)) == rule
    assert apply_rule("x" * (shortest_token(rule) - 1), rule) is None


@given(st.text(min_size=1, max_size=8), st.lists(st.text(min_size=1, max_size=5), min_size=2))
def test_rules_give_back_the_words_they_were_found_for(other: str, words: list[str]) -> None:
    joined = "".join(words)
    assert find_rules(joined, words), "where words are cut from the token, there is a rule"
    for form in (joined, other):
        for rule in find_rules(form, words):
            parts = apply_rule(form, rule)
            assert parts is not None and [part.form for part in parts] == words
            for part in parts:
                assert part.span is None or form[slice(*part.span)] == part.form
            assert len(form) >= shortest_token(rule)


PLACES = (-2, -1, 0, 1, 2)
PIECES = [
    Piece(before, start, stop, "")
    for before in ("", "a")
    for start in PLACES
    for stop in (*PLACES, None)
]


@pytest.mark.parametrize("one", PIECES)
def test_the_shortest_token_is_the_first_that_a_rule_splits(one: Piece) -> None:
    assert shortest_token((one,)) == _first_split((one,))
    for other in PIECES:
        assert shortest_token((one, other)) == _first_split((one, other))


def _first_split(rule: tuple[Piece, ...]) -> int:
    """By trying; a rule that splits nothing asks for more than all its places."""
    most = 1 + sum(abs(place or 0) for piece in rule for place in (piece.start, piece.stop))
    return next((n for n in range(1, most) if apply_rule("x" * n, rule)), most)


def test_rules_that_a_model_could_not_read_are_not_found() -> None:
    assert find_rules("a" * 100, ["a"] * 100)
    assert not find_rules("a" * 101, ["a"] * 101)
    assert find_rules("a" * 1200, ["a" * 500, "a" * 700])
    assert not find_rules("a" * 4000, ["a" * 2000, "a" * 2000])


def test_a_cut_may_count_from_either_side() -> None:
    assert len(find_rules("abcd", ["a", "bcd"])) == 2
    assert find_rules("ab", ["a", "B"]) == []


# -- raw text -----------------------------------------------------------------


def test_raw_text_is_what_stood_there() -> None:
    text = "".join(raw_text(treebank()[:6]))
    assert text.startswith("The old pine leans over the pond. I don't know its age, but it's tall.")
    assert text.count("\n\n") == 1
    assert [len(paragraph) for paragraph in paragraphs(treebank())] == [4] * 5


def test_text_that_does_not_fit_gives_way_to_space_after() -> None:
    sentence = Sentence.from_words(["a", "b", "c"], misc=["SpaceAfter=No", "_", "_"])
    for comment, text in (("text = a b c", "a b c"), ("text = x", "ab c"), ("other", "ab c")):
        found, spans = token_spans(sentence.with_comments([comment]))
        assert found == text
        assert [found[span.start : span.end] for span in spans] == ["a", "b", "c"]
