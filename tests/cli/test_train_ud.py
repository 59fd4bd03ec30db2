"""All treebanks of a folder by one command: models, a table, faults, and going on after a kill."""

from __future__ import annotations

import gzip
import json
import os
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import niwaki
from niwaki import cli
from niwaki.data.modelfile import read_model_file
from tests.release import QUICKLY, conllu, latin, write_release

SETTINGS = [word for each in QUICKLY for word in ("--set", each)]
NAMES = ["xc_cyrillic", "xh_han", "xl_latin"]


def run(*words: object) -> int:
    return cli.main([str(word) for word in words])


@pytest.fixture(scope="module")
def release(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_release(tmp_path_factory.mktemp("release"))


@pytest.fixture(scope="module")
def models(release: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("models")
    page = folder / "scores.html"
    assert run("train-ud", release, "-o", folder, "--jobs", 2, *SETTINGS, "--html", page) == 0
    return folder


def test_every_treebank_gets_a_model(models: Path) -> None:
    assert sorted(path.stem for path in models.glob("*.niwaki")) == NAMES
    model = niwaki.load(models / "xl_latin.niwaki")
    parsed = list(model.parse("Kuusi näkee oksan."))
    assert [s.upos for s in parsed] == [("NOUN", "VERB", "NOUN", "PUNCT")]
    assert model.config["card"]["language"] == "xl"


def test_words_are_found_without_spaces(models: Path) -> None:
    (parsed,) = niwaki.load(models / "xh_han.niwaki").parse("松は石だ。")
    assert parsed.forms == ("松", "は", "石だ", "。")


def test_arcs_may_cross(models: Path) -> None:
    row = json.loads((models / "xc_cyrillic.scores.json").read_text())["row"]
    assert row["facts"]["nonprojective"] == 100
    assert row["facts"]["script"] == "CYRILLIC" and row["facts"]["has_case"]
    assert row["gold_words"]["UAS"] > 90


def test_a_page_and_a_table_show_all(
    models: Path, release: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page = (models / "scores.html").read_text()
    assert all(f"<td>{name}</td>" in page for name in NAMES)
    assert "from raw text" in page
    before = {path: path.stat().st_mtime_ns for path in models.glob("*.niwaki")}
    assert run("train-ud", release, "-o", models, "--resume", *SETTINGS, "--json") == 0
    rows = json.loads(capsys.readouterr().out)["treebanks"]
    assert [row["name"] for row in rows] == NAMES
    assert all(row["scored_on"] == "test" and row["words_per_second"] > 0 for row in rows)
    assert all(row["bytes"] == (models / f"{row['name']}.niwaki").stat().st_size for row in rows)
    # Nothing was trained again.
    assert before == {path: path.stat().st_mtime_ns for path in models.glob("*.niwaki")}


def test_other_settings_are_not_finished(models: Path, release: Path, tmp_path: Path) -> None:
    for path in models.glob("xl_latin*"):
        (tmp_path / path.name).write_bytes(path.read_bytes())
    old = (tmp_path / "xl_latin.niwaki").read_bytes()
    words = ("train-ud", release, "-o", tmp_path, "--only", "xl_latin", "--resume", *SETTINGS)
    assert run(*words, "--set", "training.seed=2") == 0
    assert (tmp_path / "xl_latin.niwaki").read_bytes() != old


def test_what_is_finished_is_only_scored_anew(
    models: Path, release: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    copied = tmp_path / "elsewhere"
    shutil.copytree(release, copied)
    for path in models.glob("xc_cyrillic*"):
        (tmp_path / path.name).write_bytes(path.read_bytes())
    model = tmp_path / "xc_cyrillic.niwaki"
    made = model.stat().st_mtime_ns
    words = ("train-ud", copied, "-o", tmp_path, "--only", "xc_cyrillic", "--resume", *SETTINGS)
    assert run(*words) == 0
    assert "xc_cyrillic: is finished\n" in capsys.readouterr().err
    assert run(*words, "--score", "dev", "--json") == 0
    shown = capsys.readouterr()
    assert "is finished; scored anew, on its dev part" in shown.err
    (row,) = json.loads(shown.out)["treebanks"]
    assert row["scored_on"] == "dev" and row["seconds"] > 0
    assert run(*words) == 0
    (test,) = copied.rglob("xc_cyrillic-ud-test.conllu*")
    test.write_bytes(test.read_bytes() * 2)
    assert run(*words, "--json") == 0
    (again,) = json.loads(capsys.readouterr().out.splitlines()[-1])["treebanks"]
    assert again["sentences"] == 2 * row["sentences"]
    assert model.stat().st_mtime_ns == made
    # One that was cut off is none.
    model.write_bytes(model.read_bytes()[:-1])
    assert run(*words) == 0
    assert niwaki.load(model).parser is not None


def test_a_faulty_test_part_shows_before_training(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    good = conllu(latin()[:6])
    (tmp_path / "xl_latin-ud-train.conllu").write_text(good)
    (tmp_path / "xl_latin-ud-test.conllu").write_text(good.replace("\t0\troot", "\t9\troot", 1))
    words = ("train-ud", tmp_path, "-o", tmp_path / "models", *SETTINGS, "--quiet")
    assert run(*words) == 1
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("niwaki: xl_latin: ") and "xl_latin-ud-test.conllu:" in line
    assert not list((tmp_path / "models").glob("*.niwaki"))


def test_models_among_the_treebanks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is held out of a training part is not taken for it, nor does it take its place."""
    monkeypatch.chdir(tmp_path)
    train = tmp_path / "xl_latin-ud-train.conllu"
    train.write_text(conllu(latin()[:6]))
    train.with_name("xl_latin-ud-train.conllu.gz").write_bytes(gzip.compress(train.read_bytes()))
    for output in (".", "models", "models"):
        assert run("train-ud", ".", "-o", output, "--resume", *SETTINGS) == 0
        assert train.read_text() == conllu(latin()[:6])
    assert sorted(path.name for path in tmp_path.rglob("*.niwaki")) == ["xl_latin.niwaki"] * 2
    record = json.loads((tmp_path / "models" / "xl_latin.scores.json").read_text())
    assert record["row"]["facts"]["sentences"] == 5


def test_a_run_that_was_killed_goes_on(models: Path, release: Path, tmp_path: Path) -> None:
    words = ["train-ud", release, "-o", tmp_path, "--jobs", 1, *SETTINGS, "--progress", "json"]
    command = [sys.executable, "-m", "niwaki", *map(str, words)]
    with subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL) as process:
        assert process.stderr is not None
        for line in process.stderr:
            if b"xh_han" in line:
                os.kill(process.pid, signal.SIGKILL)
                break
    assert [path.name for path in tmp_path.glob("*.scores.json")] == ["xc_cyrillic.scores.json"]
    first = (tmp_path / "xc_cyrillic.niwaki").stat().st_mtime_ns
    assert run(*words, "--resume") == 0
    assert (tmp_path / "xc_cyrillic.niwaki").stat().st_mtime_ns == first
    for name in NAMES:
        # The parts that a split of the training data made lie beside each model.
        made, whole = (read_model_file(x / f"{name}.niwaki").parts for x in (tmp_path, models))
        assert {**made, "config.json": b""} == {**whole, "config.json": b""}


def test_trees_of_other_treebanks_beside(
    release: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    both = ("--only", "xl_latin", "xc_cyrillic", "--beside", "xl_latin", "UD_Second-Cyrillic")
    assert run("train-ud", release, "-o", tmp_path, *both, *SETTINGS, "--json") == 0
    rows = json.loads(capsys.readouterr().out)["treebanks"]
    # None is beside itself.
    assert [row["settings"]["beside"] for row in rows] == [["xl_latin"], ["xc_cyrillic"]]
    assert all(row["settings"]["model"]["features"] == "universal" for row in rows)
    model = niwaki.load(tmp_path / "xl_latin.niwaki")
    assert "nmod" in model.parser.labels.names  # that of the other treebank
    assert model.tagger is not None and "PRON" not in model.tagger.upos.names
    (parsed,) = model.parse("Kuusi näkee oksan.")
    assert parsed.deprels == ("nsubj", "root", "obj", "punct")


def test_a_faulty_treebank_does_not_stop_the_others(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    good = conllu(latin()[:6])
    (tmp_path / "xa_good-ud-train.conllu").write_text(good)
    (tmp_path / "xb_bad-ud-train.conllu").write_text(good.replace("\t0\troot", "\t9\troot", 1))
    hidden = re.sub(r"(?m)^(\d+)\t[^\t]+", r"\1\t_", good)
    (tmp_path / "xc_hidden-ud-train.conllu").write_text(hidden)
    words = ("train-ud", tmp_path, "-o", tmp_path / "models", "--jobs", 1, *SETTINGS)
    assert run(*words) == 1
    said = capsys.readouterr().out
    assert "xa_good" in said
    assert "xb_bad: " in said and "xb_bad-ud-train.conllu:4" in said
    assert "xc_hidden-ud-train.conllu: 100% of the words are `_`; the text is left out" in said
    assert run("train", "--data", tmp_path / "xc_hidden-ud-train.conllu", "-o", tmp_path / "m") == 1
    assert "100% of the words are `_`" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["no-folder"], "no-folder: no such folder; give one with *-ud-train.conllu files"),
        (["empty"], "empty: no file *-ud-train.conllu or *-ud-train.conllu.gz in it"),
        (["release", "--only", "xl_latn"], "no treebank 'xl_latn'; did you mean 'xl_latin'?"),
        (["release", "--beside", "xl_latn"], "no treebank 'xl_latn'; did you mean 'xl_latin'?"),
        (["release", "--set", "model.beem=3"], "unknown key model.beem"),
    ],
)
def test_what_is_refused(
    words: list[str],
    said: str,
    release: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "empty").mkdir()
    (tmp_path / "release").symlink_to(release)
    assert run("train-ud", *words, "-o", "models") == 1
    shown = capsys.readouterr()
    assert said in shown.err + shown.out


def test_two_folders_with_files_of_one_name(tmp_path: Path) -> None:
    for folder in ("old", "new"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "xl_latin-ud-train.conllu").write_text(conllu(latin()[:6]))
    assert run("train-ud", tmp_path, "-o", tmp_path / "models", *SETTINGS) == 0
    assert sorted(path.stem for path in (tmp_path / "models").glob("*.niwaki")) == ["new", "old"]


def test_two_treebanks_of_one_name(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for release in ("v1", "v2"):
        folder = tmp_path / release / "UD_Latin"
        folder.mkdir(parents=True)
        (folder / "xl_latin-ud-train.conllu").write_text(conllu(latin()[:6]))
    assert run("train-ud", tmp_path, "-o", tmp_path / "models") == 1
    assert "two treebanks are called 'UD_Latin': " in capsys.readouterr().err
    assert run("train-ud", tmp_path / "v2", "-o", tmp_path / "models", *SETTINGS) == 0
