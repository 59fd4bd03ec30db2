"""The commands around shorter sentences: learned, made, scored; and what they refuse."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest

import niwaki
from niwaki import cli
from niwaki.data.compressions import kept_of
from niwaki.data.conllu import read_conllu
from tests.shorter import as_conllu, as_json, pairs


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("compress")
    (folder / "train.conllu").write_text(as_conllu(pairs()), encoding="utf-8")
    gold = pairs(18)[24:]
    (folder / "gold.conllu").write_text(as_conllu(gold), encoding="utf-8")
    (folder / "gold.jsonl").write_text(as_json(gold), encoding="utf-8")
    (folder / "bare.conllu").write_text("".join(str(e.sentence) for e in gold), encoding="utf-8")
    assert run("train-compressor", folder / "train.conllu", "-o", folder / "s.niwaki") == 0
    return folder


def run(*words: object) -> int:
    return cli.main([os.fspath(w) if isinstance(w, Path) else str(w) for w in words])


def test_words_are_dropped_and_scored(files: Path, capfd: pytest.CaptureFixture[str]) -> None:
    model, out = files / "s.niwaki", files / "system.conllu"
    assert run("compress", files / "bare.conllu", "-m", model, "-o", out) == 0
    assert out.read_text() == (files / "gold.conllu").read_text()
    capfd.readouterr()
    assert run("evaluate-compression", files / "gold.jsonl", out, "--samples", 50) == 0
    said = capfd.readouterr().out
    assert "100.00      53.33      53.33  " in said
    # Copying has no low F1 either, and is always there.
    assert "69.70     100.00      53.33  copy-all" in said and "B: copy-all" in said


def test_rates(files: Path, capfd: pytest.CaptureFixture[str]) -> None:
    model, bare = files / "s.niwaki", files / "bare.conllu"
    kept: dict[str, list[int]] = {}
    for name, options in (
        ("each", ("--rate", 0.5)),
        ("all", ("--rate", 0.5, "--document")),
        ("gold", ("--rate", "gold")),
    ):
        out = files / f"{name}.conllu"
        source = files / "gold.conllu" if name == "gold" else bare
        assert run("compress", source, "-m", model, "-o", out, *options) == 0
        kept[name] = [sum(kept_of(s)) for s in read_conllu(out)]
    assert kept["each"] == [4] * 12 and kept["gold"] == [4] * 12
    assert [sum(pair) for pair in zip(kept["all"][::2], kept["all"][1::2], strict=True)] == [8] * 6
    assert run("compress", bare, "-m", model, "--text") == 0
    assert capfd.readouterr().out.splitlines()[:2] == [
        "she rakes pines .",
        "Kimura rakes lanterns .",
    ]


def test_the_integer_programme(files: Path, tmp_path: Path) -> None:
    pytest.importorskip("highspy", reason="HiGHS is not installed: pip install 'niwaki[ilp]'")
    model, out, text = tmp_path / "m.niwaki", tmp_path / "out.conllu", tmp_path / "text.txt"
    text.write_text("she rakes gravel .\nSato rakes gravel .\n")
    train = files / "train.conllu"
    assert run("train-compressor", train, "-o", model, "--count", text) == 0
    options = ("--method", "ilp", "--rate", 0.6, "--document")
    assert run("compress", files / "bare.conllu", "-m", model, "-o", out, *options) == 0
    found = list(read_conllu(out))
    assert len(found) == 12 and any(not all(kept_of(sentence)) for sentence in found)
    # Subjects stay with their verbs, here as everywhere.
    for sentence in found:
        kept = kept_of(sentence)
        for head, label, keep in zip(sentence.heads, sentence.deprels, kept, strict=True):
            assert label != "nsubj" or kept[head - 1] == keep


def test_without_highs_it_is_told(files: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "highspy", None)
    model, bare = files / "s.niwaki", files / "bare.conllu"
    with pytest.raises(niwaki.ExtraMissingError, match=r"needs HiGHS; pip install 'niwaki\[ilp\]'"):
        list(niwaki.compress(bare, model, method="ilp"))
    with pytest.raises(niwaki.NiwakiError, match="no method 'rule'; did you mean 'rules'"):
        list(niwaki.compress(bare, model, method="rule"))  # type: ignore[arg-type]
    with pytest.raises(niwaki.NiwakiError, match="no WordNet in"):
        list(niwaki.compress(bare, model, method="ilp", wordnet=files, document=True))


def test_the_verbs_do_the_same(files: Path) -> None:
    model = niwaki.train_compressor(read_conllu(files / "train.conllu"))
    found = list(niwaki.compress(read_conllu(files / "bare.conllu"), model))
    assert found == list(read_conllu(files / "gold.conllu"))
    scores = niwaki.evaluate_compression(files / "gold.jsonl", found, parser="en").scores
    assert scores == pytest.approx(
        {"F1": 100, "rate": 800 / 15, "gold rate": 800 / 15, "relations": 100}
    )
    copied = niwaki.evaluate_compression(pairs(2), "copy-all", parser="en").scores
    assert copied["rate"] == 100 and 0 < copied["relations"] < 80


def test_a_parser_makes_the_trees(files: Path, tmp_path: Path) -> None:
    text, out = tmp_path / "a.txt", tmp_path / "a.txt.short"
    text.write_text("Mori said she slowly rakes gravel. Sato often waters the moss.\n")
    options = ("--parser", "en", "--text", "--rate", 0.6)
    assert run("compress", text, "-m", files / "s.niwaki", "-o", out, *options) == 0
    lines = out.read_text().splitlines()
    assert [len(line.replace(".", " .").split()) for line in lines] == [4, 4]


def test_what_is_wrong_is_told_in_a_line(files: Path, capfd: pytest.CaptureFixture[str]) -> None:
    gold, model, bare = files / "gold.jsonl", files / "s.niwaki", files / "bare.conllu"
    (files / "silent.jsonl").write_text(json.dumps({"tokens": ["Go"]}) + "\n")
    (files / "text.jsonl").write_text("Go home.\n")
    for words, message in (
        (("train-compressor", bare, "-o", "x"), "no word is dropped by person 1"),
        (("train-compressor", gold, "-o", "x"), "gold.jsonl:1:HEAD: no tree above word 1"),
        (("train-compressor", bare, "-o", "x", "--c", 0), "c is 0.0; give"),
        (("evaluate-compression", gold, files / "train.conllu"), "gold.jsonl:1: other words"),
        (("evaluate-compression", files / "silent.jsonl", bare), "other words in the system"),
        (("compress", bare, "-m", bare), "not a niwaki model"),
        (("compress", files / "silent.jsonl", "-m", model, "--rate", "gold"), "nobody has said"),
        (("compress", bare, "-m", model, "--rate", "gold"), "nobody has dropped a word"),
        (("compress", bare, "-m", model, "--document"), "whole documents share out a rate"),
        (("compress", gold, "-m", model, "--document", "--rate", "gold"), "share out a rate"),
        (("compress", bare, "-m", model, "--wordnet", files), "a WordNet says which words"),
        (("train-compressor", files / "text.jsonl", "-o", "x"), "text.jsonl:1:LINE: not JSON"),
    ):
        assert run(*words) == 1, words
        said = capfd.readouterr().err
        assert message in said and said.count("\n") == 1, said
    assert run("compress", bare, "-m", model, "--rate", "2") == 2
    assert "found '2'; give a share above 0 and up to 1, or gold" in capfd.readouterr().err
    with pytest.raises(niwaki.NiwakiError, match=r"rate is 2.0; give a share"):
        list(niwaki.compress(bare, model, rate=2.0))
