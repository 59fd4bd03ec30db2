"""`niwaki translate train` and `niwaki translate run`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from niwaki.cli import main
from niwaki.tasks.translate.nbest import read_nbest
from tests.translating import pairs, write_pairs


@pytest.fixture(scope="module")
def system(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("translate")
    files = write_pairs(folder)
    assert main(["translate", "train", *files, "-o", str(folder / "toy"), "--threads", "2"]) == 0
    return str(folder / "toy")


@pytest.fixture
def sentences(tmp_path: Path) -> str:
    path = tmp_path / "some.en"
    path.write_text(f"{pairs()[0][0]}\n\nthe Niwaki see the pines\n", encoding="utf-8")
    return str(path)


def test_lines_are_translated_and_stay_where_they_are(
    system: str, sentences: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["translate", "run", "-m", system, sentences]) == 0
    first, second, third, end = capsys.readouterr().out.split("\n")
    assert (first, second, end) == (pairs()[0][1], "", "")
    assert "Niwaki" in third.split()
    assert main(["translate", "run", "-m", system, sentences, "--mbr", "--threads", "2"]) == 0
    assert len(capsys.readouterr().out.split("\n")) == 4


def test_nbest_lists_are_written_with_features(system: str, sentences: str, tmp_path: Path) -> None:
    out = tmp_path / "lists"
    arguments = ["translate", "run", "-m", system, sentences, "--nbest", "5", "-o", str(out)]
    assert main(arguments) == 0
    names, lists = read_nbest(out)
    assert names[:2] == ("phrase-backward", "phrase-forward")
    assert "reordering" in names
    assert [(each.index, len(each.hypotheses)) for each in lists] == [(0, 5), (1, 1), (2, 5)]


def test_json_says_where_phrases_come_from(
    system: str, sentences: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["translate", "run", "-m", system, sentences, "--to", "json", "--limit", "0"]) == 0
    record = json.loads(capsys.readouterr().out.split("\n")[0])
    (best,) = record["translations"]
    assert record["positions"] == list(range(len(record["tokens"])))
    assert [phrase[0] for phrase in best["phrases"]] == sorted(p[0] for p in best["phrases"])
    assert best["phrases"][-1][3] == len(best["tokens"])
    assert best["features"]["distance"] == 0


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (("a\nb\n", "x\n"), ":2:LINE: a line without a partner"),
        (("a\n\n", "x\ny\n"), ":2:LINE: no words; remove the pair"),
        (("a " * 10_000 + "\n", "x\n"), ":1:LINE: 10000 words; split sentences"),
        (("", ""), "no sentence pair to learn from"),
    ],
)
def test_text_that_cannot_be_learned_from(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    lines: tuple[str, str],
    message: str,
) -> None:
    files = tmp_path / "a", tmp_path / "b"
    for file, text in zip(files, lines, strict=True):
        file.write_text(text, encoding="utf-8")
    arguments = ["translate", "train", *map(str, files), "-o", str(tmp_path / "out")]
    assert main(arguments) == 1
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1
    assert not (tmp_path / "out").exists()


def test_linked_pairs_of_too_many_words_are_refused_or_left_out(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    files = [str(tmp_path / name) for name in ("a", "b", "links")]
    texts = "a b\n" + "a " * 10_000 + "\n", "x y\nx\n", "0-0 1-1\n0-0\n"
    for file, text in zip(files, texts, strict=True):
        Path(file).write_text(text, encoding="utf-8")
    arguments = ["translate", "train", *files[:2], "-o", str(tmp_path / "out"), "--links", files[2]]
    assert main(arguments) == 1
    assert "a:2:LINE: 10000 words; split sentences of more than 1000" in capsys.readouterr().err
    assert main([*arguments, "--on-error", "skip"]) == 0
    assert "skipped 1 faults" in capsys.readouterr().err


def test_lines_of_too_many_words(
    system: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    long = tmp_path / "long"
    long.write_text("the monks\n" + "a " * 10_000 + "\nthe pines\n", encoding="utf-8")
    assert main(["translate", "run", "-m", system, str(long)]) == 1
    assert ":2:LINE: 10000 words; split sentences of more than 1000" in capsys.readouterr().err
    assert main(["translate", "run", "-m", system, str(long), "--on-error", "skip"]) == 0
    out, error = capsys.readouterr()
    assert [bool(line) for line in out.split("\n")] == [True, False, True, False]
    assert "skipped 1 faults" in error


def test_a_system_that_is_none(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["translate", "run", "-m", str(tmp_path), str(tmp_path / "x")]) == 1
    assert "no translation system; give a folder" in capsys.readouterr().err


def test_words_are_ordered_in_training_and_in_running(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    files = write_pairs(tmp_path)
    out = str(tmp_path / "toy")
    ways = ["--preorder", "ja", "-m", "en", "--reordering", "none", "--phrase-length", "2"]
    assert main(["translate", "train", *files, "-o", out, *ways]) == 0
    some = tmp_path / "some"
    some.write_text("the monks don't see the pines\n", encoding="utf-8")
    assert main(["translate", "run", "-m", out, str(some), "--to", "json"]) == 0
    record = json.loads(capsys.readouterr().out)
    assert sorted(record["ordered"]) == sorted("the monks do n't see the pines".split())
    assert record["positions"] != sorted(record["positions"])
    assert [record["positions"].count(at) for at in range(6)] == [1, 1, 2, 1, 1, 1]
