"""Raw text of real treebanks: tokens, words and sentences are found again."""

from __future__ import annotations

import pytest

import niwaki
from niwaki.data.rawtext import raw_text
from niwaki.metrics.segmentation import evaluate_segmentation
from niwaki.models.weights import Compressed
from niwaki.training.config import SegmenterConfig
from niwaki.training.corpus import read_treebank
from niwaki.training.segmenting import train_segmenter
from tests.conftest import SHARED

DATA = SHARED / "data"
pytestmark = pytest.mark.skipif(
    not DATA.is_dir(), reason="the real corpora (../shared/data) are missing"
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
    assert sum(model.size for model in models if isinstance(model, Compressed)) <= 1 << 20
