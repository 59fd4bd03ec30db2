"""N-best lists as text."""

from __future__ import annotations

import io

import numpy as np
import pytest

from niwaki.errors import CorpusError
from niwaki.tasks.translate.nbest import Hypothesis, NBestList, nbest_lines, read_nbest

NAMES = ("phrase-forward", "word-penalty")
LISTS = [
    NBestList(
        0,
        (
            Hypothesis(("a", "pine"), np.array([-1.5, -2], np.float32), -3.5),
            Hypothesis((), np.array([0, 0], np.float32), -9.0),
        ),
    ),
    NBestList(2, (Hypothesis(("fir",), np.array([1e-6, -1], np.float32), -1.25),)),
]


def test_lists_are_read_as_they_were_written() -> None:
    text = "".join(line for each in LISTS for line in nbest_lines(each, NAMES))
    assert text.startswith("0 ||| a pine ||| phrase-forward= -1.5 word-penalty= -2 ||| -3.5\n")
    names, lists = read_nbest(io.BytesIO(text.encode()))
    assert names == NAMES
    assert [each.index for each in lists] == [0, 2]
    for one, other in zip(LISTS, lists, strict=True):
        for a, b in zip(one.hypotheses, other.hypotheses, strict=True):
            assert (a.tokens, a.score) == (b.tokens, b.score)
            assert np.array_equal(a.features, b.features)


@pytest.mark.parametrize(
    "line",
    [
        "0 ||| a ||| x= 1",
        "one ||| a ||| x= 1 ||| 2",
        "0 ||| a ||| x 1 ||| 2",
        "0 ||| a ||| x= ||| 2",
        "0 ||| a ||| x= 1 ||| nan",
        "0 ||| a ||| y= 1 ||| 2",
    ],
)
def test_what_is_no_list_is_told_with_its_line(line: str) -> None:
    with pytest.raises(CorpusError, match=r":2:LINE: .*; write `0"):
        read_nbest(io.BytesIO(f"0 ||| a ||| x= 1 ||| 2\n{line}\n".encode()))


def test_a_sentence_that_comes_twice_is_refused() -> None:
    text = "".join(f"{n} ||| a ||| x= 1 ||| 2\n" for n in (0, 1, 0))
    with pytest.raises(CorpusError, match="sentence 0 again"):
        read_nbest(io.BytesIO(text.encode()))
