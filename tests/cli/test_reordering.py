"""The commands about word order: references, reorder, evaluate-reordering, learn-rules."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from niwaki.data.conllu import write_conllu
from niwaki.tasks.reorder.rulefile import load_rules
from tests.toy import niwaki


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Parsed sentences, their translations into numbered words, and links."""
    examples = load_rules("ja").examples
    write_conllu([example.sentence for example in examples], tmp_path / "trees.conllu")
    source, target, links = [], [], []
    for example in examples:
        words = list(example.sentence.forms)
        source.append(" ".join(words))
        target.append(" ".join(str(n) for n in range(len(words))))
        used: list[int] = []
        for place, word in enumerate(example.gives):
            at = next(n for n, w in enumerate(words) if w == word and n not in used)
            used.append(at)
            links.append(f"{at}-{place}") if place == 0 else links.__setitem__(
                -1, f"{links[-1]} {at}-{place}"
            )
    for name, lines in (("src", source), ("tgt", target), ("links", links)):
        (tmp_path / name).write_text("\n".join(lines) + "\n", encoding="utf-8")
    done = niwaki(
        "references", *(tmp_path / n for n in ("src", "tgt", "links")), "-o", tmp_path / "refs"
    )
    assert (done.returncode, done.stderr) == (0, "")
    return tmp_path


def test_reorder(folder: Path) -> None:
    done = niwaki("reorder", folder / "trees.conllu", "--rules", "ja")
    assert done.stdout.splitlines()[0] == "John the ball hit can ."
    orders = niwaki("reorder", folder / "trees.conllu", "--to", "order").stdout.splitlines()
    assert orders[0] == "0 3 4 2 1 5"
    record = json.loads(
        niwaki("reorder", folder / "trees.conllu", "--to", "json", "--explain").stdout.split("\n")[
            0
        ]
    )
    assert record["reordered"] == "John the ball hit can .".split()
    assert record["moves"][0]["rule"] == "verb"
    text = niwaki("reorder", folder / "trees.conllu", "--explain").stdout
    assert "rule 'verb' at 3:hit\n    1:John nsubj 6\n" in text


def test_evaluate(folder: Path) -> None:
    record = json.loads(
        niwaki(
            *("evaluate-reordering", folder / "refs", "--trees", folder / "trees.conllu"),
            *("--rules", "ja", "--json", "--samples", "100"),
        ).stdout
    )
    assert (record["frs"], record["tau"], record["sentences"]) == (1, 1, 6)
    assert "bootstrap=100" in record["signature"]


def test_evaluate_orders_and_text(folder: Path) -> None:
    orders, text = folder / "orders", folder / "text"
    orders.write_text(niwaki("reorder", folder / "trees.conllu", "--to", "order").stdout)
    text.write_text(niwaki("reorder", folder / "trees.conllu").stdout)
    (folder / "ratings").write_text("1\n2\n3\n4\n5\n6\n")
    done = niwaki(
        *("evaluate-reordering", folder / "refs", "--orders", orders, "--text", text),
        *("--ratings", folder / "ratings", "--other-references", folder / "refs"),
        *("--samples", "50", "--html", folder / "page.html"),
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("1.0000") >= 6
    assert "orders, ratings" in done.stdout
    orders.write_text(orders.read_text().replace("0 3 4 2 1 5", "0 3 4 2 1 1"))
    bad = niwaki("evaluate-reordering", folder / "refs", "--orders", orders)
    assert f"{orders}:1:LINE: not a permutation of 6 positions" in bad.stderr
    orders.write_text("0\n")
    assert (
        "not a permutation"
        in niwaki("evaluate-reordering", folder / "refs", "--orders", orders).stderr
    )


def test_analysis(folder: Path) -> None:
    done = niwaki(
        *("evaluate-reordering", folder / "refs", "--trees", folder / "trees.conllu"),
        *("--rules", "none", "--rules", "xu2009-sd", "--gold", folder / "trees.conllu"),
        *("--analysis", "--worst", "1", "--samples", "50"),
    )
    assert "Misplaced most often, by label" in done.stdout
    assert "Change if one rule or tuple is switched off" in done.stdout


def test_learn(folder: Path) -> None:
    rules = folder / "learned.toml"
    done = niwaki(
        *("learn-rules", folder / "refs", "--trees", folder / "trees.conllu", "-o", rules),
        *("--support", "1", "--move-gain", "0.01"),
    )
    assert done.returncode == 0, done.stderr
    assert "Learned from 6 sentences of refs, trees from trees.conllu" in rules.read_text()
    scores = [
        json.loads(
            niwaki(
                *("evaluate-reordering", folder / "refs", "--trees", folder / "trees.conllu"),
                *("--rules", name, "--json", "--samples", "10"),
            ).stdout
        )["tau"]
        for name in (str(rules), "none")
    ]
    assert scores[0] > scores[1]


def test_bad_pairs_stop_or_are_counted(folder: Path) -> None:
    lines = (folder / "links").read_text().splitlines()
    (folder / "links").write_text("\n".join(["0-99", "x", *lines[2:]]) + "\n")
    (folder / "tgt").write_text(
        (folder / "tgt").read_text().replace("0 1 2 3 4 5 6 7 8\n", "\n", 1)
    )
    files = [folder / name for name in ("src", "tgt", "links")]
    done = niwaki("references", *files)
    assert done.returncode == 1
    assert f"{folder / 'links'}:1:LINE: link 0-99 is out of range" in done.stderr
    done = niwaki("references", *files, "--on-error", "skip")
    assert (done.returncode, len(done.stdout.splitlines())) == (0, 4)
    assert "niwaki: skipped 2 faults, the first: " in done.stderr
    (folder / "links").write_text("\n".join(lines[:3]) + "\n")
    done = niwaki("references", *files, "--on-error", "skip")
    assert "niwaki: skipped 4 faults" in done.stderr
    assert len(done.stdout.splitlines()) == 2
    (folder / "links").write_text("\n" * 9)
    (folder / "tgt").write_text("a\n" * 9)
    assert "a line without a partner" in niwaki("references", *files).stderr


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["reorder", "trees.conllu", "--rules", "jaa"], "did you mean 'ja'?"),
        (["evaluate-reordering", "refs"], "nothing to score"),
        (["evaluate-reordering", "refs", "--trees", "one.conllu"], "1 trees for 6 references"),
        (["learn-rules", "refs"], "give either one --trees FILE or one -m MODEL"),
        (["evaluate-reordering", "empty"], "no references"),
        (
            ["evaluate-reordering", "refs", "--trees", "trees.conllu", "--gold", "trees.conllu"],
            "--gold is for --analysis or --html",
        ),
        (["evaluate-reordering", "refs", "--text", "src", "--analysis"], "cannot be analysed"),
        (
            ["evaluate-reordering", "refs", "--trees", "trees.conllu", "--beam", "2"],
            "--beam is for -m",
        ),
    ],
)
def test_errors_are_one_line(
    words: list[str], message: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    (folder / "empty").write_text("")
    write_conllu([load_rules("ja").examples[0].sentence], folder / "one.conllu")
    done = niwaki(*words)
    assert done.returncode == 1
    assert message in done.stderr
    assert done.stderr.count("\n") == 1
