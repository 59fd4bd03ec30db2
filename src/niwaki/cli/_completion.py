"""Scripts that let a shell complete `niwaki`: commands, options and choices; all else is files."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from niwaki.cli import command_names, make_parser


class Option(NamedTuple):
    """An option of a command, with all its names."""

    names: list[str]
    choices: list[str]
    takes_value: bool
    help: str


class Command(NamedTuple):
    """What can stand behind the name of a command; `choices` are those of its arguments."""

    name: str
    summary: str
    options: list[Option]
    choices: list[str]

    @property
    def option_names(self) -> list[str]:
        return [name for option in self.options for name in option.names]


def all_commands() -> list[Command]:
    """The commands, as their parsers say."""
    parser = make_parser(command_names())
    kind = argparse._SubParsersAction
    (found,) = (action for action in parser._actions if isinstance(action, kind))
    return [_command(name, each) for name, each in found.choices.items()]


def _command(name: str, parser: argparse.ArgumentParser) -> Command:
    options, choices = [], []
    for action in parser._actions:
        values = [str(choice) for choice in action.choices or ()]
        if not action.option_strings:
            choices += values
        elif action.help != argparse.SUPPRESS:
            names = list(action.option_strings)
            options.append(Option(names, values, action.nargs != 0, action.help or ""))
    return Command(name, (parser.description or "").partition("\n")[0], options, choices)


def _choices(commands: Iterable[Command]) -> Iterator[tuple[str, str]]:
    """COMMAND OPTION as both are written, and the values that may follow."""
    for command in commands:
        for option in command.options:
            if option.choices:
                for name in option.names:
                    yield f"{command.name} {name}", " ".join(option.choices)


def bash(commands: list[Command]) -> str:
    """Empty replies are files, by `-o default`."""
    values = "\n".join(f'    "{key}") words="{found}" ;;' for key, found in _choices(commands))
    options = "\n".join(
        f'        {each.name}) words="{" ".join(each.option_names)}" ;;' for each in commands
    )
    arguments = "\n".join(
        f'        {each.name}) words="{" ".join(each.choices)}" ;;'
        for each in commands
        if each.choices
    )
    return f"""\
# bash completion of niwaki: source <(niwaki completion bash)
_niwaki() {{
    local current=${{COMP_WORDS[COMP_CWORD]}} command=${{COMP_WORDS[1]}} words=""
    if [ "$COMP_CWORD" -eq 1 ]; then
        words="{" ".join(each.name for each in commands)} --help --version"
    else
    case "$command ${{COMP_WORDS[COMP_CWORD-1]}}" in
{values}
    *)
        case "$current" in
        -*) case "$command" in
{options}
        esac ;;
        *) case "$command" in
{arguments}
        esac ;;
        esac ;;
    esac
    fi
    COMPREPLY=($(compgen -W "$words" -- "$current"))
}}
complete -o default -F _niwaki niwaki
"""


def zsh(commands: list[Command]) -> str:
    values = "\n".join(
        f'    ("{key}") compadd -- {found}; return ;;' for key, found in _choices(commands)
    )
    options = "\n".join(
        f"        ({each.name}) compadd -- {' '.join(each.option_names)} ;;" for each in commands
    )
    arguments = "\n".join(
        f"        ({each.name}) compadd -- {' '.join(each.choices)} ;;"
        for each in commands
        if each.choices
    )
    return f"""\
#compdef niwaki
# zsh completion of niwaki, after compinit: source <(niwaki completion zsh)
_niwaki() {{
    if (( CURRENT == 2 )); then
        compadd -- {" ".join(each.name for each in commands)} --help --version
        return
    fi
    case "$words[2] $words[CURRENT-1]" in
{values}
    esac
    if [[ "$words[CURRENT]" == -* ]]; then
        case "$words[2]" in
{options}
        esac
    else
        case "$words[2]" in
{arguments}
        (*) _files ;;
        esac
    fi
}}
compdef _niwaki niwaki
"""


def fish(commands: list[Command]) -> str:
    lines = ["# fish completion of niwaki: niwaki completion fish | source"]
    for command in commands:
        begin = "complete -c niwaki -n __fish_use_subcommand -f"
        lines.append(f"{begin} -a {command.name} -d {_quoted(command.summary)}")
        begin = f"complete -c niwaki -n '__fish_seen_subcommand_from {command.name}'"
        if command.choices:
            lines.append(f"{begin} -f -a '{' '.join(command.choices)}'")
        for option in command.options:
            names = " ".join(
                f"-l {name[2:]}" if name.startswith("--") else f"-s {name[1:]}"
                for name in option.names
            )
            values = f" -x -a '{' '.join(option.choices)}'" if option.choices else " -r"
            what = values if option.takes_value else ""
            lines.append(f"{begin} {names}{what} -d {_quoted(option.help)}")
    return "\n".join(lines) + "\n"


def _quoted(text: str) -> str:
    """As fish reads it within single quotes; help writes a percent sign twice."""
    text = text.replace("%%", "%").replace("\\", "\\\\").replace("'", "\\'")
    return f"'{text}'"


SHELLS: dict[str, Callable[[list[Command]], str]] = {"bash": bash, "fish": fish, "zsh": zsh}
