"""Words as light views, their places in the text, and sentences as records."""

from __future__ import annotations

import json
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from niwaki import KBest, Sentence, Token, Tree, load

FRENCH = """\
# sent_id = fr
# text = Il va au parc.
1\tIl\til\tPRON\t_\tGender=Masc|Number=Sing\t2\tnsubj\t_\tArcProb=0.9\n\
2\tva\taller\tVERB\tV\t_\t0\troot\t_\t_
3-4\tau\t_\t_\t_\t_\t_\t_\t_\t_
3\tà\tà\tADP\t_\t_\t5\tcase\t_\t_
4\tle\tle\tDET\t_\t_\t5\tdet\t_\tArcProb=oops
5\tparc\tparc\tNOUN\t_\t_\t2\tobl\t_\tSpaceAfter=No|ArcProb=7
5.1\tvert\tvert\tADJ\t_\t_\t_\t_\t5:amod\t_
6\t.\t.\tPUNCT\t_\t_\t2\tpunct\t_\t_

"""


@pytest.fixture
def french() -> Sentence:
    return Sentence.from_conllu(FRENCH)


def test_a_token_shows_its_word(french: Sentence) -> None:
    tokens = list(french)
    assert len(tokens) == len(french) == 6
    first = tokens[0]
    assert (first.index, first.form, first.lemma, first.upos, first.xpos) == (
        *(1, "Il", "il", "PRON", "_"),
    )
    assert first.feats == {"Gender": "Masc", "Number": "Sing"}
    assert first.deprel == "nsubj"
    assert first.head is not None and first.head.form == "va"
    root = first.head
    assert root.head is None
    assert [child.form for child in root.children] == ["Il", "parc", "."]
    assert [child.index for child in tokens[4].children] == [3, 4]
    assert str(first) == "Il" and repr(first) == "<Token 1: Il>"
    assert first == Token(french, 1) != tokens[1]


def test_an_unknown_head_is_no_token() -> None:
    sentence = Sentence.from_words(["a", "b"], heads=[-1, 0])
    assert [token.head for token in sentence] == [None, None]


def test_probabilities_are_never_made_up(french: Sentence) -> None:
    assert [token.prob for token in french] == [0.9, None, None, None, None, None]


def test_places_in_a_text_that_is_given(french: Sentence) -> None:
    assert french.text == "Il va au parc."
    # Words of one token have its place.
    assert french.places == ((0, 2), (3, 5), (6, 8), (6, 8), (9, 13), (13, 14))
    assert [(token.start, token.end) for token in french] == list(french.places)


def test_places_by_space_after() -> None:
    sentence = Sentence.from_words(["do", "n't", "go"], misc=["SpaceAfter=No", "_", "_"])
    assert sentence.text == "don't go"
    assert [sentence.text[t.start : t.end] for t in sentence] == ["do", "n't", "go"]


def test_places_that_tokens_have_themselves() -> None:
    """Of the document; a form may differ from what is written there."""
    sentence = Sentence.from_words(
        ["Good", "night\ufffd", "!"],
        comments=["text = Good  nigh   !"],
        misc=["TokenRange=100:104", "TokenRange=106:111", "TokenRange=113:114"],
    )
    assert sentence.places == ((0, 4), (6, 11), (13, 14))


@pytest.mark.parametrize(
    "ranges",
    [
        ("TokenRange=0:1", "_"),
        ("TokenRange=0:1", "TokenRange=2:9"),
        ("TokenRange=5:4", "TokenRange=4:8"),
        ("TokenRange=x", "TokenRange=:"),
        ("TokenRange=0:1", "TokenRange=0:3"),
        ("TokenRange=0:1", "TokenRange=2:" + "9" * 5000),
    ],
)
def test_own_places_that_do_not_fit_are_not_believed(ranges: tuple[str, str]) -> None:
    sentence = Sentence.from_words(["a", "b"], comments=["text = a b"], misc=ranges)
    assert sentence.places == ((0, 1), (2, 3))


def test_places_are_unknown_where_text_and_words_part() -> None:
    sentence = Sentence.from_words(["a", "b", "c"], comments=["text = a x c"])
    assert sentence.places == ((0, 1), None, None)
    assert [token.start for token in sentence] == [0, None, None]
    assert sentence.to_dict()["offsets"] == [[0, 1], None, None]


@given(st.lists(st.tuples(st.text("ab'é", min_size=1), st.booleans()), min_size=1, max_size=8))
def test_places_are_where_the_words_are(words: list[tuple[str, bool]]) -> None:
    sentence = Sentence.from_words(
        [form for form, _ in words], misc=["_" if space else "SpaceAfter=No" for _, space in words]
    )
    text = sentence.text
    assert [text[token.start : token.end] for token in sentence] == list(sentence.forms)


def test_a_text_that_is_read_knows_its_places() -> None:
    document = "The  pine leans.  I don't know."
    segmenter = load().segmenter
    assert segmenter is not None
    first, second = segmenter.segment(document)
    for sentence in (first, second):
        written = list(sentence.forms)
        for token in sentence.ranges:
            written[token.first - 1 : token.last] = [token.form] * (token.last - token.first + 1)
        assert [sentence.text[token.start : token.end] for token in sentence] == written
    assert [token.form for token in second.ranges] == ["don't"]


def test_a_sentence_with_tokens_is_pickled(french: Sentence) -> None:
    assert french.places
    (*_, last) = pickle.loads(pickle.dumps(list(french)))
    assert (last.form, last.head.form, last.end) == (".", "va", 14)


# -- records ------------------------------------------------------------------------------


def test_a_record_has_everything(french: Sentence) -> None:
    sentence = french.with_comments([*french.comments, "tree_probability = 0.25"])
    record = json.loads(json.dumps(sentence.to_dict()))
    assert record["id"] == "fr"
    assert record["text"] == "Il va au parc."
    assert record["tokens"] == list(french.forms)
    for name in ("lemmas", "upos", "xpos", "feats", "heads", "deprels", "deps", "misc"):
        assert record[name] == list(getattr(french, name))
    assert record["offsets"][2:4] == [[6, 8], [6, 8]]
    (token,) = record["multiword_tokens"]
    assert token == {"first": 3, "last": 4, "form": "au", "misc": "_"}
    (node,) = record["empty_nodes"]
    assert node["id"] == "5.1" and node["fields"][1] == "vert"
    assert record["comments"] == list(sentence.comments)
    assert record["probabilities"] == {"arc": [0.9, *[None] * 5], "tree": 0.25}


def test_what_is_not_known_is_not_there() -> None:
    assert "probabilities" not in Sentence.from_words(["a"]).to_dict()


def test_candidates_as_a_record(french: Sentence) -> None:
    trees = [french.tree, Tree((0, 1, 1, 1, 1, 1), ("root", *["dep"] * 5))]
    record = KBest.of_trees(trees, np.array([2.0, 1.0])).of(french).to_dict()
    assert json.loads(json.dumps(record)) == record
    assert {"id", "text", "tokens", "upos", "xpos", "parses"} <= set(record)
    assert not {"heads", "deprels", "probabilities"} & set(record)
    best, second = record["parses"]
    assert best["heads"] == list(french.heads) and best["deprels"] == list(french.deprels)
    assert (best["score"], second["score"]) == (2.0, 1.0)
    assert best["probability"] + second["probability"] == pytest.approx(1)
    assert best["probability"] > second["probability"]
