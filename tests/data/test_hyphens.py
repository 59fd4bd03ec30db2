"""Hyphenated words as several: tags, trees, ranges and places."""

from __future__ import annotations

import pytest

from niwaki.data.hyphens import hyphen_parts, split_hyphens
from niwaki.data.sentence import Sentence
from tests.garden import make_sentence

LINES = """# text = A well-known mother-in-law's tree
1\tA\ta\tDET\tDT\t_\t6\tdet\t6:det\t_
2\twell-known\twell-known\tADJ\tJJ\tDegree=Pos\t6\tamod\t6:amod|2.1:x\tTokenRange=2:12
2.1\t_\t_\t_\t_\t_\t_\t_\t3:dep\t_
3-4\tmother-in-law's\t_\t_\t_\t_\t_\t_\t_\t_
3\tmother-in-law\tmil\tNOUN\tNN\t_\t6\tnmod:poss\t_\t_
4\t's\t's\tPART\tPOS\t_\t3\tcase\t_\t_
5\told\told\tADJ\tJJ\t_\t6\tamod\t_\t_
6\ttree\ttree\tNOUN\tNN\t_\t0\troot\t_\t_

"""

SPLIT = """# text = A well-known mother-in-law's tree
1\tA\ta\tDET\tDT\t_\t12\tdet\t12:det\t_
2\twell\twell\tADJ\tJJ\t_\t4\tcompound\t4:compound\tSpaceAfter=No|TokenRange=2:6
3\t-\t-\tADJ\tJJ\t_\t4\tpunct\t4:punct\tSpaceAfter=No|TokenRange=6:7
4\tknown\tknown\tADJ\tJJ\tDegree=Pos\t12\tamod\t12:amod|4.1:x\tTokenRange=7:12
4.1\t_\t_\t_\t_\t_\t_\t_\t9:dep\t_
5-10\tmother-in-law's\t_\t_\t_\t_\t_\t_\t_\t_
5\tmother\tmother\tNOUN\tNN\t_\t9\tcompound\t_\t_
6\t-\t-\tNOUN\tNN\t_\t9\tpunct\t_\t_
7\tin\tin\tNOUN\tNN\t_\t9\tcompound\t_\t_
8\t-\t-\tNOUN\tNN\t_\t9\tpunct\t_\t_
9\tlaw\tlaw\tNOUN\tNN\t_\t12\tnmod:poss\t_\t_
10\t's\t's\tPART\tPOS\t_\t9\tcase\t_\t_
11\told\told\tADJ\tJJ\t_\t12\tamod\t_\t_
12\ttree\ttree\tNOUN\tNN\t_\t0\troot\t_\t_

"""


@pytest.mark.parametrize(
    ("form", "parts"),
    [
        ("pine-tree", "pine - tree"),
        ("mother-in-law", "mother - in - law"),
        ("U.S.-based", "U.S. - based"),
        ("pine\u2010tree", "pine \u2010 tree"),
        *((form, form) for form in ("-", "--", "well-", "-ish", "5-6", "a--b", "x-y.com", "a-b@c")),
        ("x" * 100_000, "x" * 100_000),
    ],
)
def test_which_words_are_split(form: str, parts: str) -> None:
    assert hyphen_parts(form) == parts.split(" ")


def test_a_tree_is_kept() -> None:
    found = split_hyphens(Sentence.from_conllu(LINES))
    assert str(found) == SPLIT
    assert Sentence.from_conllu(found.source) == found


def test_without_hyphens_nothing_changes() -> None:
    sentence = make_sentence("A pine - old")
    assert split_hyphens(sentence) is sentence


def test_words_without_a_tree() -> None:
    sentence = split_hyphens(Sentence.from_words(["a-b", "c"]))
    assert sentence.forms == ("a", "-", "b", "c")
    assert sentence.heads == (-1,) * 4
    assert sentence.text == "a-b c"
