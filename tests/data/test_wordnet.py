"""WordNet of a few words: base forms, relations, and what is no WordNet."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from niwaki.data.wordnet import RELATIONS, WordNet
from niwaki.errors import CorpusError, NiwakiError
from tests.asked import small_wordnet


@pytest.fixture(scope="module")
def wordnet(tmp_path_factory: pytest.TempPathFactory) -> WordNet:
    return WordNet(small_wordnet(tmp_path_factory.mktemp("wordnet")))


def test_base_forms(wordnet: WordNet) -> None:
    for form, bases in (
        *(("Gardeners", {"gardener"}), ("gardenerz", {"gardener"}), ("gardening", {"garden"})),
        *(("bought", {"buy"}), ("damper", {"damp"}), ("sleeping", {"sleep"}), ("moss", set())),
    ):
        assert wordnet.bases(form) == bases


def test_relations(wordnet: WordNet) -> None:
    found = {
        (base, other, kind)
        for base in ("gardener", "buy", "purchase", "sell", "snore", "sleep", "tire", "wet", "damp")
        for other, kinds in wordnet.related(base).items()
        for kind in kinds
    }
    assert found == {
        ("gardener", "nurseryman", "synonym"),
        ("gardener", "worker", "hypernym"),
        ("gardener", "garden", "derived"),
        ("buy", "purchase", "synonym"),
        ("buy", "acquire", "hypernym"),
        ("buy", "sell", "antonym"),
        ("purchase", "buy", "synonym"),
        ("purchase", "acquire", "hypernym"),  # the antonym is that of "buy" alone
        ("sell", "buy", "antonym"),
        ("snore", "sleep", "entails"),
        ("sleep", "snore", "entailed by"),
        ("sleep", "snore", "see also"),
        ("sleep", "rest", "verb group"),
        ("tire", "sleep", "cause"),
        ("wet", "dry", "antonym"),
        ("wet", "arid", "antonym"),
        ("damp", "dry", "antonym"),
        ("damp", "arid", "antonym"),
    }
    assert wordnet.related("acquire") == {
        "buy": frozenset(("hyponym",)),
        "purchase": frozenset(("hyponym",)),
    }
    assert wordnet.related("moss") == {}
    assert {kind for _, _, kind in found} | {"hyponym"} == set(RELATIONS)


def test_files_may_be_packed(wordnet: WordNet, tmp_path: Path) -> None:
    folder = small_wordnet(tmp_path / "packed")
    for path in list(folder.iterdir()):
        if path.suffix != ".exc":
            path.with_name(f"{path.name}.gz").write_bytes(gzip.compress(path.read_bytes()))
            path.unlink()
    assert WordNet(folder).related("buy") == wordnet.related("buy")


def test_what_is_no_wordnet(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(NiwakiError, match=r"no WordNet in .*; install it \(apt install wordnet"):
        WordNet(tmp_path)
    monkeypatch.setattr("niwaki.data.wordnet.PLACES", (str(tmp_path), "/nowhere"))
    with pytest.raises(NiwakiError, match="or /nowhere"):
        WordNet()
    folder = small_wordnet(tmp_path / "broken")
    (folder / "data.noun").write_text("00000001 00 n 02 gardener\n")
    with pytest.raises(CorpusError, match=r"data\.noun:0:SYNSET: no synset 00000001 that can be"):
        WordNet(folder).related("gardener")
    (folder / "index.verb").unlink()
    with pytest.raises(FileNotFoundError, match=r"index\.verb"):
        WordNet(folder)
