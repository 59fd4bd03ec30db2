"""The spaCy component: what it sets, what it keeps, and what it survives."""

from __future__ import annotations

import dataclasses
import importlib
import json
import pickle
from importlib import metadata
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from niwaki.data.sentence import Sentence
from niwaki.errors import ConfigError, ModelError, NiwakiError
from niwaki.pipeline.pipeline import Pipeline
from niwaki.pipeline.store import load
from niwaki.training.config_file import make_config
from niwaki.training.run import train
from tests.conftest import ROOT
from tests.garden import treebank
from tests.toy import QUICK_NEURAL, TOY, quick_model, skip_without_extras, write

TEXT = "We saw a heron on the roof . It flew away ."


spacy = pytest.importorskip("spacy", reason="spaCy is missing: pip install niwaki[spacy]")
# The skip above must come first.
component = importlib.import_module("niwaki.integrations.spacy")
tokens = importlib.import_module("spacy.tokens")


def make(**config: Any) -> Any:
    nlp = spacy.blank("xx")
    nlp.add_pipe("niwaki", config=config)
    return nlp


@pytest.fixture(scope="module")
def nlp() -> Any:
    return make(probabilities=True)


def doc_of(nlp: Any, words: list[str], **columns: Any) -> Any:
    return tokens.Doc(nlp.vocab, words=words, **columns)


def joined(doc: Any) -> Any:
    """The document with all its tokens in one sentence."""
    for token in doc[1:]:
        token.is_sent_start = False
    return doc


def as_spacy(sentence: Sentence) -> list[tuple[int, str, str, str, str, str]]:
    """What the tokens of a document of one sentence should be."""
    rows = zip(
        sentence.heads,
        sentence.deprels,
        sentence.upos,
        sentence.xpos,
        sentence.feats,
        sentence.lemmas,
        strict=True,
    )
    return [
        (
            i if head == 0 else head - 1,
            "ROOT" if head == 0 else deprel,
            *("" if value == "_" else value for value in rest),
        )
        for i, (head, deprel, *rest) in enumerate(rows)
    ]


def seen(doc: Any) -> list[tuple[int, str, str, str, str, str]]:
    return [(t.head.i, t.dep_, t.pos_, t.tag_, str(t.morph), t.lemma_) for t in doc]


def test_the_entry_point_is_declared() -> None:
    (found,) = (
        point for point in metadata.entry_points(group="spacy_factories") if point.name == "niwaki"
    )
    assert found.load() is component.make_component


def test_tokens_get_what_the_pipeline_says(nlp: Any) -> None:
    words = "The old pine , which we pruned , leans over the pond .".split()
    (parsed,) = load().parse([Sentence.from_words(words)], probabilities=True)
    doc = nlp(joined(doc_of(nlp, words)))
    assert seen(doc) == as_spacy(parsed)
    assert [str(t._.arc_probability) for t in doc] == [
        str(float(note["ArcProb"])) for note in parsed.notes
    ]
    assert all(0 < t._.tag_probability <= 1 and 0 < t._.label_probability <= 1 for t in doc)
    assert doc._.tree_probabilities == [float(parsed.metadata["tree_probability"])]
    assert doc.has_annotation("DEP") and [s.text for s in doc.sents] == [doc.text.strip()]


def test_given_sentences_are_respected(nlp: Any) -> None:
    words = TEXT.split()
    starts = [i in (0, 8) for i in range(len(words))]
    doc = nlp(doc_of(nlp, words, sent_starts=starts))
    assert [t.is_sent_start for t in doc] == starts
    assert [sent.root.text for sent in doc.sents] == ["saw", "flew"]
    assert len(doc._.tree_probabilities) == 2 and None not in doc._.tree_probabilities
    alone = nlp(joined(doc_of(nlp, words[8:])))
    assert [(head - 8, *rest) for head, *rest in seen(doc)[8:]] == [tuple(r) for r in seen(alone)]


