"""What the commands about scores do, called from Python: the same answers, other ways to ask."""

from __future__ import annotations

import dataclasses
import io
import json
from pathlib import Path

import pytest

from niwaki import cli
from niwaki.data.bilingual.bitext import read_links
from niwaki.data.bilingual.references import Reference, write_references
from niwaki.data.conllu import read_conllu
from niwaki.data.sentence import Sentence
from niwaki.errors import ModelError, NiwakiError
from niwaki.metrics.attachment import TAG_METRICS
from niwaki.pipeline.pipeline import Pipeline
from niwaki.tasks.reorder.rulefile import load_rules
from niwaki.verbs.evaluating import (
    compare,
    evaluate,
    evaluate_alignment,
    evaluate_all,
    evaluate_reordering,
)
from tests.conftest import ROOT
from tests.toy import TOY, write

GOLD_LINKS = ROOT / "examples" / "garden.align"


def command(capsys: pytest.CaptureFixture[str], *words: object) -> list[dict[str, object]]:
    """The records that a command prints with --json."""
    assert cli.main([*map(str, words), "--json"]) == 0
    return [json.loads(line) for line in capsys.readouterr().out.splitlines()]


@pytest.fixture
def flat(toy: list[Sentence], tmp_path: Path) -> Path:
    """A file with trees in which all words hang from the first."""
    trees = [
        s.replace(heads=[0, *[1] * (len(s) - 1)], deprels=["root", *["dep"] * (len(s) - 1)])
        for s in toy
    ]
    return write(tmp_path / "flat.conllu", trees)


def test_trees_may_be_given_in_many_ways(
    model: Pipeline, model_path: Path, toy: list[Sentence], tmp_path: Path
) -> None:
    parsed = list(model.parse(toy, retag=True))
    file = write(tmp_path / "parsed.conllu", parsed)
    wanted = evaluate(TOY, file)
    assert 0 < wanted.scores["LAS"] < 100
    for gold in (str(TOY), toy, iter(toy), io.BytesIO(TOY.read_bytes())):
        assert evaluate(gold, parsed).to_json() == wanted.to_json()
    for system in (file, str(file), parsed, iter(parsed)):
        assert evaluate(TOY, system).to_json() == wanted.to_json()
    signature = f"{wanted.signature}|tags=predict"
    told = {**wanted.to_json(), "signature": signature, "learned": len(toy)}
    for system in (model, model_path, str(model_path)):
        assert evaluate(TOY, system).to_json() == told


def test_evaluate_is_the_command(
    model_path: Path, capsys: pytest.CaptureFixture[str], flat: Path
) -> None:
    for metric, flags in (("attachment", []), ("segmentation", ["--raw"])):
        (record,) = command(capsys, "evaluate", TOY, flat, *flags)
        assert evaluate(TOY, flat, metric=metric).to_json() == record
    kept = ("--beam", 1, "--tags", "keep")
    (record,) = command(capsys, "evaluate", TOY, "-m", model_path, *kept)
    known = {name: value for name, value in record.items() if value is not None}
    assert evaluate(TOY, model_path, beam=1, tags="keep").to_json() == known
    (record,) = command(capsys, "evaluate", TOY, flat, "--intervals", "--samples", 99)
    assert evaluate(TOY, flat).to_json(99) == record
    found = evaluate_all(TOY, flat, ["attachment", "nonprojective"])
    (record,) = command(capsys, "evaluate", TOY, flat, "--nonprojective")
    for each in found.values():
        assert each.scores.items() <= record.items()
    (record,) = command(capsys, "evaluate", TOY, flat, "--tree-edits")
    assert evaluate(TOY, flat, metric="tree_edit").scores.items() <= record.items()
    assert str(record["signature"]).endswith("|nodes=form and whole label")


