"""The commands around broken sentences: broken, judged, scored; and what they refuse."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from niwaki import cli
from niwaki.data.conllu import read_conllu
from niwaki.data.judged import judgement_of
from niwaki.data.text import read_sentences
from tests.conftest import ROOT
from tests.toy import TOY, write

MAILS, HASTY = ROOT / "examples" / "mails.txt", ROOT / "examples" / "hasty.txt"


def run(*words: object) -> int:
    return cli.main([os.fspath(w) if isinstance(w, Path) else str(w) for w in words])


@pytest.fixture(scope="module")
def judge(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("judge") / "judge.niwaki"
    assert run("train-judge", TOY, "--reference", MAILS, "-o", made, "--rounds", 40) == 0
    return made


def test_every_kind_of_breakage_by_its_name(capfd: pytest.CaptureFixture[str]) -> None:
    assert run("corrupt", TOY, "--kind", "all", "--to", "text") == 0
    every = capfd.readouterr().out.splitlines()
    assert "the gardener shapes old pines." in every and "THE POND IS SMALL." in every
    assert run("corrupt", TOY, "--kind", "no-punctuation", "--to", "text") == 0
    assert capfd.readouterr().out.splitlines()[0] == "The gardener shapes old pines"
    assert run("corrupt", TOY, "--kind", "upside-down") == 2
    assert "invalid choice: 'upside-down'" in capfd.readouterr().err


def test_added_words_hang_from_the_word_before_if_trees_should_be_whole(tmp_path: Path) -> None:
    out = tmp_path / "broken.conllu"
    assert run("corrupt", TOY, "--kind", "extra", "--whole", "-o", out) == 0
    found = list(read_conllu(out))
    assert len(found) == len(list(read_conllu(TOY)))
    for sentence in found:
        (added,) = (at for at, notes in enumerate(sentence.notes) if notes["Clean"] == "0")
        assert sentence.heads[added] == added and sentence.deprels[added] == "reparandum"
        assert sentence.heads.count(0) == 1 and -1 not in sentence.heads


def test_broken_sentences_are_judged_and_scored(
    judge: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    broken, both, found = (tmp_path / f"{name}.conllu" for name in ("broken", "both", "found"))
    assert run("corrupt", TOY, "-o", broken) == 0
    write(both, [*read_conllu(TOY), *read_sentences(broken)])
    assert run("judge", both, "-m", judge, "--to", "conllu", "-o", found) == 0
    assert all(0 < judgement_of(s) < 1 for s in read_sentences(found))
    capfd.readouterr()
    assert run("evaluate-judge", both, found, found, "--json", "--samples", 50) == 0
    one, same = (json.loads(line) for line in capfd.readouterr().out.splitlines())
    assert one["accuracy"] > 50 and one["pairs"] > 50
    assert {"missing", "extra", "spelling", "agreement"} <= set(one)
    assert same["differences"]["accuracy"]["difference"] == 0


def test_a_line_is_a_sentence(judge: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert run("judge", HASTY, "-m", judge, "--from", "lines") == 0
    rows = [line.split("\t") for line in capfd.readouterr().out.splitlines()]
    assert [text for _, text in rows] == HASTY.read_text().splitlines()
    assert all(0 < float(probability) < 1 for probability, _ in rows)


def test_errors_are_one_line(
    judge: Path, model_path: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "empty.txt").touch()
    nothing = ("train-judge", TOY, "--reference", tmp_path / "empty.txt", "-o", tmp_path / "j")
    for words, said in (
        (nothing, "no sentence in the reference; give a large text"),
        (("corrupt", HASTY), "hasty.txt:1:UPOS: no tags; give sentences with tags, or a parser"),
        (("judge", TOY, "-m", model_path), "no judge; give one of `niwaki train-judge`"),
        (("judge", TOY, "-m", judge, "--parser", model_path), "toy gives no probabilities"),
        (("evaluate-judge", TOY, TOY), "no comment `well_formed =`; give a probability"),
        (("parse", TOY, "-m", judge), "judge"),
    ):
        assert run(*words) != 0
        error = capfd.readouterr().err
        assert said in error and error.count("\n") == 1, error
