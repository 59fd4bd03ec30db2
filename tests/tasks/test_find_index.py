"""Indexes: what is found in them is what is found in their sentences; and what is no index."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

from niwaki.data.conllu import read_conllu, write_conllu
from niwaki.data.sentence import Sentence
from niwaki.errors import CorpusError, NiwakiError
from niwaki.tasks.find.index import Index, write_index
from niwaki.tasks.find.query import Query, find_in_sentences
from niwaki.tasks.find.sets import load_queries
from tests.conftest import ROOT
from tests.tasks.test_find import Queries, all_heads, random_sentence, read
from tests.toy import TOY

EXAMPLES = [ROOT / "examples" / f"{name}.conllu" for name in ("garden", "lanterns", "roles")]


def sentences() -> list[Sentence]:
    return [sentence for file in EXAMPLES for sentence in read_conllu(file)]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    assert write_index(sentences(), tmp_path / "i.index") == len(sentences())
    return tmp_path / "i.index"


def test_the_sentences_come_back(path: Path, tmp_path: Path) -> None:
    index = Index(path)
    assert len(index) == len(sentences()) > 10
    back = [index.sentence(number) for number in range(len(index))]
    assert back == sentences()
    assert [(s.file, s.line) for s in back] == [(s.file, s.line) for s in sentences()]
    assert {s.file for s in back} == set(map(str, EXAMPLES))
    write_conllu(back, tmp_path / "back.conllu")
    assert list(read_conllu(tmp_path / "back.conllu")) == sentences()


@pytest.mark.parametrize("seed", range(3))
def test_random_queries_find_the_same(seed: int, tmp_path: Path) -> None:
    chance = random.Random(seed)
    given = [random_sentence(chance, heads) for n in (1, 2, 3) for heads in all_heads(n)]
    write_index(given, tmp_path / "i")
    index, made, matches = Index(tmp_path / "i"), Queries(seed), 0
    for _ in range(150):
        query = read(made.query())
        if query is not None:
            wanted = [(m.sentence, m.words) for m in find_in_sentences([query], given)]
            found = index.find([query])
            assert [(m.sentence, m.words) for m in found] == wanted, query
            matches += len(wanted)
    assert matches > 1000


@pytest.mark.parametrize(
    "query",
    [
        "[lemma=monk]=x << *=y",
        "[words=the|a] < NOUN=x",
        "*[lemma=/.+er/]=x",
        "VERB >obj *=x",
        "[xpos=NN*]=x + *=y",
        "[Number=Plur]=x",
        "*=x > *=y",
        "[lemma=nowhere]",
    ],
)
def test_lists_give_the_words_in_order(query: str, path: Path) -> None:
    index = Index(path)
    wanted = [m.words for m in find_in_sentences([Query(query)], sentences())]
    assert [m.words for m in index.find([Query(query)])] == wanted
    assert wanted or "nowhere" in query


def test_a_set_is_told_sentence_by_sentence(path: Path) -> None:
    index, queries = Index(path), load_queries("facts").queries
    wanted = [(m.sentence, m.query, m.words) for m in find_in_sentences(queries, sentences())]
    found = index.find(queries)
    assert [(m.sentence, m.query, m.words) for m in found] == wanted != []


def test_parts_of_a_large_answer_have_whole_sentences(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wanted = [m.words for m in find_in_sentences([Query("*=x ++ *=y")], sentences())]
    monkeypatch.setattr("niwaki.tasks.find.matching._AT_ONCE", 3)
    index = Index(path)
    found = index.find([Query("*=x ++ *=y")])
    assert [m.words for m in found] == wanted != []
    # What is told once is told once, though its verb may stand in another part.
    heads = index.find([Query("* ++ *=y")])
    told = [(m.sentence.line, m.sentence.file, m["y"].index) for m in heads]
    assert len(told) == len(set(told)) > 0


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda data: b"", "not an index"),
        (lambda data: TOY.read_bytes(), "not an index"),
        (lambda data: data[:-1], "cut off"),
        (lambda data: data[: len(data) // 2], "cut off"),
        (lambda data: data[:200] + data[300:], "a damaged index"),
        (lambda data: data.replace(b'"version": 1', b'"version": 9'), "of version 9, not 1"),
        (lambda data: data.replace(b'"heads"', b'"haeds"'), "a damaged index"),
        (lambda data: data.replace(b'"<i8"', b'"<x8"'), "a damaged index"),
    ],
)
def test_what_is_no_index(change: object, message: str, path: Path) -> None:
    assert callable(change)
    path.write_bytes(change(path.read_bytes()))
    with pytest.raises(CorpusError, match=message) as caught:
        Index(path)
    assert "niwaki index FILE... -o INDEX" in str(caught.value)


def test_a_damaged_index_gives_an_answer_or_a_typed_error(path: Path) -> None:
    whole, chance, refused = path.read_bytes(), random.Random(1), 0
    begin = int.from_bytes(whole[-24:-16], "little")
    first = json.loads(whole[begin:-24])["arrays"]["starts"][1]
    for _ in range(300):
        data = bytearray(whole)
        data[chance.randrange(first, begin)] ^= 1 << chance.randrange(8)
        path.write_bytes(data)
        try:
            list(Index(path).find([Query("NOUN=x >> *=y"), Query("[lemma=/m.*/]=x + *=y")]))
        except NiwakiError:
            refused += 1
    assert 0 < refused < 300


def test_nothing_is_no_corpus(tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match="no sentences to index"):
        write_index([], tmp_path / "i")
    assert not (tmp_path / "i").exists()
