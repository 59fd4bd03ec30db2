"""`niwaki find` and `niwaki index`: what they print, and what they refuse."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from niwaki import cli
from niwaki.data.conllu import read_conllu
from tests.conftest import ROOT

GARDEN = ROOT / "examples" / "garden.conllu"
Run = Callable[..., str]
QUERY = "VERB=v >nsubj *=x"


@pytest.fixture
def run(capfd: pytest.CaptureFixture[str]) -> Run:
    def run(*words: object, status: int = 0) -> str:
        capfd.readouterr()
        found = cli.main([os.fspath(w) if isinstance(w, Path) else str(w) for w in words])
        said = capfd.readouterr()
        assert found == status, said.err
        return said.err if status else said.out

    return run


def test_a_match_is_a_line(run: Run) -> None:
    assert run("find", QUERY, GARDEN) == (
        "garden-1: The old pine that the [x monks] [v planted] leans over the pond .\n"
        "garden-1: The old [x pine] that the monks planted [v leans] over the pond .\n"
    )
    assert len(run("find", QUERY, GARDEN, GARDEN).splitlines()) == 4
    assert len(run("find", QUERY, GARDEN, GARDEN, "--first", 3).splitlines()) == 3


def test_words_that_may_be_there(run: Run) -> None:
    query = "VERB=v ?>obj *=o"
    assert run("find", query, GARDEN, "--to", "table").splitlines()[:3] == [
        "id\tv\to",
        "garden-1\tplanted\tthat",
        "garden-1\tleans\t",
    ]
    records = [json.loads(line) for line in run("find", query, GARDEN, "--to", "json").splitlines()]
    assert [list(record["words"]) for record in records[:2]] == [["v", "o"], ["v"]]
    assert "[v leans]" in run("find", query, GARDEN)
    assert "Found=2:v" in run("find", query, GARDEN, "--to", "conllu")


def test_tables_and_counts(run: Run) -> None:
    assert run("find", QUERY, GARDEN, "--to", "table") == (
        "id\tv\tx\ngarden-1\tplanted\tmonks\ngarden-1\tleans\tpine\n"
    )
    words = "--to", "table", "--fields", "x.Number,v.label"
    assert run("find", QUERY, GARDEN, *words).splitlines()[1:] == [
        "garden-1\tPlur\tacl:relcl",
        "garden-1\tSing\troot",
    ]
    counted = "find", "*=w", GARDEN, "--count", "w.upos,w.words", "--first", 2
    assert run(*counted) == "count\tw.upos\tw.words\n3\tDET\tthe\n2\tPUNCT\t.\n"
    first, *_ = run(*counted, "--to", "json").splitlines()
    assert json.loads(first) == {"count": 3, "w.upos": "DET", "w.words": "the"}


def test_conllu_has_marks(run: Run, tmp_path: Path) -> None:
    out = tmp_path / "out.conllu"
    # Two sentences that are written alike stay two.
    assert run("find", QUERY, GARDEN, GARDEN, "--to", "conllu", "-o", out) == ""
    one, other = read_conllu(out)
    assert one == other and one.misc[6:8] == ("Found=1:v", "Found=2:v")


def test_an_index_answers_as_files_do(run: Run, tmp_path: Path) -> None:
    index = tmp_path / "g.index"
    assert run("index", GARDEN, "-o", index) == f"{index}: 2 sentences\n"
    for form in ("text", "table", "conllu", "json"):
        wanted = run("find", QUERY, GARDEN, "--to", form)
        assert run("find", QUERY, "--index", index, "--to", form) == wanted


def test_facts_of_a_text(run: Run, model_path: Path) -> None:
    lines = run("find", "--set", "facts", GARDEN, "--to", "table").splitlines()
    assert lines == [
        "id\tquery\tsubject\tverb\tobject",
        "garden-1\trelative clause about the object\tmonks\tplanted\tpine",
    ]
    said = run("find", "--set", "facts", GARDEN)
    assert said.startswith("garden-1 (relative clause about the object): The old [object pine]")
    text = ROOT / "examples" / "letter.txt"
    said = run("find", "*=x", text, "-m", "en", "--first", 1)
    assert said == "1: [x Mori] gave the gardener a lantern in May .\n"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ((), "nothing to look for; give a query, or --set facts"),
        (("VRB", GARDEN), "did you mean 'VERB'?"),
        ((QUERY, ROOT / "examples" / "letter.txt"), "letter.txt:1:HEAD: no tree"),
        ((QUERY, GARDEN, "--index", "i"), "--index has its own sentences"),
        ((QUERY, "--index", GARDEN), "not an index"),
        ((QUERY, "--index", "i", "-m", "en"), "give no files and no model"),
        ((QUERY, GARDEN, "--fields", "x"), "give --to table"),
        ((QUERY, GARDEN, "--count", "x", "--fields", "x"), "leave out --fields"),
        ((QUERY, GARDEN, "--count", "x", "--to", "text"), "--count gives a table"),
        ((QUERY, GARDEN, "--count", "y.lemma"), "no word 'y' in the query"),
        (("--set", "fact", GARDEN), "did you mean 'facts'?"),
    ],
)
def test_what_is_refused(words: tuple[object, ...], message: str, run: Run) -> None:
    said = run("find", *words, status=1)
    assert message in said and said.count("\n") == 1


def test_a_killed_index_is_none(run: Run, tmp_path: Path) -> None:
    bad = tmp_path / "bad.conllu"
    bad.write_text(GARDEN.read_text() + "\n1\ta\n\n")
    index = tmp_path / "i"
    assert "bad.conllu:" in run("index", bad, "-o", index, status=1)
    assert sorted(tmp_path.iterdir()) == [bad]
    assert run("index", bad, "-o", index, "--on-error", "skip") == f"{index}: 2 sentences\n"
