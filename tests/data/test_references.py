"""Reference orders as JSON Lines."""

from __future__ import annotations

import io
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from niwaki.data.bilingual.references import Reference, read_references, write_references
from niwaki.errors import CorpusError
from tests.strategies import field


@st.composite
def references(draw: st.DrawFn) -> Reference:
    words = draw(st.lists(field, max_size=6))
    positions = list(range(len(words)))
    order = tuple(draw(st.permutations(positions)))
    shuffled = draw(st.permutations(positions))
    cut = draw(st.integers(0, len(words)))
    groups = (tuple(shuffled[:cut]),) if cut else ()
    linked = draw(
        st.one_of(st.none(), st.sets(st.sampled_from(positions) if words else st.nothing()))
    )
    return Reference("x", tuple(words), order, groups, None if linked is None else tuple(linked))


@given(st.lists(references(), max_size=4))
def test_round_trip(made: list[Reference]) -> None:
    out = io.BytesIO()
    write_references(made, out)
    assert list(read_references(io.BytesIO(out.getvalue()))) == made


def test_the_line_number_is_the_default_id() -> None:
    line = json.dumps({"tokens": ["a"], "order": [0]})
    assert [r.id for r in read_references(io.StringIO(f"{line}\n\n{line}\n"))] == ["1", "3"]


@pytest.mark.parametrize(
    ("record", "column"),
    [
        ("{", "LINE"),
        ("[" * 100_000, "LINE"),
        ("[]", "LINE"),
        ('{"tokens": ["a"], "order": [0], "oder": 1}', "LINE"),
        ('{"order": [0]}', "tokens"),
        ('{"tokens": [1], "order": [0]}', "tokens"),
        ('{"tokens": [""], "order": [0]}', "tokens"),
        ('{"tokens": ["a\\tb"], "order": [0]}', "tokens"),
        ('{"tokens": ["\\u0000"], "order": [0]}', "tokens"),
        ('{"tokens": ["\\ud800"], "order": [0]}', "tokens"),
        ('{"id": "\\ud800", "tokens": ["a"], "order": [0]}', "id"),
        ('{"tokens": ["a", "b"], "order": [0, 0]}', "order"),
        ('{"tokens": ["a", "b"], "order": [0]}', "order"),
        ('{"tokens": ["a"], "order": [false]}', "order"),
        ('{"tokens": ["a"], "order": "0"}', "order"),
        ('{"tokens": ["a"], "order": [0], "groups": [0]}', "groups"),
        ('{"tokens": ["a"], "order": [0], "groups": [[1]]}', "groups"),
        ('{"tokens": ["a"], "order": [0], "linked": [0, 0]}', "linked"),
        ('{"tokens": ["a"], "order": [0], "linked": null}', "linked"),
    ],
)
def test_bad_references(record: str, column: str) -> None:
    good = '{"tokens": ["a"], "order": [0]}'
    with pytest.raises(CorpusError) as caught:
        list(read_references(io.StringIO(f"{good}\n{record}\n")))
    assert (caught.value.line, caught.value.column) == (2, column)
