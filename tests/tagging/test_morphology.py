"""FEATS, fine tags and lemmas of words that a treebank does not have."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from niwaki.data.modelfile import read_model_file
from niwaki.data.sentence import Sentence
from niwaki.errors import ModelError
from niwaki.pipeline.pipeline import Pipeline
from niwaki.pipeline.store import load, pipeline_of
from niwaki.tagging.morphology import KINDS, features_of, places_of
from tests.toy import quick_model, write

# A language whose first letters change after "an" (b to bh, ...), whose plural ends in "a" and
# whose genitive ends in "i": `an bhalli` is "of the wall", lemma `ball`.
STEMS = (
    "ball bord brat bruscar cat carr clog crann dall dorn mac mol mact min paca poll port".split()
)
CASES = {"": "Case=Nom", "i": "Case=Gen"}
NUMBERS = {"": "Number=Sing", "a": "Number=Plur"}


def noun(stem: str, case: str, number: str, *, after_article: bool) -> Sentence:
    form = stem + number + case
    words, tags = ([f"{form[0]}h{form[1:]}"], ["NOUN"]) if after_article else ([form], ["NOUN"])
    feats = "|".join((CASES[case], NUMBERS[number]))
    if after_article:
        words, tags = ["an", *words], ["DET", *tags]
    size = len(words)
    return Sentence.from_words(
        [*words, "."],
        upos=[*tags, "PUNCT"],
        # A letter for each place, as fine tags of many languages have.
        xpos=["d"] * (size - 1) + ["n" + feats[5].lower() + feats[-4].lower(), "."],
        feats=["_"] * (size - 1) + [feats, "_"],
        lemmas=["an"] * (size - 1) + [stem, "."],
        heads=[size] * (size - 1) + [0, size],
        deprels=["det"] * (size - 1) + ["root", "punct"],
    )


def treebank() -> list[Sentence]:
    """All forms but one: the genitive plural, which only three words have."""
    return [
        noun(stem, case, number, after_article=after_article)
        for stem in STEMS
        for case in CASES
        for number in NUMBERS
        for after_article in (False, True)
        if not (case and number) or stem in STEMS[:3]
    ]


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("morphology")
    data = write(folder / "data.conllu", treebank() * 3)
    quick_model(folder / "m.niwaki", data)
    return folder / "m.niwaki"


@pytest.fixture(scope="module")
def model(path: Path) -> Pipeline:
    return load(path)


def test_the_lemma_of_a_word_that_begins_otherwise(model: Pipeline) -> None:
    assert model.morphology is not None and model.morphology.beginnings is not None
    assert "1-1+" in model.morphology.beginnings.values.names
    for case, number in (("", ""), ("", "a"), ("i", "")):
        wanted = noun("murl", case, number, after_article=True)
        (found,) = model.parse([Sentence.from_words(wanted.forms)])
        assert found.lemmas == wanted.lemmas
    # Without the article it begins as it does.
    (found,) = model.parse([Sentence.from_words(["murl", "."])])
    assert found.lemmas == ("murl", ".")


def test_features_are_known_by_what_they_consist_of(model: Pipeline) -> None:
    for case in CASES:
        for number in NUMBERS:
            wanted = noun("fold", case, number, after_article=False)
            (found,) = model.parse([Sentence.from_words(wanted.forms)])
            assert found.feats == wanted.feats


def test_factors() -> None:
    assert features_of("Case=Gen|Number=Plur") == ["Case=Gen", "Number=Plur"]
    assert features_of("_") == []
    assert places_of("ncg") == [(0, "n"), (1, "c"), (2, "g")]
    values = ["Case=Gen|Number=Plur", "Case=Nom|Number=Plur", "_"]
    choice = KINDS["feats"].choice(values, lowercase=False)
    assert choice.factors == [[0, 1], [2, 1], []]
    assert choice.columns == 3
    assert KINDS["lemmas"].choice(["a", "b"], lowercase=False).factors == [[0], [1]]


def test_what_is_kept_chooses_the_same(model: Pipeline, path: Path, tmp_path: Path) -> None:
    again = tmp_path / "again.niwaki"
    model.save(again)
    bare = [Sentence.from_words(x.forms) for x in treebank()]
    assert list(load(again).parse(bare)) == list(model.parse(bare))


def test_what_does_not_fit_is_refused(path: Path) -> None:
    file = read_model_file(path)
    for record, change, fault in (
        ("feats", {"factors": [[0]]}, "do not fit together"),
        ("feats", {"factors": [[999]] * 9}, "fit together|columns"),
        ("feats", {"levels": ["x0"]}, "x0"),
        ("beginnings", {"values": ["nonsense", "0-0+"]}, "not the beginning"),
    ):
        records = file.json("designs.json")
        records[record].update(change)
        text = json.dumps(records).encode()
        with pytest.raises(ModelError, match=fault):
            pipeline_of(replace(file, parts={**file.parts, "designs.json": text}))
