"""`make demo`: every part of it is shown, and what it claims holds."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import ROOT

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def parts() -> dict[str, str]:
    """What each numbered part prints."""
    command = ["sh", ROOT / "tools" / "demo.sh", Path(sys.executable).parent / "niwaki"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    assert "\x1b" not in done.stdout  # colours are for terminals
    pieces = re.split(r"^(\d)\. ", done.stdout, flags=re.M)
    return dict(zip(pieces[1::2], pieces[2::2], strict=True))


def test_parsing_doubts_queries_and_word_order(parts: dict[str, str]) -> None:
    assert list(parts) == list("123456")
    assert "├─┬──────● knows     VERB   root" in parts["1"]
    assert "arcs: 3 least certain of 21" in parts["2"]
    assert "[who Mori] [did gave] the gardener a [what lantern]" in parts["3"]
    assert "(passive): The [object pond]" in parts["3"]
    assert "We the old tea house of the roof on a heron saw ." in parts["4"]


def test_adapting_mends_a_note_that_was_not_learned_from(parts: dict[str, str]) -> None:
    before, after = re.split(r"^\$ niwaki adapt .*", parts["5"], flags=re.M)
    assert "● ferns" in before and "● water" in after
    row = re.search(r"^0 examples.notes:cost +([\d.]+) +([\d.]+) ", after, re.M)
    assert row is not None
    assert float(row[2]) < float(row[1]) / 2


def test_the_accurate_model_parses_or_says_why_not(parts: dict[str, str]) -> None:
    shown = "gates  NOUN  obj" in parts["6"]
    assert shown != ("(not shown: it needs onnxruntime" in parts["6"])
