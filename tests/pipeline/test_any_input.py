"""Whatever is given: an answer, or one clear line, and the rest is not lost."""

from __future__ import annotations

import io
import itertools
import json
from pathlib import Path

import pytest

import niwaki
from niwaki.cli import main
from niwaki.data.conllu import read_conllu, validate
from niwaki.data.sentence import Sentence
from niwaki.data.text import read_sentences
from niwaki.errors import CorpusError
from niwaki.pipeline.lengths import LengthLimit
from niwaki.pipeline.pipeline import Pipeline

TEXTS = {
    "empty": "",
    "blank lines": "\n\n \t\r\n\n",
    "control characters": "The \x01pine\x1b[31m leans\x7f.\x85 Yes.",
    "NUL": "The pi\0ne leans.",
    "lone surrogates": "The \ud800pine \udfff leans.",
    "line separators": "The pine\u2028leans.\u2029Moss grows.",
    "right to left": "\u202eשלום עולם. مرحبا بالعالم؟ \u200fThe pine.",
    "emoji": "👩‍👩‍👧‍👦🌲🌲 The pine 👍🏽!",
    "no spaces": "thepineleansoverthepond" * 40,
    "combining marks": "e" + "\u0301" * 3000 + " pine",
    "signs": ".,;:!?()[]{}<>«»“”" * 30,
    "one long word": "x" * 1_000_000,
    "one long line": "the pine leans , " * 12_000,
}


def sound(sentences: list[Sentence]) -> bool:
    """Whole trees, that can be written and read again."""
    source = b"".join(sentence.source for sentence in sentences)
    return not sentences or validate(io.BytesIO(source)) == []


@pytest.mark.parametrize("name", TEXTS)
def test_any_text_is_parsed(model: Pipeline, name: str) -> None:
    for beam in (1, 4):
        parsed = list(model.parse(TEXTS[name], beam=beam))
        assert sound(parsed)
        assert bool(parsed) == bool(TEXTS[name].strip())


@pytest.mark.parametrize("name", TEXTS)
@pytest.mark.parametrize("form", ["text", "lines", "tokens"])
def test_any_file_is_parsed(model: Pipeline, name: str, form: str) -> None:
    data = TEXTS[name].encode("utf-8", "surrogatepass")
    told: list[CorpusError] = []
    read = read_sentences(io.BytesIO(data), form, model.segmenter, on_fault=told.append)
    assert sound(list(model.parse(read, beam=1)))
    assert len(told) == (name == "lone surrogates"), "which UTF-8 does not have"


@pytest.mark.parametrize("beam", [1, 4])
def test_ten_thousand_words(model: Pipeline, beam: int) -> None:
    long = Sentence.from_words(["the", "old", "pine", ",", "grows"] * 2000)
    (parsed,) = model.parse([long], beam=beam)
    assert len(parsed) == 10_000 and sound([parsed])


# -- sentences that are too long ---------------------------------------------------


@pytest.fixture
def mixed(toy: list[Sentence]) -> list[Sentence]:
    """Short sentences with long ones between them."""
    forms = [form for sentence in toy for form in sentence.forms]
    long = Sentence.from_words(forms[:95], comments=["sent_id = long"])
    return [toy[0], long, *toy[1:4], long, toy[4]]


def test_longer_sentences_are_parsed_greedily(model: Pipeline, mixed: list[Sentence]) -> None:
    parsed = list(model.parse(mixed, max_length=40))
    expected = [
        next(model.parse([sentence], beam=1 if len(sentence) > 40 else None)) for sentence in mixed
    ]
    assert parsed == expected
    assert parsed == list(model.parse(mixed, max_length=40, threads=3))


def test_longer_sentences_are_parsed_in_pieces(model: Pipeline, mixed: list[Sentence]) -> None:
    parsed = list(model.parse(mixed, max_length=40, longer="split"))
    assert sound(parsed)
    assert [s.forms for s in parsed] == [s.forms for s in mixed]
    for sentence in (parsed[1], parsed[5]):
        assert sentence.comments[0] == "sent_id = long"
        assert sentence.comments[1].startswith("niwaki = parsed in ")
        assert sentence.deprels.count("parataxis") >= 2
        assert "_" not in sentence.upos
    assert parsed[0] == next(model.parse([mixed[0]]))
    again = list(model.parse(parsed, max_length=40, longer="split"))
    assert again[1].comments == parsed[1].comments, "a note is not written twice"


def test_longer_sentences_are_skipped_and_marked(model: Pipeline, mixed: list[Sentence]) -> None:
    parsed = list(model.parse(mixed, max_length=40, longer="skip"))
    assert parsed[1].comments == ("sent_id = long", "niwaki = not parsed, 95 words")
    assert parsed[1].heads == mixed[1].heads
    assert all(s.tree.is_complete for s in parsed if len(s) <= 40)
    assert [s.forms for s in parsed] == [s.forms for s in mixed]


