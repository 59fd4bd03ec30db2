"""Lines of keys in TOML: whatever a text looks like, each key is found where it stands."""

from __future__ import annotations

import tomllib

import pytest

from niwaki.data.toml import Way, key_lines
from tests.reference.toml import ways

TRICKY = '''\
# a = 1
title = "x"   # [not.a.table]
"quoted key" = 1
'literal.key' = 2
dotted . key."with space" = 3
multi = """
[no.table]
inner = 4
\\""" still
""""
after = 5
literal = \'\'\'
x = 6
\'\'\'\'\'
list = [
  1, # ]
  "a, ]",
  [2, 3],
  { name = "x", more = [
    4] },
]
empty = []
table = { a.b = 1, "c d" = { e = "}" }, f = {} }
date = 1979-05-27 07:32:00
inf = -inf

[plain]
one = 1
[ spaced . "out" ]
two = 2
[[entries]]
name = "first"
[entries.sub]
deep = 1
[[entries.inner]]
n = 1
[[entries.inner]]
n = 2
[[entries]]
name = "second"
[[entries.inner]]
n = 3
[entries.inner.last]
z = 1
'''


def line_of(text: str) -> int:
    (found,) = [n for n, line in enumerate(TRICKY.splitlines(), 1) if line.strip() == text]
    return found


def test_every_key_has_a_line_and_nothing_else_has() -> None:
    assert set(key_lines(TRICKY)) == set(ways(tomllib.loads(TRICKY)))


@pytest.mark.parametrize(
    ("way", "line"),
    [
        (("title",), 'title = "x"   # [not.a.table]'),
        (("quoted key",), '"quoted key" = 1'),
        (("literal.key",), "'literal.key' = 2"),
        (("dotted", "key", "with space"), 'dotted . key."with space" = 3'),
        (("after",), "after = 5"),
        (("list", 2, 1), "[2, 3],"),
        (("list", 3, "more"), '{ name = "x", more = ['),
        (("list", 3, "more", 0), "4] },"),
        (("table", "c d", "e"), 'table = { a.b = 1, "c d" = { e = "}" }, f = {} }'),
        (("plain",), "[plain]"),
        (("spaced", "out", "two"), "two = 2"),
        (("entries", 0, "sub", "deep"), "deep = 1"),
        (("entries", 0, "inner", 1, "n"), "n = 2"),
        (("entries", 1, "name"), 'name = "second"'),
        (("entries", 1, "inner", 0, "n"), "n = 3"),
        (("entries", 1, "inner", 0, "last", "z"), "z = 1"),
    ],
)
def test_lines(way: Way, line: str) -> None:
    assert key_lines(TRICKY)[way] == line_of(line)


def test_line_ends_and_nothing_at_all() -> None:
    assert key_lines("") == {}
    assert key_lines("a=1") == {("a",): 1}
    assert key_lines("\n\n a = 'x'#\n\t[b]") == {("a",): 3, ("b",): 4}
    assert key_lines('a = """""""" # two quotes end it\nb = 1') == {("a",): 1, ("b",): 2}
    assert key_lines("a = ''\nb = \"\"\nc = 1") == {("a",): 1, ("b",): 2, ("c",): 3}
