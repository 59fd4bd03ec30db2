"""The small models that are shipped, on the treebanks that they learned from."""

from __future__ import annotations

from pathlib import Path

import pytest

import niwaki
from niwaki.data.rawtext import raw_text
from niwaki.data.sentence import Sentence
from niwaki.hub.index import Entry, read_entries
from niwaki.metrics.attachment import evaluate
from niwaki.metrics.segmentation import METRICS, evaluate_segmentation
from tests.conftest import DATA, ROOT
from tests.official import OFFICIAL, official_counts
from tests.toy import write

TREEBANKS = DATA / "ud-languages"
SHIPPED = ROOT / "packages" / "niwaki-models" / "src" / "niwaki_models"
INDEX = SHIPPED / "index.json"
ENTRIES = {entry.name: entry for entry in read_entries(str(INDEX), INDEX.read_bytes())}

pytestmark = pytest.mark.skipif(
    not TREEBANKS.is_dir(), reason="the treebanks of other languages (NIWAKI_DATA) are missing"
)


def part(entry: Entry, name: str) -> list[Sentence]:
    (path,) = TREEBANKS.glob(f"ud-*/{entry.treebank}-ud-{name}.conllu*")
    return list(niwaki.read_conllu(path))


@pytest.mark.parametrize("name", sorted(ENTRIES))
def test_the_index_says_what_a_model_reaches(name: str) -> None:
    entry = ENTRIES[name]
    model = niwaki.load(SHIPPED / entry.file)
    gold = part(entry, "dev")
    found = evaluate(gold, model.parse(gold, retag=True)).scores
    assert {metric: round(found[metric], 2) for metric in entry.scores} == entry.scores


# Mutations; no spaces between words; spaces within words; tokens of two words.
@pytest.mark.parametrize("name", ["cy", "ja", "vi", "pt"])
def test_scores_from_raw_text_are_those_of_the_official_scorer(name: str, tmp_path: Path) -> None:
    entry = ENTRIES[name]
    model = niwaki.load(SHIPPED / entry.file)
    gold = part(entry, "test")
    system = list(model.parse(model.read(raw_text(gold)), beam=1))
    ours = evaluate_segmentation(gold, system).counts.sum(axis=0).tolist()
    names = {**OFFICIAL, **{name: name for name in ("Tokens", "Sentences", "Words")}}
    found = {names[m]: tuple(c) for m, c in zip(METRICS, ours, strict=True) if m in names}
    files = (write(tmp_path / f"{x}.conllu", y) for x, y in (("gold", gold), ("system", system)))
    theirs = official_counts(*files)
    assert found == {name: theirs[name] for name in names.values()}
