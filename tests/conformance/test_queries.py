"""Shipped sets of queries do what their examples say, and files of one's own are checked."""

from __future__ import annotations

from pathlib import Path

import pytest

from niwaki.errors import CorpusError, NiwakiError
from niwaki.tasks.find.sets import load_queries, parse_queries, query_set_names
from tests.conftest import ROOT

OWN = """
description = "Who owns what."

[[query]]
name = "have"
find = "[lemma=own]=verb >nsubj *=owner >obj *=thing"

[[example]]
text = "Mori owns pines"
lemma = "Mori own pine"
upos = "PROPN VERB NOUN"
heads = [2, 0, 2]
labels = "nsubj root obj"
gives = ["have: owns Mori pines"]
"""


@pytest.mark.parametrize("name", query_set_names())
def test_a_shipped_set(name: str) -> None:
    queries = load_queries(name)
    assert queries.description and queries.examples
    for example in queries.examples:
        assert queries.given(example.sentence) == example.gives
    # Each query is shown by an example.
    shown = {line.partition(":")[0] for example in queries.examples for line in example.gives}
    assert shown == {query.name for query in queries.queries}


def test_facts_are_there() -> None:
    assert load_queries("facts").names == ("subject", "verb", "object")
    with pytest.raises(NiwakiError, match="did you mean 'facts'"):
        load_queries("fact")


def test_a_file_of_ones_own(tmp_path: Path) -> None:
    path = tmp_path / "own.toml"
    path.write_text(OWN)
    assert load_queries(path).names == ("verb", "owner", "thing")
    path.write_text(OWN.replace("owns Mori pines", "owns Abe pines"))
    with pytest.raises(CorpusError, match=r"own.toml:8:LINE: the queries give 'have: owns Mori"):
        load_queries(path)


@pytest.mark.parametrize(
    ("old", "new", "line", "message"),
    [
        ('name = "have"', 'nmae = "have"', 5, "did you mean 'name'"),
        ('name = "have"', "name = 3", 5, "name is '3'; write a text"),
        (">nsubj", ">nsbj", 6, "character 19, at 'nsbj .*did you mean 'nsubj'"),
        ("[[query]]", "[[qurey]]", 4, "did you mean 'query'"),
        ("[[query]]", "[query]", 4, "no list of tables"),
        ('description = "', "description = ", 1, "not TOML"),
        ("[2, 0, 2]", "[2, 1, 2]", 12, "no tree"),
        ("[2, 0, 2]", "[2, 0]", 8, "2 heads for 3 words"),
        ("gives = [", "gives = 1 # [", 14, "no list of texts"),
        (
            "[[example]]",
            OWN[OWN.index("[[query]]") : OWN.index("[[ex")] + "[[example]]",
            9,
            "second",
        ),
    ],
)
def test_faults_have_their_line(old: str, new: str, line: int, message: str) -> None:
    assert old in OWN
    with pytest.raises(CorpusError, match=message) as caught:
        parse_queries(OWN.replace(old, new), "own.toml")
    assert caught.value.line == line


def test_a_file_without_queries() -> None:
    with pytest.raises(CorpusError, match="no queries; write"):
        parse_queries("")


def test_the_page_shows_a_set_that_works(tmp_path: Path) -> None:
    page = (ROOT / "docs" / "formats" / "queries.md").read_text(encoding="utf-8")
    (tmp_path / "page.toml").write_text(page.partition("```toml\n")[2].partition("```")[0])
    assert load_queries(tmp_path / "page.toml").description == "Who owns what."
