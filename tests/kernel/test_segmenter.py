"""The segmenter's kernel: against its slow twin, on pieces of text, and on what it can learn."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from niwaki.features.templates import read_lines
from niwaki.kernel.linear import SparseWeights
from niwaki.kernel.segmenting.characters import KIND_NAMES, kinds_of
from niwaki.kernel.segmenting.contexts import (
    BOUNDARY_VALUES,
    CUT_VALUES,
    JOIN_VALUES,
    SENTENCE_VALUES,
    SPLIT_VALUES,
    Templates,
)
from niwaki.kernel.segmenting.lexicon import LONGEST_WORD, Lexicon, hash_of, words_in
from niwaki.kernel.segmenting.lines import render
from niwaki.kernel.segmenting.segmenter import ENDING_COUNT, PAIR_KINDS, Segmenter, ending_of
from niwaki.segmenting.lexicon import KnownWords
from niwaki.segmenting.segmenter import Needs, codes_of, segmenting_features
from tests.reference import segmenter as slow

pytestmark = pytest.mark.kernel

NAMES = {
    "boundaries": BOUNDARY_VALUES,
    "sentences": SENTENCE_VALUES,
    "splits": SPLIT_VALUES,
    "joins": JOIN_VALUES,
    "cuts": CUT_VALUES,
}


def templates_for(needs: Needs) -> dict[str, list[tuple[str, ...]]]:
    return {name: list(read_lines(text)) for name, text in segmenting_features(needs).items()}


TEMPLATES = templates_for(Needs())
JOINING = templates_for(Needs(joins=True))
UNSPACED = templates_for(Needs(unspaced=True, plain=True))
CUTTING = templates_for(Needs(cuts=True))
EVERYTHING = templates_for(Needs(unspaced=True, plain=True, joins=True, cuts=True))
WORDS = frozenset(["a", "ab", "b1", "漢", "漢a", "a 漢", "ba", "a b", "a b a", "b.", "1", "a" * 31])
SHORTEST = [0, 2, 4]
ALPHABET = "aB1.'( \n"
CHARACTERS = st.sampled_from("aaabBC1.!'\"()-/@€漢\U0001f333\u0301ß\0\ud800 \n\r\t\u2028\u2029")
SEED = 5


def compiled(templates: dict[str, list[tuple[str, ...]]]) -> list[Templates]:
    return [
        Templates(
            [[NAMES[name].index(part) for part in parts] for parts in lines],
            list(NAMES).index(name),
            len(NAMES[name]),
        )
        for name, lines in templates.items()
    ]


def trained(
    text: str,
    templates: dict[str, list[tuple[str, ...]]],
    words: frozenset[str] | None = None,
) -> tuple[Segmenter, slow.Slow]:
    """A segmenter that learned nonsense from a text, and its twin with the same weights."""
    rng = np.random.default_rng(SEED)
    model, split_model = SparseWeights(1), SparseWeights(len(SHORTEST))
    pairs = (rng.random(PAIR_KINDS * PAIR_KINDS) < 0.8).astype(np.uint8)
    endings = (rng.random(ENDING_COUNT) < 0.7).astype(np.uint8)
    shortest = np.array(SHORTEST, dtype=np.int32)
    ready = dict(zip(templates, compiled(templates), strict=True))
    three = [ready.pop(name) for name in ("boundaries", "sentences", "splits")]
    more = [ready.get("joins"), ready.get("cuts"), KnownWords.of([words]).kernel if words else None]
    fast = Segmenter(model, split_model, *three, pairs, endings, shortest, *more)
    ends = rng.choice(3, size=len(text), p=[0.5, 0.3, 0.2]).astype(np.uint8)
    rules = rng.integers(0, 3, size=len(text)).astype(np.int32)
    cuts = rng.integers(0, 2, size=len(text)).astype(np.uint8)
    for _ in range(3):
        fast.learn(codes_of(text), ends, rules, cuts, 0.3, 0.1)
    twin = slow.Slow(
        model.scores,
        split_model.scores,
        templates,
        lambda a, b: bool(pairs[a * PAIR_KINDS + b]),
        lambda form: bool(endings[ending_of(codes_of(form))]),
        SHORTEST,
        frozenset(map(slow.folded, words)) if words else None,
    )
    return fast, twin


NONSENSE = "".join(np.random.default_rng(SEED).choice(list(ALPHABET + "-/!漢"), size=600).tolist())
FAST, TWIN = trained(NONSENSE, TEMPLATES)
FAST_JOINING, TWIN_JOINING = trained(NONSENSE, JOINING)
# With words that are known: of text without spaces, with spaces, cut into words, and all at once.
KNOWING = {
    "unspaced": trained(NONSENSE, UNSPACED, WORDS),
    "joins": trained(NONSENSE, JOINING, WORDS),
    "cuts": trained(NONSENSE, CUTTING, WORDS),
    "everything": trained(NONSENSE, EVERYTHING, WORDS),
}


def as_list(arrays: tuple[np.ndarray, ...]) -> list[tuple[int, int, int, bool, int]]:
    return [
        (a, b, g, bool(e), r)
        for a, b, g, e, r in zip(*(x.tolist() for x in arrays[:5]), strict=True)
    ]


def test_every_character_has_the_kind_of_its_category() -> None:
    kinds = [KIND_NAMES[kind] for kind in kinds_of(np.arange(0x11000, dtype=np.uint32)).tolist()]
    filled = range(0x3400, 0xF900)  # ideographs and syllables, taken as a whole
    for code, kind in enumerate(kinds):
        assert kind == slow.kind(chr(code)) or code in filled, hex(code)
    assert {kinds[ord(char)] for char in "漢字한글"} == {"letter"}
    assert kinds[0xD800] == "other"


def test_chunks_and_blank_lines() -> None:
    """Where no token may end within a chunk, each is a token."""
    nowhere = np.zeros(PAIR_KINDS * PAIR_KINDS, np.uint8)
    endings, shortest = np.zeros(ENDING_COUNT, np.uint8), np.zeros(1, np.int32)
    fast = Segmenter(SparseWeights(1), None, *compiled(TEMPLATES), nowhere, endings, shortest)
    for text in (
        "",
        " ",
        "a",
        " a b\n\nc ",
        "a\r\nb\r\n\r\nc",
        "a\rb\r\rc",
        "a\n \t\nb",
        "a\u2028\u2028b",
        "a\u2029b",
        "a\n",
    ):
        for by_lines in (False, True):
            found = [
                (start, text[start:end], gap == 2)
                for start, end, gap, _, _ in as_list(fast.segment(codes_of(text), True, by_lines))
            ]
            assert found == [tuple(chunk) for chunk in slow.chunks(text, by_lines)]


def test_all_short_texts_are_segmented_like_by_the_slow_twin() -> None:
    seen = set()
    for size in range(5):
        for letters in itertools.product(ALPHABET, repeat=size):
            text = "".join(letters)
            found = as_list(FAST.segment(codes_of(text)))
            assert found == TWIN.segment(text), text
            seen.update((gap, end, rule) for _, _, gap, end, rule in found)
    # Tokens without a space between, sentence ends of each kind, and all rules were chosen.
    assert {(gap, end) for gap, end, _ in seen} == {
        (0, False),
        (0, True),
        (1, False),
        (1, True),
        (2, True),
    }
    assert {rule for _, _, rule in seen} == {0, 1, 2}


@settings(max_examples=150, deadline=None)
@given(st.text(CHARACTERS, max_size=80), st.booleans())
def test_longer_texts_are_segmented_like_by_the_slow_twin(text: str, by_lines: bool) -> None:
    assert as_list(FAST.segment(codes_of(text), True, by_lines)) == TWIN.segment(text, by_lines)


def test_words_that_hold_spaces_are_found_like_by_the_slow_twin() -> None:
    joined = 0
    for size in range(5):
        for letters in itertools.product(ALPHABET, repeat=size):
            text = "".join(letters)
            found = as_list(FAST_JOINING.segment(codes_of(text)))
            assert found == TWIN_JOINING.segment(text), text
            joined += sum(" " in text[start:end] for start, end, *_ in found)
    assert joined > 100


@settings(max_examples=150, deadline=None)
@given(st.text(CHARACTERS, max_size=80), st.booleans())
def test_longer_texts_with_words_that_hold_spaces(text: str, by_lines: bool) -> None:
    found = as_list(FAST_JOINING.segment(codes_of(text), True, by_lines))
    assert found == TWIN_JOINING.segment(text, by_lines)


@pytest.mark.parametrize("name", KNOWING)
def test_known_words_are_looked_at_like_by_the_slow_twin(name: str) -> None:
    fast, twin = KNOWING[name]
    cut = 0
    for size in range(5):
        for letters in itertools.product("aB1 漢", repeat=size):
            text = "".join(letters)
            found = fast.segment(codes_of(text))
            tokens, places = twin.segment_and_cut(text)
            assert as_list(found) == tokens, text
            assert np.flatnonzero(found[5]).tolist() == places, text
            cut += len(places)
    assert cut > 50 or "cuts" not in twin.templates


@settings(max_examples=150, deadline=None)
@given(
    st.sampled_from(sorted(KNOWING)),
    st.text(st.one_of(st.sampled_from("aaab1 漢"), CHARACTERS), max_size=80),
    st.booleans(),
)
def test_longer_texts_with_known_words(name: str, text: str, by_lines: bool) -> None:
    fast, twin = KNOWING[name]
    found = fast.segment(codes_of(text), True, by_lines)
    tokens, places = twin.segment_and_cut(text, by_lines)
    assert as_list(found) == tokens
    assert np.flatnonzero(found[5]).tolist() == places


def test_scripts_without_capitals_have_kinds_of_characters() -> None:
    fast, twin = KNOWING["unspaced"]
    for text in ("かなカナー漢字々ﾊﾝ", "ไทยเป็นภาษาที่ใช้", "𠀀漢㐂한글 ابت"):
        assert as_list(fast.segment(codes_of(text))) == twin.segment(text)


def test_a_word_is_known_from_other_pieces_only() -> None:
    words = KnownWords.of([["cay", "tre"], ["tre", "ao"], ["Ao"]])
    hashes = {form: hash_of(codes_of(form)) for form in ("cay", "tre", "ao")}
    assert hash_of(codes_of("AO")) == hashes["ao"]
    assert words.pieces is not None
    assert dict(zip(words.words.tolist(), words.pieces.tolist(), strict=True)) == {
        hashes["cay"]: 1,
        hashes["tre"]: 0,
        hashes["ao"]: 0,
    }
    pairs = np.ones(PAIR_KINDS * PAIR_KINDS, np.uint8)
    text = codes_of("caytre")
    assert words_in(text, words.kernel, pairs).tolist() == [1 << 3, 0, 0, 1 << 3, 0, 0, 0]
    assert words_in(text, words.kernel, pairs, piece=2)[0] == 1 << 3
    assert words_in(text, words.kernel, pairs, piece=1).tolist() == [0, 0, 0, 1 << 3, 0, 0, 0]
    assert words_in(text, words.finished().kernel, pairs, piece=1)[0] == 1 << 3
    too_long = KnownWords.of([["a" * LONGEST_WORD, "a" * (LONGEST_WORD + 1)]])
    assert too_long.kernel.count == 1


@settings(max_examples=150, deadline=None)
@given(
    st.sampled_from([FAST_JOINING, *(fast for fast, _ in KNOWING.values())]),
    st.text(st.sampled_from("aab. \n"), max_size=120),
    st.integers(0, 120),
)
def test_what_is_given_of_a_beginning_is_that_of_the_whole(
    fast: Segmenter, text: str, cut: int
) -> None:
    whole = as_list(fast.segment(codes_of(text)))
    first = as_list(fast.segment(codes_of(text[:cut]), False))
    assert first == whole[: len(first)]


@settings(max_examples=200, deadline=None)
@given(st.text(CHARACTERS, max_size=200), st.integers(0, 200))
def test_what_is_given_of_a_beginning_is_what_the_whole_gives(text: str, cut: int) -> None:
    whole = as_list(FAST.segment(codes_of(text)))
    part = as_list(FAST.segment(codes_of(text[:cut]), False))
    assert part == whole[: len(part)]
    assert not part or part[-1][3]


def test_one_step_moves_each_feature_by_the_gradient() -> None:
    model = SparseWeights(1)
    everywhere = np.ones(PAIR_KINDS * PAIR_KINDS, dtype=np.uint8)
    nowhere = np.zeros(ENDING_COUNT, dtype=np.uint8)
    shortest = np.zeros(1, dtype=np.int32)
    fast = Segmenter(model, None, *compiled(TEMPLATES), everywhere, nowhere, shortest)
    gold = np.array([1, 2], dtype=np.uint8)
    none = np.zeros(2, np.int32), np.zeros(2, np.uint8)
    assert fast.learn(codes_of("a."), gold, *none, 0.3, 0.1) == (2, 1)
    # Two decisions: a token ends before the full stop, no sentence does after the letter. At
    # first each probability is a half, so each feature steps by 0.3 * 0.5 / (0.5 + 0.1).
    twin = slow.Slow(model.scores, None, TEMPLATES, lambda a, b: True, lambda f: False, [0])
    tokens = [slow.Token(0, "a", 0), slow.Token(1, ".", 1)]
    for name, values, sign in (
        ("boundaries", slow.boundary_values(slow.chunks("a."), 0, "a", 1), 1),
        ("sentences", slow.sentence_values(tokens, 0, 0), -1),
    ):
        for one in twin.keys(name, values):
            assert model.scores(np.array([one], dtype=np.uint64))[0] == pytest.approx(sign * 0.25)


def test_it_learns_what_it_is_shown() -> None:
    text = "A pine. It's old. Moss grows 3.5 cm a year. Is it? Yes."
    tokens = [
        "A",
        "pine",
        ".",
        "It's",
        "old",
        ".",
        "Moss",
        "grows",
        "3.5",
        "cm",
        "a",
        "year",
        ".",
        "Is",
        "it",
        "?",
        "Yes",
        ".",
    ]
    ends = np.zeros(len(text), dtype=np.uint8)
    rules = np.zeros(len(text), dtype=np.int32)
    at = 0
    wanted = []
    for token in tokens:
        at = text.index(token, at) + len(token)
        ends[at - 1] = 2 if token in ".?" else 1
        rules[at - 1] = token == "It's"
        wanted.append((token, token in ".?", int(token == "It's")))
    everything = np.ones(PAIR_KINDS * PAIR_KINDS, np.uint8), np.ones(ENDING_COUNT, np.uint8)
    model, split_model = SparseWeights(1), SparseWeights(2)
    fast = Segmenter(
        model, split_model, *compiled(TEMPLATES), *everything, np.array([0, 3], np.int32)
    )
    mistakes = [fast.learn(codes_of(text), ends, rules, 0 * ends, 0.2, 0.1)[1] for _ in range(12)]
    assert mistakes[0] > 5 and mistakes[-1] == 0
    assert [(text[a:b], e, r) for a, b, _, e, r in as_list(fast.segment(codes_of(text)))] == wanted


def test_a_word_of_a_million_characters() -> None:
    text = "a." * 500_000
    found = as_list(FAST.segment(codes_of(text)))
    assert "".join(text[a:b] for a, b, *_ in found) == text


def test_what_does_not_fit_together_is_refused() -> None:
    pairs = np.ones(PAIR_KINDS * PAIR_KINDS, np.uint8)
    endings = np.ones(ENDING_COUNT, np.uint8)
    lengths = np.zeros(1, np.int32)
    templates = compiled(TEMPLATES)
    no_cuts = np.zeros(1, np.uint8)
    for match, model, split_model, some_pairs, some_endings in (
        ("one class", SparseWeights(2), None, pairs, endings),
        ("pairs of kinds", SparseWeights(1), None, pairs[1:], endings),
        ("endings", SparseWeights(1), None, pairs, endings[1:]),
        ("for 3 rules", SparseWeights(1), SparseWeights(3), pairs, endings),
    ):
        with pytest.raises(ValueError, match=match):
            Segmenter(model, split_model, *templates, some_pairs, some_endings, lengths)
    fast = Segmenter(SparseWeights(1), None, *templates, pairs, endings, lengths)
    with pytest.raises(ValueError, match="fit together"):
        fast.learn(codes_of("ab"), np.zeros(1, np.uint8), np.zeros(2, np.int32), no_cuts, 0.1, 0.1)
    with pytest.raises(ValueError, match="no rule 1"):
        fast.learn(codes_of("a"), np.zeros(1, np.uint8), np.ones(1, np.int32), no_cuts, 0.1, 0.1)
    with pytest.raises(ValueError, match="a lexicon is needed"):
        Segmenter(SparseWeights(1), None, *compiled(UNSPACED), pairs, endings, lengths)
    with pytest.raises(ValueError, match="in 2 pieces"):
        Lexicon(np.ones(1, np.uint64), np.zeros(2, np.int32))
    with pytest.raises(ValueError, match="hash 0"):
        Lexicon(np.zeros(1, np.uint64))
    with pytest.raises(ValueError, match="pairs of kinds"):
        words_in(codes_of("a"), Lexicon(np.ones(1, np.uint64)), pairs[1:])
    with pytest.raises(ValueError, match="no value"):
        Templates([[len(BOUNDARY_VALUES)]], 0, len(BOUNDARY_VALUES))
    with pytest.raises(ValueError, match="0 templates"):
        Templates([], 0, 1)


def test_lines_of_a_sentence() -> None:
    text = "xx don't\0é\U0001f333."
    starts, ends = np.array([3, 8, 11], np.int32), np.array([8, 11, 12], np.int32)
    gaps, rules = np.array([0, 0, 1], np.uint8), np.array([1, 0, 2], np.int32)
    words = {0: [(b"do", 0, 2), (b"not", -1, -1)]}
    blank = "\t_" * 7
    assert render(
        codes_of(text), 100, starts, ends, gaps, rules, 0, 3, words, b"# c\n"
    ).decode() == (
        "# c\n# text = don't\ufffdé\U0001f333.\n"
        f"1-2\tdon't{blank}\tSpaceAfter=No|TokenRange=103:108\n"
        f"1\tdo{blank}\tTokenRange=103:105\n2\tnot{blank}\t_\n"
        f"3\t\ufffdé\U0001f333{blank}\tSpaceAfter=No|TokenRange=108:111\n"
        f"4\t.{blank}\tTokenRange=111:112\n\n"
    )
    with pytest.raises(ValueError, match="no such tokens"):
        render(codes_of(text), 0, starts, ends, gaps, rules, 1, 4, {}, b"")
    with pytest.raises(ValueError, match="not in the text"):
        render(codes_of(text[:9]), 0, starts, ends, gaps, rules, 0, 3, {}, b"")
