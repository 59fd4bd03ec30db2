"""The commands around answers: learned, ranked, scored; and what they refuse."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

import niwaki
from niwaki import cli
from niwaki.data.answers import read_questions
from niwaki.tasks.answers.model import Settings
from tests.asked import as_text, pool, small_wordnet


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("answers")
    (folder / "train.jsonl").write_text(as_text(pool()), encoding="utf-8")
    (folder / "gold.jsonl").write_text(as_text(pool(20)[12:]), encoding="utf-8")
    (folder / "bare.jsonl").write_text(as_text(pool(20)[12:], trees=False), encoding="utf-8")
    words = ("train-ranker", folder / "train.jsonl", "--no-wordnet")
    assert run(*words, "-o", folder / "a.niwaki") == 0
    assert run(*words, "-o", folder / "words.niwaki", "--matchers", "bm25") == 0
    return folder


def run(*words: object) -> int:
    return cli.main([os.fspath(w) if isinstance(w, Path) else str(w) for w in words])


def test_answers_are_ranked_and_scored(files: Path, capfd: pytest.CaptureFixture[str]) -> None:
    gold, one, other = (files / f"{name}.jsonl" for name in ("gold", "one", "other"))
    assert run("rank", gold, "-m", files / "words.niwaki", "-o", one) == 0
    assert run("rank", gold, "-m", files / "a.niwaki", "-o", other) == 0
    first = json.loads(other.read_text().splitlines()[0])
    assert first["question"] == "Who rakes pines ?" and first["candidates"][0]["label"] == 1
    scores = [each["score"] for each in first["candidates"]]
    assert scores == sorted(scores, reverse=True)
    capfd.readouterr()
    assert run("evaluate-ranking", gold, one, other, "--samples", 50) == 0
    said = capfd.readouterr().out
    # By words alone, the answer cannot be told from the one with the odd tree.
    assert "    75.00    75.00    50.00  " in said and "   100.00   100.00   100.00  " in said
    assert "ties=averaged|sentences=8|pairs=32" in said and "MAP             75.00  100.00" in said
    words = ("evaluate-ranking", gold, one, other, "--samples", 50, "--json")
    assert run(*words, "--test", "randomization") == 0
    a, b = (json.loads(line) for line in capfd.readouterr().out.splitlines())
    assert a["MAP"] == 75 and b["differences"]["MRR"]["difference"] == 25


def test_qrels_say_what_is_right(files: Path, capfd: pytest.CaptureFixture[str]) -> None:
    out, qrels = files / "out.jsonl", files / "gold.qrels"
    assert run("rank", files / "gold.jsonl", "-m", files / "a.niwaki", "-o", out) == 0
    # Only the first question was judged, and the wrong way round.
    qrels.write_text("1 0 1 1\n1 0 2 0\n1 0 3 0\n1 0 4 0\n")
    capfd.readouterr()
    assert run("evaluate-ranking", qrels, out, "--json") == 0
    found = json.loads(capfd.readouterr().out)
    assert found["sentences"] == 1 and found["MAP"] < 50


def test_trees_are_written_and_read(files: Path, tmp_path: Path) -> None:
    out, again = tmp_path / "out.jsonl", tmp_path / "again.jsonl"
    model = files / "a.niwaki"
    words = ("rank", files / "bare.jsonl", "-m", model, "--parser", "en")
    assert run(*words, "--trees", "-o", out) == 0
    (first, *_) = read_questions(out)
    assert -1 not in first.sentence.heads and all(a.right is not None for a in first.answers)
    assert run("rank", out, "-m", model, "--trees", "-o", again) == 0
    assert again.read_text() == out.read_text()


def test_the_verbs_do_the_same(files: Path) -> None:
    model = niwaki.train_ranker(files / "train.jsonl", settings=Settings(wordnet=False))
    assert isinstance(model, niwaki.AnswerModel)
    questions = list(read_questions(files / "gold.jsonl"))
    ranked = [each for _, each in niwaki.rank(questions, model)]
    assert ranked == [each for _, each in niwaki.rank(files / "gold.jsonl", files / "a.niwaki")]
    assert niwaki.evaluate_ranking(questions, ranked).scores["MAP"] == 100
    several = niwaki.train_ranker([files / "train.jsonl"] * 1, settings=Settings(wordnet=False))
    assert several.weights == model.weights


def test_wordnet_is_named(files: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    wordnet, model = small_wordnet(tmp_path / "wordnet"), tmp_path / "a.niwaki"
    words = ("train-ranker", files / "train.jsonl", "-o", model, "--matchers", "quasi")
    for options in ((), ("--base", "--rounds", 2), ("--learn-best", "--rank-best")):
        assert run(*words, "--wordnet", wordnet, *options) == 0
        assert run("rank", files / "gold.jsonl", "-m", model, "--wordnet", wordnet) == 0
    capfd.readouterr()
    assert run(*words, "--wordnet", tmp_path / "nothing") == 1
    assert "no WordNet in" in capfd.readouterr().err


def test_what_is_wrong_is_told_in_a_line(files: Path, capfd: pytest.CaptureFixture[str]) -> None:
    gold, bare, model = (files / name for name in ("gold.jsonl", "bare.jsonl", "a.niwaki"))
    strange = files / "strange.jsonl"
    strange.write_text('{"candidates": ["a"]}\n')
    out, ranked, empty = files / "x.niwaki", files / "one.jsonl", files / "empty.jsonl"
    empty.touch()
    ranked.write_text('{"id": "nobody asked", "candidates": [{"id": "1", "score": 1}]}\n')
    for words, message in (
        (("train-ranker", empty, "-o", out, "--no-wordnet"), "empty.jsonl: no right answer to"),
        (("evaluate-ranking", empty, empty), "empty.jsonl: no question with right and wrong"),
        (("evaluate-ranking", gold, ranked), "one.jsonl: no ranking of question"),
        (("rank", strange, "-m", model), "strange.jsonl:1:question: candidates without a question"),
        (("rank", bare, "-m", model), 'bare.jsonl:1:HEAD: no tree of "Who rakes pines ?"; give'),
        (("rank", gold, "-m", gold), "give a file made by `niwaki train-ranker`"),
        (("train-ranker", gold, "-o", out, "--matchers", "x"), "no matcher 'x'; known: bm25"),
        (("evaluate-ranking", gold, files / "train.jsonl"), "give an id and a score each"),
    ):
        assert run(*words) == 1
        said = capfd.readouterr().err
        assert message in said and said.count("\n") == 1, said
    unlabelled = files / "unlabelled.jsonl"
    unlabelled.write_text('{"question": "a", "candidates": ["b"]}\n')
    assert run("train-ranker", unlabelled, "-o", out, "--no-wordnet") == 1
    assert "unlabelled.jsonl:1:label: candidate '1' has no label" in capfd.readouterr().err
