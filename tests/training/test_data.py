"""Training data of all kinds: it is learned from, or refused with file and line."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from unicodedata import normalize

import pytest

from niwaki.data.sentence import Sentence
from niwaki.errors import ConfigError, CorpusError, ModelError, NiwakiError
from niwaki.kernel.transition.systems import system_names
from niwaki.metrics.attachment import evaluate
from niwaki.pipeline.store import load
from niwaki.training.config_file import make_config
from niwaki.training.run import train
from niwaki.training.treebanks import read_treebank
from tests.conftest import ROOT
from tests.toy import (
    NEW,
    QUICK,
    TOY,
    Log,
    check,
    quick_model,
    without,
    write,
)

ONE_WORD = "1\tMoss\tmoss\tNOUN\tNN\tNumber=Sing\t0\troot\t_\t_\n\n"


def test_models_learn_words_in_nfc(tmp_path: Path) -> None:
    for form in ("NFC", "NFD"):
        lines = normalize(form, ONE_WORD.replace("Moss", "Möss"))  # type: ignore[arg-type]
        data = tmp_path / f"{form}.conllu"
        data.write_text(lines, encoding="utf-8")
        assert [s.forms for s in read_treebank([str(data)]).sentences] == [("Möss",)]


def test_data_without_tags(tmp_path: Path, toy: list[Sentence]) -> None:
    data = write(tmp_path / "bare.conllu", without(toy, "upos", "xpos", "feats", "lemmas"))
    log = Log()
    model = quick_model(tmp_path / "m", data, log, training={"dev": str(data)})
    assert any("no UPOS tags" in note for note in log.notes)
    assert model.tagger is None
    parsed = check(load(tmp_path / "m"))
    assert set(parsed.upos) == {"_"}
    with pytest.raises(ModelError, match="no tagger"):
        model.likely_tags(NEW, 1)
    assert evaluate(toy, model.parse(toy)).scores["LAS"] > 60


def test_the_tagger_may_be_left_out(tmp_path: Path, toy: list[Sentence]) -> None:
    model = quick_model(tmp_path / "m", tagger={"tags": False})
    assert model.tagger is None
    (parsed,) = model.parse(toy[:1])
    assert parsed.upos == toy[0].upos, "tags of the input stay"
    check(load(tmp_path / "m"))


@pytest.mark.parametrize("left_out", ["feats", "lemmas"])
def test_features_and_lemmas_may_be_left_out(tmp_path: Path, left_out: str) -> None:
    model = quick_model(tmp_path / "m", tagger={left_out: False})
    parsed = check(model)
    assert set(getattr(parsed, left_out)) == {"_"}
    other = {"feats": "lemmas", "lemmas": "feats"}[left_out]
    assert set(getattr(parsed, other)) != {"_"}


# Trains on some files and parses other sentences, in a process of its own: a kernel that goes
# astray must not end the tests.
POOR_DATA = """
import sys
from pathlib import Path
from tests.toy import check, quick_model
from niwaki.errors import NiwakiError
system, *files = sys.argv[1:]
for data in map(Path, files):
    print(data.stem, flush=True)
    try:
        model = quick_model(data.with_suffix(".niwaki"), data, model={"system": system})
    except NiwakiError as error:
        assert len(str(error).splitlines()) == 1
        continue
    check(model)
