"""Every format goes through a job and comes back; files are cut where sentences end."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from niwaki.data.conllu import read_conllu, write_conllu
from niwaki.data.files import Input
from niwaki.data.sentence import Sentence
from niwaki.errors import CorpusError, NiwakiError
from niwaki.scale.cutting import CONLLU, RECORDS, Items, shards_of
from niwaki.scale.records import conllu_of, fault_of, records_of
from niwaki.scale.warc import text_records

pytest.importorskip("pyarrow", reason="install niwaki[scale] to test its formats")
pytest.importorskip("zstandard", reason="install niwaki[scale] to test its formats")


def no_text(text: str, name: str) -> list[Sentence]:
    raise AssertionError("words were given")


def warc(*texts: str, head: str = "warcinfo", kind: str = "text/plain") -> bytes:
    """A WET file: notes about the crawl, then a member of gzip for each text."""
    members = [_record(head, "application/warc-fields", "", "software: none")]
    members += [
        _record("conversion", kind, f"http://garden.example/{number}", text)
        for number, text in enumerate(texts)
    ]
    return b"".join(gzip.compress(member, mtime=0) for member in members)


def _record(type_: str, kind: str, uri: str, text: str) -> bytes:
    body = text.encode()
    head = [
        "WARC/1.0",
        f"WARC-Type: {type_}",
        f"WARC-Target-URI: {uri}",
        f"WARC-Record-ID: <urn:uuid:{len(text)}>",
        f"Content-Type: {kind}",
        f"Content-Length: {len(body)}",
    ]
    return "\r\n".join([*head, "", ""]).encode() + body + b"\r\n\r\n"


@pytest.mark.parametrize("suffix", ["", ".gz", ".zst"])
@pytest.mark.parametrize("size", [1, 300, 10**6])
def test_conllu_is_cut_between_sentences(
    tmp_path: Path, toy: list[Sentence], suffix: str, size: int
) -> None:
    path = tmp_path / f"toy.conllu{suffix}"
    write_conllu(toy, path)
    assert list(read_conllu(path)) == toy
    shards = list(shards_of([str(path)], None, size))
    assert b"".join(shard.data for shard in shards) == b"".join(each.source for each in toy)
    assert [shard.number for shard in shards] == list(range(len(shards)))
    assert {shard.form for shard in shards} == {CONLLU}
    found = [each for shard in shards for each in read_conllu(_file(tmp_path, shard.data))]
    assert found == toy
    if size == 1:
        assert [shard.line for shard in shards] == [sentence.line for sentence in read_conllu(path)]
    if size == 10**6:
        assert len(shards) == 1


def _file(folder: Path, data: bytes) -> Path:
    path = folder / "part"
    path.write_bytes(data)
    return path


def test_documents_are_kept_together(tmp_path: Path) -> None:
    blocks = [Sentence.from_words(["Rain"], comments=["newdoc"] * (n % 4 == 0)) for n in range(16)]
    path = tmp_path / "documents.conllu"
    write_conllu(blocks, path)
    shards = list(shards_of([str(path)], None, 60))
    assert len(shards) > 2
    assert all(shard.data.startswith(b"# newdoc") for shard in shards)


def test_text_is_cut_at_paragraphs_then_sentences_then_lines(tmp_path: Path) -> None:
    path = tmp_path / "text.txt"

    def cut(text: str, size: int = 12) -> list[str]:
        path.write_bytes(text.encode())
        return [shard.data.decode() for shard in shards_of([str(path)], None, size)]

    assert cut("One two,\nthree four.\nFive.\n\nSix.\n", 15) == [
        "One two,\nthree four.\nFive.\n\n",
        "Six.\n",
    ]
    assert cut("One two,\nthree\nfour.\nFive six\n") == ["One two,\nthree\nfour.\n", "Five six\n"]
    assert cut("One two three\nfour five six\n") == ["One two three\n", "four five six\n"]
    assert cut("é" * 40) == ["é" * 40]
    assert cut("") == []
    path.write_bytes("Bäume. Bäume.\n\nSträucher.\n".encode())
    assert [shard.character for shard in shards_of([str(path)], None, 10)] == [0, 15]


def test_parquet_comes_back(tmp_path: Path, toy: list[Sentence]) -> None:
    import pyarrow.parquet

    from niwaki.scale.parquet import packed, table_of

    path = tmp_path / "toy.parquet"
    path.write_bytes(packed(toy))
    assert packed(toy) == path.read_bytes()
    table = pyarrow.parquet.read_table(path)
    assert table == table_of(toy)
    assert table["tokens"].to_pylist() == [list(sentence.forms) for sentence in toy]
    shards = list(shards_of([str(path)], None, 400))
    assert len(shards) > 1 and {shard.form for shard in shards} == {RECORDS}
    lines = b"".join(shard.data for shard in shards).splitlines()
    found = [
        Sentence(source) for source in conllu_of((json.loads(line) for line in lines), no_text)
    ]
    for column in ("forms", "lemmas", "upos", "xpos", "feats", "heads", "deprels", "id", "text"):
        assert [getattr(each, column) for each in found] == [getattr(each, column) for each in toy]
    assert list(records_of(found)) == list(records_of(toy))


def test_places_in_a_document_are_kept() -> None:
    words = Sentence.from_words(["It", "rains"], misc=["TokenRange=10:12", "TokenRange=13:18"])
    (record,) = records_of([words])
    assert (record["starts"], record["ends"]) == ([10, 13], [12, 18])
    (source,) = conllu_of([record], no_text)
    assert Sentence(source).misc == words.misc


def test_texts_of_a_crawl(tmp_path: Path) -> None:
    path = tmp_path / "crawl.warc.wet.gz"
    path.write_bytes(warc("Rain falls.\nIt rained.", "Ein Baum. Bäume!"))
    with Input(str(path)) as stream:
        found = list(text_records(stream))
    assert [(each.number, each.uri, each.text) for each in found] == [
        (2, "http://garden.example/0", "Rain falls.\nIt rained."),
        (3, "http://garden.example/1", "Ein Baum. Bäume!"),
    ]
    first, second = shards_of([str(path)], None, 1)
    assert (first.form, first.line) == (RECORDS, 1)
    assert json.loads(second.data) == {
        "doc_id": "http://garden.example/1",
        "text": "Ein Baum. Bäume!",
    }


def test_pages_that_are_no_text_are_passed_over(tmp_path: Path) -> None:
    path = tmp_path / "crawl.warc.gz"
    path.write_bytes(warc("<p>Rain</p>", kind="text/html"))
    assert list(shards_of([str(path)], None, 10)) == []


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"<html>no crawl</html>\n\n", "record of WARC"),
        (gzip.decompress(warc("Rain falls."))[:-12], "it is cut off"),
        (b"WARC/1.0\r\nWARC-Type: x", "a head without an end"),
    ],
)
def test_damaged_crawls_are_errors(tmp_path: Path, data: bytes, reason: str) -> None:
    path = tmp_path / "crawl.warc"
    path.write_bytes(data)
    with pytest.raises(CorpusError, match=reason):
        list(shards_of([str(path)], None, 10))


def test_damaged_zstd_is_an_error(tmp_path: Path, toy: list[Sentence]) -> None:
    path = tmp_path / "toy.conllu.zst"
    write_conllu(toy, path)
    data = path.read_bytes()
    path.write_bytes(data + data)
    assert len(list(read_conllu(path))) == 2 * len(toy)
    for damaged in (data[:-5], data[:20] + b"\0\0\0\0" + data[24:]):
        path.write_bytes(damaged)
        with pytest.raises(CorpusError, match="a damaged zstd file"):
            list(read_conllu(path))


def test_other_parquet_is_refused(tmp_path: Path) -> None:
    import pyarrow
    import pyarrow.parquet

    path = tmp_path / "other.parquet"
    path.write_bytes(b"PAR1")
    with pytest.raises(CorpusError, match="no Parquet file"):
        list(shards_of([str(path)], None, 10))
    pyarrow.parquet.write_table(pyarrow.table({"a": [1], "b": [2]}), path)
    with pytest.raises(CorpusError, match="the columns a, b; give a column `text` or `tokens`"):
        list(shards_of([str(path)], None, 10))


@pytest.mark.parametrize(
    ("line", "fault"),
    [
        (b'{"text": "Rain."}', ""),
        (b'{"forms": ["Rain"], "heads": [0]}', ""),
        (b'{"text": ', "not JSON"),
        (b"[1]", "no object"),
        (b'{"id": 3}', "neither a text nor tokens"),
        (b'{"tokens": ["two words"]}', "tokens are strings without white space"),
        (b'{"tokens": ["a"], "heads": [5]}', "no sentence"),
        (b'{"tokens": ["a"], "lemmas": ["a", "b"]}', "no sentence"),
    ],
)
def test_faults_of_records(line: bytes, fault: str) -> None:
    found = fault_of(line)
    assert bool(found) == bool(fault) and fault in found


def test_faults_of_conllu_name_the_line(toy: list[Sentence]) -> None:
    data = b"".join(each.source for each in toy[:2]) + b"1\tbad\n\n" + toy[2].source
    items = Items(CONLLU, data)
    assert len(items) == 4
    (bad,) = items.faults()
    assert (bad.item, bad.line) == (2, data.split(b"\n").index(b"1\tbad"))
    assert items.without([2]) == b"".join(each.source for each in toy[:3])
    assert items.words() == sum(map(len, toy[:3])) + 1


def test_files_with_one_name_are_told_apart(tmp_path: Path) -> None:
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "text.txt").write_text("Rain falls.\n")
    files = [str(tmp_path / folder / "text.txt") for folder in ("a", "b")]
    assert [shard.stem for shard in shards_of(files, None, 10)] == [
        "a-text.txt.00000",
        "b-text.txt.00000",
    ]
    with pytest.raises(NiwakiError, match="given twice"):
        list(shards_of([files[0], files[0]], None, 10))
