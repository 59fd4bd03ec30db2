"""The commands around connectives: learned, found, scored; and what they refuse."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

import niwaki
from niwaki import cli
from niwaki.data.conllu import read_conllu
from niwaki.data.connectives import documents
from tests.connected import as_text, stories


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("connectives")
    (folder / "train.conllu").write_text(as_text(stories()), encoding="utf-8")
    (folder / "gold.conllu").write_text(as_text(stories(20)[12:]), encoding="utf-8")
    bare = [s.replace(misc="_" * len(s)) for d in stories(20)[12:] for s in d.sentences]
    (folder / "bare.conllu").write_text("".join(map(str, bare)), encoding="utf-8")
    assert run("train-connectives", folder / "train.conllu", "-o", folder / "c.niwaki") == 0
    return folder


def run(*words: object) -> int:
    return cli.main([os.fspath(w) if isinstance(w, Path) else str(w) for w in words])


def test_arguments_are_found_and_scored(files: Path, capfd: pytest.CaptureFixture[str]) -> None:
    out, marked = files / "system.conllu", files / "marked.conllu"
    assert run("connectives", files / "gold.conllu", "-m", files / "c.niwaki", "-o", out) == 0
    # Nothing is marked, so connectives are found first.
    assert run("connectives", files / "bare.conllu", "-m", files / "c.niwaki", "-o", marked) == 0
    assert marked.read_text() == out.read_text() == (files / "gold.conllu").read_text()
    capfd.readouterr()
    gold, bare = files / "gold.conllu", files / "bare.conllu"
    assert run("evaluate-connectives", gold, out, bare, "--samples", 50) == 0
    said = capfd.readouterr().out
    assert "  100.00       100.00       100.00       100.00  " in said
    assert "sentences=24|gold=16|found=16" in said and "both           100.00    0.00" in said
    assert run("evaluate-connectives", gold, out, bare, "--samples", 50, "--json") == 0
    one, other = (json.loads(line) for line in capfd.readouterr().out.splitlines())
    assert one["both"] == 100 and other["differences"]["both"]["difference"] == -100


def test_relations_are_a_line_each(files: Path, capfd: pytest.CaptureFixture[str]) -> None:
    given = "connectives", files / "bare.conllu", "-m", files / "c.niwaki", "--to", "json"
    assert run(*given) == 0
    found = [json.loads(line) for line in capfd.readouterr().out.splitlines()]
    assert found == list(niwaki.relations(files / "bare.conllu", files / "c.niwaki"))
    assert len(found) == 16
    inside, before = found[:2]
    assert (inside["connective"], inside["words"]) == ("and", [4])
    first, second = inside["arguments"]
    assert (first["role"], first["sentence"], first["head"]) == ("Arg1", 0, 2)
    # Neither the connective nor the other argument is part of an argument's words.
    assert (first["words"], second["words"]) == ([1, 2, 3], [5, 6])
    assert tuple(second["text"].split()) == stories(13)[12].sentences[1].forms[4:6]
    assert before["connective"] == "However"
    assert [each["sentence"] for each in before["arguments"]] == [-1, 0]


def test_the_verbs_do_the_same(files: Path) -> None:
    found = list(niwaki.connectives(files / "bare.conllu", files / "c.niwaki"))
    assert found == list(read_conllu(files / "gold.conllu"))
    model = niwaki.train_connectives(read_conllu(files / "train.conllu"))
    (first, *_) = documents(niwaki.connectives(files / "bare.conllu", model))
    assert first.connectives == stories(13)[12].connectives
    scores = niwaki.evaluate_connectives(files / "gold.conllu", found).scores
    assert scores == {"Arg1": 100, "Arg2": 100, "both": 100, "connectives": 100}


def test_a_parser_makes_the_trees(files: Path, tmp_path: Path) -> None:
    text, out = tmp_path / "a.txt", tmp_path / "a.conllu"
    text.write_text("Mori rakes gravel and waters moss. However, Ono paints.\n")
    model = files / "c.niwaki"
    assert run("connectives", text, "-m", model, "--parser", "en", "-o", out) == 0
    (document,) = documents(read_conllu(out))
    assert len(document.sentences) == 2 and document.connectives
    assert all(c.arg1 and c.arg2 for c in document.connectives)


def test_what_is_wrong_is_told_in_a_line(files: Path, capfd: pytest.CaptureFixture[str]) -> None:
    gold, model, bare = (files / name for name in ("gold.conllu", "c.niwaki", "bare.conllu"))
    plain, others = files / "plain.txt", files / "others.conllu"
    plain.write_text("Mori rests .\n")
    others.write_text(gold.read_text().replace("gravel", "sand"))
    for words, message in (
        (("train-connectives", bare, "-o", "x"), "bare.conllu: no connective has both"),
        (("evaluate-connectives", bare, gold), "bare.conllu: no connectives, so that there is"),
        (("evaluate-connectives", gold, others), "others.conllu:1:FORM: other words than gold"),
        (("connectives", plain, "-m", model), "plain.txt:1:HEAD: no tree above word 1"),
        (("connectives", gold, "-m", files), "give a file made by `niwaki train-connectives`"),
        (("train-connectives", gold, "-o", "x", "--levels", 7), "levels is 7; give at most 3"),
        (("evaluate-connectives", gold, files / "train.conllu"), "train.conllu: 8 gold documents"),
        (("connectives", gold, "-m", gold), "give a file made by `niwaki train-connectives`"),
    ):
        assert run(*words) == 1
        said = capfd.readouterr().err
        assert message in said and said.count("\n") == 1, said
    headless = files / "headless.conllu"
    headless.write_text("1\tGo\t_\tVERB\t_\t_\t_\t_\t_\tConnective=1\n\n")
    assert run("connectives", headless, "-m", model) == 1
    assert "headless.conllu:1:HEAD: no tree above word 1" in capfd.readouterr().err