"""
POOR_TREES = {"only-right": [0, 1, 2, 3], "only-left": [2, 3, 4, 0], "one-word": [0]}


@pytest.mark.parametrize("system", system_names())
def test_data_without_some_moves(tmp_path: Path, system: str) -> None:
    """It trains, and the model parses all sentences; or it says why not."""
    files = []
    for name, heads in POOR_TREES.items():
        labels = ["dep" if head else "root" for head in heads]
        upos = ["X"] * len(heads)
        chain = Sentence.from_words("abcd"[: len(heads)], heads=heads, deprels=labels, upos=upos)
        files.append(str(write(tmp_path / f"{name}.conllu", [chain] * 2)))
    command = [sys.executable, "-c", POOR_DATA, system, *files]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)
    assert done.returncode == 0, f"after {done.stdout!r}: {done.stderr}"
    assert done.stdout.split() == list(POOR_TREES)


@pytest.mark.parametrize("system", system_names())
def test_a_single_label(tmp_path: Path, toy: list[Sentence], system: str) -> None:
    same = [s.replace(deprels=["dep"] * len(s)) for s in toy]
    data = write(tmp_path / "same.conllu", same)
    model = quick_model(tmp_path / "m", data, model={"system": system})
    assert set(check(model).deprels) == {"dep"}
    # Four words have thirty projective trees with one root.
    found = model.kbest(Sentence.from_words("a b c d".split()), 100)
    assert len(found) == 30


def test_labels_that_only_dev_has(tmp_path: Path, toy: list[Sentence]) -> None:
    data = write(tmp_path / "train.conllu", toy[:6])
    odd = [s.replace(deprels=["odd"] * len(s), upos=["ODD"] * len(s)) for s in toy[6:9]]
    dev = write(tmp_path / "dev.conllu", [*toy[:3], *odd])
    log = Log()
    model = quick_model(tmp_path / "m", data, log, training={"dev": str(dev)})
    assert all(report.las is not None and 0 < report.las < 80 for report in log.epochs)
    assert all(report.uas is not None and report.uas >= report.las for report in log.epochs)
    scores = model.config["scores_on_dev"]
    assert scores == load(tmp_path / "m").config["scores_on_dev"]
    assert scores["beam"] == {
        name: round(score, 2)
        for name, score in evaluate(
            read_treebank([str(dev)]).sentences,
            model.parse(read_treebank([str(dev)]).sentences, retag=True),
        ).scores.items()
    }


def test_rare_labels_share_a_class(tmp_path: Path) -> None:
    """More labels than fit into a row of weights: the rare ones go by the dependent's tag."""
    sentences = [
        Sentence.from_words(
            ["a", "b"], heads=[0, 1], deprels=["root", f"l{number}"], upos=["X", f"T{number % 7}"]
        )
        for number in range(100)
    ]
    data = write(tmp_path / "labels.conllu", [*sentences, *sentences[-7:]])
    model = quick_model(tmp_path / "m", data)
    assert len(model.parser.model.spec.classes) <= 64
    assert len(model.parser.model.spec.labels) == 101
    check(load(tmp_path / "m"))


def test_too_many_labels_are_refused(tmp_path: Path) -> None:
    sentences = [
        Sentence.from_words(["a", "b"], heads=[0, 1], deprels=["root", f"l{number}"])
        for number in range(300)
    ]
    data = write(tmp_path / "labels.conllu", sentences)
    with pytest.raises(ConfigError, match="301 labels, but at most 256"):
        quick_model(tmp_path / "m", data)


def test_too_many_tags_are_refused_in_one_line(tmp_path: Path) -> None:
    sentences = [
        Sentence.from_words(["a"], heads=[0], deprels=["root"], upos=[f"T{number}"])
        for number in range(1100)
    ]
    data = write(tmp_path / "tags.conllu", sentences)
    with pytest.raises(NiwakiError, match="at most 1024"):
        quick_model(tmp_path / "m", data)


def test_many_xpos_are_left_to_a_lexicon_classifier(tmp_path: Path) -> None:
    sentences = [
        Sentence.from_words(
            [f"word{number}s", "."],
            heads=[0, 1],
            deprels=["root", "punct"],
            lemmas=[f"word{number}", "."],
            upos=["NOUN", "PUNCT"],
            xpos=[f"x{number}", "."],
            feats=["Number=Plur", "_"],
        )
        for number in range(120)
    ]
    data = write(tmp_path / "xpos.conllu", sentences)
    quick_model(tmp_path / "m", data)
    model = load(tmp_path / "m")
    assert model.tagger is not None and not len(model.tagger.xpos)
    (parsed,) = model.parse(without(sentences[7:8], "upos", "xpos", "feats", "lemmas"))
    assert parsed == sentences[7]


