"""Files of word clusters."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from niwaki.errors import CorpusError, NiwakiError
from niwaki.features import clusters as clusters_module
from niwaki.features.clusters import WordClusters, read_clusters, write_clusters
from niwaki.features.parts import Parts
from niwaki.kernel.features.words import analyse
from tests.saving import saved
from tests.strategies import field

paths = st.text("01", min_size=1, max_size=40)


def test_reading(tmp_path: Path) -> None:
    file = tmp_path / "clusters"
    file.write_text("0010\tpine\t12\n0011\tmaple\t7\r\n1\tübung\n", encoding="utf-8")
    clusters = read_clusters(file)
    assert clusters.paths == {"pine": "0010", "maple": "0011", "übung": "1"}
    assert clusters.kernel.count == 3


def test_words_that_hardly_differ_are_still_read() -> None:
    """They compress best: what is refused must be far from them."""
    clusters = WordClusters.of({f"garden{n:07}": "01" for n in range(200_000)})
    assert WordClusters.load(saved(clusters.parts())) == clusters


def test_there_is_an_end_to_words(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clusters_module, "MAX_BYTES", 10)
    with pytest.raises(NiwakiError, match="12 bytes of word clusters, but 10 are possible"):
        WordClusters.of({"aaa": "01", "bbbb": "01"})


def test_words_of_one_cluster_look_alike() -> None:
    shared = WordClusters.of({"pine": "00101", "maple": "00101", "run": "00111"}).kernel

    def seen(word: str, name: str) -> int:
        return analyse(word.encode(), False, shared)[0][name]

    assert seen("pine", "cluster") == seen("maple", "cluster") != seen("run", "cluster")
    # Words far apart at the end of their paths are near at their beginning.
    assert seen("pine", "cluster4") != seen("run", "cluster4")
    assert seen("pine", "cluster") != seen("unknown", "cluster")


@given(st.dictionaries(field, paths, max_size=6))
def test_bytes_and_back(words: dict[str, str]) -> None:
    clusters = WordClusters.of(words)
    again = WordClusters.load(saved(clusters.parts()))
    assert again is not None
    assert again == clusters
    assert again.parts().files == clusters.parts().files
    assert again.kernel.count == len(words)


def test_bytes_are_compact() -> None:
    """A line a word would take more than twice as much."""
    words = {f"{a}{b}{c}": f"{ord(a):07b}" for a in "abcdefgh" for b in "xyz" for c in "uvw"}
    plain = "".join(f"{path}\t{word}\n" for word, path in words.items())
    assert len(saved(WordClusters.of(words).parts()).raw("clusters.bin")) < len(plain) / 2


def test_bytes_of_something_else() -> None:
    parts = Parts()
    parts.add_file("clusters.bin", b"no clusters")
    with pytest.raises(ValueError, match="word clusters"):
        WordClusters.load(saved(parts))


@given(st.dictionaries(field, st.tuples(paths, st.integers(0, 10**9)), min_size=1, max_size=6))
def test_writing_and_reading(words: dict[str, tuple[str, int]]) -> None:
    clusters = WordClusters.of(
        {word: path for word, (path, _) in words.items()},
        {word: count for word, (_, count) in words.items()},
    )
    file = io.BytesIO()
    write_clusters(clusters, file)
    file.seek(0)
    again = read_clusters(file)
    assert (again.paths, again.counts) == (clusters.paths, clusters.counts)


def test_bad_lines_can_be_skipped() -> None:
    faults: list[CorpusError] = []
    text = b"00\tmaple\t3\nnonsense\n01\tmaple\t1\n1\tpine\tmany\n1\tpine\t2\n"
    clusters = read_clusters(io.BytesIO(text), faults.append)
    assert clusters.paths == {"maple": "00", "pine": "1"}
    assert [fault.line for fault in faults] == [2, 3, 4]


def test_a_file_without_clusters() -> None:
    with pytest.raises(NiwakiError, match="no word clusters"):
        read_clusters(io.BytesIO(b""))


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("0010 pine 12", "found '0010 pine 12'; write bits, word and count with tabs"),
        ("0012\tpine\t1", "found"),
        ("\tpine\t1", "found"),
        ("0" * 1001 + "\tpine\t1", "1,001 bits; give paths of at most 1,000"),
        ("01\t\t1", "found"),
        ("01\tpine\t1\t1", "found"),
        ("01\tpine\t-1", "'-1' is no count"),
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
