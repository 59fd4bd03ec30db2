"""The commands around extracted answers: extracted, scored; and what they refuse."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

import niwaki
from niwaki import cli
from niwaki.tasks.extraction.model import Settings
from tests.asked import as_text, pool


@pytest.fixture
def files(tmp_path: Path) -> Path:
    (tmp_path / "asked.jsonl").write_text(as_text(pool(6)), encoding="utf-8")
    names = "Mori Sato Kimura Ono Abe Mori".split()
    patterns = "".join(f"q{number} {name}\n" for number, name in enumerate(names))
    (tmp_path / "patterns.txt").write_text(patterns, encoding="utf-8")
    return tmp_path


def run(*words: object) -> int:
    return cli.main([os.fspath(w) if isinstance(w, Path) else str(w) for w in words])


def test_answers_are_extracted_and_scored(files: Path, capfd: pytest.CaptureFixture[str]) -> None:
    one, other = files / "one.jsonl", files / "other.jsonl"
    assert run("extract-answers", files / "asked.jsonl", "--by", "frequency", "-o", one) == 0
    assert run("extract-answers", files / "asked.jsonl", "--by", "syntax", "-o", other) == 0
    first = json.loads(other.read_text().splitlines()[0])
    assert first["question"] == "Who rakes gravel ?"
    assert first["answers"][0]["text"] == "Mori" and first["answers"][0]["candidates"] == ["2", "3"]
    assert run("evaluate-answers", files / "patterns.txt", one, other, "--samples", 50) == 0
    said = capfd.readouterr().out
    # Each name is mentioned twice; who does it is told by the tree.
    assert "    50.00    75.00   100.00  " in said and "   100.00   100.00   100.00  " in said
    assert "ties=averaged|sentences=6" in said


def test_the_verbs_do_the_same(files: Path) -> None:
    settings = Settings(by=("syntax",))
    found = list(niwaki.extract_answers(files / "asked.jsonl", settings=settings))
    assert [each.answers[0].text for _, each in found][:2] == ["Mori", "Sato"]
    scored = niwaki.evaluate_answers(files / "patterns.txt", [each for _, each in found])
    assert scored.scores["top1"] == 100
    in_the_box = list(niwaki.extract_answers(files / "asked.jsonl", parser="en"))
    assert set(in_the_box[0][1].answers[0].ways) == {"frequency", "roles", "syntax"}


def test_what_is_refused(files: Path, capfd: pytest.CaptureFixture[str]) -> None:
    bare = files / "bare.jsonl"
    bare.write_text(as_text(pool(1), trees=False), encoding="utf-8")
    wrong = files / "wrong.txt"
    wrong.write_text("q0 (\n", encoding="utf-8")
    none, found = files / "none.txt", files / "found.jsonl"
    none.touch()
    assert run("extract-answers", files / "asked.jsonl", "-o", found) == 0
    for words, message in (
        (("extract-answers", bare), "give whole trees, or parse them"),
        (("extract-answers", bare, "--by", "role"), "did you mean 'roles'"),
        (("evaluate-answers", none, found), "none.txt: no pattern of question"),
        (("evaluate-answers", wrong, bare), "write: question, a space, a regular expression"),
    ):
        assert run(*words) != 0
        said = capfd.readouterr().err
        assert message in said and said.count("\n") == 1
