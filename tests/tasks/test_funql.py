"""Queries become trees with labels of their productions, and again queries."""

from __future__ import annotations

import pytest

from niwaki.data.tree import Tree
from niwaki.tasks.meaning.funql import (
    Term,
    decode_query,
    encode_query,
    facts_of_term,
    nodes_of,
    read_term,
)

WORDS = "Which rivers do not cross New York , please ?".split()
PRODUCTIONS = [
    "*n:Query -> ({ answer ( *n:River ) })",
    "*n:River -> ({ exclude ( *n:River , *n:River ) })",
    "*n:River -> ({ river ( *n:River ) })",
    "*n:River -> ({ all })",
    "*n:River -> ({ traverse_2 ( *n:State ) })",
    "*n:State -> ({ stateid ( *n:StateName ) })",
    "*n:StateName -> ({ ' new york ' })",
]
QUERY = "answer(exclude(river(all), traverse_2(stateid('new york'))))"


@pytest.mark.parametrize(
    ("linked", "labels"),
    [
        (
            [0, 2, 1, 1, 4, 6, 6, None, None, None],
            "answer(<0>) 0:river(all) = 0:exclude(<0>,<1>) 1:traverse_2(<0>) = "
            "0:stateid('*') ~ ~ ~",
        ),
        # The word of a part carries what has none, and the other part hangs on it.
        (
            [None, 2, None, None, 4, 6, 6, None, None, None],
            "~ answer(exclude(river(all),<0>)) ~ ~ 0:traverse_2(<0>) = 0:stateid('*') ~ ~ ~",
        ),
        # Words that are no name of a constant leave it in the label.
        (
            [0, 2, 1, 1, 4, None, 6, None, None, None],
            "answer(<0>) 0:river(all) = 0:exclude(<0>,<1>) 1:traverse_2(<0>) ~ "
            "0:stateid('new_york') ~ ~ ~",
        ),
    ],
)
def test_queries_are_encoded_and_decoded(linked: list[int | None], labels: str) -> None:
    nodes = nodes_of(PRODUCTIONS, linked)
    assert nodes is not None
    tree = encode_query(nodes, WORDS)
    assert tree is not None and tree.is_complete and " ".join(tree.deprels) == labels
    found = decode_query(tree, WORDS)
    assert (str(found.term), found.conflicts) == (QUERY, 0)


def test_queries_without_words_or_ends_are_none() -> None:
    nodes = nodes_of(PRODUCTIONS, [None] * 10)
    assert nodes is not None and encode_query(nodes, WORDS) is None
    assert nodes_of(PRODUCTIONS[:-1], [None] * 10) is None
    assert nodes_of([*PRODUCTIONS, PRODUCTIONS[-1]], [None] * 10) is None
    assert nodes_of(["*n:Query -> ({ answer ( })"], [None]) is None


def test_terms_are_read_and_written() -> None:
    texts = ["a", "'new york'", "a(b, c('x y', _))", QUERY]
    assert [str(read_term(text)) for text in texts] == texts
    bad = ["", "a(", "a(b", "a)", "a(,b)", "a(b))", "a b(", "(a)", "f(" * 99 + "a" + ")" * 99]
    assert [read_term(text) for text in bad] == [None] * 9
    found = facts_of_term(Term("a", (Term("b"), Term("b"))))
    assert found == {("", 0, "a"): 1, ("a", 0, "b"): 1, ("a", 1, "b"): 1}


@pytest.mark.parametrize(
    ("labels", "query", "conflicts"),
    [
        (("a(<0>)", "0:b", "0:c"), "a(b)", 1),
        (("a(<0>)", "1:b", "="), "a(<0>)", 2),
        (("0:a(<0>)", "0:b", "~"), "a(b)", 1),
        (("a(<0>", "0:b", "~"), "None", 2),
        (("~", "a", "="), "None", 2),
    ],
)
def test_contradictions_are_counted(labels: tuple[str, ...], query: str, conflicts: int) -> None:
    found = decode_query(Tree((0, 1, 1), labels), ["x", "y", "z"])
    assert (str(found.term), found.conflicts) == (query, conflicts)
