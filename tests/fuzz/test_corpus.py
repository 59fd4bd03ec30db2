"""Replays the corpora: what the fuzzer started from, and everything it ever found."""

from __future__ import annotations

import importlib
import re
from pathlib import Path

import pytest

CORPUS = Path(__file__).parent / "corpus"
FILES = sorted(path for path in CORPUS.rglob("*") if path.is_file())


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_an_input_gets_an_answer_or_a_typed_error(path: Path) -> None:
    if path.parent.name == "api":
        pytest.importorskip("uvicorn", reason="uvicorn is missing: pip install niwaki[serve]")
    target = importlib.import_module(f"tests.fuzz.{path.parent.name}")
    # Anything but an answer or a typed error would raise.
    assert target.check(path.read_bytes()) is None


def test_every_target_has_a_corpus() -> None:
    targets = [
        path.stem
        for path in sorted(CORPUS.parent.glob("*.py"))
        if re.search(r"^def check\(", path.read_text(encoding="utf-8"), re.M)
    ]
    assert targets == sorted({path.parent.name for path in FILES})
