"""The aligner on people's links: no worse than it was measured to be (docs/benchmarks.md)."""

from __future__ import annotations

import pytest

import niwaki
from niwaki.data.bilingual.bitext import read_bitext
from niwaki.metrics.alignment import evaluate_links
from tests.conftest import DATA

pytestmark = pytest.mark.skipif(
    not DATA.is_dir(), reason="the real corpora (NIWAKI_DATA) are missing"
)


@pytest.mark.parametrize(
    ("base", "target", "most"),
    [
        ("align-pud/en-ja/dev", "ja", 61),
        ("align-pud/en-ko/dev", "ko", 70),
        ("align-enja-kftt/dev", "ja", 52),
        ("align-encs-czenali/all", "cs", 23),
    ],
)
def test_error_rate(base: str, target: str, most: float) -> None:
    path = DATA / f"{base}.en"
    pairs = list(read_bitext(path, path.with_suffix(f".{target}"), path.with_suffix(".align")))
    found = niwaki.align(((pair.source, pair.target) for pair in pairs), threads=2)
    scores = evaluate_links([pair.links for pair in pairs], found).scores
    assert scores["AER"] <= most
