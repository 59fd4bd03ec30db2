"""niwaki analyze, and niwaki analyze curves."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from niwaki import Sentence
from niwaki.data.conllu import write_conllu
from niwaki.verbs._given import short_names
from tests.toy import niwaki


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A gold file, one that is right and one that is wrong in one of three words."""
    gold = Sentence.from_words(
        "We prune pines".split(),
        upos=("PRON", "VERB", "NOUN"),
        heads=(2, 0, 2),
        deprels=("nsubj", "root", "obj"),
    )
    wrong = gold.replace(heads=(2, 0, 1))
    for name, sentence in (("gold", gold), ("good", gold), ("bad", wrong)):
        write_conllu([sentence] * 25, tmp_path / f"{name}.conllu")
    return tmp_path


def analyze(
    folder: Path, *more: object, systems: tuple[str, ...] = ("good", "bad")
) -> list[object]:
    files = [folder / f"{name}.conllu" for name in ("gold", *systems)]
    return ["analyze", *files, "--samples", "50", *more]


def test_text(folder: Path) -> None:
    done = niwaki(*analyze(folder))
    assert (done.returncode, done.stderr) == (0, "")
    assert re.search(r"^bad +66\.67 +66\.67 +-33\.33 \[-33\.33, -33\.33\]", done.stdout, re.M)
    assert re.search(
        r"^object +25 +100\.0 +100\.0 +0\.0\* +0\.0\* +1\.0 +2\.0 +1\.0$", done.stdout, re.M
    )
    assert "profiles|labels=whole|punctuation=scored|sentences=25|words=75" in done.stdout


def test_json(folder: Path) -> None:
    record = json.loads(niwaki(*analyze(folder, "--json")).stdout)
    assert record["oracles"] == {"tree": 100, "arc": 100}
    assert record["agreement"] == {"all": 50, "only good": 25, "only bad": 0, "none": 0}
    (two,) = [row for row in record["profiles"]["length"] if row["bin"] == "2"]
    # Gold's root arc has length 2, as has the wrong arc that is predicted.
    assert two["gold"] == 25
    assert two["systems"]["bad"]["precision"] == 50
    assert two["systems"]["bad"]["precision_difference"] == {
        "difference": -50,
        "low": -50,
        "high": -50,
    }
    assert set(record["profiles"]) == {
        *("sentence", "length", "depth", "siblings", "degree"),
        *("pos", "relation", "upos", "deprel"),
    }


def test_html_needs_nothing_from_outside(folder: Path) -> None:
    page = folder / "report.html"
    assert niwaki(*analyze(folder, "--html", page)).returncode == 0
    text = page.read_text(encoding="utf-8")
    assert text.count("<svg") == 14
    assert not re.search(r"src=|href=|url\(|@import|<script", text)
    assert "Where bad stands out against good (-33.33 overall)" in text


def test_png(folder: Path) -> None:
    pytest.importorskip("resvg_py", reason="resvg is missing: pip install niwaki[plots]")
    assert niwaki(*analyze(folder, "--png", folder / "new" / "pictures")).returncode == 0
    pictures = sorted(path.name for path in (folder / "new" / "pictures").iterdir())
    assert len(pictures) == 14 and "depth-recall.png" in pictures


@pytest.mark.parametrize("systems", [("good",), ("good", "short"), ("good", "unknown")])
def test_bad_input_gets_one_line(folder: Path, systems: tuple[str, ...]) -> None:
    gold = (folder / "gold.conllu").read_text()
    sentences = gold.split("\n\n")
    (folder / "short.conllu").write_text("\n\n".join(sentences[:-2]) + "\n\n")
    (folder / "unknown.conllu").write_text(gold.replace("\t2\tobj", "\t_\tobj"))
    done = niwaki(*analyze(folder, systems=systems))
    assert (done.returncode, done.stdout) == (1, "")
    assert len(done.stderr.splitlines()) == 1
    assert done.stderr.startswith("niwaki: ")


def test_names_of_systems() -> None:
    assert short_names(["x/a.conllu", "y/b.conllu"]) == ["a", "b"]
    assert short_names(["x/a.conllu", "y/a.conllu"]) == ["x/a", "y/a"]
    assert short_names(["a.conllu", "a.conllu"]) == ["a.conllu (1)", "a.conllu (2)"]


def test_curves_as_two_words_or_one(folder: Path) -> None:
    log = folder / "log.jsonl"
    entries = [{"epoch": e, "objective": "order", "first_cost": 1 / e} for e in (1, 2)]
    log.write_text("".join(json.dumps(entry) + "\n" for entry in entries))
    two = niwaki("analyze", "curves", log, "--html", folder / "curves.html")
    one = niwaki("analyze-curves", log)
    assert (two.returncode, two.stderr) == (0, "")
    assert two.stdout == one.stdout
    assert "0.5000" in one.stdout
    assert (folder / "curves.html").read_text().count("<svg") == 1
    record = json.loads(niwaki("analyze", "curves", log, "--json").stdout)
    assert record["log"][1]["first_cost"] == 0.5
    log.write_text("{}\n")
    bad = niwaki("analyze", "curves", log)
    assert bad.returncode == 1 and bad.stderr.count("\n") == 1
