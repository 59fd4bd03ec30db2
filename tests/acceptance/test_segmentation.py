"""Raw text of real treebanks: tokens, words and sentences are found again."""

from __future__ import annotations

from pathlib import Path

import pytest

import niwaki
from niwaki.data.rawtext import raw_text
from niwaki.features.weights import PackedWeights
from niwaki.metrics.segmentation import METRICS, evaluate_segmentation
from niwaki.segmenting.config import SegmenterConfig
from niwaki.segmenting.trainer import train_segmenter
from niwaki.training.treebanks import read_treebank
from tests.conftest import DATA
from tests.official import OFFICIAL, official_counts
from tests.toy import write

pytestmark = pytest.mark.skipif(
    not DATA.is_dir(), reason="the real corpora (NIWAKI_DATA) are missing"
)


@pytest.mark.parametrize(
    ("treebank", "words", "sentences"),
    [
        # The level that UDPipe 1 has published for English.
        ("ud-english-ewt/en_ewt", 98.6, 78.0),
        ("ud-korean-gsd/ko_gsd", 99.5, 80.0),
        ("ud-lithuanian-hse/lt_hse", 97.5, 80.0),
    ],
)
def test_f1(treebank: str, words: float, sentences: float) -> None:
    corpus = read_treebank([str(DATA / f"{treebank}-ud-train.conllu")])
    segmenter = train_segmenter(corpus, SegmenterConfig(), 1, lambda count: None)
    gold = list(niwaki.read_conllu(DATA / f"{treebank}-ud-test.conllu", multi_root=True))
    scores = evaluate_segmentation(gold, segmenter.segment(raw_text(gold))).scores
    assert scores["Words"] >= words
    assert scores["Sentences"] >= sentences
    models = [segmenter.model, segmenter.split_model]
    assert sum(model.size for model in models if isinstance(model, PackedWeights)) <= 1 << 20


def test_scores_from_raw_text_are_those_of_the_official_scorer(tmp_path: Path) -> None:
    """`niwaki evaluate --raw` on EWT test, parsed by the bundled model: every count."""
    path = DATA / "ud-english-ewt" / "en_ewt-ud-test.conllu"
    gold = list(niwaki.read_conllu(path, multi_root=True))
    nlp = niwaki.load()
    system = list(nlp.parse(nlp.read(raw_text(gold)), beam=1))
    ours = evaluate_segmentation(gold, system).counts.sum(axis=0).tolist()
    names = {**OFFICIAL, **{name: name for name in ("Tokens", "Sentences", "Words")}}
    found = {names[m]: tuple(c) for m, c in zip(METRICS, ours, strict=True) if m in names}
    theirs = official_counts(path, write(tmp_path / "system.conllu", system))
    assert found == {name: theirs[name] for name in names.values()}
