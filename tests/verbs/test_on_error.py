"""Faulty items: the same flag and the same word in every command and verb that reads many."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import niwaki
from niwaki import cli
from niwaki.data.sentence import Sentence
from niwaki.errors import CorpusError, NiwakiError
from tests.conftest import ROOT
from tests.toy import TOY, write

BAD = b"x\n\n"
PAIRS = "a b\n\nc d\n", "x y\nz\nw v\n", "0-0 1-1\n0-0\n0-0\n"
LANTERNS = ROOT / "examples" / "lanterns.conllu"

COMMANDS = (
    *("align", "align-perplexity", "analyze-bilingual", "cluster", "draw", "evaluate", "find"),
    *("index", "parse", "references", "reorder", "train", "uptrain"),
    *("translate-run", "translate-train", "translate-train-senses"),
)


@pytest.fixture
def broken(toy: list[Sentence], tmp_path: Path) -> Path:
    """Two sentences, and a fault between them."""
    path = tmp_path / "broken.conllu"
    path.write_bytes(toy[0].source + BAD + toy[1].source + BAD)
    return path


@pytest.fixture
def pairs(tmp_path: Path) -> list[Path]:
    paths = [tmp_path / name for name in ("source", "target", "links")]
    for path, text in zip(paths, PAIRS, strict=True):
        path.write_text(text)
    return paths


Verb = Callable[..., Any]


def check_verb(verb: Verb, count: int) -> None:
    """It raises, leaves out quietly, or tells a function, as it is asked to."""
    with pytest.raises(CorpusError):
        verb(on_error="fail")
    with pytest.raises(CorpusError):
        verb()
    assert len(verb(on_error="skip")) == count
    told: list[CorpusError] = []
    assert len(verb(on_error=told.append)) == count
    assert told and all(isinstance(fault, CorpusError) for fault in told)
    with pytest.raises(NiwakiError, match="on_error is 'ignore'; give 'fail', 'skip'"):
        verb(on_error="ignore")


def test_verbs_that_read_sentences(broken: Path, model: niwaki.Pipeline) -> None:
    check_verb(lambda **given: list(niwaki.parse(broken, model, **given)), 2)
    check_verb(lambda **given: list(niwaki.kbest(broken, 2, model, **given)), 2)
    check_verb(lambda **given: list(niwaki.reorder(broken, "ja", **given)), 2)
    check_verb(lambda **given: list(niwaki.draw_trees(broken, **given)), 2)
    check_verb(lambda **given: list(niwaki.draw_trees(broken, "svg", **given)), 2)
    check_verb(lambda **given: list(niwaki.find("[label=root]", broken, **given)), 2)

    def clustered(**given: Any) -> Any:
        return niwaki.cluster(broken, 3, min_count=1, form="conllu", **given).paths

    words = {form for sentence in niwaki.read_conllu(TOY) for form in sentence.forms}
    assert set(clustered(on_error="skip")) < words
    check_verb(clustered, len(clustered(on_error="skip")))


def test_verbs_that_read_pairs(pairs: list[Path]) -> None:
    source, target, links = pairs
    check_verb(lambda **given: niwaki.align(source, target, **given), 3)
    check_verb(lambda **given: list(niwaki.references(source, target, links, **given)), 2)


def test_verbs_that_read_links(tmp_path: Path) -> None:
    links = tmp_path / "links"
    lines = (ROOT / "examples" / "lanterns.align").read_text().splitlines()
    links.write_text("\n".join(["99-0", *lines[1:]]) + "\n")

    def decided(**given: Any) -> Any:
        return niwaki.analyze_bilingual(LANTERNS, links, **given).to_json()

    check_verb(decided, len(decided(on_error="skip")))


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("flag", ["--skip-bad", "--keep-going"])
def test_old_flags_name_the_new_one(
    command: str, flag: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main([command, flag]) == 2
    assert capsys.readouterr().err == f"niwaki: {command}: {flag} is now --on-error skip\n"


def test_crossing_names_the_new_flag(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["evaluate", "gold", "--crossing"]) == 2
    assert capsys.readouterr().err == "niwaki: evaluate: --crossing is now --nonprojective\n"


def test_old_flags_are_not_shown(capsys: pytest.CaptureFixture[str]) -> None:
    for command in COMMANDS:
        assert cli.main([command, "--help"]) == 0
        shown = capsys.readouterr().out
        assert "--on-error {fail,skip}" in shown
        assert "--skip-bad" not in shown and "--keep-going" not in shown


def test_no_command_has_another_word_for_it() -> None:
    parser = cli.make_parser(cli.command_names())
    commands = parser._subparsers._group_actions[0].choices  # type: ignore[union-attr]
    having = {name for name, each in commands.items() if "--on-error" in each.format_help()}
    assert having == set(COMMANDS)


def test_statuses_of_commands(
    broken: Path, model_path: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    for words in (
        ["parse", broken, "-m", model_path],
        ["reorder", broken, "--rules", "ja"],
        ["cluster", broken, "--clusters", 3, "--min-count", 1, "--from", "conllu"],
    ):
        command = [*map(str, words), "-o", str(out)]
        assert cli.main(command) == 1
        assert not out.exists()
        assert capsys.readouterr().err.startswith(f"niwaki: {broken}:")
        assert cli.main([*command, "--on-error", "skip"]) == 0
        assert out.read_bytes()
        (line,) = capsys.readouterr().err.splitlines()
        assert line.startswith(f"niwaki: skipped 2 faults, the first: {broken}:")
        out.unlink()


def test_links_keep_their_sentences(
    tmp_path: Path, model_path: Path, capsys: pytest.CaptureFixture[str], toy: list[Sentence]
) -> None:
    assert cli.main(["evaluate", str(TOY), "-m", str(model_path), "--on-error", "skip"]) == 1
    assert "--on-error skip is for --links" in capsys.readouterr().err
    whole = write(tmp_path / "whole.conllu", toy[:2])
    links = tmp_path / "links"
    links.write_text("0-0\n0-0\n")
    with pytest.raises(NiwakiError, match="this model does not look at links"):
        niwaki.parse(whole, model_path, links=links)