def test_a_document_is_one_sentence_without_a_segmenter(tmp_path: Path, model: Pipeline) -> None:
    path = tmp_path / "plain.niwaki"
    dataclasses.replace(model, segmenter=None).save(path)
    plain = make(model=str(path))
    assert len(list(plain(TEXT).sents)) == 1


@pytest.fixture(scope="module")
def garden_path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model with a segmenter."""
    folder = tmp_path_factory.mktemp("garden")
    corpus = write(folder / "garden.conllu", treebank())
    quick_model(folder / "garden.niwaki", corpus)
    return folder / "garden.niwaki"


def test_the_segmenter_decides_where_nothing_is_given(garden_path: Path) -> None:
    text = "Moss grows on the stones. They did.\n\nI'll wait. Good night!"
    model = load(garden_path)
    expected = [sentence.text for sentence in model.read(text)]
    assert len(expected) > 1
    nlp = make(model=str(garden_path))
    assert [sent.text.strip() for sent in nlp(text).sents] == expected
    assert len(list(nlp(joined(nlp.make_doc(text))).sents)) == 1
    doc = nlp.make_doc(text)
    doc[2].is_sent_start = True
    assert doc[2].i in [sent.start for sent in nlp(doc).sents]


def test_spaces_hang_from_the_word_before_and_change_nothing(nlp: Any) -> None:
    text = "\n  We saw  a heron\t.\n\n"
    doc = nlp(joined(nlp.make_doc(text)))
    words = [t for t in doc if not t.is_space]
    plain = nlp(joined(doc_of(nlp, [t.text for t in words])))
    place = {t.i: n for n, t in enumerate(words)}
    assert [(place[t.head.i], *row[1:]) for t, row in zip(words, seen_words(doc), strict=True)] == [
        tuple(row) for row in seen(plain)
    ]
    spaces = [t for t in doc if t.is_space]
    assert len(spaces) >= 3
    for t in spaces:
        assert (t.pos_, t.tag_, t.dep_, t.lemma_) == ("SPACE", "_SP", "dep", t.text)
        assert t.head.i == (t.i - 1 if t.i else words[0].i)
        assert t._.arc_probability is None
    assert len(list(doc.sents)) == 1


def seen_words(doc: Any) -> list[tuple[int, str, str, str, str, str]]:
    return [row for row, token in zip(seen(doc), doc, strict=True) if not token.is_space]


def test_documents_of_nothing(nlp: Any) -> None:
    empty = nlp("")
    assert len(empty) == 0 and empty._.tree_probabilities == []
    assert empty._.niwaki_candidates(3) == []
    blank = nlp(" \n ")
    assert blank[0].dep_ == "ROOT"
    assert blank._.niwaki_candidates(3) == [[]] and blank._.tree_probabilities == [None]


def test_what_conllu_cannot_hold_does_not_harm(nlp: Any) -> None:
    words = ["We", "saw\tit", "\0", "_", "#", "a\nb", "."]
    doc = nlp(joined(doc_of(nlp, words)))
    assert [t.text for t in doc] == words
    assert doc.has_annotation("DEP") and sum(t.dep_ == "ROOT" for t in doc) == 1


# Made once: what Hypothesis calls many times cannot take a fixture.
ANY = make()


@settings(max_examples=60)
@given(st.text(alphabet="ab .\n\t\u2028\0é木🌲'-", max_size=30))
def test_any_text_gets_one_root_a_sentence(text: str) -> None:
    doc = ANY(text)
    assert doc.text == text
    for sent in doc.sents if len(doc) else ():
        assert [t.dep_ for t in sent].count("ROOT") == 1
        assert all(t.head in sent for t in sent)


def test_given_tags_stay_unless_retag() -> None:
    words, upos = ["Plants", "water", "gardens", "."], ["X", "", "NOUN", ""]
    columns = {"pos": upos, "tags": ["GIVEN", "", "", ""], "lemmas": ["", "wa", "", ""]}
    kept, redone = make(), make(retag=True)
    doc = kept(doc_of(kept, words, **columns))
    assert (doc[0].pos_, doc[0].tag_, doc[1].lemma_) == ("X", "GIVEN", "wa")
    assert doc[1].pos_ and doc[3].pos_ == "PUNCT"
    doc = redone(doc_of(redone, words, **columns))
    assert doc[0].pos_ != "X" and doc[0].tag_ != "GIVEN" and doc[1].lemma_ == "water"


def test_candidates_begin_with_the_tree_of_the_document(nlp: Any) -> None:
    words = TEXT.split()
    doc = doc_of(nlp, [*words[:8], " ", *words[8:]], sent_starts=[i in (0, 9) for i in range(13)])
    doc[4].tag_ = "IN"
    doc = nlp(doc)
    found = doc._.niwaki_candidates(5)
    assert [len(parses) for parses in found] == [5, 5]
    for sent, parses in zip(doc.sents, found, strict=True):
        assert parses == sent._.niwaki_candidates(5)
        assert parses[0].heads == tuple(t.head.i for t in sent)
        assert parses[0].deps == tuple(t.dep_ for t in sent)
        assert sum(parse.probability for parse in parses) == pytest.approx(1)
        scores = [parse.score for parse in parses]
        assert scores == sorted(scores, reverse=True)


def test_candidates_are_found_after_a_round_trip_of_the_document(nlp: Any) -> None:
    doc = nlp(TEXT)
    again = tokens.Doc(nlp.vocab).from_bytes(doc.to_bytes())
    assert again._.niwaki_candidates(3) == doc._.niwaki_candidates(3)
    assert [t._.arc_probability for t in again] == [t._.arc_probability for t in doc]


def test_candidates_need_a_document_as_it_was_parsed(nlp: Any) -> None:
    with pytest.raises(ModelError, match="not parsed by niwaki"):
        spacy.blank("xx")("We saw .")[0:3]._.niwaki_candidates(2)
    doc = nlp("We saw a heron .")
    with doc.retokenize() as retokenizer:
        retokenizer.merge(doc[2:4])
    with pytest.raises(ModelError, match="parse the document again"):
        doc._.niwaki_candidates(2)


@pytest.mark.parametrize("config", [{}, {"threads": 2}, {"beam": 1}])
def test_pipe_gives_what_single_calls_give(config: dict[str, Any]) -> None:
    nlp = make(**config)
    texts = ["", TEXT, " ", "It flew .", "\n", *(f"We saw {n} pines ." for n in range(20))]
    single = [seen(nlp(text)) for text in texts]
    for size in (1, 3, 1000):
        assert [seen(doc) for doc in nlp.pipe(texts, batch_size=size)] == single


def test_pipe_streams(nlp: Any) -> None:
    taken: list[int] = []

    def endless() -> Any:
        while True:
            taken.append(1)
            yield nlp.make_doc("It flew .")

    stream = nlp.get_pipe("niwaki").pipe(endless(), batch_size=4)
    for _ in range(6):
        next(stream)
    assert len(taken) <= 8


def test_a_saved_pipeline_keeps_its_settings(tmp_path: Path, model_path: Path) -> None:
    nlp = make(model=str(model_path), beam=2, threads=2)
    nlp.to_disk(tmp_path / "saved")
    again = spacy.load(tmp_path / "saved")
    assert again.get_pipe("niwaki").settings == nlp.get_pipe("niwaki").settings
    assert seen(again(TEXT)) == seen(nlp(TEXT))
    other = spacy.blank("xx")
    other.add_pipe("niwaki")
    assert other.from_bytes(nlp.to_bytes()).get_pipe("niwaki").settings.beam == 2
    copied = pickle.loads(pickle.dumps(nlp.get_pipe("niwaki")))
    assert copied.settings == nlp.get_pipe("niwaki").settings
    assert copied.model is nlp.get_pipe("niwaki").model
    with pytest.raises(ConfigError, match="not the settings"):
        copied.from_bytes(b'{"other": 1}')


def test_wrong_settings_are_named(model_path: Path) -> None:
    for config, message in [
        ({"beam": 0}, "beam is 0"),
        ({"threads": 0}, "threads is 0"),
        ({"model": "enn"}, "no model 'enn'"),
    ]:
        with pytest.raises(NiwakiError, match=message):
            make(**config)
    assert not load(model_path).parser.gives_probabilities
    with pytest.raises(ModelError, match="not calibrated"):
        make(model=str(model_path), probabilities=True)


OF_ARCS: dict[str, dict[str, Any]] = {
    "graph": {"tagger": {"folds": 2, "epochs": 3}, "training": {"epochs": 3}},
    "neural": {"neural": QUICK_NEURAL, "training": {"epochs": 15, "dev": str(TOY)}},
}


@pytest.fixture(scope="module", params=list(OF_ARCS))
def path_of_arcs(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model of another family: it gives probabilities and has no beams."""
    kind = request.param
    skip_without_extras(kind)
    path = tmp_path_factory.mktemp(kind) / f"{kind}.niwaki"
    record = {"model": {"kind": kind}, "objective": [{"data": str(TOY)}], **OF_ARCS[kind]}
    train(make_config(record), path, threads=1)
    return path


