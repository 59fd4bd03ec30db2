"""The example of a cost of pairs does what it says, and stands whole in the guide."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from examples.subjects import cost, subject

import niwaki
from niwaki.objectives import costs_of_trees, load_objective
from tests.conftest import ROOT

FILE = str(ROOT / "examples" / "subjects.jsonl")


def test_subjects_are_read_off_trees() -> None:
    forms = ("Koi", "swim")
    right = niwaki.Tree((2, 0), ("nsubj", "root"))
    wrong = niwaki.Tree((0, 1), ("root", "obj"))
    assert (subject(forms, right), subject(forms, wrong)) == ("koi", None)
    of_pair = [
        niwaki.KBest.of_trees(trees, [2.0, 1.0]).of(niwaki.Sentence.from_words(forms))
        for trees in ((right, wrong), (right, wrong))
    ]
    # Row by row: the two first trees agree; of the two others none has a subject.
    assert cost({}, of_pair) == [0.0, 1.0]


def test_the_guide_shows_it_whole() -> None:
    shown = (ROOT / "docs" / "guides" / "adapting.md").read_text(encoding="utf-8")
    code = (ROOT / "examples" / "subjects.py").read_text(encoding="utf-8")
    assert f"```python\n{code}```\n" in shown
    assert len(code.splitlines()) <= 24


@pytest.mark.slow
def test_a_model_learns_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    command = ["-m", "niwaki", "train", "examples/subjects.toml", "--init", "en", "--threads", "1"]
    output = tmp_path / "subjects.niwaki"
    subprocess.run([sys.executable, *command, "-o", output], cwd=ROOT, check=True)
    log = Path(f"{output}.log.jsonl").read_text(encoding="utf-8").splitlines()
    costs = [found["first_cost"] for line in log if "first_cost" in (found := json.loads(line))]
    assert costs[0] > 0.3
    monkeypatch.chdir(ROOT)
    objective = load_objective("examples.subjects:cost", [FILE])
    parsed = list(niwaki.load(output).parse(objective.sentences))
    assert costs_of_trees(objective, parsed).mean() < 0.1
