"""Names with numbers, and the values by which features know them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from niwaki.data.faults import COLUMNS
from niwaki.data.sentence import Sentence
from niwaki.features.vocabulary import Vocabulary, combine
from niwaki.kernel.batch import Batch
from tests.strategies import field

values = st.lists(st.integers(0, 2**32 - 1), min_size=1, max_size=20)


def test_order_is_the_numbering() -> None:
    vocabulary = Vocabulary(["NOUN", "VERB", "_"])
    assert [vocabulary.number(name) for name in ("_", "NOUN", "VERB", "ADJ")] == [2, 0, 1, -1]
    assert len(vocabulary) == len(vocabulary.symbols) == 3
    with pytest.raises(ValueError, match="twice"):
        Vocabulary(["a", "b", "a"])
    assert len(Vocabulary([])) == 0


@given(st.lists(field, min_size=1, max_size=6, unique=True))
def test_numbers_and_values_are_those_of_the_same_text_in_a_file(names: list[str]) -> None:
    vocabulary = Vocabulary(names)
    words = [*names, "a name that is not there"]
    batch = Batch([Sentence.from_words(["w"] * len(words), upos=words).source])
    column = COLUMNS.index("UPOS")
    numbers = batch.numbers(column, vocabulary.symbols).tolist()
    assert numbers == [*range(len(names)), -1]
    assert batch.hashes(column)[:-1].tolist() == vocabulary.values.tolist()


@given(values, values)
def test_combined_values_are_not_reserved(ones: list[int], others: list[int]) -> None:
    size = min(len(ones), len(others))
    one, other = (np.array(each[:size], dtype=np.uint32) for each in (ones, others))
    mixed = combine(one, other)
    assert mixed.dtype == np.uint32
    assert (mixed >= 16).all()
    assert np.array_equal(mixed, combine(one, other))


def test_combined_values_tell_pairs_apart() -> None:
    names = Vocabulary([f"tag{number}" for number in range(100)]).values
    one, other = np.meshgrid(names, names)
    mixed = combine(one.ravel(), other.ravel())
    # 10,000 pairs in 2^31 places: a clash or two may happen.
    assert len(np.unique(mixed)) >= 9_990
