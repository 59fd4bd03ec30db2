"""Extracted answers and patterns: written, read, and what is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from niwaki.data.extraction import Extracted, Found, read_extracted, read_patterns, write_extracted
from niwaki.errors import CorpusError
from tests.asked import asked


def test_patterns_accept_what_they_find(tmp_path: Path) -> None:
    file = tmp_path / "patterns.txt"
    file.write_text("7 Mori\n7 sato|ono\n\n8 \\b30\\b\n")
    first, second = read_patterns(file)
    assert first.id == "7" and first.accept("old MORI") and first.accept("Ono")
    assert not first.accept("Abe") and second.accept("30 pines") and not second.accept("300")


@pytest.mark.parametrize("line", ["7", "7 (", "7 *"])
def test_lines_that_are_no_patterns(line: str, tmp_path: Path) -> None:
    file = tmp_path / "patterns.txt"
    file.write_text(f"6 a\n{line}\n")
    with pytest.raises(CorpusError, match=r"patterns.txt:2:LINE: .*; write: question, a space, a"):
        read_patterns(file)


def test_what_is_written_is_read_again(tmp_path: Path) -> None:
    file, question = tmp_path / "found.jsonl", asked(0)
    found = Found("Mori", 1.0, {"syntax": 0.5}, ("2",))
    write_extracted([(question, Extracted(question.id, (found,)))], file)
    assert '"candidates": ["2"]' in file.read_text() and '"syntax": 0.5' in file.read_text()
    assert read_extracted(file) == [Extracted("q0", (Found("Mori", 1.0),))]


@pytest.mark.parametrize(
    "answer",
    ['"Mori"', '{"text": "Mori"}', '{"text": 1, "score": 1}', '{"text": "a", "score": NaN}'],
)
def test_answers_without_text_or_score(answer: str, tmp_path: Path) -> None:
    file = tmp_path / "found.jsonl"
    file.write_text(f'{{"id": "1", "answers": [{answer}]}}\n')
    with pytest.raises(CorpusError, match=r"found.jsonl:1:"):
        read_extracted(file)
