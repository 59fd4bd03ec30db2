"""Features on FEATS: parsers see predicted ones, in training and after; given ones stay."""

from __future__ import annotations

import pickle
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from niwaki.data.sentence import Sentence
from niwaki.errors import ConfigError
from niwaki.features.templates import morphology_seen
from niwaki.kernel.batch import Batch, short_hashes
from niwaki.learning.checkpoint import Checkpoint
from niwaki.learning.corpus import Corpus
from niwaki.pipeline.pipeline import Pipeline
from niwaki.pipeline.store import load
from niwaki.tagging.config import TaggerConfig
from niwaki.tagging.tagger import Tagger, Tags, case_of
from niwaki.tagging.trainer import jackknife
from niwaki.training.config import TreebankConfig
from niwaki.training.config_file import make_config
from niwaki.training.run import train
from niwaki.training.treebanks import read_treebank, read_treebanks
from tests.release import QUICKLY, Row, conllu

# Who sees whom is told by endings alone: the words come in any order.
_NAMES = ("kuusi", "pihka", "oksa", "vitsa", "lehti", "juuri")


def sentences() -> list[list[Row]]:
    found = []
    for first in _NAMES:
        for other in _NAMES:
            subject: Row = (first + "ks", first, "NOUN", "Case=Nom", 2, "nsubj")
            verb: Row = ("näkee", "nähdä", "VERB", "Mood=Ind|VerbForm=Fin", 0, "root")
            seen: Row = (other + "t", other, "NOUN", "Case=Acc", 2, "obj")
            around = (subject, seen) if first < other else (seen, subject)
            found.append([around[0], verb, around[1], (".", ".", "PUNCT", "_", 2, "punct")])
    return found


