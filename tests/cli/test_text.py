"""From raw text to trees on the command line: formats, offsets, hyphens, scores."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest

import niwaki
from niwaki import cli
from niwaki.data.conllu import read_conllu, write_conllu
from niwaki.data.text import read_sentences
from niwaki.errors import ModelError, NiwakiError
from tests.garden import treebank
from tests.toy import niwaki as run

CONFIG = """
[[objective]]
data = "garden.conllu"
[segmenter]
epochs = 15
min_updates = 1
"""
QUICK = [
    "model.beam=1",
    "training.epochs=1",
    "training.greedy_epochs=1",
]


def train(folder: Path, *settings: str) -> Path:
    write_conllu(treebank(), folder / "garden.conllu")
    config = folder / "garden.toml"
    config.write_text(CONFIG)
    model = folder / "garden.niwaki"
    options = [word for setting in [*QUICK, *settings] for word in ("--set", setting)]
    assert cli.main(["train", str(config), "-o", str(model), *options]) == 0
    return model


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return train(tmp_path_factory.mktemp("model"))


@pytest.fixture
def text(tmp_path: Path) -> Path:
    path = tmp_path / "letter.txt"
    path.write_text(
        "\ufeffI don't know. Good\nnight!\n\nIt's a well-known pine.\n", encoding="utf-8"
    )
    return path


def parse(model: Path, file: Path, *options: str) -> list[niwaki.Sentence]:
    out = file.with_suffix(".out")
    assert cli.main(["parse", str(file), "-m", str(model), "-o", str(out), *options]) == 0
    return list(read_conllu(out))


def test_text_is_the_default(model: Path, text: Path) -> None:
    for options in ((), ("--from", "text")):
        found = parse(model, text, *options)
        assert [s.text for s in found] == [
            "I don't know.",
            "Good night!",
            "It's a well-known pine.",
        ]
        assert all(s.heads.count(0) == 1 for s in found)
        assert [(r.form, r.misc) for r in found[0].ranges] == [("don't", "TokenRange=2:7")]
        assert found[1].misc[1] == "SpaceAfter=No|TokenRange=19:24"
        assert found[2].comments[0] == "newpar"


def test_lines_tokens_and_conllu(model: Path, text: Path) -> None:
    assert [s.text for s in parse(model, text, "--from", "lines")] == [
        "I don't know. Good",
        "night!",
        "It's a well-known pine.",
    ]
    assert parse(model, text, "--from", "tokens")[0].forms == ("I", "don't", "know.", "Good")
    given = text.with_suffix(".conllu")
    write_conllu(treebank(), given)
    assert [s.forms for s in parse(model, given)] == [s.forms for s in treebank()]
    # A hash at the beginning is not yet CoNLL-U.
    text.write_text("# Good night!\nThey did.\n")
    assert parse(model, text)[-1].forms == ("They", "did", ".")


def test_hyphens_are_split_on_demand(model: Path, text: Path) -> None:
    for form in ("text", "lines", "tokens"):
        words = parse(model, text, "--from", form, "--split-hyphens")[-1].forms
        assert ("well", "-", "known") in zip(words, words[1:], words[2:], strict=False)


def test_from_python(model: Path, text: Path) -> None:
    nlp = niwaki.load(model)
    content = text.read_text(encoding="utf-8-sig")
    parsed = nlp(content)
    assert parsed == list(nlp.parse(content)) == list(nlp.parse(nlp.read(content)))
    assert [s.forms for s in nlp.read([content[:9], content[9:]])] == [s.forms for s in parsed]
    assert nlp("") == nlp(" \n\n ") == []
    assert len(nlp("x" * 100_000)[0]) == 1


def test_scores_from_raw_text(
    model: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    gold = tmp_path / "gold.conllu"
    write_conllu(treebank(), gold)
    assert cli.main(["evaluate", str(gold), "-m", str(model), "--raw", "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["Words"] == answer["Sentences"] == answer["Tokens"] == 100
    assert 0 < answer["LAS"] <= answer["UAS"]
    assert cli.main(["evaluate", str(gold), str(gold), "--raw"]) == 0
    assert "Sentences      100.00\n" in capsys.readouterr().out


def test_damaged_text_gets_one_line(
    model: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "bad.txt"
    path.write_bytes(b"Good night!\nThey \xff did.\n")
    assert cli.main(["parse", str(path), "-m", str(model), "-o", str(tmp_path / "out")]) == 1
    message = capsys.readouterr().err.splitlines()[-1]
    assert message == f"niwaki: {path}:2:LINE: invalid UTF-8; convert the file to UTF-8"
    path.write_bytes(b"Good\0night \xe2\x80\xa8 \x1b[0m!\n")
    assert parse(model, path)[0].forms[0] == "Good\ufffdnight"


def test_a_model_without_segmenter(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(f"{__name__}.QUICK", [x for x in QUICK if not x.startswith("segmenter.")])
    model = train(tmp_path, "segmenter.enabled=false")
    nlp = niwaki.load(model)
    assert nlp.segmenter is None
    with pytest.raises(ModelError, match="no segmenter"):
        nlp("Good night!")
    with pytest.raises(NiwakiError, match="--from tokens"):
        read_sentences(io.BytesIO(b"Good night!"), "text")
    (sentence,) = read_sentences(io.BytesIO(b"Good night !"))
    assert sentence.forms == ("Good", "night", "!")


@pytest.mark.parametrize("command", ["parse", "roles"])
def test_json_lines_are_no_text(tmp_path: Path, command: str) -> None:
    path = tmp_path / "questions.jsonl"
    path.write_text('{"text": "Snow fell."}\n')
    done = run(command, path)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith(f"niwaki: {path}: JSON Lines are not text;")


def test_json_lines_can_be_text(tmp_path: Path) -> None:
    path = tmp_path / "questions.jsonl"
    path.write_text("Snow fell.\n")
    assert run("parse", path, "--from", "text").stdout.count("\tfell\t") == 1
