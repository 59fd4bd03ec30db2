"""`niwaki cluster`, with good and bad input."""

from __future__ import annotations

import gzip
import os
from pathlib import Path

import pytest

import niwaki
from niwaki import cli
from niwaki.features.clusters import read_clusters
from tests.conftest import ROOT

SENTENCES = ROOT / "examples" / "sentences.txt"
TREES = ROOT / "tests" / "fixtures" / "toy.conllu"


class Done:
    """What a command said; run in this process, because starting one is slow."""

    def __init__(self, capfd: pytest.CaptureFixture[str], *words: object) -> None:
        self.status = cli.main([os.fspath(w) if isinstance(w, Path) else str(w) for w in words])
        self.out, self.err = capfd.readouterr()


@pytest.fixture
def run(capfd: pytest.CaptureFixture[str]):
    return lambda *words: Done(capfd, "cluster", *words)


def test_from_trees(run, tmp_path: Path) -> None:
    out = tmp_path / "clusters.txt"
    done = run(TREES, "-o", out, "--clusters", 8, "--min-count", 2)
    assert (done.status, done.out, done.err) == (0, "", "")
    rows = [line.split("\t") for line in out.read_text().splitlines()]
    assert len({bits for bits, _, _ in rows}) == 8
    assert rows == sorted(rows, key=lambda row: (row[0], -int(row[2]), row[1]))
    found = read_clusters(out)
    expected = niwaki.cluster(niwaki.read_conllu(TREES), 8, min_count=2)
    assert (found.paths, found.counts) == (expected.paths, expected.counts)


def test_formats_mean_the_same(run, tmp_path: Path) -> None:
    """Trees, tokenised lines and gzip of the same words."""
    words = [sentence.forms for sentence in niwaki.read_conllu(TREES)]
    tokens = tmp_path / "tokens.gz"
    tokens.write_bytes(gzip.compress("\n".join(" ".join(each) for each in words).encode()))
    outs = [tmp_path / "a.txt", tmp_path / "b.txt.gz", tmp_path / "c.txt"]
    small = ("--clusters", 5, "--min-count", 1)
    assert run(TREES, "-o", outs[0], *small).status == 0
    assert run(tokens, "--from", "tokens", "-o", outs[1], *small).status == 0
    assert run(tokens, "--from", "tokens", "-o", outs[2], *small).status == 0
    first = outs[0].read_bytes()
    assert gzip.decompress(outs[1].read_bytes()) == outs[2].read_bytes() == first


def test_by_tags(run, tmp_path: Path) -> None:
    out = tmp_path / "c.txt"
    assert run(TREES, "-o", out, "--clusters", 4, "--by-tags").status == 0
    expected = niwaki.cluster(niwaki.read_conllu(TREES), 4, by_tags=True)
    assert read_clusters(out).paths == expected.paths
    out.unlink()
    done = run(SENTENCES, "--from", "text", "-o", out, "--clusters", 4, "--by-tags")
    assert (done.status, len(done.err.splitlines())) == (1, 1)
    assert f"{SENTENCES}:1:UPOS: word 1" in done.err and "has no tag" in done.err
    assert not out.exists()


def test_sentences_without_tags_can_be_skipped(run, tmp_path: Path) -> None:
    text, out = tmp_path / "text.conllu", tmp_path / "out"
    untagged = "1\tcarp\t_\t_\t_\t_\t0\troot\t_\t_\n\n"
    text.write_text(TREES.read_text() + untagged)
    options = ("-o", out, "--clusters", 4, "--by-tags")
    assert run(text, *options).status == 1
    done = run(text, *options, "--on-error", "skip")
    assert done.status == 0
    assert done.err.startswith("niwaki: skipped 1 faults, the first: ") and "has no tag" in done.err
    expected = niwaki.cluster(niwaki.read_conllu(TREES), 4, by_tags=True)
    assert read_clusters(out).counts == expected.counts


def test_raw_text_is_segmented(run, tmp_path: Path) -> None:
    out = tmp_path / "c.txt"
    small = ("--clusters", 4, "--min-count", 1, "--case", "insensitive")
    assert run(SENTENCES, "--from", "text", "-o", out, *small).status == 0
    paths = read_clusters(out).paths
    assert "the" in paths and "The" not in paths


@pytest.mark.parametrize(
    ("content", "options", "message"),
    [
        ("", [], "no words; give text"),
        ("a b a\n", ["--clusters", "3"], "2 different words occur at least 1 times"),
        ("1\ta\n\n", ["--clusters", "2"], "text:1:"),
        ("a b\n", ["--clusters", "1"], "give 2 to 5000"),
    ],
)
def test_bad_input(run, tmp_path: Path, content: str, options: list[str], message: str) -> None:
    text, out = tmp_path / "text", tmp_path / "out"
    text.write_text(content)
    done = run(text, "-o", out, "--min-count", 1, *options)
    assert done.status == 1
    assert message in done.err and len(done.err.splitlines()) == 1
    assert [path.name for path in tmp_path.iterdir()] == ["text"]


def test_bad_sentences_can_be_skipped(run, tmp_path: Path) -> None:
    text, out = tmp_path / "text", tmp_path / "out"
    good = "".join(
        f"{number}\t{form}\t_\t_\t_\t_\t_\t_\t_\t_\n" for number, form in ((1, "a"), (2, "b"))
    )
    text.write_text(f"{good}\n1\tc\n\n{good}\n")
    assert run(text, "-o", out, "--clusters", 2).status == 1
    assert not out.exists()
    done = run(text, "-o", out, "--clusters", 2, "--min-count", 2, "--on-error", "skip")
    assert done.status == 0
    assert done.err.startswith("niwaki: skipped 1 faults, the first: ") and f"{text}:4:" in done.err
    assert read_clusters(out).counts == {"a": 2, "b": 2}


def test_an_interruption_leaves_nothing(run, tmp_path: Path, monkeypatch) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("niwaki.cli._progress.Progress.add", interrupted)
    done = run(TREES, "-o", tmp_path / "out", "--clusters", 4)
    assert (done.status, done.err) == (130, "niwaki: interrupted\n")
    assert not list(tmp_path.iterdir())