@pytest.fixture(scope="module")
def treebank(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("feats") / "train.conllu"
    path.write_text(conllu(sentences()), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def model(treebank: Path) -> Pipeline:
    """It looks at nothing but tags and case."""
    features = treebank.with_name("features.txt")
    features.write_text("s1.tag + s0.tag\ns1.tag + s1.case + s0.tag + s0.case\ns0.tag + b0.tag\n")
    tables = {"objective": [{"data": str(treebank)}], "model": {"features": str(features)}}
    return train(make_config(tables, overrides=QUICKLY), treebank.with_name("m.niwaki"))


def test_case_is_predicted_for_the_parser(model: Pipeline, treebank: Path) -> None:
    new = [Sentence.from_words(["lehtit", "näkee", "juuriks", "."])]
    (parsed,) = model.parse(new)
    assert parsed.feats[0] == "Case=Acc" and parsed.feats[2] == "Case=Nom"
    assert parsed.deprels == ("obj", "root", "nsubj", "punct")
    (again,) = load(treebank.with_name("m.niwaki")).parse(new)
    assert again == parsed


def test_given_feats_stay(model: Pipeline) -> None:
    """The parser believes them rather than its own."""
    words = Sentence.from_words(["lehtit", "näkee", "juuriks", "."])
    given = words.replace(feats=["Case=Nom", "_", "Case=Acc", "_"])
    (kept,) = model.parse([given])
    assert kept.deprels == ("nsubj", "root", "obj", "punct")
    (own,) = model.parse([given], retag=True)
    assert own.deprels == ("obj", "root", "nsubj", "punct")


def test_lemmas_are_predicted_for_the_parser(treebank: Path, tmp_path: Path) -> None:
    """Who has which role is told by lemmas alone, of forms that were not seen in training."""
    agents, patients = ("kuusi", "pihka", "oksa"), ("vitsa", "lehti", "juuri")
    verb: Row = ("näkee", "nähdä", "VERB", "_", 0, "root")
    rows: list[list[Row]] = []
    for number, (agent, patient) in enumerate(product(agents, patients)):
        endings = "aeiouy"[number % 6], "aeiouy"[(number + 1) % 6]
        subject: Row = (agent + "t" + endings[0], agent, "NOUN", "_", 2, "nsubj")
        seen: Row = (patient + "t" + endings[1], patient, "NOUN", "_", 2, "obj")
        first, last = (subject, seen) if number % 2 else (seen, subject)
        rows.append([first, verb, last])
    file, features = tmp_path / "train.conllu", tmp_path / "features.txt"
    file.write_text(conllu(rows * 4), encoding="utf-8")
    features.write_text("s1.tag + s0.tag\ns1.lemma + s0.tag\ns1.tag + s0.lemma\ns0.tag + b0.tag\n")
    tables = {"objective": [{"data": str(file)}], "model": {"features": str(features)}}
    model = train(make_config(tables, overrides=QUICKLY), tmp_path / "m.niwaki")
    new = Sentence.from_words(["juuritö", "näkee", "Pihkatö"])
    for each in (model, load(tmp_path / "m.niwaki")):
        (parsed,) = each.parse([new])
        assert parsed.lemmas[0] == "juuri"
        assert parsed.deprels == ("obj", "root", "nsubj")
        (given,) = each.parse([new.replace(lemmas=["oksa", "_", "vitsa"])])
        assert given.lemmas[0] == "oksa" and given.deprels == ("nsubj", "root", "obj")
        (own,) = each.parse([given], retag=True)
        assert own.deprels == parsed.deprels


def test_tags_as_files_and_workers_have_them() -> None:
    words = Sentence.from_words(["Ab", "c", "d"]).replace(lemmas=["Abe", "_", "d"])
    tags = Tags.none(Batch([words.source]))
    lemmas = short_hashes([b"abe", b"_", b"d"]).tolist()
    assert tags.lemma.tolist() == lemmas
    assert Tags.of_arrays(tags.arrays()).lemma.tolist() == lemmas
    assert pickle.loads(pickle.dumps(tags)).lemma.tolist() == lemmas
    assert tags.only(np.array([True, False, True])).lemma.tolist() == [lemmas[0], lemmas[2]]


def test_training_sees_feats_of_other_parts(
    model: Pipeline, treebank: Path, tmp_path: Path
) -> None:
    corpus = read_treebank([str(treebank)])
    checkpoint = Checkpoint(str(tmp_path / "c"), {}, 9.0)
    assert model.tagger is not None and model.morphology is not None
    tags = jackknife(
        corpus,
        model.tagger,  # type: ignore[arg-type]
        TaggerConfig(folds=2, epochs=2),
        1,
        morphology=model.morphology,
        threads=1,
        clusters=None,
        checkpoint=checkpoint,
        advance=lambda count: None,
    )
    gold = np.concatenate([short_hashes([x.encode() for x in s.feats]) for s in corpus.sentences])
    assert (tags.feats == gold).mean() > 0.9
    assert (tags.feats_chosen >= 0).all()
    kept = checkpoint["fold-1"]["feats"]
    part = corpus.words_of(np.arange(len(corpus.sentences)) % 2 == 1)
    assert (tags.feats[part] == kept).all()


def test_without_a_tagger_given_feats_are_seen() -> None:
    words = Sentence.from_words(["a", "b"]).replace(feats=["Case=Nom|Number=Sing", "_"])
    tags = Tags.none(Batch([words.source]))
    assert tags.feats.tolist() == short_hashes([b"Case=Nom|Number=Sing", b"_"]).tolist()
    assert tags.case.tolist() == short_hashes([b"Case=Nom", b"_"]).tolist()


def test_what_case_is() -> None:
    assert case_of(b"Case=Gen|Number=Plur|VerbForm=Part") == b"Case=Gen|VerbForm=Part"
    assert case_of(b"Number=Plur") == case_of(b"_") == b"_"


def test_who_sees_morphology() -> None:
    assert morphology_seen("s0.form\ns1.tag + s0.case") == ("feats",)
    assert morphology_seen("s0-1.feats") == ("feats",)
    assert morphology_seen("s0.lemma + s0.case") == ("feats", "lemmas")
    assert morphology_seen("s0.form # not s0.feats\nw0.lower") == ()


def test_given_tags_are_what_a_parser_learns_with(
    model: Pipeline, treebank: Path, tmp_path: Path
) -> None:
    """Of trees in another language: its words are unknown, its UPOS and FEATS are not."""
    foreign: list[Row] = [
        ("Ora", "ora", "VERB", "Mood=Imp", 0, "root"),
        ("!", "!", "PUNCT", "_", 1, "punct"),
    ]
    other = tmp_path / "other.conllu"
    other.write_text(conllu([foreign, foreign]), encoding="utf-8")
    own = TreebankConfig(data=(str(treebank),))
    beside = TreebankConfig(data=(str(other),), trains=("trees",), given_tags=True)
    both = read_treebanks([own, beside])
    assert both.given_tags is not None and both.given_tags.sum() == 2

    def tagged(corpus: Corpus) -> Tags:
        assert isinstance(model.tagger, Tagger)
        return jackknife(
            corpus,
            model.tagger,
            TaggerConfig(epochs=1, folds=2),
            1,
            morphology=model.morphology,
            threads=1,
            clusters=None,
            checkpoint=Checkpoint(str(tmp_path / "c"), {}, 9.0),
            advance=lambda count: None,
            unseen=corpus.given_tags,
        )

    tags = tagged(both)
    verb, imperative, none = short_hashes([b"VERB", b"Mood=Imp", b"_"])
    assert tags.upos[-4] == tags.upos[-2] == verb
    assert tags.feats[-4:].tolist() == [imperative, none] * 2
    # Other sentences are tagged as if these were not there.
    alone = tagged(read_treebanks([own]))
    assert tags.upos[:-4].tolist() == alone.upos.tolist()
    assert tags.feats[:-4].tolist() == alone.feats.tolist()


def test_tags_are_learned_or_given(treebank: Path) -> None:
    with pytest.raises(ConfigError, match=r"given_tags does not go with trains = \['tags'"):
        make_config({"objective": [{"data": str(treebank), "given_tags": True}]})
