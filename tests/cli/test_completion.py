"""Completion scripts, run by the shell that they are for if it is there."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from niwaki import cli
from niwaki.cli._completion import SHELLS, all_commands

BASH = shutil.which("bash")


@pytest.fixture(scope="module")
def scripts(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("completion")
    found = {shell: folder / shell for shell in SHELLS}
    for shell, path in found.items():
        path.write_text(SHELLS[shell](all_commands()), encoding="utf-8")
    return found


def completed(script: Path, *words: str) -> list[str]:
    """What bash offers for the last word."""
    assert BASH is not None
    code = (
        f'source "$0"; COMP_WORDS=("$@"); COMP_CWORD={len(words) - 1}; _niwaki; '
        r'printf "%s\n" "${COMPREPLY[@]}"'
    )
    done = subprocess.run(
        [BASH, "--norc", "-c", code, script, *words], capture_output=True, text=True, check=True
    )
    assert done.stderr == ""
    return done.stdout.split()


@pytest.mark.skipif(BASH is None, reason="bash is not installed")
def test_bash(scripts: dict[str, Path]) -> None:
    script = scripts["bash"]
    assert completed(script, "niwaki", "") == [*cli.command_names(), "--help", "--version"]
    assert completed(script, "niwaki", "transl") == [
        name for name in cli.command_names() if name.startswith("transl")
    ]
    assert completed(script, "niwaki", "parse", "--thr") == ["--threads"]
    assert completed(script, "niwaki", "parse", "--from", "") == "text lines tokens conllu".split()
    assert completed(script, "niwaki", "parse", "a.txt", "--from", "l") == ["lines"]
    assert completed(script, "niwaki", "completion", "") == ["bash", "fish", "zsh"]
    # Nothing is offered, so that the shell offers files.
    assert completed(script, "niwaki", "parse", "") == []
    assert completed(script, "niwaki", "parse", "-o", "") == []
    # Options that are refused are not offered.
    assert completed(script, "niwaki", "parse", "--skip") == []


@pytest.mark.skipif(BASH is None, reason="bash is not installed")
def test_bash_knows_all_options(scripts: dict[str, Path]) -> None:
    command = next(each for each in all_commands() if each.name == "train")
    assert {"-o", "--output", "--set", "--quiet"} <= set(command.option_names)
    assert completed(scripts["bash"], "niwaki", "train", "-") == command.option_names


@pytest.mark.parametrize("shell", list(SHELLS))
def test_every_script_has_every_command_and_choice(shell: str, scripts: dict[str, Path]) -> None:
    text = scripts[shell].read_text(encoding="utf-8")
    assert all(name in text for name in cli.command_names())
    assert "text lines tokens conllu" in text
    if (program := shutil.which(shell)) is not None:
        done = subprocess.run([program, "-n", scripts[shell]], capture_output=True, text=True)
        assert (done.returncode, done.stderr) == (0, "")


def test_fish_quotes_what_help_says(scripts: dict[str, Path]) -> None:
    lines = scripts["fish"].read_text(encoding="utf-8").splitlines()[1:]
    assert lines
    for line in lines:
        plain = line.replace("\\\\", "").replace("\\'", "")
        assert plain.count("'") % 2 == 0, line


def test_the_command(capsys: pytest.CaptureFixture[str], scripts: dict[str, Path]) -> None:
    assert cli.main(["completion", "zsh"]) == cli.OK
    assert capsys.readouterr().out == scripts["zsh"].read_text(encoding="utf-8")
    assert cli.main(["completion", "tcsh"]) == cli.USAGE
    assert capsys.readouterr().err.startswith("niwaki: completion: argument SHELL: invalid choice")
