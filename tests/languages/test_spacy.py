"""Models of many scripts in spaCy: the language class, and words as tokens."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

import pytest

from niwaki.data.languages import language_code
from niwaki.errors import ModelError
from niwaki.hub.cache import cached_path
from tests.installed import hide_models
from tests.languages.conftest import Trained, text_of
from tests.scripts import VIETNAMESE

spacy = pytest.importorskip("spacy", reason="spaCy is missing: pip install niwaki[spacy]")
# The skip above must come first.
language = importlib.import_module("niwaki.integrations.spacy_language")

# spaCy knows nothing of the others.
CLASSES = {"ar", "hi", "te", "th", "ja", "vi"}


def test_the_language_class_is_that_of_the_model(trained: Trained) -> None:
    code = trained.script.code
    assert language_code(trained.script.language) == code
    nlp = language.blank(str(trained.path))
    assert nlp.lang == (code if code in CLASSES else "xx")


def test_tokens_are_the_words_of_the_model(trained: Trained) -> None:
    nlp = language.blank(str(trained.path))
    text = text_of(trained.script)
    doc = nlp(text)
    assert doc.text == text
    gold = [form for sentence in trained.script.sentences()[:3] for form in sentence.forms]
    if trained.script is not VIETNAMESE:
        assert [token.text for token in doc] == gold
        assert len(list(doc.sents)) == 3
    assert all(text[token.idx : token.idx + len(token)] == token.text for token in doc)
    assert {token.dep_ for token in doc} >= {"ROOT", "nsubj", "obj", "punct"}


@pytest.mark.parametrize("text", ["", " ", "\n\n", "  a  b\n\tc ", "猫が魚を", "a\u0301 🌲\u200d"])
def test_no_character_is_lost(trained: Trained, text: str) -> None:
    assert language.blank(str(trained.path))(text).text == text


def test_it_can_be_saved(trained: Trained, tmp_path: Path) -> None:
    nlp = language.blank(str(trained.path))
    nlp.to_disk(tmp_path / "nlp")
    again = spacy.load(tmp_path / "nlp")
    text = text_of(trained.script)
    assert [t.dep_ for t in again(text)] == [t.dep_ for t in nlp(text)]
    assert [t.text for t in again(text)] == [t.text for t in nlp(text)]


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NIWAKI_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("NIWAKI_INDEX", raising=False)
    hide_models(monkeypatch)


def blank(code: str) -> Any:
    nlp = spacy.blank(code)
    nlp.add_pipe("niwaki")
    return nlp


def test_a_component_takes_the_model_of_its_pipeline(trained: Trained, cache: None) -> None:
    if trained.script.code not in ("ar", "hi", "te"):
        # spaCy's own tokens of the others need packages, or there are none.
        assert blank("xx").get_pipe("niwaki").settings.model == "en"
        return
    code = trained.script.code
    with pytest.raises(ModelError, match=f"no model '{code}'"):
        blank(code)
    path = cached_path(code, "1")
    path.parent.mkdir(parents=True)
    path.write_bytes(trained.path.read_bytes())
    nlp = blank(code)
    assert nlp.get_pipe("niwaki").settings.model == code
    assert nlp.get_pipe("niwaki").model.config["card"]["language"] == trained.script.language
