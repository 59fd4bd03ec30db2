"""`niwaki translate tune`, `translate evaluate` and `translate consensus`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import niwaki
from niwaki.cli import main
from niwaki.tasks.translate.features import read_weights
from niwaki.tasks.translate.tuning import TuningSettings
from tests.translating import pairs, write_pairs


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A system, and sentences to tune it on."""
    made = tmp_path_factory.mktemp("parts")
    source, target = write_pairs(made)
    ways = "--order", "3", "--phrase-length", "1", "--target-length", "2"
    assert main(["translate", "train", source, target, "-o", str(made / "toy"), *ways]) == 0
    for name, side in (("dev.en", 0), ("dev.ja", 1)):
        text = "".join(pair[side] + "\n" for pair in pairs()[:12])
        (made / name).write_text(text, encoding="utf-8")
    # Weights that no one would choose: any order, and many words.
    weights = read_weights(made / "toy" / "weights.json")
    bad = {"language-model": 0.0, "reordering": -0.1, "distance": -0.1, "word-penalty": -2.0}
    (made / "toy" / "weights.json").write_text(json.dumps({**weights, **bad}))
    return made


def tune(folder: Path, *more: str) -> int:
    files = [str(folder / name) for name in ("dev.en", "dev.ja")]
    words = ["translate", "tune", "-m", str(folder / "toy"), *files, "--nbest", "20"]
    return main([*words, "--stack", "20", "--rounds", "4", *more])


@pytest.mark.parametrize("by", ["pro", "mira", "mert"])
def test_tuning_makes_translations_better(
    folder: Path, by: str, capsys: pytest.CaptureFixture[str]
) -> None:
    out = folder / f"tuned-{by}"
    assert tune(folder, "-o", str(out), "--by", by, "--runs", "2", "--json") == 0
    told = json.loads(capsys.readouterr().out)
    assert len(told["runs"]) == 2
    assert told["BLEU"] == max(max(run) for run in told["runs"])
    assert told["BLEU"] > told["runs"][0][0]
    assert read_weights(out / "weights.json") == told["weights"]
    config = json.loads((out / "config.json").read_text())
    assert config["settings"]["tuned"]["by"] == by
    # What was tuned is what is run.
    some = [str(folder / "dev.en"), "-o", str(folder / "out.ja"), "--stack", "20"]
    assert main(["translate", "run", "-m", str(out), *some]) == 0
    found = niwaki.translate_evaluate(folder / "dev.ja", folder / "out.ja", scores=["BLEU"])
    assert found.scores["BLEU"] == pytest.approx(told["BLEU"], abs=1e-6)
    assert sorted(path.name for path in folder.glob(".*")) == []


def test_tuning_in_place_tells_what_it_did(
    folder: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    assert tune(folder, "-o", str(tmp_path / "a"), "--runs", "1") == 0
    table = capsys.readouterr().out.splitlines()
    assert table[0].split() == ["seed", "rounds", "BLEU", "tuned"]
    assert table[2].split()[0] == "phrase-backward"
    kept = (tmp_path / "a" / "phrases").read_bytes()
    files = [str(folder / "dev.en"), str(folder / "dev.ja")]
    again = ["-m", str(tmp_path / "a"), "-o", str(tmp_path / "a"), "--rounds", "2", "--runs", "1"]
    assert main(["translate", "tune", *files, *again]) == 0
    assert (tmp_path / "a" / "phrases").read_bytes() == kept
    assert [path.name for path in tmp_path.iterdir()] == ["a"]


def test_the_verb_writes_nothing_unless_asked(folder: Path) -> None:
    before = sorted(folder.iterdir())
    found = niwaki.translate_tune(
        *(folder / name for name in ("toy", "dev.en", "dev.ja")),
        settings=TuningSettings(rounds=2),
        nbest=5,
    )
    assert len(found.runs) == 1 and len(found.runs[0].rounds) == 2
    assert sorted(folder.iterdir()) == before


def test_what_cannot_be_tuned(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    short = tmp_path / "short"
    short.write_text("a\n", encoding="utf-8")
    toy, dev = str(folder / "toy"), str(folder / "dev.en")
    taken = tmp_path / "taken"
    taken.mkdir()
    (taken / "letters").write_text("dear", encoding="utf-8")
    for words, message in (
        ((dev, str(short), "-o", str(tmp_path / "x")), "12 sentences but 1 references"),
        ((dev, dev, "-o", str(taken)), "something else stands there"),
    ):
        assert main(["translate", "tune", "-m", toy, *words]) == 1
        error = capsys.readouterr().err
        assert message in error and error.count("\n") == 1


def test_scores_and_differences(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    gold, one, other = (tmp_path / name for name in ("gold", "one", "other"))
    lines = [f"the {tree} grew by the old lake" for tree in ("pine", "moss", "plum", "maple")]
    gold.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    one.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    other.write_text("".join(f"{line[4:]} lake\n" for line in lines), encoding="utf-8")
    pytest.importorskip("sacrebleu", reason="sacrebleu is not installed: pip install niwaki[mt]")
    words = ["translate", "evaluate", *map(str, (gold, one, other)), "--samples", "50"]
    assert main(words) == 0
    out = capsys.readouterr().out
    assert out.split()[:7] == ["BLEU", "chrF", "NIST", "TER", "WER", "PER", "CDER"]
    assert "tokens=words" in out
    assert main([*words, "--json", "--characters", "--scores", "BLEU,WER"]) == 0
    first, second = (json.loads(line) for line in capsys.readouterr().out.splitlines())
    assert (first["BLEU"], first["WER"]) == (pytest.approx(100), 0)
    assert "tokens=characters" in first["signature"]
    assert second["differences"]["BLEU"]["high"] < 0 < second["differences"]["WER"]["low"]
    assert main([*words, "--scores", "BLUE"]) == 1
    assert "did you mean 'BLEU'" in capsys.readouterr().err


def test_systems_agree(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    texts = {
        "one": "a pine grew here\nsnow fell\n",
        "other": "a pine grew there\nmoss\n",
        "lists": "0 ||| a pine grew here ||| x= 1 ||| 0\n0 ||| no ||| x= 2 ||| -1\n"
        "1 ||| moss ||| x= 1 ||| 0\n",
        "short": "a\n",
    }
    files = []
    for name, text in texts.items():
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        files.append(str(path))
    assert main(["translate", "consensus", *files[:3]]) == 0
    assert capsys.readouterr().out == "a pine grew here\nmoss\n"
    assert main(["translate", "consensus", *files[:3], "--weights", "9,1,1"]) == 0
    assert capsys.readouterr().out == "a pine grew here\nsnow fell\n"
    assert main(["translate", "consensus", *files]) == 1
    error = capsys.readouterr().err
    assert "short has 1 sentences, " in error and error.count("\n") == 1
