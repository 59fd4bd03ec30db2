"""Rule files are checked when they are loaded: subtypes of labels, and their own examples."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import niwaki
from niwaki.cli import main
from niwaki.data.conllu import write_conllu
from niwaki.data.universal import RELATIONS, SUBTYPES
from niwaki.errors import RulesError
from niwaki.objectives import load_objective
from niwaki.objectives.reordering import Settings
from niwaki.serve.registry import Registry
from niwaki.tasks.reorder.conditions import scheme
from niwaki.tasks.reorder.rulefile import load_rules, parse_rules, rule_set_names
from niwaki.tasks.reorder.rules import Pattern, Rule
from niwaki.tasks.reorder.schemes import meant_label

RULES = """\
labels = "ud"
[[rule]]
name = "verb"
head = { upos = "VERB" }
tuples = [
  { label = "obj", weight = 1 },
  { label = "acl:relcl", weight = 2 },
]
[[example]]
text = "eat koi"
upos = "VERB NOUN"
heads = [0, 1]
labels = "root obj"
gives = "koi eat"
"""


def file(folder: Path, *change: str) -> Path:
    text = RULES.replace(*change) if change else RULES
    assert not change or text != RULES
    path = folder / "own.toml"
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("wrong", "meant"),
    [
        ("acl:rlcl", "acl:relcl"),
        ("acl:reclc", "acl:relcl"),
        ("nsubj:pas", "nsubj:pass"),
        ("compound:ptr", "compound:prt"),
        ("obl:tmodd", "obl:tmod"),
    ],
)
def test_a_subtype_that_almost_is_one_is_refused(tmp_path: Path, wrong: str, meant: str) -> None:
    assert meant_label("ud", wrong) == meant
    with pytest.raises(RulesError) as caught:
        load_rules(file(tmp_path, "acl:relcl", wrong))
    assert f"own.toml:7: label {wrong!r} has no subtype that is documented; " in str(caught.value)
    assert f"did you mean {meant!r}?" in str(caught.value)
    any_labels = RULES.replace("acl:relcl", wrong).replace('"ud"', '"any"')
    assert parse_rules(any_labels).rules


def test_other_subtypes_pass() -> None:
    for relation, subtypes in SUBTYPES.items():
        assert relation in RELATIONS
        assert all(meant_label("ud", f"{relation}:{each}") is None for each in subtypes)
    assert meant_label("ud", "acl:garden") is None
    assert meant_label("ud", "root:x") is None
    assert meant_label("sd", "acl:rlcl") is None
    for name in rule_set_names():
        assert load_rules(name).name == name


def test_learned_rules_can_be_read_again() -> None:
    rule = Rule("r", Pattern(labels=("acl:rlcl",)), ())
    assert scheme([rule]) == "any"
    assert scheme([Rule("r", Pattern(labels=("acl:relcl",)), ())]) == "ud"


def test_an_example_that_does_not_come_true_is_told_wherever_rules_are_loaded(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = file(tmp_path, 'gives = "koi eat"', 'gives = "eat koi"')
    said = f"{path}:9: the rules give 'koi eat', not 'eat koi'; correct the rules or the example"
    trees = tmp_path / "trees.conllu"
    write_conllu([load_rules("ja").examples[0].sentence], trees)
    assert main(["reorder", str(trees), "--rules", str(path)]) == 1
    assert capsys.readouterr().err == f"niwaki: {said}\n"
    references = tmp_path / "references.jsonl"
    references.write_text('{"id": "1", "tokens": ["a"], "order": [0]}\n')
    with pytest.raises(RulesError) as caught:
        load_objective("reordering", [str(references)], Settings(rules=str(path)))
    assert str(caught.value) == said
    with pytest.raises(RulesError):
        Registry().add_rules("own", str(path))
    # The text alone can be read, and is shown with what its examples do.
    assert parse_rules(path.read_text()).examples


def test_check_rules_tells_all_faults(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = file(tmp_path)
    assert main(["check-rules", str(path)]) == 0
    assert capsys.readouterr().err == f"{path}: 1 rules, 1 examples, no faults\n"
    text = RULES.replace("acl:relcl", "acl:rlcl").replace('"obj", weight', '"obj", wieght')
    text = text.replace("heads = [0, 1]", "heads = [2, 1]")
    path.write_text(text + '[[rule]]\nname = "verb"\n[[rule]]\nhead = { upos = "VRB" }\n')
    assert main(["check-rules", str(path)]) == 1
    lines = capsys.readouterr().out.splitlines()
    places = [int(line.removeprefix(f"{path}:").partition(":")[0]) for line in lines]
    assert places == [6, 7, 12, 16, 17]
    assert [str(fault) for fault in niwaki.check_rules(path).faults] == lines
    path.write_text("[[rule")
    assert [fault.line for fault in niwaki.check_rules(path).faults] == [1]


def test_check_rules_runs_examples_and_notes_odd_labels(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = file(tmp_path, 'gives = "koi eat"', 'gives = "eat koi"')
    assert [fault.line for fault in niwaki.check_rules(path).faults] == [9]
    path = file(tmp_path, "acl:relcl", "acl:garden")
    assert main(["check-rules", str(path), "--json"]) == 0
    (record,) = json.loads(capsys.readouterr().out)
    assert record["faults"] == [] and "'acl:garden'" in record["notes"][0]
    assert main(["check-rules", str(path)]) == 0
    assert "niwaki: " in capsys.readouterr().err
