"""Reading and writing CoNLL-U: exact, streaming, and clear about what is wrong."""

from __future__ import annotations

import gzip
import io
import os
import threading
from pathlib import Path

import conllu as oracle
import pytest
from hypothesis import assume, given, reject
from hypothesis import strategies as st

import niwaki
from niwaki.data import conllu
from niwaki.errors import CorpusError
from tests.strategies import conllu_files, damaged_files

BOM = b"\xef\xbb\xbf"


def row(word: int | str, head: int | str, form: str = "w") -> str:
    return f"{word}\t{form}\t_\t_\t_\t_\t{head}\tdep\t_\t_"


def block(*lines: str) -> bytes:
    return ("\n".join(lines) + "\n\n").encode()


GOOD = block(row(1, 2), row(2, 0))


def rewritten(data: bytes) -> bytes:
    out = io.BytesIO()
    niwaki.write_conllu(niwaki.read_conllu(io.BytesIO(data)), out)
    return out.getvalue()


# -- exactness ----------------------------------------------------------------


@given(conllu_files(), st.sampled_from([1, 2, 3, 7, 64, 1 << 18]))
def test_what_is_read_is_written_byte_for_byte(data: bytes, chunk: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(conllu, "_CHUNK", chunk)
        assert rewritten(data) == data


def test_the_fixture_of_all_phenomena(fixtures: Path) -> None:
    data = (fixtures / "phenomena.conllu").read_bytes()
    assert rewritten(data) == data
    assert rewritten(BOM + data.replace(b"\n", b"\r\n")) == BOM + data.replace(b"\n", b"\r\n")
    assert rewritten(data.rstrip(b"\n")) == data.rstrip(b"\n")


def test_a_file_can_be_rewritten_in_place(tmp_path: Path) -> None:
    path = tmp_path / "trees.conllu"
    path.write_bytes(GOOD * 3)
    assert niwaki.write_conllu(niwaki.read_conllu(path), path) == 3
    assert path.read_bytes() == GOOD * 3
    assert os.listdir(tmp_path) == ["trees.conllu"]


def test_sentences_can_be_put_together_in_another_order(tmp_path: Path) -> None:
    """A mark stays at the beginning, and a sentence without its newline gets one."""
    path = tmp_path / "trees.conllu"
    path.write_bytes(BOM + GOOD + block(row(1, 0)).rstrip(b"\n"))
    first, second = niwaki.read_conllu(path)
    out = io.BytesIO()
    niwaki.write_conllu([second, first], out)
    assert out.getvalue() == block(row(1, 0)) + GOOD


def test_changing_some_columns_changes_nothing_else(fixtures: Path) -> None:
    sentences = list(niwaki.read_conllu(fixtures / "phenomena.conllu"))
    assert sentences
    for sentence in sentences:
        same = sentence.replace(
            upos=sentence.upos, heads=sentence.heads, deprels=sentence.deprels, xpos=sentence.xpos
        )
        assert same.source == sentence.source
        changed = sentence.replace(xpos=["NEW"] * len(sentence))
        assert changed.source != sentence.source
        assert changed.replace(xpos=sentence.xpos) == sentence


@given(conllu_files(partial=False))
def test_the_conllu_package_reads_the_same(data: bytes) -> None:
    text = data.decode().removeprefix("\ufeff").replace("\r\n", "\n")
    ours = list(niwaki.read_conllu(io.BytesIO(data)))
    # That package strips white space and gives `_` and numbers a meaning; compare the rest.
    assume(not any(field != field.strip() or "=" in field for s in ours for field in s.forms))
    try:
        theirs = oracle.parse(
            text, field_parsers={"deps": lambda *_: None, "xpos": lambda *_: None}
        )
    except oracle.exceptions.ParseException:
        reject()
    words = [[token for token in s if isinstance(token["id"], int)] for s in theirs]
    assert [list(s.heads) for s in ours] == [[token["head"] for token in s] for s in words]


# -- sources ------------------------------------------------------------------


def test_gzip_is_recognised_by_its_content(tmp_path: Path) -> None:
    for name in ("a.conllu.gz", "no-suffix"):
        path = tmp_path / name
        path.write_bytes(gzip.compress(GOOD * 2))
        assert b"".join(s.source for s in niwaki.read_conllu(path)) == GOOD * 2
    packed = tmp_path / "out.conllu.gz"
    niwaki.write_conllu(niwaki.read_conllu(io.BytesIO(GOOD)), packed)
    assert gzip.decompress(packed.read_bytes()) == GOOD


def test_text_streams(tmp_path: Path) -> None:
    out = io.StringIO()
    niwaki.write_conllu(niwaki.read_conllu(io.StringIO(GOOD.decode())), out)
    assert out.getvalue() == GOOD.decode()


def test_a_pipe_gives_each_sentence_as_it_comes() -> None:
    """A program that waits for the answer before it writes on must not hang."""
    read_end, write_end = os.pipe()
    with os.fdopen(read_end, "rb") as reader, os.fdopen(write_end, "wb", buffering=0) as writer:
        writer.write(GOOD)
        sentences = niwaki.read_conllu(reader)
        first: list[niwaki.Sentence] = []
        thread = threading.Thread(target=lambda: first.append(next(sentences)), daemon=True)
        thread.start()
        thread.join(timeout=30)
        assert [s.source for s in first] == [GOOD]
        writer.write(GOOD)
        writer.close()
        assert [s.source for s in sentences] == [GOOD]


def test_conllx_is_read(fixtures: Path) -> None:
    (sentence,) = niwaki.read_conllu(fixtures / "conllx.conll")
    assert sentence.forms == ("Bäume", "wachsen", ".")
    assert sentence.heads == (2, 0, 2)


def test_partial_trees(fixtures: Path) -> None:
    (sentence,) = niwaki.read_conllu(fixtures / "partial.conllu")
    assert sentence.heads == (0, -1, 4, -1, -1, 1)
    assert sentence.tree.root == 1
    with pytest.raises(CorpusError, match="3 unknown heads"):
        list(niwaki.read_conllu(fixtures / "partial.conllu", unknown_heads=False))
    assert [fault.column for fault in niwaki.validate(fixtures / "partial.conllu")] == ["HEAD"]
    assert niwaki.validate(fixtures / "partial.conllu", unknown_heads=True) == []


def test_where_a_sentence_stood(tmp_path: Path) -> None:
    path = tmp_path / "t.conllu"
    path.write_bytes(b"# a\n" + GOOD + GOOD)
    assert [(s.file, s.line) for s in niwaki.read_conllu(path)] == [(str(path), 1), (str(path), 5)]


# -- bad input ----------------------------------------------------------------

BAD = {
    "columns": (b"1\tw\t_\n\n", 1, "LINE", "3 columns"),
    "one column": (b"hello\n\n", 1, "LINE", "1 column ('hello')"),
    "white space": (b"  \n\n", 1, "LINE", "white space"),
    "empty field": (GOOD.replace(b"w", b"", 1), 1, "FORM", "empty field"),
    "gap": (block(row(1, 0), row(3, 1)), 2, "ID", "non-contiguous id 3"),
    "duplicate": (block(row(1, 0), row(1, 1)), 2, "ID", "duplicate id 1"),
    "leading zero": (block(row("01", 0)), 1, "ID", "'01'"),
    "out of range": (block(row(1, 0), row(2, 3)), 2, "HEAD", "head 3 of word 2"),
    "self-loop": (block(row(1, 0), row(2, 2)), 2, "HEAD", "its own head"),
    "cycle": (block(row(1, 0), row(2, 3), row(3, 2)), 2, "HEAD", "cycle of heads 2 → 3 → 2"),
    "no root": (block(row(1, 2), row(2, 1)), 1, "HEAD", "no root"),
    "two roots": (block(row(1, 0), row(2, 0)), 2, "HEAD", "2 roots (words 1, 2)"),
    "overlap": (
        block(row("1-2", "_"), row(1, 0), row("2-3", "_"), row(2, 1), row(3, 1)),
        3,
        "ID",
        "overlaps",
    ),
    "range too long": (block(row("1-2", "_"), row(1, 0)), 1, "ID", "ends at 2"),
    "range misplaced": (block(row(1, 0), row("1-2", "_"), row(2, 1)), 2, "ID", "range 1-2"),
    "empty node misplaced": (block(row(1, 0), row("2.1", "_")), 2, "ID", "empty node '2.1'"),
    "only a range": (block(row("1-1", "_")), 1, "SENTENCE", "no words"),
    "empty file": (b"", 1, "FILE", "empty file"),
    "blank file": (b"\n\n\r\n", 1, "FILE", "empty file"),
    "only a mark": (BOM, 1, "FILE", "empty file"),
    "comments": (b"# a\n# b\n", 1, "SENTENCE", "comments without words"),
    "comments, then a sentence": (b"# a\n\n" + GOOD, 1, "SENTENCE", "comments without words"),
    "comment inside": (block(row(1, 0), "# x", row(2, 1)), 2, "LINE", "comment between"),
    "NUL": (block(row(1, 0, "a\0b")), 1, "LINE", "NUL byte at byte 4"),
    "NUL in a comment": (b"# \0\n" + GOOD, 1, "LINE", "NUL"),
    "invalid UTF-8": (
        block(row(1, 0)).replace(b"w", b"\xff"),
        1,
        "LINE",
        "invalid UTF-8 at byte 3",
    ),
    "surrogate": (block(row(1, 0)).replace(b"w", b"\xed\xa0\x80"), 1, "LINE", "invalid UTF-8"),
    "mark inside": (GOOD + BOM + GOOD, 4, "ID", "ufeff1"),
    "a line of 10 MB": (block(row(1, 0, "w" * 10_000_000)), 1, "LINE", "a line of 10000"),
    "old Mac line ends": (GOOD.replace(b"\n", b"\r"), 1, "LINE", "carriage return"),
    "carriage return in a field": (
        block(row(1, 0, "a\rb")),
        1,
        "LINE",
        "return at byte 4",
    ),
    "two carriage returns": (GOOD.replace(b"\n", b"\r\r\n"), 1, "LINE", "carriage return"),
    "carriage return in a comment": (b"# a\rb\n" + GOOD, 1, "LINE", "carriage return"),
}
for _head in ("1_0", "+1", "-2", "1.0", " 1", "١", "１", "²", "00", "01", "1" * 30, "--1", "x"):
    BAD[f"head {_head!r}"] = (block(row(1, 0), row(2, _head)), 2, "HEAD", "found")


@pytest.mark.parametrize("name", BAD)
def test_bad_input(name: str) -> None:
    data, line, column, found = BAD[name]
    with pytest.raises(CorpusError) as caught:
        list(niwaki.read_conllu(io.BytesIO(data)))
    error = caught.value
    assert (error.line, error.column) == (line, column)
    assert found in error.found
    assert error.advice
    assert str(error) == f"<input>:{line}:{column}: {error.found}; {error.advice}"
    assert len(str(error)) < 250
    assert str(error).isprintable()


@pytest.mark.parametrize("name", [name for name, bad in BAD.items() if bad[2] != "FILE"])
def test_one_report_a_cause(name: str) -> None:
    """After a fault, reading goes on behind the next blank line."""
    data, line, column, _ = BAD[name]
    data = data.rstrip(b"\r\n") + b"\n\n" + GOOD + b"1\tbroken\n\n"
    faults = niwaki.validate(io.BytesIO(data))
    assert [fault.column for fault in faults] == [column, "LINE"]
    assert faults[0].line == line


def test_several_causes_are_several_reports() -> None:
    data = block(row(1, 9), row(2, 2), row(3, "x"), row(4, 0)) + GOOD + block(row(1, 0), row(5, 1))
    faults = niwaki.validate(io.BytesIO(data))
    assert [(f.line, f.column) for f in faults] == [
        (1, "HEAD"),
        (2, "HEAD"),
        (3, "HEAD"),
        (10, "ID"),
    ]


def test_many_roots_are_allowed_on_request() -> None:
    data = block(row(1, 0), row(2, 0))
    (sentence,) = niwaki.read_conllu(io.BytesIO(data), multi_root=True)
    assert sentence.heads == (0, 0)
    assert niwaki.validate(io.BytesIO(data), multi_root=True) == []


def test_line_separators_of_unicode_are_data(fixtures: Path) -> None:
    found = {s.id: s for s in niwaki.read_conllu(fixtures / "phenomena.conllu")}
    assert found["separators"].forms == ("a\u2028b", "c\u0085d")


def test_an_endless_sentence_is_refused_in_bounded_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(conllu, "MAX_SENTENCE", 1 << 12)
    monkeypatch.setattr(conllu, "_CHUNK", 1 << 10)
    rows = [row(i, 1 if i > 1 else 0) for i in range(1, 2000)]
    faults = niwaki.validate(io.BytesIO(block(*rows) + GOOD + b"1\tbroken\n\n"))
    assert [(fault.line, fault.column) for fault in faults] == [(1, "SENTENCE"), (2004, "LINE")]


@pytest.mark.parametrize("end", [b"\n", b"\r\n"])
def test_blank_lines_beyond_measure_are_called_by_their_name(
    monkeypatch: pytest.MonkeyPatch, end: bytes
) -> None:
    monkeypatch.setattr(conllu, "MAX_SENTENCE", 1 << 12)
    monkeypatch.setattr(conllu, "_CHUNK", 1 << 10)
    many, good = end * 100_000, GOOD.replace(b"\n", end)

    def faults(data: bytes) -> list[tuple[int, str, str]]:
        return [(f.line, f.column, f.found) for f in niwaki.validate(io.BytesIO(data))]

    assert faults(many) == [(1, "FILE", "an empty file")]
    assert faults(many + good + b"1\tbroken") == [
        (1, "LINE", "100000 blank lines"),
        (100_004, "LINE", "2 columns"),
    ]
    (after,) = faults(good + good + many)
    assert after == (7, "LINE", "100000 blank lines")
    rows = [row(i, 1 if i > 1 else 0) for i in range(1, 2000)]
    long = block(*rows).replace(b"\n", end)
    (too_long,) = faults(end + long + many + good)
    assert too_long[1:] == ("SENTENCE", f"a sentence of {len(long)} bytes")


def test_lines_end_alike_in_a_sound_file() -> None:
    returned = GOOD.replace(b"\n", b"\r\n")
    lines = GOOD.split(b"\n")
    for data, line in (
        (GOOD + returned, 4),
        (returned + GOOD, 4),
        (GOOD + lines[0] + b"\r\n" + lines[1] + b"\n\n", 4),
        (returned + lines[0] + b"\r\n" + lines[1] + b"\n\n", 5),
        (b"\r\n" + GOOD + returned, 5),
        (GOOD + GOOD.rstrip() + b"\r", 5),
    ):
        (fault,) = niwaki.validate(io.BytesIO(data))
        assert (fault.line, fault.column) == (line, "LINE")
        # Files that were put together are read as they are.
        assert rewritten(data) == data
    for data in (returned * 2, b"\n" + returned, GOOD + b"\r\n", GOOD + GOOD.rstrip()):
        assert niwaki.validate(io.BytesIO(data)) == []


def test_damaged_gzip(tmp_path: Path) -> None:
    path = tmp_path / "cut.gz"
    whole = gzip.compress(GOOD * 100)
    for data in (whole[:-12], whole[:40], whole[:20] + b"\xff\xff" + whole[22:]):
        path.write_bytes(data)
        with pytest.raises(CorpusError, match="damaged gzip"):
            list(niwaki.read_conllu(path))


def test_a_text_stream_with_lone_surrogates() -> None:
    with pytest.raises(CorpusError, match="not Unicode"):
        list(niwaki.read_conllu(io.StringIO("1\t\ud800\n\n")))


@given(st.one_of(st.binary(max_size=200), damaged_files()))
def test_any_bytes_give_sentences_or_a_corpus_error(data: bytes) -> None:
    try:
        for sentence in niwaki.read_conllu(io.BytesIO(data)):
            assert len(sentence) == len(sentence.heads) == len(sentence.features)
            assert sentence.tree and sentence.ranges is not None and sentence.text is not None
    except CorpusError:
        assert niwaki.validate(io.BytesIO(data), unknown_heads=True)
    else:
        faults = niwaki.validate(io.BytesIO(data), unknown_heads=True)
        assert [fault for fault in faults if "alike" not in fault.advice] == []


def test_memory_is_constant_in_file_length(tmp_path: Path) -> None:
    import tracemalloc

    peaks = []
    for times in (200, 20_000):
        path = tmp_path / f"{times}.conllu"
        path.write_bytes(GOOD * times)
        tracemalloc.start()
        for _ in niwaki.read_conllu(path):
            pass
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    # The larger file is a hundred times longer and has four chunks.
    assert peaks[1] < peaks[0] + 4 * conllu._CHUNK
