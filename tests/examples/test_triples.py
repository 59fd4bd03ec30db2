"""The example of a cost of one's own does what it says."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from examples.triples import cost, facts

import niwaki
from tests.conftest import ROOT


def test_facts_are_read_off_trees() -> None:
    forms = ("Monks", "planted", "pines")
    right = niwaki.Tree((2, 0, 2), ("nsubj", "root", "obj"))
    wrong = niwaki.Tree((2, 0, 2), ("nsubj", "root", "obl"))
    assert facts(forms, right) == {("monks", "planted", "pines")}
    assert facts(forms, wrong) == set()
    sentence = niwaki.Sentence.from_words(forms)
    candidates = niwaki.KBest.of_trees([right, wrong], [2.0, 1.0]).of(sentence)
    assert cost({"facts": [["monks", "planted", "pines"]]}, candidates) == [0.0, 1.0]
    assert cost({"facts": []}, candidates) == [1.0, 0.0]


@pytest.mark.slow
def test_a_model_learns_to_tell_them(tmp_path: Path) -> None:
    command = ["-m", "niwaki", "train", "examples/triples.toml", "--init", "en", "--threads", "1"]
    output = tmp_path / "facts.niwaki"
    subprocess.run([sys.executable, *command, "-o", output], cwd=ROOT, check=True)
    log = [json.loads(x) for x in (tmp_path / "facts.niwaki.log.jsonl").read_text().splitlines()]
    own = [line for line in log if line["stage"] == "parser"]
    costs = [line["first_cost"] for line in own if "first_cost" in line]
    assert costs[-1] < costs[0] / 2
    found = 0.0
    for line in (ROOT / "examples" / "triples.jsonl").read_text().splitlines():
        example = json.loads(line)
        sentence = niwaki.Sentence.from_words(example["tokens"])
        found += cost(example, niwaki.load(output).kbest(sentence, 1))[0]
    assert found < 1
