"""Replays the corpora: what the fuzzer started from, and everything it ever found."""

from __future__ import annotations

import importlib
from pathlib import Path

import pytest

CORPUS = Path(__file__).parent / "corpus"
FILES = sorted(path for path in CORPUS.rglob("*") if path.is_file())


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_an_input_gets_an_answer_or_a_typed_error(path: Path) -> None:
    importlib.import_module(f"tests.fuzz.{path.parent.name}").check(path.read_bytes())


def test_every_target_has_a_corpus() -> None:
    for folder in CORPUS.iterdir():
        assert callable(importlib.import_module(f"tests.fuzz.{folder.name}").check)
        assert any(folder.iterdir())
