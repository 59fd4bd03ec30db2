"""Questions with candidates, rankings and judgments: read, written, refused with their line."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest

from niwaki.data.answers import (
    Judged,
    Ranked,
    read_judgments,
    read_questions,
    read_rankings,
    write_rankings,
)
from niwaki.data.sentence import Sentence
from niwaki.errors import CorpusError
from tests.asked import as_text, pool


def read(*records: Any) -> list[Any]:
    lines = "".join(f"{json.dumps(each)}\n" for each in records)
    return list(read_questions(io.BytesIO(lines.encode())))


def test_sentences_are_texts_words_or_objects() -> None:
    (found,) = read({"question": "Who rakes ?", "candidates": ["Mori  rakes .", ["Rake", "it"]]})
    assert found.id == "1" and found.sentence.forms == ("Who", "rakes", "?")
    assert [each.sentence.forms for each in found.answers] == [
        ("Mori", "rakes", "."),
        ("Rake", "it"),
    ]
    assert [each.id for each in found.answers] == ["1", "2"]
    assert found.answers[0].right is None and found.answers[0].sentence.text == "Mori rakes ."
    words = {"tokens": ["Go", "on"], "upos": ["VERB", "ADV"], "heads": [0, 1]}
    words |= {"deprels": ["root", "advmod"], "lemmas": ["go", "on"], "entities": ["-", "PLACE"]}
    (found,) = read({"id": 7, "question": words, "candidates": []})
    sentence = found.sentence
    assert found.id == "7" and sentence.heads == (0, 1) and sentence.lemmas == ("go", "on")
    assert sentence.misc == ("_", "NE=PLACE")


def test_the_names_of_wang_et_al() -> None:
    words = {"forms": ["Ono"], "pos": ["NNP"], "head": [0], "deprel": ["ROOT"], "ne": ["PERSON-B"]}
    candidates = [{**words, "label": 1, "doc": 6}, {**words, "label": 0, "doc": 0}]
    (found,) = read({"id": "1.4", "question": words, "candidates": candidates})
    assert found.sentence.xpos == ("NNP",) and found.sentence.misc == ("NE=PERSON",)
    assert [(each.id, each.right) for each in found.answers] == [("6", True), ("0", False)]
    assert found.judged == Judged("1.4", {"6": True, "0": False})
    (found,) = read({"question": "Who ?", "right": ["Ono ."], "wrong": ["Abe .", "Sato ."]})
    assert [each.right for each in found.answers] == [True, False, False]


class Segmenter:
    def segment(self, text: Any, *, by_lines: bool = False, file: str = "") -> Any:
        assert by_lines and "\n" not in text
        return iter([Sentence.from_words(list(text.replace(" ", "")))])


def test_texts_are_cut_by_a_segmenter() -> None:
    line = json.dumps({"question": "a\nb", "candidates": [["c", "d"]]})
    (found,) = read_questions(io.BytesIO(line.encode()), Segmenter())
    assert found.sentence.forms == ("a", "b") and found.answers[0].sentence.forms == ("c", "d")


@pytest.mark.parametrize(
    ("record", "message"),
    [
        ({"candidates": ["a"]}, "1:question: candidates without a question; give the question"),
        ({"id": "\ud800", "question": "a", "candidates": []}, "1:id: found '\\ud800'; give Uni"),
        ({"question": "\ud800", "candidates": []}, "1:question: "),
        ({"question": ["a"] * 2001, "candidates": []}, "a sentence of 2,001 words; give sentences"),
        ({"question": "a"}, "1:candidates: a question without candidates; give a list"),
        ({"question": "a", "candidates": "b"}, "1:candidates: found '\"b\"'; give a list"),
        ({"question": " ", "candidates": []}, "1:question: found '\" \"'; give a text"),
        ({"question": 3, "candidates": []}, "1:question: found '3'; give a text"),
        ({"question": {}, "candidates": []}, "1:question: no text; give a text"),
        ({"question": [], "candidates": []}, "1:question: 'a sentence has at least one word'"),
        ({"question": ["a\tb"], "candidates": []}, "cannot stand in a field"),
        ({"question": [3], "candidates": []}, "1:question: "),
        ({"question": {"tokens": ["a"], "heads": [5]}, "candidates": []}, "word 1 cannot have"),
        ({"question": {"tokens": ["a"], "heads": [0, 1]}, "candidates": []}, "2 heads for 1 words"),
        ({"question": {"tokens": ["a"], "ne": [None]}, "candidates": []}, "one value a word"),
        ({"question": "a", "candidates": [{"text": "b", "label": 2}]}, "label '2' of candidate 1"),
        ({"question": "a", "candidates": [{"text": "b", "label": "x"}]}, "1:label: label"),
        (
            {"question": "a", "candidates": [{"text": "b", "id": 1}, {"text": "c", "id": 1}]},
            "two candidates with one id; give each its own",
        ),
    ],
)
def test_what_is_wrong_is_told_with_its_line(record: Any, message: str) -> None:
    with pytest.raises(CorpusError) as error:
        read(record)
    assert message in str(error.value) and "\n" not in str(error.value)


def test_ids_and_labels_that_are_missed() -> None:
    once = {"id": "x", "question": "a", "candidates": ["b"]}
    with pytest.raises(CorpusError, match="2:id: a second question 'x'"):
        read(once, once)
    (question,) = read(once)
    with pytest.raises(CorpusError, match="1:label: candidate '1' has no label; give 1 if"):
        question.judged  # noqa: B018


def test_what_is_written_is_read_again(tmp_path: Path) -> None:
    questions = pool(3)
    ranked = [Ranked(q.id, {a.id: float(a.id) for a in q.answers}) for q in questions]
    for trees in (False, True):
        path = tmp_path / "r.jsonl"
        write_rankings(zip(questions, ranked, strict=True), path, trees=trees)
        assert read_rankings(path) == ranked
        again = list(read_questions(path))
        assert [each.id for each in again[0].answers] == ["4", "3", "2", "1"]
        assert [each.judged.right for each in again] == [each.judged.right for each in questions]
        sentence, wanted = again[1].sentence, questions[1].sentence
        assert sentence.forms == wanted.forms
        assert (sentence.heads == wanted.heads) == trees
        assert (sentence.upos == wanted.upos) == trees


def test_judgments(tmp_path: Path) -> None:
    path = tmp_path / "gold"
    path.write_text("2 0 a 1\n\n2 0 b 0\n7 0 a -1\n")
    assert read_judgments(path) == [Judged("2", {"a": True, "b": False}), Judged("7", {"a": False})]
    path.write_text(as_text(pool(2)))
    assert read_judgments(path) == [each.judged for each in pool(2)]
    path.write_text("2 0 a 1\n2 0 b\n")
    with pytest.raises(CorpusError, match="gold:2:LINE: found '2 0 b'; write: question 0"):
        read_judgments(path)


@pytest.mark.parametrize("candidate", ["a", {"id": 1}, {"id": 1, "score": "x"}, {"score": 1.0}])
def test_rankings_need_scores(candidate: Any) -> None:
    line = json.dumps({"id": "q", "candidates": [candidate]})
    with pytest.raises(CorpusError, match=r"1:candidates: found .*; give an id and a score each"):
        read_rankings(io.BytesIO(line.encode()))
