"""What is read off the letters of a word, against the same in plain Python."""

from __future__ import annotations

from unicodedata import normalize

import pytest
from hypothesis import given
from hypothesis import strategies as st

from niwaki.data.sentence import Sentence
from niwaki.kernel.batch import Batch
from niwaki.kernel.features.words import ATTRIBUTE_NAMES, Clusters, analyse, word_values
from tests.reference import words as reference

# Characters whose case changes one to one; the kernel knows no other changes.
letters = st.characters(codec="utf-8", categories=["Lu", "Ll", "Lo", "Nd", "Pd", "Po"]).filter(
    lambda c: len(c.lower()) == 1 and c.isdigit() == c.isdecimal()
)
words = st.text(letters, min_size=1, max_size=20)


@given(st.lists(words, min_size=2, max_size=8))
def test_values_are_equal_where_the_letters_say_so(sample: list[str]) -> None:
    sample += [sample[0].upper()[:20] or "X", sample[0].lower()]
    sample = [word for word in sample if all(len(c.lower()) == 1 for c in word)]
    found = [analyse(word.encode())[0] for word in sample]
    expected = [reference.analyse(word) for word in sample]
    assert expected[0] and set(expected[0]) <= set(found[0])
    for name in expected[0]:
        for i in range(len(sample)):
            for j in range(i):
                same = found[i][name] == found[j][name]
                assert same == (expected[i][name] == expected[j][name]), (
                    name,
                    sample[i],
                    sample[j],
                )


@given(words)
def test_grams(word: str) -> None:
    expected = reference.grams(word)
    found = analyse(word.encode())[1]
    assert len(found) == len(set(found)) == min(len(expected), 40)


def test_affixes_of_different_length_are_told_apart() -> None:
    values, _ = analyse(b"ab")
    assert values["suffix2"] == values["suffix3"] != values["suffix1"]
    assert values["prefix1"] != values["suffix1"]


def test_without_case_words_are_the_same() -> None:
    one, _ = analyse("Étude".encode(), True)
    other, _ = analyse("étude".encode(), True)
    assert one == other
    assert analyse("Étude".encode())[0]["form"] != analyse("étude".encode())[0]["form"]


def test_long_words_are_told_apart_by_what_is_between() -> None:
    one = "x" * 100 + "a" + "x" * 100
    other = "x" * 100 + "b" + "x" * 100
    first, second = analyse(one.encode())[0], analyse(other.encode())[0]
    assert first["form"] != second["form"]
    assert first["lower"] != second["lower"]
    assert first["suffix6"] == second["suffix6"]
    assert analyse(("é" * 1_000_000).encode())[0]["length"] == first["length"]


def test_clusters_and_their_prefixes() -> None:
    clusters = Clusters(b"0000110\tpine\n0000111\ttree\n1\trun\n")
    tree, pine, run, other = (
        analyse(word, False, clusters)[0] for word in (b"tree", b"pine", b"run", b"?")
    )
    assert tree["cluster"] != pine["cluster"]
    assert tree["cluster6"] == pine["cluster6"] != run["cluster6"]
    assert run["cluster4"] == run["cluster12"] != tree["cluster4"]
    # A word without a cluster is not the same as no word.
    for name in ("cluster", "cluster4", "cluster6", "cluster10", "cluster12"):
        assert other[name] == 3
        assert analyse(b"tree")[0][name] == 1
    with pytest.raises(ValueError, match="stands twice"):
        Clusters(b"0\ta\n1\ta\n")
    for line in (b"2\ta\n", b"\ta\n", b"01\n", b"01"):
        with pytest.raises(ValueError, match="not a path"):
            Clusters(line)
    # The last line may lack its end.
    assert Clusters(b"0\ta\tb\n1\tc").count == 3


@given(words, st.booleans())
def test_words_without_a_cluster_look_for_their_lower_case(word: str, lowercase: bool) -> None:
    small = reference.simple_lower(word)
    clusters = Clusters(b"01\t" + small.encode() + b"\n1\t\xff\n")
    found = analyse(word.encode(), lowercase, clusters)[0]
    assert found["cluster"] == analyse(small.encode(), lowercase, clusters)[0]["cluster"] == 4


def test_case_of_clusters() -> None:
    clusters = Clusters(b"00\trose\n01\tRose\n10\tPINE\n")

    def number(word: bytes, lowercase: bool) -> int:
        return analyse(word, lowercase, clusters)[0]["cluster"] - 3

    assert [number(word, False) for word in (b"rose", b"Rose", b"ROSE", b"PINE")] == [1, 2, 1, 3]
    # What is read in lower case has the cluster of that, however it is written.
    assert [number(word, True) for word in (b"rose", b"Rose", b"ROSE", b"PINE")] == [1, 1, 1, 0]


def test_long_paths_and_words() -> None:
    word = ("\u00e9" * 100).encode()
    clusters = Clusters(b"1" * 899 + b"0\ta\n" + b"1" * 900 + b"\t" + word + b"\n")
    found, other = (analyse(each, True, clusters)[0] for each in (word, b"A"))
    assert found["cluster"] != other["cluster"]
    assert found["cluster12"] == other["cluster12"] == 3 + 2**13 - 1


def test_values_of_a_batch() -> None:
    sentence = Sentence.from_words(["The", "Étude", "the"])
    batch = Batch([sentence.source])
    values = word_values(batch, list(ATTRIBUTE_NAMES), False, None)
    for place, form in enumerate(sentence.forms):
        assert [int(v[place]) for v in values] == list(analyse(form.encode())[0].values())
    (forms,) = word_values(batch, ["form"], False, None)
    assert forms.tolist() == values[0].tolist()


@given(st.lists(words, min_size=1, max_size=8), st.booleans())
def test_forms_and_clusters_of_a_batch_are_those_of_its_words(
    sample: list[str], lowercase: bool
) -> None:
    """Where nothing else is asked for, letters are looked at only if they must be."""
    known = {reference.simple_lower(sample[0]), *sample[1::2]}
    clusters = Clusters(b"01\t" + "\t".join(sorted(known)).encode() + b"\n1\t\xff\n")
    long = "Yew" * 40
    batch = Batch([Sentence.from_words([*sample, long, long.lower()]).source])
    names = ["cluster6", "form", "cluster"]
    values = word_values(batch, names, lowercase, clusters)
    for place, form in enumerate([*sample, long, long.lower()]):
        expected = analyse(normalize("NFC", form).encode(), lowercase, clusters)[0]
        assert [int(v[place]) for v in values] == [expected[name] for name in names]
