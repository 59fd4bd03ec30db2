"""spaCy's documents are parsed by any family."""

from __future__ import annotations

from pathlib import Path

import pytest

from niwaki.data.sentence import Sentence
from niwaki.pipeline.pipeline import Pipeline

spacy = pytest.importorskip("spacy", reason="spaCy is missing: pip install niwaki[spacy]")


def test_a_document_gets_its_trees(chain: Pipeline, chain_path: Path) -> None:
    nlp = spacy.blank("xx")
    nlp.add_pipe("niwaki", config={"model": str(chain_path), "probabilities": True})
    words = "The gardener shapes old pines .".split()
    doc = nlp(spacy.tokens.Doc(nlp.vocab, words=words, sent_starts=[True] + [False] * 5))
    (parsed,) = chain.parse([Sentence.from_words(words)])
    assert [0 if t.head.i == t.i else t.head.i + 1 for t in doc] == list(parsed.heads)
    labels = [label if label != "root" else "ROOT" for label in parsed.deprels]
    assert [token.dep_ for token in doc] == labels
