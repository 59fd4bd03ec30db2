"""The commands around roles: learned, found, scored; and what they refuse."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

import niwaki
from niwaki import cli
from niwaki.data.conllu import read_conllu
from niwaki.data.roles import predicates_of
from tests.labelled import as_text, bare, reports


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("roles")
    (folder / "train.conllu").write_text(as_text(reports(24)), encoding="utf-8")
    gold = reports(36)[24:]
    (folder / "gold.conllu").write_text(as_text(gold), encoding="utf-8")
    (folder / "bare.conllu").write_text(as_text([bare(s) for s in gold]), encoding="utf-8")
    rows = [
        f"{s.id}\t{p.word}\t{p.roleset}\t" + " ".join(f"{r}:{h}-{h}" for r, h in p.fillers)
        for s in gold
        for p in predicates_of(s)
    ]
    (folder / "gold.tsv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    assert run("train-roles", folder / "train.conllu", "-o", folder / "r.niwaki") == 0
    return folder


def run(*words: object) -> int:
    return cli.main([os.fspath(w) if isinstance(w, Path) else str(w) for w in words])


def test_roles_are_found_and_scored(files: Path, capfd: pytest.CaptureFixture[str]) -> None:
    out, gold, none = files / "system.conllu", files / "gold.conllu", files / "bare.conllu"
    assert run("roles", none, "-m", files / "r.niwaki", "-o", out) == 0
    assert out.read_text() == gold.read_text()
    # What is marked is kept, and its roles are found anew.
    assert run("roles", gold, "-m", files / "r.niwaki", "-o", out) == 0
    assert out.read_text() == gold.read_text()
    capfd.readouterr()
    # The right ones may stand in a table.
    table = "--table", files / "gold.tsv"
    assert run("evaluate-roles", none, out, none, *table, "--samples", 50) == 0
    said = capfd.readouterr().out
    assert "      100.00      100.00      100.00      100.00  " in said
    assert "sentences=12|gold=44|found=44" in said
    assert run("evaluate-roles", gold, out, none, "--samples", 50, "--json") == 0
    one, other = (json.loads(line) for line in capfd.readouterr().out.splitlines())
    assert one["roles"] == 100 and other["differences"]["roles"]["difference"] == -100


def test_facts_are_a_line_each(files: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert run("roles", files / "bare.conllu", "-m", files / "r.niwaki", "--to", "json") == 0
    first, *_ = (json.loads(line) for line in capfd.readouterr().out.splitlines())
    assert first["id"] == "active-24" and first["predicate"] == "rakes"
    assert [role["text"] for role in first["roles"]] == ["Abe", "bridges", "today"]


def test_the_verbs_do_the_same(files: Path) -> None:
    found = list(niwaki.roles(files / "bare.conllu", files / "r.niwaki"))
    assert found == list(read_conllu(files / "gold.conllu"))
    labeller = niwaki.train_roles(read_conllu(files / "train.conllu"))
    assert list(niwaki.roles(files / "gold.conllu", labeller, find=True)) == found
    scores = niwaki.evaluate_roles(files / "bare.conllu", found, table=files / "gold.tsv").scores
    assert set(scores.values()) == {100}
    assert len(list(niwaki.facts(found, labeller))) == 16


def test_the_labeller_in_the_box_reads_text(tmp_path: Path) -> None:
    text = tmp_path / "a.txt"
    text.write_text("Mori gave the gardener a lantern in May.\n")
    (fact,) = niwaki.facts(text, parser="en")
    assert (fact["predicate"], fact["roleset"], fact["meaning"]) == ("gave", "give.01", "transfer")
    assert {role["role"]: role["text"] for role in fact["roles"]} == {
        "ARG0": "Mori",
        "ARG2": "the gardener",
        "ARG1": "a lantern",
        "ARGM-TMP": "in May",
    }


def test_what_is_wrong_is_told_in_a_line(files: Path, capfd: pytest.CaptureFixture[str]) -> None:
    gold, labeller = files / "gold.conllu", files / "r.niwaki"
    odd, headless, unmarked, others = (
        files / f"{name}.conllu" for name in ("odd", "headless", "bare", "others")
    )
    others.write_text(gold.read_text().replace("Mori", "Sato"))
    odd.write_text(gold.read_text().replace("rake.01", "rake.77"))
    headless.write_text("1\tGo\tgo\tVERB\t_\t_\t_\t_\t_\t_\n\n")
    for words, message in (
        (("train-roles", unmarked, "-o", "x"), "bare.conllu: no predicate has a role"),
        (("evaluate-roles", unmarked, gold), "bare.conllu: no predicates, so that there"),
        (("evaluate-roles", gold, others), "others.conllu:8:FORM: other words than gold"),
        (("train-roles", gold, "-o", "x", "--prior", 0), "prior is 0.0; give a number above 0"),
        (("evaluate-roles", gold, files / "train.conllu"), "train.conllu: 12 gold sentences"),
        (("roles", gold, "-m", gold), "give a file made by `niwaki train-roles`"),
        (("roles", gold, "-m", "en"), "en"),
        (("roles", odd, "-m", labeller), "odd.conllu:1:MISC: unknown roleset rake.77 of word 2"),
        (("roles", headless, "-m", labeller), "headless.conllu:1:HEAD: no tree above word 1"),
        (("parse", gold, "-m", labeller), "a model of 'roles', which parses nothing"),
    ):
        assert run(*words) == 1
        said = capfd.readouterr().err
        assert message in said and said.count("\n") == 1, said
