"""What a sentence says about itself, and how a new one is made."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest

import niwaki
from niwaki import Sentence, Tree
from niwaki.errors import CorpusError


@pytest.fixture
def by_id(fixtures: Path) -> dict[str, Sentence]:
    return {s.id: s for s in niwaki.read_conllu(fixtures / "phenomena.conllu")}


def test_columns(by_id: dict[str, Sentence]) -> None:
    sentence = by_id["plain"]
    assert sentence.forms == ("The", "gardener", "shapes", "old", "pines", ".")
    assert sentence.lemmas[4] == "pine"
    assert sentence.upos[:2] == ("DET", "NOUN")
    assert sentence.heads == (2, 3, 0, 5, 3, 3)
    assert sentence.deps[2] == "0:root"
    assert sentence.features[0] == {"Definite": "Def", "PronType": "Art"}
    assert sentence.notes[4] == {"SpaceAfter": "No"}
    assert sentence.metadata["newdoc id"] == "garden"
    assert "newpar" in sentence.metadata
    assert sentence.text == "The gardener shapes old pines."


def test_ranges_and_empty_nodes(by_id: dict[str, Sentence]) -> None:
    (contraction,) = by_id["range"].ranges
    assert (contraction.first, contraction.last, contraction.form) == (2, 3, "can't")
    assert len(by_id["range"]) == 6
    assert [node.id for node in by_id["empty-node"].empty_nodes] == ["5.1"]
    assert by_id["leading-empty-node"].empty_nodes[0].form == "grows"
    assert by_id["range"].notes[4]["Gloss"] == "the=tree"


def test_text_is_put_together_when_it_is_not_given(by_id: dict[str, Sentence]) -> None:
    chosen = [s for s in by_id.values() if "text" in s.metadata and not s.empty_nodes]
    assert chosen
    for sentence in chosen:
        bare = sentence.with_comments([])
        assert bare.text == sentence.text
        assert bare.comments == ()
        assert bare.forms == sentence.forms


def test_comments_as_they_stand(by_id: dict[str, Sentence]) -> None:
    sentence = by_id[""]
    assert sentence.comments == ("a comment of its own", "no space", "key without value =")
    assert sentence.metadata["key without value"] == ""


def test_with_comments_keeps_line_ends() -> None:
    sentence = Sentence.from_conllu("# old\r\n1\ta\t_\t_\t_\t_\t0\troot\t_\t_\r\n\r\n")
    assert sentence.with_comments(["new"]).source.startswith(b"# new\r\n1\ta")
    with pytest.raises(ValueError, match="one line"):
        sentence.with_comments(["a\nb"])


def test_made_from_words() -> None:
    sentence = Sentence.from_words(
        ["Trees", "grow"], upos=["NOUN", "VERB"], comments=["sent_id = x"]
    )
    assert sentence.heads == (-1, -1)
    assert sentence.id == "x"
    parsed = sentence.with_tree(Tree((2, 0), ("nsubj", "root")))
    assert Sentence.from_conllu(str(parsed)) == parsed
    assert parsed.tree == Tree((2, 0), ("nsubj", "root"))
    assert repr(parsed) == "<Sentence of 2 words: Trees grow>"


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"upos": ["X"]}, "1 upos for 2 words"),
        ({"upos": ["X", ""]}, "cannot stand"),
        ({"upos": ["X", "a\tb"]}, "cannot stand"),
        ({"heads": [2, 2]}, "word 2 cannot have the head 2"),
        ({"heads": [3, 0]}, "word 1 cannot have the head 3"),
        ({"heads": ["2", 0]}, "cannot have the head"),
    ],
)
def test_refused_columns(columns: dict[str, list[str | int]], message: str) -> None:
    sentence = Sentence.from_words(["a", "b"])
    with pytest.raises(ValueError, match=message):
        sentence.replace(**columns)


def test_unknown_column_and_no_words() -> None:
    with pytest.raises(TypeError, match="no column 'tags'"):
        Sentence.from_words(["a"]).replace(tags=["X"])
    with pytest.raises(ValueError, match="at least one word"):
        Sentence.from_words([])


def test_from_conllu_refuses_more_or_less_than_one_sentence() -> None:
    one = str(Sentence.from_words(["a"]))
    with pytest.raises(CorpusError, match="more than one"):
        Sentence.from_conllu(one + one)
    with pytest.raises(CorpusError):
        Sentence.from_conllu("")
    with pytest.raises(CorpusError):
        Sentence.from_conllu("1\tbroken\n\n")


def test_frozen_and_picklable(by_id: dict[str, Sentence]) -> None:
    sentence = by_id["plain"]
    with pytest.raises(AttributeError):
        sentence.source = b""  # type: ignore[misc]
    with pytest.raises(TypeError):
        sentence.features[0]["x"] = "y"  # type: ignore[index]
    assert pickle.loads(pickle.dumps(sentence)) == sentence
    assert len({sentence, by_id["plain"]}) == 1


def test_shown_in_notebooks(by_id: dict[str, Sentence]) -> None:
    shown = by_id["markup"]._repr_html_()
    assert shown is not None
    assert "<svg" in shown and "&lt;b&gt;" in shown and "<b>" not in shown
