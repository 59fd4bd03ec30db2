"""spaCy's documents are parsed by any family."""

from __future__ import annotations

import importlib
from pathlib import Path

import pytest

from niwaki.data.sentence import Sentence
from niwaki.pipeline.pipeline import Pipeline

spacy = pytest.importorskip("spacy", reason="spaCy is missing: pip install niwaki[spacy]")
# The skip above must come first.
importlib.import_module("niwaki.integrations.spacy")
tokens = importlib.import_module("spacy.tokens")


def test_a_document_gets_its_trees(chain: Pipeline, chain_path: Path) -> None:
    nlp = spacy.blank("xx")
    nlp.add_pipe("niwaki", config={"model": str(chain_path), "probabilities": True})
    words = "The gardener shapes old pines .".split()
    doc = nlp(tokens.Doc(nlp.vocab, words=words, sent_starts=[True] + [False] * 5))
    (parsed,) = chain.parse([Sentence.from_words(words)])
    assert [0 if t.head.i == t.i else t.head.i + 1 for t in doc] == list(parsed.heads)
    arcs = zip(parsed.heads, parsed.deprels, strict=True)
    assert [token.dep_ for token in doc] == ["ROOT" if h == 0 else label for h, label in arcs]
