"""Non-projective trees through projective parsers: what is encoded comes back."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from niwaki.data.sentence import Sentence
from niwaki.data.tree import Tree
from niwaki.errors import ConfigError
from niwaki.parsers.transition.pseudo_projective import (
    LEAST,
    decode,
    encode,
    encode_all,
    plain_label,
)
from tests.reference.systems import all_trees
from tests.strategies import heads

LABELS = ("nsubj", "obj", "obl", "nmod", "det", "acl")


@st.composite
def trees(draw: st.DrawFn, encoded: bool = False) -> Tree:
    words = draw(st.integers(1, 9))
    labels = st.sampled_from(LABELS)
    if encoded:
        labels |= st.builds("{}↑{}".format, labels, labels)
    found = draw(heads(words))
    return Tree(tuple(found), tuple("root" if head == 0 else draw(labels) for head in found))


# "A hearing is scheduled on the issue today", where the issue belongs to the hearing.
HEARING = Tree(
    (2, 4, 4, 0, 7, 7, 2, 4), ("det", "nsubj", "aux", "root", "case", "det", "nmod", "obl")
)


def test_a_lifted_arc_says_where_it_came_from() -> None:
    encoded = encode(HEARING)
    assert encoded.heads == (2, 4, 4, 0, 7, 7, 4, 4)
    assert encoded.deprels[6] == "nmod↑nsubj"
    assert decode(encoded) == HEARING


@given(trees())
def test_encoding_gives_a_projective_tree_and_keeps_projective_ones(tree: Tree) -> None:
    encoded = encode(tree)
    assert encoded.is_complete
    assert encoded.is_projective
    assert tuple(map(plain_label, encoded.deprels)) == tree.deprels
    if tree.is_projective:
        assert encoded == decode(encoded) == tree


@given(trees(encoded=True))
def test_decoding_gives_a_tree_with_plain_labels(tree: Tree) -> None:
    decoded = decode(tree)
    assert decoded.is_complete
    assert decoded.deprels == tuple(map(plain_label, tree.deprels))
    assert decoded.root == tree.root


@given(trees())
def test_a_head_that_no_label_names_stays(tree: Tree) -> None:
    strange = Tree(tree.heads, tuple(f"{label}↑vocative" for label in tree.deprels))
    assert decode(strange) == tree


@pytest.mark.parametrize("words", [3, 4, 5])
def test_trees_of_different_labels_come_back(words: int) -> None:
    """Labels that differ leave no doubt which head is meant."""
    labels = tuple("abcdefg"[:words])
    trees = [Tree(found, labels) for found in all_trees(words)]
    assert len(trees) == words ** (words - 1)
    assert [decode(encode(tree)) for tree in trees] == trees


def test_rare_lifted_labels_become_plain() -> None:
    sentence = Sentence.from_words(list("ahisotid"), heads=HEARING.heads, deprels=HEARING.deprels)
    often = encode_all([sentence] * LEAST, 99)
    assert {each.deprels[6] for each in often} == {"nmod↑nsubj"}
    for rare in (encode_all([sentence] * (LEAST - 1), 99), encode_all([sentence] * LEAST, 2)):
        assert {each.deprels[6] for each in rare} == {"nmod"}
        assert all(each.tree.is_projective for each in rare)


def test_a_treebank_that_uses_the_sign_itself_is_refused() -> None:
    sentence = Sentence.from_words(["a"], heads=[0], deprels=["root↑x"])
    with pytest.raises(ConfigError, match="rename it"):
        encode_all([sentence], 99)
