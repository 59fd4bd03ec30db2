"""A neural parser on the command line: trained, used, trained on, taught and teaching."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest

from niwaki.data.conllu import read_conllu
from niwaki.pipeline.store import load
from tests.encoders import write_encoder
from tests.toy import TOY, niwaki, quick_model, skip_without_extras, write

skip_without_extras("neural")

CONFIG = f"""
[model]
kind = "neural"
[neural]
width = 48
layers = 2
arc_width = 24
label_width = 16
letter_rows = 1024
learning_rate = 0.01
batch_words = 40
[[objective]]
data = "{TOY}"
[training]
epochs = 15
dev = "{TOY}"
"""


def run(*words: Any, stdin: str = "") -> str:
    done = niwaki(*map(str, words), stdin=stdin)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def config(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("config") / "neural.toml"
    path.write_text(CONFIG, encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def trained(config: Path) -> Path:
    output = config.with_name("neural.niwaki")
    run("train", config, "-o", output)
    return output


def test_parse_evaluate_and_info(trained: Path) -> None:
    text = "The old gardener shapes a pine ."
    lines = run("parse", "--from", "tokens", "-m", trained, "--probabilities", stdin=text)
    assert lines.count("ArcProb=") == lines.count("TagProb=") == 7
    ranked = json.loads(run("parse", "--from", "tokens", "-m", trained, "-k", "4", stdin=text))
    assert len(ranked["parses"]) == 4
    scores = json.loads(run("evaluate", TOY, "-m", trained, "--json"))
    assert scores["LAS"] > 60 and scores["UPOS"] > 60 and scores["LEMMA"] > 60
    card = run("info", trained)
    assert "  kind: neural\n" in card and "neural\n  layers: 2\n" in card
    # What says nothing to a network is not on its card.
    assert "features" not in card and "folds" not in card and "tagger\n  tags: true\n" in card


def test_ways_to_parse(trained: Path, tmp_path: Path) -> None:
    text = "The old gardener shapes a pine .\n"
    parse = ("parse", "--from", "tokens", "-m", trained)
    plain = run(*parse, stdin=text)
    for decode in ("eisner", "mbr"):
        assert run(*parse, "--decode", decode, stdin=text).count("\n") == plain.count("\n")
    lines = text * 300
    assert run(*parse, "--threads", 2, stdin=lines) == run(*parse, stdin=lines)
    fast = tmp_path / "fast.niwaki"
    quick_model(fast)
    (together,) = read_conllu(io.BytesIO(run(*parse, "-m", fast, stdin=text).encode()))
    assert together.tree.is_complete and "_" not in together.upos


def test_what_is_known_of_a_tree_is_obeyed(trained: Path, tmp_path: Path) -> None:
    known = [s.replace(heads=[0] + [-1] * (len(s) - 1)) for s in read_conllu(TOY)][:5]
    data = write(tmp_path / "known.conllu", known)
    found = run("parse", data, "-m", trained, "--constrain")
    assert [s.heads[0] for s in read_conllu(io.BytesIO(found.encode()))] == [0] * 5


# -- a pretrained encoder ------------------------------------------------------------------------


def config_with(encoder: Path) -> Path:
    path = encoder.with_suffix(".toml")
    table = f'encoder = "{encoder}"\narc_width = 16\nlabel_width = 8\nletter_rows = 64\n'
    training = f'[[objective]]\ndata = "{TOY}"\n[training]\nepochs = 1\n'
    path.write_text(f'[model]\nkind = "neural"\n[neural]\n{table}{training}')
    return path


@pytest.fixture(scope="module")
def of_pieces(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model whose encoder reads windows of 20 pieces."""
    folder = tmp_path_factory.mktemp("encoders")
    run("train", config_with(write_encoder(folder / "bert")), "-o", folder / "m.niwaki")
    return folder / "m.niwaki"


@pytest.mark.parametrize(
    "words",
    [
        pytest.param([], id="nothing"),
        pytest.param(["x" * 5000, "grows"], id="a word of 5,000 letters"),
        pytest.param(["'" * 5000], id="a word of 5,000 pieces"),
        pytest.param(["pines", "watches"] * 1000, id="2,000 words"),
        pytest.param(["pines"] * 2100, id="more than trees are searched over"),
    ],
)
def test_hard_input_loses_nothing(of_pieces: Path, words: list[str]) -> None:
    text = " ".join(words)
    found = run("parse", "--from", "tokens", "-m", of_pieces, stdin=text)
    # CoNLL-U knows no empty files.
    parsed = list(read_conllu(io.BytesIO(found.encode()))) if found else []
    assert [list(sentence.forms) for sentence in parsed] == ([words] if words else [])
    assert all(sentence.tree.is_complete for sentence in parsed)


@pytest.mark.parametrize(
    ("file", "content", "message"),
    [
        ("model.safetensors", b"\x80\x04pickled", "not an encoder that can be read"),
        ("vocab.txt", b"[CLS]\n[SEP]\n[UNK]\nthe\n", "4 word pieces, but vectors of 57"),
        ("config.json", b'{"model_type": "gpt2"}', "an encoder of type 'gpt2'"),
    ],
)
def test_a_bad_encoder_is_one_line(file: str, content: bytes, message: str, tmp_path: Path) -> None:
    encoder = write_encoder(tmp_path / "bert")
    (encoder / file).write_bytes(content)
    config = config_with(encoder)
    before = set(tmp_path.iterdir())
    done = niwaki("train", str(config), "-o", str(tmp_path / "m.niwaki"))
    assert done.returncode and not done.stdout
    (line,) = done.stderr.splitlines()
    assert message in line and str(encoder) in line
    assert set(tmp_path.iterdir()) == before


# -- trained on, taught and teaching -------------------------------------------------------------


def test_train_on_with_a_cost(trained: Path, tmp_path: Path) -> None:
    sentences = [
        s.replace(heads=[*[-1] * (len(s) - 1), 0], deprels=["_"] * len(s)) for s in read_conllu(TOY)
    ]
    data = write(tmp_path / "p.conllu", sentences)
    task = tmp_path / "task.toml"
    cost = f'[[objective]]\nkind = "partial"\ndata = "{data}"\nschedule = 2.0\n'
    task.write_text(f'[[objective]]\ndata = "{TOY}"\n{cost}[training]\nepochs = 2\n')
    run("train", task, "--init", trained, "-o", tmp_path / "on.niwaki")
    shown = run("trade-off", TOY, task, "-m", trained, "-m", tmp_path / "on.niwaki")
    assert "partial" in shown
    run("self-train", task, "-m", trained, "-o", tmp_path / "self.niwaki", "--train-on", "-n", 8)
    for name in ("on", "self"):
        assert load(tmp_path / f"{name}.niwaki").config["model"]["kind"] == "neural"


def test_it_teaches_and_is_taught(trained: Path, config: Path, tmp_path: Path) -> None:
    text = tmp_path / "text.txt"
    text.write_text("Two herons stand in the water.\nThe old gardener sleeps.\n" * 3)
    common = ["uptrain", config, "--text", text, "--set", "training.epochs=1"]
    quick = ["--set", "model.kind=transition", "--set", "training.greedy_epochs=1"]
    run(*common, "-m", trained, "-o", tmp_path / "fast.niwaki", *quick)
    assert load(tmp_path / "fast.niwaki").config["model"]["kind"] == "transition"
    teacher = tmp_path / "teacher.niwaki"
    quick_model(teacher)
    run(*common, "-m", teacher, "-o", tmp_path / "taught.niwaki")
    assert load(tmp_path / "taught.niwaki").config["model"]["kind"] == "neural"
