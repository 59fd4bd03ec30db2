"""F of closed links on cases worked out by hand."""

from __future__ import annotations

import pytest

from niwaki.data.bilingual.bitext import Links, parse_links
from niwaki.errors import ConfigError, NiwakiError
from niwaki.metrics.blocks import closed, evaluate_blocks


def links(text: str) -> Links:
    return parse_links(text, "test", 1)


@pytest.mark.parametrize(
    ("given", "whole"),
    [
        ("", ""),
        ("0-0 1-1", "0-0 1-1"),
        ("0-0 0-1 1-1", "0-0 0-1 1-0 1-1"),
        ("0-0 1-0 2-3 1-3 4-4", "0-0 0-3 1-0 1-3 2-0 2-3 4-4"),
        ("0-0 0p1", "0-0 0p1"),
        ("0-0 0p1 1p1", "0-0 0p1 1p0 1p1"),
    ],
)
def test_links_that_hang_together_are_closed(given: str, whole: str) -> None:
    assert closed(links(given)) == links(whole)


def test_only_the_systems_links_are_closed_at_first() -> None:
    # The system's block has 4 links, 3 of them right; closed, gold has the fourth.
    gold, system = [links("0-0 0-1 1-1 2-2")], [links("0-0 0-1 1-0")]
    scores = evaluate_blocks(gold, system, 0.4).scores
    assert scores["precision"] == pytest.approx(75)
    assert scores["recall"] == pytest.approx(75)
    assert scores["F"] == pytest.approx(75)
    assert scores["P-gold-closed"] == pytest.approx(100)
    assert scores["R-gold-closed"] == pytest.approx(80)
    assert scores["F-gold-closed"] == pytest.approx(100 / (0.4 + 0.6 / 0.8))


def test_alpha_is_the_share_of_precision() -> None:
    gold, system = [links("0-0 1-1")], [links("0-0")]
    assert evaluate_blocks(gold, system, 1).scores["F"] == pytest.approx(100)
    assert evaluate_blocks(gold, system, 0).scores["F"] == pytest.approx(50)
    assert evaluate_blocks(gold, [links("0-1")], 0.5).scores["F"] == 0
    result = evaluate_blocks(gold, system, 0.1)
    assert result.metric == "blocks"
    assert "alpha=0.1|" in result.signature
    with pytest.raises(ConfigError, match=r"alpha is 1\.5; it must be from 0 to 1"):
        evaluate_blocks(gold, system, 1.5)


def test_every_pair_has_scores_of_its_own() -> None:
    gold = [links("0-0"), links("0-0 1-1")]
    result = evaluate_blocks(gold, [links("0-0"), links("0-1")])
    assert result.of("F").tolist() == [100, 0]


def test_files_of_different_length_are_refused() -> None:
    with pytest.raises(NiwakiError, match="system links end after line 0"):
        evaluate_blocks([links("0-0")], [])
