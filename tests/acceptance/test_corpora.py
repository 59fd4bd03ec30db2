"""Every treebank at hand is read, checked and written back byte for byte."""

from __future__ import annotations

import gzip
import io
from pathlib import Path

import pytest

import niwaki
from niwaki.data.bilingual.bitext import read_bitext
from tests.conftest import DATA

pytestmark = pytest.mark.skipif(
    not DATA.is_dir(), reason="the real corpora (NIWAKI_DATA) are missing"
)

TREEBANKS = sorted([*DATA.rglob("*.conllu"), *DATA.rglob("*.conllu.gz")])


@pytest.mark.parametrize("path", TREEBANKS, ids=lambda path: path.name)
def test_round_trip(path: Path) -> None:
    raw = path.read_bytes()
    data = gzip.decompress(raw) if path.suffix == ".gz" else raw
    out = io.BytesIO()
    niwaki.write_conllu(niwaki.read_conllu(path, multi_root=True), out)
    assert out.getvalue() == data


@pytest.mark.parametrize("path", TREEBANKS, ids=lambda path: path.name)
def test_validate(path: Path) -> None:
    """Treebanks are clean; in the automatic trees the only faults are real second roots."""
    faults = niwaki.validate(path)
    expected = [fault for fault in faults if "roots (words" in fault.found]
    assert faults == (expected if "silver" in path.parent.name else [])


def test_gold_links_fit_their_sentences() -> None:
    for folder, target, name in [
        ("align-pud/en-ja", "ja", "dev"),
        ("align-pud/en-ko", "ko", "dev"),
        ("align-enja-kftt", "ja", "dev"),
        ("align-encs-czenali", "cs", "all"),
    ]:
        base = DATA / folder
        files = [base / f"{name}.en", base / f"{name}.{target}", base / f"{name}.align"]
        pairs = list(read_bitext(*files))
        assert len(pairs) >= 440
        assert all(pair.links is not None and not pair.links.possible for pair in pairs)
