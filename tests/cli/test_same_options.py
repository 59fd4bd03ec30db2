"""Options that mean the same in every command that has them."""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from niwaki import cli
from niwaki.cli._arguments import positive
from niwaki.data.text import FORMATS
from tests.toy import TOY

# Training learns the same on any number of threads, and takes long: it uses all cores.
ALL_CORES = {"adapt", "align", "align-perplexity", "self-train", "train", "uptrain"}
# What may be left out, and is no input to read.
NO_INPUT = {("evaluate", "SYSTEM"), ("train", "CONFIG.toml"), ("find", "QUERY")}


@pytest.fixture(scope="module")
def parsers() -> dict[str, argparse.ArgumentParser]:
    parser = cli.make_parser(cli.command_names())
    commands = parser._subparsers._group_actions[0].choices  # type: ignore[union-attr]
    return dict(commands)  # type: ignore[arg-type]


def having(
    parsers: dict[str, argparse.ArgumentParser], option: str
) -> Iterator[tuple[str, argparse.Action]]:
    for name, parser in parsers.items():
        for action in parser._actions:
            if option in action.option_strings:
                yield name, action


def test_from(parsers: dict[str, argparse.ArgumentParser]) -> None:
    found = dict(having(parsers, "--from"))
    assert {"parse", "find", "reorder", "uptrain"} <= set(found)
    for name, action in found.items():
        assert (action.choices, action.dest, action.default) == (FORMATS, "source", None), name
        wanted = r"format of the (input|text) \(default: by its look\)"
        assert re.fullmatch(wanted, action.help or ""), name


def test_json(parsers: dict[str, argparse.ArgumentParser]) -> None:
    found = dict(having(parsers, "--json"))
    assert {"parse", "evaluate", "train-ud"} <= set(found)
    for name, action in found.items():
        assert (action.nargs, action.const, action.default) == (0, True, False), name
        assert re.fullmatch(r"(with --shards: )?print .*JSON.*", action.help or ""), name


@pytest.mark.parametrize(
    ("command", "also"),
    [
        ("parse", "; for JSON of the output: --to json"),
        ("find NOUN", "; for JSON of the output: --to json"),
        ("judge -m missing", ""),
    ],
)
def test_json_of_a_report_that_there_is_not(
    command: str, also: str, capfd: pytest.CaptureFixture[str]
) -> None:
    """Who asks for JSON never gets something else in silence."""
    assert cli.main([*command.split(), str(TOY), "--json"]) == cli.FAILED
    found = capfd.readouterr()
    said = f"niwaki: --json goes with --shards, whose report it prints{also}\n"
    assert (found.out, found.err) == ("", said)


def test_html(parsers: dict[str, argparse.ArgumentParser]) -> None:
    found = dict(having(parsers, "--html"))
    assert {"adapt", "analyze", "draw", "trade-off"} <= set(found)
    for name, action in found.items():
        assert (action.metavar, action.default, action.nargs) == ("FILE", None, None), name
        assert re.fullmatch(r"write .* as a page; - is stdout", action.help or ""), name


def test_threads(parsers: dict[str, argparse.ArgumentParser]) -> None:
    found = dict(having(parsers, "--threads"))
    assert set(found) > ALL_CORES
    for name, action in found.items():
        cores = name in ALL_CORES
        assert action.type is positive and action.metavar == "N", name
        assert action.default == (None if cores else 1), name
        default = "all cores" if cores else "1"
        wanted = rf"(with (-m|--parser): )?how many to use \(default: {default}\)"
        assert re.fullmatch(wanted, action.help or ""), name


@pytest.mark.parametrize("option", ["--quiet", "--traceback"])
def test_every_command_has(option: str, parsers: dict[str, argparse.ArgumentParser]) -> None:
    found = dict(having(parsers, option))
    assert list(found) == cli.command_names()
    assert {(each.nargs, each.default) for each in found.values()} == {(0, False)}
    assert len({each.help for each in found.values()}) == 1


def test_input_that_is_left_out_is_standard_input(
    parsers: dict[str, argparse.ArgumentParser],
) -> None:
    optional = {
        (name, str(action.metavar)): action
        for name, parser in parsers.items()
        for action in parser._actions
        if not action.option_strings and action.nargs in ("?", "*")
    }
    inputs = {key: each for key, each in optional.items() if key not in NO_INPUT}
    assert ("parse", "FILE") in inputs and set(optional) - set(inputs) == NO_INPUT
    assert {each.help for each in inputs.values()} == {"default: stdin"}
    assert {each.default for each in inputs.values() if each.nargs == "?"} == {"-"}


@pytest.mark.parametrize("words", ["draw -", "validate -", "find NOUN -", "find NOUN"])
def test_a_dash_is_standard_input(
    words: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with TOY.open(encoding="utf-8") as file:
        monkeypatch.setattr("sys.stdin", file)
        assert cli.main(words.split()) == cli.OK
    said = capsys.readouterr()
    assert said.out or "no faults" in said.err


def test_a_dash_is_standard_output(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    page = tmp_path / "page.html"
    assert cli.main(["draw", str(TOY), "--html", str(page)]) == cli.OK
    assert cli.main(["draw", str(TOY), "--html", "-"]) == cli.OK
    assert capfd.readouterr().out == page.read_text(encoding="utf-8")
