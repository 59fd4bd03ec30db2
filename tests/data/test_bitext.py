"""Parallel text and word links."""

from __future__ import annotations

import io
from collections.abc import Callable

import pytest

from niwaki.data.bilingual.bitext import (
    Links,
    parse_links,
    read_bitext,
    read_filled_bitext,
    read_links,
    write_links,
)
from niwaki.errors import CorpusError


def stream(text: str, name: str = "links") -> io.StringIO:
    made = io.StringIO(text)
    made.name = name
    return made


def test_pairs_with_links() -> None:
    pairs = list(read_bitext(stream("a b\nc\n"), stream("x\ny z\n"), stream("0-0 1p0\n0-1\n")))
    assert pairs[0].source == ("a", "b")
    assert pairs[0].links == Links(frozenset({(0, 0)}), frozenset({(1, 0)}))
    assert pairs[1].links is not None
    assert pairs[1].links.all == {(0, 1)}
    assert [pair.number for pair in pairs] == [1, 2]


def test_pairs_without_links_and_empty_sides() -> None:
    pairs = list(read_bitext(stream("a\n\n"), stream("x\r\ny\r\n")))
    assert pairs[0].links is None
    assert pairs[0].target == ("x",)
    assert pairs[1].source == ()


def test_links_are_written_as_they_are_read() -> None:
    text = "0-0 1p0 2-1\n\n10-9\n"
    out = io.StringIO()
    write_links(read_links(stream(text)), out)
    assert out.getvalue() == text


def test_a_sure_link_is_not_also_possible() -> None:
    assert parse_links("0-0 0p0", "f", 1) == Links(frozenset({(0, 0)}))


@pytest.mark.parametrize("link", ["1", "0-", "-0", "0-0-0", "a-b", "0+0", "1.0-1", "٠-0", "01-0"])
def test_malformed_links(link: str) -> None:
    with pytest.raises(CorpusError, match="malformed link") as caught:
        list(read_links(stream(f"0-0\n0-0 {link}\n")))
    assert caught.value.line == 2


@pytest.mark.parametrize("link", ["2-0", "0-1", "0p1"])
def test_links_out_of_range(link: str) -> None:
    with pytest.raises(CorpusError, match=f"links:1:LINE: link {link} is out of range"):
        list(read_bitext(stream("a b\n"), stream("x\n"), stream(link + "\n")))


def test_files_of_different_length() -> None:
    with pytest.raises(CorpusError, match="src:2:LINE: a line without a partner: tgt ends after"):
        list(read_bitext(stream("a\nb\n", "src"), stream("x\n", "tgt")))


def test_filled_pairs() -> None:
    sides = "a b\n\nc\nd e f\n", "x\ny\n\nz\nw\n"

    def read(faults: Callable[[CorpusError], None] | None) -> list[tuple[int, int, int]]:
        pairs = read_filled_bitext(*map(stream, sides), longest=2, faults=faults)
        return [(pair.number, len(pair.source), len(pair.target)) for pair in pairs]

    faults: list[CorpusError] = []
    assert read(faults.append) == [(1, 2, 1), (2, 0, 0), (3, 0, 0), (4, 0, 0)]
    assert [(fault.line, fault.found.split(":")[0]) for fault in faults] == [
        (2, "no words"),
        (3, "no words"),
        (4, "3 words"),
        (5, "a line without a partner"),
    ]
    with pytest.raises(CorpusError, match=r":2:LINE: no words; "):
        read(None)


@pytest.mark.parametrize(
    ("source", "target", "message"),
    [
        ("a\n\n", "x\ny\n", "left:2:LINE: no words"),
        ("a\nb\n", "x\n\n", "right:2:LINE: no words"),
        ("a b c\n", "x\n", "left:1:LINE: 3 words; split sentences of more than 2"),
        ("a b c\n", "x y z w\n", "right:1:LINE: 4 words"),
        ("a b c\n", "\n", "right:1:LINE: no words"),
        ("a\n", "x\ny\n", "right:2:LINE: a line without a partner"),
    ],
)
def test_pairs_that_are_not_filled(source: str, target: str, message: str) -> None:
    with pytest.raises(CorpusError, match=message):
        list(read_filled_bitext(stream(source, "left"), stream(target, "right"), longest=2))
