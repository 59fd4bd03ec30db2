"""Help by jobs, and what is said of misspelt commands and options."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest

from niwaki import cli


def test_every_command_has_a_job() -> None:
    names = cli.command_names()
    jobs = {name: getattr(cli.load_command(name), "GROUP", None) for name in names}
    assert [name for name, job in jobs.items() if job not in cli.GROUPS] == []
    groups = cli.grouped(names)
    assert list(groups) == list(cli.GROUPS)
    assert sorted(name for group in groups.values() for name in group) == names


def test_help_lists_commands_by_their_jobs(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    assert cli.main(["--help"]) == cli.OK
    text = capsys.readouterr().out
    lines = text.splitlines()
    heads = [line[:-1] for line in lines if re.fullmatch(r"[A-Z][a-z].*:", line)]
    assert heads == list(cli.GROUPS)
    models = text.partition("\nModels:\n")[2].partition("\n\n")[0]
    assert re.findall(r"^  (\S+)", models, re.M) == cli.grouped(cli.command_names())["Models"]
    listing = text.partition("\noptions:\n")[0].splitlines()
    assert max(map(len, listing)) <= 60


@pytest.mark.parametrize("words", ["", "--help", "--version"])
def test_what_is_asked_of_niwaki_itself_imports_no_command(words: str) -> None:
    """It is answered at once: to import all commands takes a second."""
    code = (
        "import sys; from niwaki import cli; cli.main(sys.argv[1:]);"
        "print('imported:', *(name for name in sys.modules if name.startswith('niwaki.verbs')))"
    )
    command = [sys.executable, "-c", code, *words.split()]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "imported:"
    assert "--version" in words or "\n  shrink  " in done.stdout


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("parse --theads 4", "parse: unknown option --theads; did you mean --threads?"),
        ("parse --theads=4", "parse: unknown option --theads; did you mean --threads?"),
        # Before what it leaves missing.
        ("train x.toml --outptu y", "train: unknown option --outptu; did you mean --output?"),
        # Not to a former name, which is refused as well.
        ("parse --skip-bda", "parse: unknown option --skip-bda; see `niwaki parse --help`"),
        ("parse --xyzzy", "parse: unknown option --xyzzy; see `niwaki parse --help`"),
        ("parse -Z", "parse: unknown option -Z; see `niwaki parse --help`"),
        ("info en en", "info: one argument too many: en; see `niwaki info --help`"),
        ("--versoin", "unknown option --versoin; did you mean --version?"),
        ("--versoin parse", "unknown option --versoin; did you mean --version?"),
        ("--version pars", "no command 'pars'; did you mean 'parse'?"),
        ("valdate x", "no command 'valdate'; did you mean 'validate'?"),
        ("xyzzy", "no command 'xyzzy'; see `niwaki --help`"),
        ("translate rnu", "no command 'translate-rnu'; did you mean 'translate-run'?"),
    ],
)
def test_misspelt_words(words: str, message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(words.split()) == cli.USAGE
    assert capsys.readouterr().err == f"niwaki: {message}\n"


def test_the_first_of_two_words_alone(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["translate"]) == cli.USAGE
    line = capsys.readouterr().err
    assert line.startswith("niwaki: no command 'translate'; known: translate-consensus, ")
    assert line.count("\n") == 1


def test_what_only_looks_like_an_option(capsys: pytest.CaptureFixture[str]) -> None:
    for words in (["validate", "--", "--theads"], ["validate", "--no such file"]):
        assert cli.main(words) == cli.FAILED
        assert f"{words[-1]}: No such file" in capsys.readouterr().err
    # A beginning that only one option has.
    assert cli.main(["parse", "--thre"]) == cli.USAGE
    assert capsys.readouterr().err == ("niwaki: parse: argument --threads: expected one argument\n")
