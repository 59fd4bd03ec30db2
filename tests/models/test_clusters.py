"""Files of word clusters."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from niwaki.errors import CorpusError
from niwaki.kernel.words import analyse
from niwaki.models.clusters import WordClusters, read_clusters
from tests.strategies import field

paths = st.text("01", min_size=1, max_size=30)


def test_reading(tmp_path: Path) -> None:
    file = tmp_path / "clusters"
    file.write_text("0010\tpine\t12\n0011\tmaple\t7\r\n1\tübung\n", encoding="utf-8")
    clusters = read_clusters(file)
    assert clusters.paths == {"pine": "0010", "maple": "0011", "übung": "1"}
    assert clusters.kernel.count == 3


def test_words_of_one_cluster_look_alike() -> None:
    shared = WordClusters({"pine": "00101", "maple": "00101", "run": "00111"}).kernel

    def seen(word: str, name: str) -> int:
        return analyse(word.encode(), False, shared)[0][name]

    assert seen("pine", "cluster") == seen("maple", "cluster") != seen("run", "cluster")
    # Words far apart at the end of their paths are near at their beginning.
    assert seen("pine", "cluster4") != seen("run", "cluster4")
    assert seen("pine", "cluster") != seen("unknown", "cluster")


@given(st.dictionaries(field, paths, max_size=6))
def test_bytes_and_back(words: dict[str, str]) -> None:
    clusters = WordClusters(words)
    again = WordClusters.from_bytes(clusters.to_bytes())
    assert again == clusters
    assert list(again.paths) == list(words), "the order makes the bytes"
    assert again.kernel.count == len(words)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("0010 pine 12", "found '0010 pine 12'; write bits, word and count with tabs"),
        ("0012\tpine\t1", "found"),
        ("\tpine\t1", "found"),
        ("0" * 31 + "\tpine\t1", "found"),
        ("", "found ''"),
        ("01\tmaple\t1", "the word 'maple' stands twice; keep one"),
    ],
)
def test_bad_lines(line: str, message: str) -> None:
    with pytest.raises(CorpusError) as caught:
        read_clusters(io.BytesIO(f"00\tmaple\t3\n{line}\n".encode()))
    assert (caught.value.line, caught.value.column) == (2, "LINE")
    assert message in str(caught.value)
    assert len(str(caught.value).splitlines()) == 1


def test_text_that_is_not_unicode() -> None:
    with pytest.raises(CorpusError, match="invalid UTF-8"):
        read_clusters(io.BytesIO(b"00\tm\xff\t1\n"))
