"""Reference orders from links: Table 2 of Talbot et al. (2011), and the other convention."""

from __future__ import annotations

import pytest

from niwaki.data.bilingual.bitext import Links
from niwaki.data.tree import Tree
from niwaki.tasks.reorder.references import make_reference

QUALIFY = "How Can I Qualify For A Mortgage Tax Deduction ?"
CLAIM = "We do not claim to cure , prevent or treat any disease ."


def links_of(text: str) -> Links:
    """Links from the paper's notation: for each target word the sources, joined by `_`."""
    pairs = {
        (int(source), target)
        for target, sources in enumerate(text.split(","))
        for source in sources.split("_")
        if source
    }
    return Links(frozenset(pairs))


@pytest.mark.parametrize(
    ("source", "alignment", "reordering"),
    [
        (
            QUALIFY,
            "6,6,7_8,4,3,3,3,3,3,0,0,0,0,0,1,1,9,9",
            "A Mortgage {{ Tax Deduction }} For I Qualify How Can ?",
        ),
        (
            QUALIFY,
            "2,2,0,0,0,6,6,6,7_8,4,3,3,3,1,1,1,1,1,9",
            "I How A Mortgage {{ Tax Deduction }} For Qualify Can ?",
        ),
        (
            CLAIM,
            "10,11,,5,6,7,,8,9,,,4,,,,2,2,2,12",
            "any disease cure , prevent or treat claim to We do not .",
        ),
        (
            CLAIM,
            "0,0,,10,11,,5,6,7,8,9,,,,3,4,2,2,12",
            "We any disease cure , prevent or treat claim to do not .",
        ),
    ],
)
def test_table_2(source: str, alignment: str, reordering: str) -> None:
    words = source.split()
    reference = make_reference(words, links_of(alignment))
    plain = reordering.replace("{{ ", "").replace("}} ", "")
    assert " ".join(words[position] for position in reference.order) == plain
    in_braces = [part.split("}}")[0].split() for part in reordering.split("{{")[1:]]
    assert [[words[position] for position in group] for group in reference.groups] == in_braces
    assert set(reference.linked or ()) == {source for source, _ in links_of(alignment).sure}


def test_possible_links_count_and_last_words_go_last() -> None:
    reference = make_reference("a b c d".split(), Links(frozenset({(0, 5)}), frozenset({(1, 2)})))
    assert reference.order == (1, 0, 2, 3)
    assert reference.linked == (0, 1)
    nothing = make_reference(("a", "b"), Links(frozenset()))
    assert (nothing.order, nothing.linked) == ((0, 1), ())


def test_function_words_travel_with_their_heads() -> None:
    # "saw the dog in parks": dog -> 0, parks -> 1, saw -> 2; "the" and "in" have no link.
    words = "saw the dog in parks now".split()
    links = Links(frozenset({(0, 2), (2, 0), (4, 1)}))
    tree = Tree((0, 3, 1, 5, 1, 1), ("root", "det", "obj", "case", "obl", "advmod"))
    following = make_reference(words, links)
    travelling = make_reference(words, links, tree=tree)
    assert [words[p] for p in following.order] == "the dog in parks saw now".split()
    assert [words[p] for p in travelling.order] == "the dog in parks saw now".split()
    # "given up": the particle follows the verb, although "dog" comes next.
    words = "has been he".split()
    tree = Tree((0, 1, 1), ("root", "aux", "nsubj"))
    links = Links(frozenset({(0, 1), (2, 0)}))
    assert make_reference(words, links).order == (1, 2, 0)
    assert make_reference(words, links, tree=tree).order == (2, 0, 1)
