"""The writer of expressions, beside the decoder and the writer that make objects of them."""

from __future__ import annotations

import sys
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from niwaki.data.expression_text import format_expression
from niwaki.data.expressions import DEEPEST, Expression
from niwaki.data.sentence import Sentence
from niwaki.kernel.meaning.writer import Writer
from niwaki.tasks.meaning.decode import meaning_of
from niwaki.tasks.meaning.encode import encode
from niwaki.tasks.meaning.rules import load_meaning_rules
from niwaki.tasks.meaning.writing import ExpressionWriter
from tests.meant import expressions

RULES = load_meaning_rules()
WRITER = ExpressionWriter(RULES)
NAMES = (
    *("~", "*", "*:", "*+", "*&", "*%", "-*1", "-*2", "-*+", "--*3", "-*98", "-*99", "[*0", "{*0"),
    *("[:^1-*0", "-[2_1-*0", "[+{0*0", "|/_2-[0^1-^3-*0", "-" * 9 + "*.", "[:" + "[0" * 8 + "*0"),
)
FORMS = ("a", "^", "_", "2.5", "a b", 'say "it"', "back\\slash", "é", "\u3000", "\u00a0x", "#")


def sentence(heads: Sequence[int], labels: Sequence[str], forms: Sequence[str] = ()) -> Sentence:
    words = forms or [f"w{number}" for number in range(1, len(heads) + 1)]
    return Sentence.from_words(words, heads=heads, deprels=labels)


@given(st.data(), st.integers(1, 14))
def test_any_tree_is_written_as_its_expression_is(data: st.DataObject, length: int) -> None:
    def drawn(values: Sequence[str]) -> list[str]:
        return data.draw(st.lists(st.sampled_from(values), min_size=length, max_size=length))

    names = data.draw(st.permutations(range(1, length + 1)))
    above = {name: data.draw(st.integers(0, at)) for at, name in enumerate(names)}
    heads = [(0, *names)[above[word]] for word in range(1, length + 1)]
    told = sentence(heads, drawn(NAMES), drawn(FORMS))
    assert WRITER.write(told).decode() == str(meaning_of(told))


@given(expressions(most=20))
def test_what_was_encoded_is_written(made: tuple[Expression, int]) -> None:
    expression, length = made
    tree = encode(expression, length)
    forms = [f"w{number}" for number in range(1, length + 1)]
    written = WRITER.write(sentence(tree.heads, tree.deprels))
    assert written.decode() == format_expression(expression, forms)


@pytest.mark.parametrize("label", ["*:", "[:^1-*0", "-[1[0[0*0", "-*1", "*+"])
def test_deep_and_wide_trees(label: str) -> None:
    length = 4 * DEEPEST
    for heads in (range(length), [0] + [1] * (length - 1), [0] * length):
        told = sentence(list(heads), ["[*0", *[label] * (length - 1)])
        assert WRITER.write(told).decode() == str(meaning_of(told))


def test_every_character_is_quoted_where_the_reader_needs_it() -> None:
    left_out = {*map(ord, "\t\n\r\0"), *range(0xD800, 0xE000)}
    characters = [chr(code) for code in range(1, sys.maxunicode + 1) if code not in left_out]
    odd = [c for c in characters if c.isspace() or (not c.isalnum() and c < "\u3100")]
    for forms in (odd, characters[:: len(characters) // 2000]):
        told = sentence([0] + [1] * (len(forms) - 1), ["*"] + ["*:"] * (len(forms) - 1), forms)
        assert WRITER.write(told).decode() == str(meaning_of(told))


def test_labels_that_are_not_known_and_trees_that_are_not_whole() -> None:
    writer = Writer([b"+", b"%"], 1, b"{", 10)
    told = sentence([0], ["*"])
    assert writer.write(told.source) is None
    writer.learn(b"*", 0, 0, 1, [])
    assert writer.write(told.source) == b"w1"
    assert writer.write(sentence([-1], ["*"]).source) is None
    with pytest.raises(ValueError, match="sound sentence"):
        writer.write(b"1\tw1\n\n")
    for up, place, rank in ((-1, 0, 0), (0, 100, 0), (0, 0, 2)):
        with pytest.raises(ValueError, match="place or connective"):
            writer.learn(b"*:", up, place, rank, [])
    with pytest.raises(ValueError, match="no such place"):
        writer.learn(b"*:", 0, 0, 0, [(b"[", b"]", [(100, b"^")])])
    with pytest.raises(ValueError, match="connective or bracket"):
        Writer([b"+"], 1, b"{", 10)