def test_calibration_is_the_command(
    toy: list[Sentence], capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    notes = "TagProb=0.9|ArcProb=0.8|LabelProb=0.7"
    sure = [s.replace(misc=[notes] * len(s)).with_comments(["tree_probability = 0.5"]) for s in toy]
    file = write(tmp_path / "sure.conllu", sure)
    found = evaluate(TOY, file, metric="calibration")
    (record,) = command(capsys, "evaluate", TOY, file, "--calibration", "--intervals")
    for kind, said in (("tag", 0.9), ("arc", 0.8), ("label", 0.7), ("tree", 0.5)):
        row = record[kind]
        assert isinstance(row, dict)
        assert row["error"] == found.scores[f"{kind}_ECE"] == pytest.approx(1 - said)
        assert row["error_interval"] == pytest.approx([1 - said] * 2)
    assert str(record["signature"]).startswith(found.signature)


def test_compare_is_the_command(
    model: Pipeline, model_path: Path, capsys: pytest.CaptureFixture[str], flat: Path
) -> None:
    found = compare(TOY, flat, TOY, samples=200, seed=3)
    assert command(capsys, "compare", TOY, flat, TOY, "--samples", 200, "--seed", 3) == [
        found.to_json()
    ]
    assert found["LAS"].low > 0
    assert found.signature.endswith("|bootstrap=200|seed=3")
    other = compare(TOY, flat, TOY, metric="segmentation", samples=200, test="randomization")
    words = ("compare", TOY, flat, TOY, "--samples", 200, "--raw", "--test", "randomization")
    assert command(capsys, *words) == [other.to_json()]
    assert other.signature.endswith("|bootstrap=200|seed=1|p=randomization")
    assert other["Tokens"].p == 1 and other["LAS"].p == pytest.approx(1 / 201)
    edits = compare(TOY, flat, TOY, metric="tree_edit", samples=200)
    words = ("compare", TOY, flat, TOY, "--samples", 200, "--tree-edits")
    assert command(capsys, *words) == [edits.to_json()]
    assert edits["tree_edits"].b == 0 and edits["tree_edits"].high < 0
    same = compare(TOY, model, model_path, samples=50)
    assert {(each.difference, each.p) for each in same.differences.values()} == {(0, 1)}


def test_tags_that_were_given_have_no_score(model: Pipeline, flat: Path) -> None:
    tagless = dataclasses.replace(model, tagger=None)
    found = evaluate(TOY, tagless, beam=1)
    assert not set(TAG_METRICS) & set(found.names)
    plain = dataclasses.replace(model, morphology=None)
    assert set(TAG_METRICS) - set(evaluate(TOY, plain, beam=1).names) == {"FEATS", "LEMMA"}
    differences = compare(TOY, flat, tagless, samples=50).differences
    assert list(differences) == list(found.names)


def test_what_cannot_be_scored_is_refused(model: Pipeline) -> None:
    for words, message in (
        ((TOY, TOY, ["atachment"]), "no metric 'atachment'; did you mean 'attachment'"),
        ((TOY, TOY, ["alignment"]), "metric 'alignment' is of links, not of trees"),
        ((TOY, TOY, ["segmentation", "calibration"]), "metric 'calibration' needs the gold words"),
    ):
        with pytest.raises(NiwakiError, match=message):
            evaluate_all(*words)  # type: ignore[arg-type]
    with pytest.raises(ModelError, match="no model 'nowhere'"):
        evaluate(TOY, "nowhere")


def test_evaluate_alignment_is_the_command(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    fewer = tmp_path / "fewer.align"
    fewer.write_text("0-0\n" * len(GOLD_LINKS.read_text().splitlines()))
    found = evaluate_alignment(GOLD_LINKS, fewer)
    lists = evaluate_alignment(read_links(GOLD_LINKS), read_links(fewer))
    assert found.to_json() == lists.to_json()
    one, other = command(capsys, "evaluate-alignment", GOLD_LINKS, GOLD_LINKS, fewer)
    assert other.items() >= found.to_json().items()
    assert "differences" not in one
    differences = other["differences"]
    assert isinstance(differences, dict) and differences["from"] == str(GOLD_LINKS)
    assert differences["AER"]["low"] > 0 > differences["recall"]["high"]


def test_evaluate_reordering_is_the_command(
    model: Pipeline, model_path: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    examples = load_rules("ja").examples
    trees = [example.sentence for example in examples]
    references = [
        Reference(str(number), each.forms, tuple(range(len(each))))
        for number, each in enumerate(trees)
    ]
    file, treebank = tmp_path / "refs.jsonl", write(tmp_path / "trees.conllu", trees)
    write_references(references, file)
    report = evaluate_reordering(
        references,
        [treebank, ("model", model_path)],
        rules=["none", "ja"],
        samples=100,
        gold=trees,
        analysis=True,
    )
    options = ("--rules", "none", "--rules", "ja", "--samples", 100, "--analysis")
    words = ("evaluate-reordering", file, "--trees", treebank, "-m", model_path, *options)
    (record,) = command(capsys, *words, "--gold", treebank)
    mine = json.loads(json.dumps(report.to_json()))
    assert [each["frs"] for each in mine["systems"]] == [
        each["frs"]
        for each in record["systems"]  # type: ignore[index,attr-defined]
    ]
    assert mine["systems"][0]["frs"] == 1 > mine["systems"][1]["frs"]
    assert mine["analysis"] == record["analysis"]
    assert "trees.conllu + ja" in [each["system"] for each in mine["systems"]]
    by_model = evaluate_reordering(file, [("model", model)], rules=["ja"], samples=100)
    assert by_model.records[0] == report.records[3]
    with pytest.raises(NiwakiError, match="nothing to score"):
        evaluate_reordering(references)
    with pytest.raises(NiwakiError, match="gold trees are for an analysis"):
        evaluate_reordering(references, [treebank], gold=trees)
    with pytest.raises(NiwakiError, match="references: no references"):
        evaluate_reordering([], [treebank])


def test_files_are_read_with_several_roots(tmp_path: Path, toy: list[Sentence]) -> None:
    two = toy[0].replace(heads=[0] * len(toy[0]))
    file = tmp_path / "two.conllu"
    file.write_bytes(two.source)
    assert len(list(read_conllu(file, multi_root=True))) == 1
    assert evaluate(file, file).scores["UAS"] == 100