def test_tags_that_are_missing_here_and_there_are_not_learned(
    tmp_path: Path, toy: list[Sentence]
) -> None:
    """A blank is a tag that is not known, not one more tag."""
    data = write(tmp_path / "half.conllu", [*without(toy[:20], "upos", "xpos"), *toy[20:]])
    model = quick_model(tmp_path / "m", data)
    assert model.tagger is not None
    assert "_" not in model.tagger.upos.names
    assert "_" not in check(model).upos


def test_several_files(tmp_path: Path, toy: list[Sentence]) -> None:
    parts = [write(tmp_path / "a.conllu", toy[:9]), write(tmp_path / "b.conllu", toy[9:])]
    files = [str(part) for part in parts]
    read = read_treebank(files)
    assert (len(read.sentences), read.sha256) == (33, read_treebank([str(TOY)]).sha256)
    config = make_config({**QUICK, "objective": [{"data": files[:1]}, {"data": files[1:]}]})
    model = train(config, tmp_path / "m", Log())
    assert model.config["data"]["files"] == ["a.conllu", "b.conllu"]
    assert model.config["data"]["sentences"] == 33


@pytest.mark.parametrize(("heads", "found"), [([0, 0, 2, 2], "2 roots"), ([0, 1, 0, 0], "3 roots")])
def test_several_roots_are_refused_with_file_and_line(
    tmp_path: Path, toy: list[Sentence], heads: list[int], found: str
) -> None:
    bad = Sentence.from_words(
        "a b c d".split(), heads=heads, deprels=["dep"] * 4, comments=["sent_id = bad"]
    )
    data = write(tmp_path / "roots.conllu", [*toy[:2], bad, *toy[2:]])
    line = sum(sentence.source.count(b"\n") for sentence in toy[:2]) + 1
    log = Log()
    with pytest.raises(CorpusError) as caught:
        quick_model(tmp_path / "m", data, log)
    assert str(caught.value).startswith(f"{data}:{line}:SENTENCE: {found} in sentence 'bad'; ")
    assert not log.stages
    assert not (tmp_path / "m").exists()


@pytest.mark.parametrize(
    ("text", "line", "column"),
    [
        ("", 1, "FILE"),
        (ONE_WORD + ONE_WORD.replace("\t0\t", "\t_\t"), 3, "HEAD"),
        (ONE_WORD + "1\tMoss\n\n", 3, "LINE"),
        (ONE_WORD + ONE_WORD.replace("\t0\t", "\t7\t"), 3, "HEAD"),
    ],
)
def test_unusable_data_is_refused_with_file_and_line(
    tmp_path: Path, text: str, line: int, column: str
) -> None:
    data = tmp_path / "bad.conllu"
    data.write_text(text)
    for files in ({"data": data}, {"training": {"dev": str(data)}}):
        log = Log()
        with pytest.raises(CorpusError) as caught:
            quick_model(tmp_path / "m", log=log, **files)  # type: ignore[arg-type]
        where = (caught.value.file, caught.value.line, caught.value.column)
        assert where == (str(data), line, column)
        assert not log.stages


def test_nonprojective_trees_are_counted_and_learned(tmp_path: Path, toy: list[Sentence]) -> None:
    nonprojective = [sentence for sentence in toy if not sentence.tree.is_projective]
    assert [sentence.id for sentence in nonprojective] == ["toy-27"]
    log = Log()
    model = quick_model(tmp_path / "m", log=log, model={"system": "arc-eager"})
    assert log.notes[0] == "33 sentences, 236 words"
    assert "1 tree" in log.notes[1] and "(3.0%)" in log.notes[1]
    assert "non-projective (3.0%), which arc-eager cannot build" in log.notes[1]
    assert model.config["data"]["sentences"] == 33, "none is dropped"
    projective = write(tmp_path / "p.conllu", [s for s in toy if s.tree.is_projective])
    quiet = Log()
    quick_model(tmp_path / "m", projective, quiet)
    assert len(quiet.notes) == 1
    only = write(tmp_path / "c.conllu", nonprojective)
    check(quick_model(tmp_path / "m", only))
