"""Batches: fields found, numbered and rendered as the sentences say."""

from __future__ import annotations

from unicodedata import normalize

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from niwaki.data.sentence import Sentence
from niwaki.kernel.batch import Batch, Symbols, short_hashes
from tests.strategies import field, sentence_text

sources = st.lists(sentence_text("\n", partial=True).map(lambda t: (t + "\n").encode()), max_size=4)


@given(sources)
def test_columns(made: list[bytes]) -> None:
    sentences = [Sentence(source) for source in made]
    batch = Batch(made)
    assert batch.sentences == len(made)
    assert batch.lengths == [len(sentence) for sentence in sentences]
    assert batch.given_heads().tolist() == [h for s in sentences for h in s.heads]
    for column, name in ((1, "forms"), (3, "upos"), (5, "feats"), (7, "deprels")):
        values = [value for s in sentences for value in getattr(s, name)]
        if name == "forms":
            values = [normalize("NFC", value) for value in values]
        assert [text.decode() for text in batch.texts_of(column)] == values
        names = sorted(set(values))[::2]
        symbols = Symbols([value.encode() for value in names])
        numbers = [names.index(v) if v in names else -1 for v in values]
        assert batch.numbers(column, symbols).tolist() == numbers
        assert batch.blanks(column).tolist() == [value == "_" for value in values]
        hashes = short_hashes([value.encode() for value in values])
        assert batch.hashes(column).tolist() == hashes.tolist()


def test_forms_and_lemmas_are_seen_in_nfc_and_rendered_as_given() -> None:
    forms = ["pe\u0301", "a", "\u1112\u1161\u11ab", "\u0958", "e\u0301"]
    sentence = Sentence.from_words(forms, lemmas=forms)
    batch = Batch([sentence.source, Sentence.from_words(["b"]).source])
    seen = ["pé", "a", "한", "\u0915\u093c", "é", "b"]
    assert [text.decode() for text in batch.texts_of(1)] == seen
    assert [text.decode() for text in batch.texts_of(2)] == [*seen[:-1], "_"]
    assert batch.hashes(1).tolist() == short_hashes([form.encode() for form in seen]).tolist()
    first, _ = batch.render({6: np.zeros(6, np.int32), 2: [None, b"b", *[None] * 4]})
    assert Sentence(first).forms == tuple(forms)
    assert Sentence(first).lemmas == (forms[0], "b", *forms[2:])


@given(sources, st.data())
def test_render_is_replace(made: list[bytes], choose: st.DataObject) -> None:
    batch = Batch(made)
    values = choose.draw(st.lists(field, min_size=batch.words, max_size=batch.words))
    names = sorted(set(values))
    symbols = Symbols([name.encode() for name in names])
    numbers = np.array([names.index(value) for value in values], dtype=np.int32)
    rendered = batch.render({4: (numbers, symbols), 2: [value.encode() for value in values]})
    assert len(rendered) == len(made)
    at = 0
    for source, result in zip(made, rendered, strict=True):
        sentence = Sentence(source)
        mine = values[at : at + len(sentence)]
        assert result == sentence.replace(xpos=mine, lemmas=mine).source
        at += len(sentence)


def test_heads_are_rendered_as_decimals_and_minus_one_keeps_a_symbol() -> None:
    words = 1200
    sentence = Sentence.from_words(["w"] * words, upos=["X"] * words)
    batch = Batch([sentence.source])
    heads = np.arange(words, dtype=np.int32) - 1
    kept = np.where(np.arange(words) % 2, 0, -1).astype(np.int32)
    (source,) = batch.render({6: heads, 3: (kept, Symbols([b"Y"]))})
    made = Sentence(source)
    assert made.heads == tuple(heads.tolist())
    assert made.upos == ("X", "Y") * (words // 2)


def test_refusals() -> None:
    batch = Batch([Sentence.from_words(["a", "b"]).source])
    with pytest.raises(ValueError, match="stands twice"):
        Symbols([b"a", b"a"])
    with pytest.raises(ValueError, match="not kept"):
        batch.hashes(0)
    with pytest.raises(ValueError, match="1 heads for 2"):
        batch.render({6: np.zeros(1, np.int32)})
    with pytest.raises(ValueError, match="no symbol 3"):
        batch.render({3: (np.full(2, 3, np.int32), Symbols([b"a"]))})
    with pytest.raises(ValueError, match="1 values for 2"):
        batch.render({2: [b"a"]})
    with pytest.raises(TypeError):
        batch.render({2: ["a", "b"]})
    with pytest.raises(ValueError, match="cannot be replaced"):
        batch.render({0: [b"1", b"2"]})
    with pytest.raises(ValueError, match="not a sound"):
        Batch([b"1\tbroken\n\n"])
