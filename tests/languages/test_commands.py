"""Commands that take a model, with models of many scripts."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import pytest

from niwaki import cli
from niwaki.data.conllu import read_conllu
from tests.languages.conftest import Trained, text_of
from tests.scripts import VIETNAMESE

# TREES, TEXT, MODEL and OUT become files.
COMMANDS = [
    "parse TEXT -m MODEL",
    "parse TEXT -m MODEL --to json",
    "parse TEXT -m MODEL --probabilities",
    "parse TREES -m MODEL -k 3",
    "info MODEL",
    "evaluate TREES -m MODEL",
    "evaluate TREES -m MODEL --raw",
    "evaluate TREES -m MODEL --curves OUT",
    "compare TREES TREES TREES",
    "analyze TREES TREES TREES --html OUT",
    "doubts TEXT -m MODEL",
    "doubts TREES -m MODEL --json",
    "find 'VERB >obj NOUN' TEXT -m MODEL",
    "index TEXT -m MODEL -o OUT",
    "reorder TEXT -m MODEL --rules reverse",
    "reorder TEXT -m MODEL --rules head-final-before --to json",
    "roles TEXT --parser MODEL",
    "meaning TEXT --parser MODEL",
    "meaning TEXT --parser MODEL --to html -o OUT",
    "corrupt TEXT --parser MODEL",
    "draw TREES",
    "draw TREES --tree",
    "draw TREES --svg OUT",
    "draw TREES --html OUT",
    "cluster TEXT -m MODEL -o OUT --clusters 3 --min-count 1",
    "train --data TREES --init MODEL -o OUT --set training.epochs=1",
    "shrink MODEL --dev TREES --to-size 1MB -o OUT",
]


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command(
    trained: Trained, command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    files = {"TREES": trained.trees, "TEXT": trained.text, "MODEL": trained.path}
    files["OUT"] = tmp_path / "out"
    words = [str(files.get(word, word)) for word in shlex.split(command)]
    assert cli.main(words) == 0, capsys.readouterr().err
    printed = capsys.readouterr()
    assert printed.out or (tmp_path / "out").stat().st_size
    # Letters of all scripts are shown as they are; JSON escapes joiners.
    shown = printed.out.replace("\\u200d", "") if "json" in command else printed.out
    assert "\\u" not in shown


def test_words_are_found_by_their_forms(
    trained: Trained, capsys: pytest.CaptureFixture[str]
) -> None:
    for word in (trained.script.subjects[0], trained.script.verbs[0]):
        query = f'[form="{word}"]'
        assert cli.main(["find", query, str(trained.trees), "--to", "json"]) == 0
        found = capsys.readouterr().out.splitlines()
        gold = [s for s in trained.script.sentences() if word in s.forms]
        assert len(found) == len(gold) > 0
        assert all(word in json.loads(line)["text"] for line in found)


def test_raw_text_is_parsed_and_written_again(trained: Trained, tmp_path: Path) -> None:
    output = tmp_path / "out.conllu"
    assert cli.main(["parse", str(trained.text), "-m", str(trained.path), "-o", str(output)]) == 0
    found = list(read_conllu(output))
    assert " ".join(sentence.text for sentence in found) == text_of(trained.script)


def test_scores_from_raw_text(trained: Trained, capsys: pytest.CaptureFixture[str]) -> None:
    given = ["evaluate", str(trained.trees), "-m", str(trained.path), "--raw", "--json"]
    assert cli.main(given) == 0
    scores = json.loads(capsys.readouterr().out)
    assert scores["Words"] > (30 if trained.script is VIETNAMESE else 99)
