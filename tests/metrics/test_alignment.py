"""Alignment error rate on cases worked out by hand."""

from __future__ import annotations

import pytest

from niwaki.data.bilingual.bitext import Links, parse_links
from niwaki.errors import NiwakiError
from niwaki.metrics.alignment import evaluate_links


def links(text: str) -> Links:
    return parse_links(text, "test", 1)


def test_sure_and_possible_links() -> None:
    # Found 4: two sure ones, one possible, one wrong; of 3 sure ones, 2 are found.
    gold = [links("0-0 1-1 2-2 3p2 3p3")]
    system = [links("0-0 1-1 3-3 0-2")]
    scores = evaluate_links(gold, system).scores
    assert scores["precision"] == pytest.approx(100 * 3 / 4)
    assert scores["recall"] == pytest.approx(100 * 2 / 3)
    assert scores["AER"] == pytest.approx(100 * (1 - (2 + 3) / (4 + 3)))
    assert scores["F1"] == pytest.approx(100 * 2 * (3 / 4) * (2 / 3) / (3 / 4 + 2 / 3))


def test_counts_are_summed_over_sentences() -> None:
    gold = [links("0-0"), links("0-0 1-1 2-2")]
    system = [links("0-1"), links("0-0 1-1 2-2")]
    result = evaluate_links(gold, system)
    assert result.scores["AER"] == pytest.approx(25)
    assert result.scores["precision"] == pytest.approx(75)
    assert "pairs=2|sure=4|found=4" in result.signature


def test_possible_links_of_a_system_are_links() -> None:
    assert evaluate_links([links("0-0")], [links("0p0")]).scores["AER"] == 0


@pytest.mark.parametrize(
    ("gold", "system", "error"), [("", "", 0), ("0-0", "", 100), ("", "0-0", 100), ("0p0", "", 0)]
)
def test_sentences_without_links(gold: str, system: str, error: float) -> None:
    assert evaluate_links([links(gold)], [links(system)]).scores["AER"] == error


def test_files_of_different_length_are_refused() -> None:
    with pytest.raises(NiwakiError, match="system links end after line 1"):
        evaluate_links([links("0-0"), links("0-0")], [links("0-0")])
    with pytest.raises(NiwakiError, match="gold links end after line 0"):
        evaluate_links([], [links("0-0")])
