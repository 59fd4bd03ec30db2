"""Roles in MISC and in tables, and rolesets: what is read, written and refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from niwaki.data.roles import (
    Filler,
    Predicate,
    head_of,
    predicates_of,
    read_rolesets,
    with_predicates,
    with_table,
)
from niwaki.data.sentence import Sentence
from niwaki.errors import CorpusError, NiwakiError
from tests.labelled import bare, given, reports


def test_what_is_written_is_read() -> None:
    sentence = given(1)
    gives, below = predicates_of(sentence)
    assert gives.roleset == "give.01" and gives.fillers[1] == Filler("ARG2", 3)
    assert below == Predicate(
        8, "water.01", (Filler("ARG1", 5), Filler("R-ARG1", 6), Filler("ARG0", 7))
    )
    assert "Roleset=give.01|Roles=ARG0:1,ARG2:3,ARG1:5" in str(sentence)
    assert with_predicates(sentence, [gives, below]) == sentence
    assert set(bare(sentence).misc) == {"_"}
    # Other notes stay.
    noted = sentence.replace(misc=["SpaceAfter=No", *sentence.misc[1:]])
    assert bare(noted).misc[0] == "SpaceAfter=No"


def test_a_span_is_headed_by_what_hangs_outside() -> None:
    sentence = given(1)
    assert head_of(sentence, 4, 8) == 5
    spans = bare(sentence).replace(misc=["_", "Roleset=give.01|Roles=ARG0:1,ARG1:4-8", *["_"] * 7])
    (gives,) = predicates_of(spans)
    assert gives.fillers == (Filler("ARG0", 1), Filler("ARG1", 5))
    with pytest.raises(CorpusError, match="'ARG1:4-8' of word 2 without a tree"):
        predicates_of(spans.replace(heads=[-1] * 9))
    # "by Abe": the preposition hangs inside; a span of function words is headed by its first.
    apart = Sentence.from_words(
        ["On", "and", "off"], heads=[0, 1, 1], deprels=["case", "cc", "conj"]
    )
    assert head_of(apart, 2, 3) == 3


@pytest.mark.parametrize(
    ("misc", "message"),
    [
        ("Roleset=give.01|Roles=ARG0:9", "outside of a sentence of 5 words"),
        ("Roleset=give.01|Roles=ARG0:3-2", "outside of a sentence of 5 words"),
        ("Roleset=give.01|Roles=ARG0", "give roles such as ARG0:1"),
        ("Roleset=give", "roleset 'give' of word 2; give one such as give.01"),
        ("Roles=ARG0:1", "without Roleset="),
    ],
)
def test_what_cannot_be_is_refused(misc: str, message: str) -> None:
    sentence = bare(reports(1)[0]).replace(misc=["_", misc, "_", "_", "_"])
    with pytest.raises(CorpusError, match="<memory>:1:MISC: ") as caught:
        predicates_of(sentence)
    assert message in str(caught.value)


def test_a_table_stands_beside_the_trees(tmp_path: Path) -> None:
    table = tmp_path / "a.tsv"
    table.write_text(
        "active-0\t2\trake.01\tARG0:1-1 ARG1:3-3 ARGM-TMP:4-4\n\n"
        "given-2\t2\tgive.01\tARG0:1-1 ARG1:4-8\nelsewhere\t1\tbe.01\t\n"
    )
    first, second, third = with_table(map(bare, reports(3)), table)
    assert first == reports(1)[0] and second == bare(reports(2)[1])
    assert predicates_of(third) == (
        Predicate(2, "give.01", (Filler("ARG0", 1), Filler("ARG1", 5))),
    )


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("active-0\t2\trake.01", "a.tsv:1:LINE: 3 columns; give sent_id, word"),
        ("active-0\t7\trake.01\t", "a.tsv:1:WORD: '7' in a sentence of 5 words"),
        ("active-0\tx\trake.01\t", "a.tsv:1:WORD: 'x' in a sentence"),
        ("active-0\t2\trake.01\tARG1:3-8", "a.tsv:1:ROLES: role 'ARG1:3-8' of word 2 outside"),
        ("other\t2\trake.01\t", "no sent_id of the table is one of the trees"),
    ],
)
def test_faults_of_tables_are_told_with_their_line(line: str, message: str, tmp_path: Path) -> None:
    table = tmp_path / "a.tsv"
    table.write_text(f"{line}\n")
    with pytest.raises(NiwakiError) as caught:
        list(with_table(reports(1), table))
    assert message in str(caught.value) and "\n" not in str(caught.value)


def test_rolesets_are_read(tmp_path: Path) -> None:
    record = {
        "id": "give.01",
        "name": "transfer",
        "aliases": [["v", "give"], ["n", "gift"]],
        "roles": [
            {"n": "0", "f": "PAG", "descr": "giver"},
            {"n": "m", "f": "loc", "descr": "where"},
        ],
    }
    file = tmp_path / "rolesets.jsonl"
    file.write_text(json.dumps(record) + "\n")
    found = read_rolesets(file)["give.01"]
    assert found.lemmas == (("v", "give"), ("n", "gift"))
    assert found.roles == {"ARG0": "giver", "ARGM-LOC": "where"}
    file.write_text('{"id": "give.01"}\n')
    with pytest.raises(CorpusError, match=r"rolesets\.jsonl:1:LINE: no roleset"):
        read_rolesets(file)