def test_pieces_end_behind_signs_and_are_never_too_long() -> None:
    words = ["a", "b", ",", "c", "d", "e", "f", ".", "g", "h", "i"]
    for most, sign in itertools.product(range(1, 12), [True, False]):
        forms = words if sign else ["a"] * 11
        pieces = LengthLimit(most, "split").pieces(Sentence.from_words(forms))
        assert [form for piece in pieces for form in piece.forms] == forms
        assert all(0 < len(piece) <= most for piece in pieces)
    first, *_ = LengthLimit(5, "split").pieces(Sentence.from_words(words))
    assert first.forms == ("a", "b", ",", "c", "d"), "a sign in the first half is too early"
    first, *_ = LengthLimit(9, "split").pieces(Sentence.from_words(words))
    assert first.forms[-1] == "."


def test_impossible_limits(model: Pipeline) -> None:
    with pytest.raises(ValueError, match="at least 1"):
        model.parse([], max_length=0)
    with pytest.raises(ValueError, match="did you mean 'split'"):
        model.parse([], longer="splits")


def test_limits_on_the_command_line(
    model_path: Path, mixed: list[Sentence], tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    path, out = tmp_path / "in.conllu", tmp_path / "out"
    niwaki.write_conllu(mixed, path)
    command = ["parse", str(path), "-m", str(model_path), "-o", str(out), "--max-length", "40"]
    for longer in ("greedy", "split"):
        assert main([*command, "--longer", longer]) == 0
        assert sound(list(read_conllu(out)))
    assert main([*command, "--longer", "skip"]) == 0
    assert out.read_text().count("# niwaki = not parsed, 95 words\n") == 2
    assert main([*command, "--longer", "skip", "-k", "3"]) == 0
    counts = [len(json.loads(line)["parses"]) for line in out.read_text().splitlines()]
    assert [count == 0 for count in counts] == [len(s) > 40 for s in mixed]
    assert main([*command, "-k", "3"]) == 0
    counts = [len(json.loads(line)["parses"]) for line in out.read_text().splitlines()]
    assert counts[1] == counts[5] == 1 < counts[0]
    assert main([*command, "--longer", "skip", "-k", "3", "--to", "conllu"]) == 0
    assert out.read_text().count("# niwaki = not parsed") == 2
    capfd.readouterr()
    assert main([*command, "--longer", "split", "-k", "3"]) == 1
    assert capfd.readouterr().err.startswith("niwaki: --longer split gives one tree")
    assert main([*command, "-k", "99999999999"]) == 2
    assert main([*command, "--max-length", "0"]) == 2


# -- faults ------------------------------------------------------------------------


def test_the_rest_is_parsed_when_a_sentence_is_faulty(
    model_path: Path, toy: list[Sentence], tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    path, out = tmp_path / "in.conllu", tmp_path / "out"
    cycle = b"1\ta\t_\t_\t_\t_\t2\t_\t_\t_\n2\tb\t_\t_\t_\t_\t1\t_\t_\t_\n\n"
    path.write_bytes(toy[0].source + cycle + toy[1].source + b"x\n\n" + toy[2].source)
    command = ["parse", str(path), "-m", str(model_path), "-o", str(out)]
    assert main(command) == 1
    assert not out.exists()
    capfd.readouterr()
    assert main([*command, "--on-error", "skip"]) == 0
    (line,) = capfd.readouterr().err.splitlines()
    assert line.startswith(f"niwaki: skipped 2 faults, the first: {path}:")
    assert [s.forms for s in read_conllu(out)] == [s.forms for s in toy[:3]]


@pytest.mark.parametrize("form", ["text", "lines", "tokens"])
def test_the_rest_is_parsed_when_a_line_is_not_utf8(
    model_path: Path, tmp_path: Path, form: str, capfd: pytest.CaptureFixture[str]
) -> None:
    path, out = tmp_path / "in.txt", tmp_path / "out"
    path.write_bytes(b"Moss grows .\n\nThe \xff\xfe pine \xed\xa0\x80 .\n\nMoss grows .\n")
    command = ["parse", str(path), "-m", str(model_path), "-o", str(out), "--from", form]
    assert main(command) == 1
    capfd.readouterr()
    assert main([*command, "--on-error", "skip"]) == 0
    (line,) = capfd.readouterr().err.splitlines()
    assert line.startswith(f"niwaki: skipped 1 faults, the first: {path}:3:LINE: invalid UTF-8")
    parsed = list(read_conllu(out))
    assert [s.forms for s in parsed if "\ufffd" not in "".join(s.forms)] == [
        ("Moss", "grows", ".")
    ] * 2
    assert sound(parsed)


def test_out_of_memory_gets_one_line(
    model_path: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "in.txt"
    path.write_text("The pine leans over the old pond .\n" * 2)
    command = ["parse", str(path), "-m", str(model_path), "--from", "tokens"]
    assert main([*command, "-k", "2147483647"]) == 1
    (line,) = capfd.readouterr().err.splitlines()
    assert line.startswith("niwaki: out of memory")