def test_a_model_of_arcs_gives_its_probabilities(path_of_arcs: Path) -> None:
    words = ["The", "gardener", "shapes", "old", "pines", "."]
    nlp, model = make(model=str(path_of_arcs), probabilities=True), load(path_of_arcs)
    (parsed,) = model.parse([Sentence.from_words(words)], probabilities=True)
    doc = nlp(joined(doc_of(nlp, words)))
    assert seen(doc) == as_spacy(parsed)
    for kind, note in (("tag", "TagProb"), ("arc", "ArcProb"), ("label", "LabelProb")):
        shown = [getattr(t._, f"{kind}_probability") for t in doc]
        assert shown == [float(notes[note]) for notes in parsed.notes]
    assert doc._.tree_probabilities == [float(parsed.metadata["tree_probability"])]
    (parses,) = doc._.niwaki_candidates(3)
    ranked = model.kbest(Sentence.from_words(words), 3)
    assert [parse.probability for parse in parses] == pytest.approx(ranked.probabilities)


def test_a_beam_for_a_model_without_beams_is_refused(path_of_arcs: Path) -> None:
    with pytest.raises(ModelError) as refused:
        make(model=str(path_of_arcs), beam=4)
    message = str(refused.value)
    assert message.startswith(
        f"{path_of_arcs}: beam says nothing to this model (it takes decode); "
    )
    assert "\n" not in message


def test_a_model_without_a_tagger_has_no_probabilities_of_tags(tmp_path: Path) -> None:
    path = tmp_path / "bare.niwaki"
    record = {
        "model": {"kind": "graph"},
        "tagger": {"tags": False},
        "objective": [{"data": str(TOY)}],
        "training": {"epochs": 1},
    }
    train(make_config(record), path, threads=1)
    doc = make(model=str(path), probabilities=True)("Rain falls .")
    assert {t._.tag_probability for t in doc} == {None}
    assert all(0 <= t._.arc_probability <= 1 for t in doc)


def test_the_notebook_runs(capsys: pytest.CaptureFixture[str]) -> None:
    book = json.loads((ROOT / "examples" / "spacy.ipynb").read_text(encoding="utf-8"))
    assert (book["nbformat"], book["nbformat_minor"]) == (4, 5)
    assert len({cell["id"] for cell in book["cells"]}) == len(book["cells"])
    names: dict[str, Any] = {}
    for cell in book["cells"]:
        if cell["cell_type"] == "code":
            exec(compile("".join(cell["source"]), cell["id"], "exec"), names)
    assert "hangs from" in capsys.readouterr().out
