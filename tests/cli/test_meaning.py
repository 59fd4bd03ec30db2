"""The commands around what sentences mean: learned, said, drawn, scored; and what they refuse."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

import niwaki
from niwaki import cli
from tests.conftest import ROOT
from tests.toy import TOY

PAIRS = ROOT / "examples" / "meaning.tsv"

# Words alone, with a label of the root that is learned.
CONFIG = """
[model]
features = "words"
beam = 4
greedy = false
[segmenter]
enabled = false
[tagger]
tags = false
[[objective]]
data = "formal.conllu"
[training]
epochs = 30
"""


def run(*words: object) -> int:
    return cli.main([os.fspath(w) if isinstance(w, Path) else str(w) for w in words])


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("meaning")
    assert run("encode", "meaning", PAIRS, "-o", folder / "formal.conllu") == 0
    (folder / "c.toml").write_text(CONFIG, encoding="utf-8")
    assert run("train", folder / "c.toml", "-o", folder / "m.niwaki", "--threads", 1) == 0
    return folder


def test_a_model_of_formal_labels_says_what_it_has_learned(
    files: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    lines = PAIRS.read_text(encoding="utf-8").splitlines()
    wanted = [line.split("\t")[1] for line in lines]
    words = files / "words.txt"
    words.write_text("\n".join(line.split("\t")[0] for line in lines) + "\n", encoding="utf-8")
    capfd.readouterr()
    assert run("parse", words, "--from", "tokens", "-m", files / "m.niwaki", "--to", "meaning") == 0
    assert capfd.readouterr().out.splitlines() == wanted
    formal = files / "formal.conllu"
    assert run("meaning", formal, "--parser", files / "m.niwaki") == 0
    assert capfd.readouterr().out.splitlines() == wanted
    assert run("meaning", formal, "--parser", files / "m.niwaki", "-k", 4) == 0
    assert capfd.readouterr().out.splitlines() == wanted
    assert run("evaluate-meaning", formal, formal) == 0
    assert "       100.00       100.00       100.00  " in capfd.readouterr().out


def test_every_form_of_the_output(files: Path, capfd: pytest.CaptureFixture[str]) -> None:
    capfd.readouterr()
    formal = files / "formal.conllu"
    assert run("meaning", formal, "--to", "conllu") == 0
    assert capfd.readouterr().out == formal.read_text(encoding="utf-8")
    assert run("meaning", formal, "--to", "json") == 0
    first = json.loads(capfd.readouterr().out.splitlines()[0])
    assert first["expression"] == "[rakes, gardener.The, gravel.the]"
    assert (first["covered"], first["repairs"]) == (True, 0)
    assert {
        "word": 3,
        "form": "rakes",
        "relation": "[2",
        "item": 5,
        "item_form": "gravel",
    } in first["facts"]
    assert run("meaning", formal, "--to", "tree") == 0
    assert capfd.readouterr().out.splitlines()[:7] == [
        "# [rakes, gardener.The, gravel.the]",
        "[ ]",
        "├─ 0 rakes",
        "├─ 1 gardener",
        "│  ╰─ . The",
        "╰─ 2 gravel",
        "   ╰─ . the",
    ]
    assert run("meaning", formal, "--to", "svg") == 0
    assert capfd.readouterr().out.count("<svg") == 1
    assert run("meaning", formal, "--to", "html") == 0
    assert capfd.readouterr().out.count("<svg") == 12


def test_roles_of_a_table_give_places(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    trees, table = tmp_path / "t.conllu", tmp_path / "t.tsv"
    trees.write_text(
        "# sent_id = a\n1\tDoors\tdoor\tNOUN\t_\t_\t2\tnsubj\t_\t_\n"
        "2\topened\topen\tVERB\t_\t_\t0\troot\t_\t_\n\n"
    )
    table.write_text("a\t2\topen.01\tARG1:1-1\n")
    assert run("meaning", trees) == 0
    assert capfd.readouterr().out == "[opened, Doors]\n"
    assert run("meaning", trees, "--table", table) == 0
    assert capfd.readouterr().out == "[opened, _, Doors]\n"


def test_the_english_model_says_what_text_means(tmp_path: Path) -> None:
    text = tmp_path / "a.txt"
    text.write_text("Mori gave the gardener a lantern.\n")
    (found,) = niwaki.meaning(text, parser="en")
    assert str(found) == "[gave, Mori, lantern.a, gardener.the]"


def test_what_is_wrong_is_told_in_a_line(files: Path, capfd: pytest.CaptureFixture[str]) -> None:
    formal, bad, headless = (files / f"{name}.conllu" for name in ("formal", "bad", "headless"))
    headless.write_text("1\tGo\tgo\tVERB\t_\t_\t_\t_\t_\t_\n\n")
    bad.write_text("I go\t[go, I, you]\n")
    for words, message in (
        (("meaning", headless), "headless.conllu:1:HEAD: no tree above word 1"),
        (("meaning", formal, "--rules", "fr"), "no such rules of meaning; known: en"),
        (("meaning", formal, "--parser", "en", "--table", bad), "give no parser"),
        (("meaning", formal, "-k", 2), "k trees are a parser's"),
        (("meaning", formal, "--parser", "en", "-k", 2), "this parser has others; leave out k"),
        (("encode", "meaning", bad), "bad.conllu:1:EXPRESSION: 'you' is more often"),
        (("evaluate-meaning", formal, TOY), "6 gold sentences but"),
        (("parse", formal, "--to", "meaning", "-k", 2), "leave out -k"),
    ):
        capfd.readouterr()
        assert run(*words) == 1
        said = capfd.readouterr().err
        assert message in said and said.count("\n") == 1, said
