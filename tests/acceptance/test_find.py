"""Queries on a real treebank: an index, files, and spaCy's matcher find the same."""

from __future__ import annotations

from pathlib import Path

import pytest

import niwaki
from tests.conftest import DATA

TREEBANK = DATA / "ud-english-ewt" / "en_ewt-ud-dev.conllu"
pytestmark = pytest.mark.skipif(not TREEBANK.exists(), reason=f"{TREEBANK} is missing")

# A query, and the same for spaCy: words, their heads or what they follow, and what they are.
SAME: dict[str, list[tuple[str, dict[str, object], tuple[str, str] | None]]] = {
    'VERB=v >"nsubj" NOUN=x >"obj" *=y': [
        ("v", {"POS": "VERB"}, None),
        ("x", {"DEP": "nsubj", "POS": "NOUN"}, ("v", ">")),
        ("y", {"DEP": "obj"}, ("v", ">")),
    ],
    "VERB=v >> [lemma=people]=x": [
        ("v", {"POS": "VERB"}, None),
        ("x", {"LEMMA": "people"}, ("v", ">>")),
    ],
    # To spaCy a root is its own head, and so a sibling of its children.
    "ADJ=a $++ NOUN=b": [
        ("a", {"POS": "ADJ", "DEP": {"NOT_IN": ["ROOT"]}}, None),
        ("b", {"POS": "NOUN"}, ("a", "$++")),
    ],
    "DET=a + NOUN=b": [("a", {"POS": "DET"}, None), ("b", {"POS": "NOUN"}, ("a", "."))],
    'NOUN=a <--"nsubj" VERB=b': [
        ("a", {"POS": "NOUN", "DEP": "nsubj"}, None),
        ("b", {"POS": "VERB"}, ("a", "<--")),
    ],
}


@pytest.mark.parametrize("query", [*SAME, "[lemma=/re.+/]=v !>obj *", "*[Tense=Past, children=5+]"])
def test_an_index_finds_what_files_have(query: str, tmp_path: Path) -> None:
    niwaki.index(TREEBANK, tmp_path / "i")
    found = [(m.sentence.id, m.words) for m in niwaki.find(query, TREEBANK)]
    assert [(m.sentence.id, m.words) for m in niwaki.find(query, index=tmp_path / "i")] == found
    assert len(found) > 10


@pytest.mark.parametrize("query", SAME)
def test_spacy_finds_the_same(query: str) -> None:
    pytest.importorskip("spacy", reason="spaCy is missing: pip install niwaki[spacy]")
    from spacy.matcher import DependencyMatcher
    from spacy.vocab import Vocab

    vocab = Vocab()
    pattern = []
    for name, asked, above in SAME[query]:
        node: dict[str, object] = {"RIGHT_ID": name, "RIGHT_ATTRS": asked}
        pattern.append(node | ({"LEFT_ID": above[0], "REL_OP": above[1]} if above else {}))
    matcher = DependencyMatcher(vocab)
    matcher.add("query", [pattern])
    sentences = list(niwaki.read_conllu(TREEBANK))
    wanted = {
        (sentence.id, *(word + 1 for word in words))
        for sentence in sentences
        for _, words in matcher(niwaki.to_spacy(sentence, vocab))
    }
    found = {(m.sentence.id, *m.words.values()) for m in niwaki.find(query, sentences)}
    assert found == wanted != set()
