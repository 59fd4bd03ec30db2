"""The commands around word alignment, with good and bad input."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from niwaki import cli
from tests.conftest import ROOT

SOURCE = ROOT / "examples" / "garden.en"
TARGET = ROOT / "examples" / "garden.ja"
GOLD = ROOT / "examples" / "garden.align"


class Done:
    """What a command said; run in this process, because starting one is slow."""

    def __init__(self, capfd: pytest.CaptureFixture[str], *words: object) -> None:
        self.status = cli.main([os.fspath(w) if isinstance(w, Path) else str(w) for w in words])
        self.out, self.err = capfd.readouterr()


@pytest.fixture
def run(capfd: pytest.CaptureFixture[str]):
    return lambda *words: Done(capfd, *words)


def files(folder: Path, **texts: str) -> list[Path]:
    for name, text in texts.items():
        (folder / name).write_text(text)
    return [folder / name for name in texts]


def test_align_and_evaluate(run, tmp_path: Path) -> None:
    out = tmp_path / "out.align"
    done = run("align", SOURCE, TARGET, "-o", out, "--threads", 2)
    assert (done.status, done.out, done.err) == (0, "", "")
    assert len(out.read_text().splitlines()) == 20
    scores = json.loads(run("evaluate-alignment", GOLD, out, "--json").out)
    assert scores["recall"] == 100
    assert 0 < scores["AER"] < 30
    shown = run("evaluate-alignment", GOLD, out, GOLD).out.splitlines()
    assert shown[0].split() == ["AER", "precision", "recall", "F1"]
    assert shown[3].split() == ["0.00", "100.00", "100.00", "100.00", str(GOLD)]
    assert shown[2].startswith("niwaki=") and "|metric=alignment|" in shown[2]
    assert shown[6:8] == [f"A: {out}", f"B: {GOLD}"]
    (error,) = [line for line in shown[8:] if line.startswith("AER ")]
    assert "* " in error and error.rpartition("[")[2].startswith("-")
    assert shown[-1] == "bootstrap=10000|seed=1"


@pytest.mark.parametrize("threads", [2, 3])
def test_threads_write_the_same_bytes(run, threads: int) -> None:
    one = run("align", SOURCE, TARGET, "--to", "json", "--threads", 1)
    assert run("align", SOURCE, TARGET, "--to", "json", "--threads", threads).out == one.out


def test_options_change_the_links(run) -> None:
    plain = run("align", SOURCE, TARGET).out
    for options in (
        ("--threshold", "0.05"),
        ("--method", "union"),
        ("--preset", "xu2009", "--method", "backward"),
        ("--source-prefix", "1"),
    ):
        done = run("align", SOURCE, TARGET, *options)
        assert done.status == 0
        assert done.out != plain


def test_probabilities_as_text_and_json(run) -> None:
    first = run("align", SOURCE, TARGET, "--to", "text").out.splitlines()[0]
    assert all(0 <= float(item.partition(":")[2]) <= 1 for item in first.split())
    record = json.loads(run("align", SOURCE, TARGET, "--to", "json").out.splitlines()[0])
    assert (record["source"], record["target"]) == (5, 6)


def test_more_text_is_learned_from_but_not_written(run, tmp_path: Path) -> None:
    source, target = files(tmp_path, s="the quiet carp\n", t="静かな 鯉\n")
    done = run("align", source, target, "--with", SOURCE, TARGET)
    assert {"1-0", "2-1"} <= set(done.out.split())
    assert done.out.count("\n") == 1


def test_bad_lines_are_errors_with_their_line(run, tmp_path: Path) -> None:
    a, b, long = files(tmp_path, a="a\n\nc\n", b="x\ny\nz\n", long="w " * 1001 + "\n")
    done = run("align", a, b)
    assert done.status == 1
    assert done.err == f"niwaki: {a}:2:LINE: no words; remove the pair, or skip such pairs\n"
    assert run("align", b, a).err.startswith(f"niwaki: {a}:2:LINE: no words")
    done = run("align", long, long)
    assert f"{long}:1:LINE: 1001 words; split sentences of more than 1000" in done.err


def test_files_of_different_length(run, tmp_path: Path) -> None:
    a, b = files(tmp_path, a="a\n", b="x\ny\nz\n")
    done = run("align", a, b)
    assert done.status == 1
    assert done.err == (
        f"niwaki: {b}:2:LINE: a line without a partner: {a} ends after line 1; "
        "give files of one length\n"
    )


def test_skipped_pairs_are_counted_and_keep_their_lines(run, tmp_path: Path) -> None:
    long = "w " * 1001
    a, b = files(tmp_path, a=f"a b\n\nc\n{long}\nd\n", b="x y\ny\n\nz\nu\nv\nw\n")
    done = run("align", a, b, "--on-error", "skip")
    assert done.status == 0
    assert [bool(line) for line in done.out.split("\n")[:-1]] == [True, False, False, False, True]
    assert done.err.startswith(f"niwaki: skipped 5 faults, the first: {a}:2:LINE: no words")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--threshold", "0"), "--threshold is 0.0; it must be above 0"),
        (("--preset", "xu"), "no preset 'xu'; "),
        (("--model1", "0"), "model1_iterations is 0; it must be at least 1"),
        (("--empty", "1"), "empty is 1.0; it must be between 0 and 1"),
    ],
)
def test_bad_options(run, words: tuple[str, ...], message: str) -> None:
    done = run("align", SOURCE, TARGET, *words)
    assert done.status == 1
    assert done.err.startswith(f"niwaki: {message}")
    assert done.err.count("\n") == 1


def test_threads_are_counted_as_in_every_command(run) -> None:
    done = run("align", SOURCE, TARGET, "--threads", "0")
    assert done.status == 2
    assert done.err.startswith("niwaki: align: argument --threads: found '0'; give a whole number")
    assert done.err.count("\n") == 1


def test_other_bad_input(run, tmp_path: Path) -> None:
    empty, broken = files(tmp_path, empty="", broken="")
    broken.write_bytes(b"a\n\xff\n")
    assert "no sentence pair to learn from" in run("align", empty, empty).err
    assert f"{broken}:2:LINE: invalid UTF-8" in run("align", broken, broken).err
    done = run("align", broken, broken, "--on-error", "skip")
    assert (done.status, len(done.out.splitlines())) == (0, 2)
    assert f"skipped 2 faults, the first: {broken}:2:LINE: invalid UTF-8" in done.err
    assert "No such file" in run("align", tmp_path / "none", empty).err
    done = run("evaluate-alignment", GOLD, empty)
    assert done.err == ("niwaki: the system links end after line 0; compare files of one length\n")
    (links,) = files(tmp_path, links="0-0 1:1\n")
    assert f"{links}:1:LINE: malformed link '1:1'" in run("evaluate-alignment", GOLD, links).err


def test_leaf_learns_from_hand_aligned_pairs(run, tmp_path: Path) -> None:
    plain, taught = tmp_path / "plain", tmp_path / "taught"
    leaf = "align", SOURCE, TARGET, "--model", "leaf"
    assert run(*leaf, "-o", plain).status == 0
    done = run(*leaf, "--gold", SOURCE, TARGET, GOLD, "--alpha", 0.5, "-o", taught)
    assert (done.status, done.out, done.err) == (0, "", "")
    assert len(taught.read_text().splitlines()) == 20
    shown = run("evaluate-alignment", GOLD, plain, taught, "--alpha", "0.4", "--json").out
    scores = [json.loads(line) for line in shown.splitlines()]
    assert scores[0]["F"] < scores[1]["F"] == 100
    assert scores[0]["F-gold-closed"] == scores[0]["F"]
    assert "|metric=blocks|" in scores[0]["signature"]


def test_leaf_as_text_and_with_other_text(run, tmp_path: Path) -> None:
    source, target = files(tmp_path, s="the quiet carp\n", t="静かな 鯉\n")
    done = run("align", source, target, "--with", SOURCE, TARGET, "--model", "leaf", "--to", "text")
    assert done.status == 0
    assert {"1-0", "2-1"} <= {item.partition(":")[0] for item in done.out.split()}
    assert done.out.count("\n") == 1


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--alpha", "0.4"), "--alpha is for --model leaf; give it, or leave --alpha"),
        (("--iterations", "2"), "--iterations is for --model leaf"),
        (("--model", "leaf", "--alpha", "0.4"), "--alpha without --gold; give hand-aligned pairs"),
        (("--model", "leaf", "--iterations", "0"), "iterations is 0; it must be at least 1"),
        (("--model", "leaf", "--method", "union"), "--method and --threshold are not for --model"),
        (
            ("--model", "leaf", "--gold", SOURCE, TARGET, GOLD, "--alpha", "2"),
            "alpha is 2.0; it must be from 0 to 1",
        ),
        (("--model", "leaf", "--gold", TARGET, SOURCE, GOLD), f"{GOLD}:"),
    ],
)
def test_bad_options_of_leaf(run, words: tuple[object, ...], message: str) -> None:
    done = run("align", SOURCE, TARGET, *words)
    assert done.status == 1
    assert done.err.startswith(f"niwaki: {message}")
    assert done.err.count("\n") == 1


def test_bad_alpha_of_an_evaluation(run) -> None:
    done = run("evaluate-alignment", GOLD, GOLD, "--alpha", "-1")
    assert (done.status, done.err) == (1, "niwaki: alpha is -1.0; it must be from 0 to 1\n")


def test_symmetrize_any_aligners_links(run, tmp_path: Path) -> None:
    f, b, short = files(tmp_path, f="0-0 0-1\n1-1\n", b="0-0 2-2\n1-1\n", short="0-0\n")
    assert run("symmetrize", f, b).out == "0-0 0-1 2-2\n1-1\n"
    assert run("symmetrize", f, b, "--method", "intersection").out == "0-0\n1-1\n"
    assert f"{short} ends after line 1" in run("symmetrize", f, short).err


def test_bridge(run, tmp_path: Path) -> None:
    """Japanese to Japanese through English: each content word comes back to itself."""
    there, back = tmp_path / "there.jsonl", tmp_path / "back.jsonl"
    run("align", TARGET, SOURCE, "--to", "json", "-o", there)
    run("align", SOURCE, TARGET, "--to", "json", "-o", back)
    texts = TARGET, SOURCE, TARGET
    done = run("bridge", *texts, there, back)
    assert done.err == ""
    for line, sentence in zip(done.out.splitlines(), TARGET.read_text().splitlines(), strict=True):
        content = {f"{i}-{i}" for i, word in enumerate(sentence.split()) if word not in "がをた"}
        assert content <= set(line.split())


def test_several_bridges_are_what_one_after_the_other_gives(run, tmp_path: Path) -> None:
    s, m, n, t, one, two, three, four, direct = files(
        tmp_path,
        s="a b\n",
        m="x y\n",
        n="k l o\n",
        t="u v\n",
        one="0-0 1-1\n",
        two="0-1 1-0\n",
        three="0-2 1-0\n",
        four="2-0 0-1\n",
        direct="0-0\n",
    )
    via = "--via", n, three, four
    apart = tmp_path / "apart.jsonl"
    assert run("bridge", s, n, t, three, four, "--to", "json", "-o", apart).status == 0
    shares = "--mix", direct, "--weights", "1,2,4", "--to", "text"
    together = run("bridge", s, m, t, one, two, *via, *shares)
    assert together.out == run("bridge", s, m, t, one, two, "--mix", apart, *shares).out != ""
    assert "3 weights for 2 systems" in run("bridge", s, m, t, one, two, *via, *shares[2:]).err
    done = run("bridge", s, m, t, one, two, "--via", m, three, four)
    assert f"{three}:1:LINE: link 0-2 is out of range" in done.err


def test_perplexities_of_both_directions(run, tmp_path: Path) -> None:
    done = run("align", "perplexity", SOURCE, TARGET)
    assert [line.split()[:3] for line in done.out.splitlines()] == [
        ["target", "given", "source"],
        ["source", "given", "target"],
    ]
    # Turned round, the other direction is the first; one word for all is no surprise.
    turned = run("align", "perplexity", TARGET, SOURCE)
    numbers = [line.split()[-1] for line in done.out.splitlines()]
    assert [line.split()[-1] for line in turned.out.splitlines()] == numbers[::-1]
    a, b = files(tmp_path, a="x\n" * 50, b="y\n" * 50)
    first = float(run("align", "perplexity", a, b).out.split()[3])
    assert 1 <= first < 1.5 < float(numbers[0])


def test_bridge_with_links_and_a_mixture(run, tmp_path: Path) -> None:
    s, m, t, one, two, direct = files(
        tmp_path, s="a b\n", m="x y\n", t="u v\n", one="0-0 1-1\n", two="0-1 1-0\n", direct="0-0\n"
    )
    assert run("bridge", s, m, t, one, two).out == "0-1 1-0\n"
    mixed = run("bridge", s, m, t, one, two, "--mix", direct, "--weights", "1,3")
    assert mixed.out == "0-0\n"
    assert run("bridge", s, m, t, one, two, "--mix", direct, "--to", "text").out == (
        "0-0:0.5000 0-1:0.5000 1-0:0.5000\n"
    )
    for words, message in (
        (("--weights", "1,2"), "2 weights for 1 systems"),
        (("--weights", "a"), "--weights is 'a'"),
        (("--epsilon", "2"), "epsilon is 2.0"),
    ):
        done = run("bridge", s, m, t, one, two, *words)
        assert done.status == 1
        assert message in done.err
    (far,) = files(tmp_path, far="0-5\n")
    assert f"{far}:1:LINE: link 0-5 is out of range" in run("bridge", s, m, t, far, two).err
    (wrong,) = files(tmp_path, wrong='{"source": 3, "target": 2, "links": []}\n')
    assert "probabilities for 3 and 2 words" in run("bridge", s, m, t, wrong, two).err
    (none,) = files(tmp_path, none="")
    assert f"{none} ends after line 0" in run("bridge", s, m, t, none, two).err
