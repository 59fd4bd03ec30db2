"""The command line: `niwaki COMMAND ...`. A file `cli/<name>.py` is the command `<name>`.

`cli/a_b.py` is `a-b`, which may also be written as two words: `niwaki a b ...`.

A command module has a docstring (its first line is the help, the rest the
description), `GROUP` (the job under which `niwaki --help` lists it, one of `GROUPS`),
`add_arguments(parser)` and `run(arguments) -> exit status`.

Not public: each command is a function of `niwaki`, but those of `SHELL_ONLY`.
"""

from __future__ import annotations

import argparse
import ast
import errno
import functools
import importlib
import importlib.util
import io
import itertools
import os
import pkgutil
import shutil
import sys
import textwrap
import traceback
from collections.abc import Iterable, Sequence
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, NoReturn, TextIO

from niwaki.cli._progress import print_json, quiet
from niwaki.errors import NiwakiError, closest

if TYPE_CHECKING:
    from typing_extensions import Buffer  # of collections.abc since Python 3.12

OK, FAILED, USAGE, INTERRUPTED = 0, 1, 2, 130
STATUSES = {
    OK: "done; also if faulty items were left out (--on-error skip) and said on stderr",
    FAILED: "an error, said in one line on stderr; or `validate` found faults",
    USAGE: "unknown commands or options, or options that are wrong",
    INTERRUPTED: "interrupted (Ctrl-C)",
}

# The jobs of commands, in the order of help and reference.
GROUPS = (
    "Parse and look",
    "Train and fine-tune",
    "Word order and translation",
    "Other jobs",
    "Scores and analysis",
    "Models",
    "Workbench and scale",
)

# Commands about the command line itself, which have no function.
SHELL_ONLY = ("completion",)

_STDOUT = "<stdout>"
_COLUMN = 26  # where the help of a command begins
_NO_ROOM = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}


def command_names() -> list[str]:
    """The commands, found by looking for their files."""
    modules = pkgutil.iter_modules(__path__)
    return sorted(m.name.replace("_", "-") for m in modules if not m.name.startswith("_"))


def load_command(name: str) -> ModuleType:
    return importlib.import_module(f"{__name__}.{name.replace('-', '_')}")


def grouped(commands: Iterable[str]) -> dict[str, list[str]]:
    """The commands of each job that has some, jobs in the order of `GROUPS`."""
    found: dict[str, list[str]] = {group: [] for group in GROUPS}
    for name in commands:
        found[_about(name)[0]].append(name)
    return {group: names for group, names in found.items() if names}


class _Parser(argparse.ArgumentParser):
    """Says what is wrong in one line, like every other error."""

    def error(self, message: str) -> NoReturn:
        command = self.prog.removeprefix("niwaki").strip()
        raise SystemExit(_fail(f"{command}: {message}" if command else message, USAGE))

    def parse_known_args(  # type: ignore[override]
        self, args: Sequence[str] | None = None, namespace: argparse.Namespace | None = None
    ) -> tuple[argparse.Namespace, list[str]]:
        words = list(args or ())
        # Misspelt options come first: else it is said what they leave missing.
        for word in itertools.takewhile(self._is_own, words):
            option = word.partition("=")[0]
            # A word with a space is a value; an option may be shortened.
            is_option = option.startswith("--") and " " not in word
            if is_option and not any(name.startswith(option) for name in self._options()):
                self._refuse(option)
        found, rest = super().parse_known_args(words, namespace)
        if rest:
            self._refuse(rest[0])
        return found, rest

    def _is_own(self, word: str) -> bool:
        """Whether a word can be an option of this parser: not after `--`, not of a command."""
        return word != "--" and (self._subparsers is None or word.startswith("-"))

    def _options(self, shown: bool = False) -> list[str]:
        """All options, or those of the help: former ones say themselves what they are now."""
        return [
            name
            for action in self._actions
            if not (shown and action.help == argparse.SUPPRESS)
            for name in action.option_strings
        ]

    def _refuse(self, word: str) -> NoReturn:
        what = "unknown option" if word.startswith("-") else "one argument too many:"
        found = closest(word, self._options(shown=True)) if word.startswith("--") else ""
        advice = f"did you mean {found}?" if found else f"see `{self.prog} --help`"
        self.error(f"{what} {word}; {advice}")


def make_parser(commands: list[str], listed: Iterable[str] = ()) -> argparse.ArgumentParser:
    """The parser of all commands given; only these are imported. Help lists them, or others."""
    parser = _Parser(
        prog="niwaki",
        usage="niwaki [-h] [--version] COMMAND ...",
        description="Dependency parsers trained for the job they will do.\n\n"
        + _listing(listed or commands),
        epilog="\n".join(
            ["exit status:", *(f"  {status:<5}{text}" for status, text in STATUSES.items())]
        ),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="store_true", help="print the version and stop")
    subparsers = parser.add_subparsers(dest="command", help=argparse.SUPPRESS, prog="niwaki")
    for name in commands:
        module = load_command(name)
        command = subparsers.add_parser(
            name,
            description="\n".join(_doc(name)),
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        module.add_arguments(command)
        command.add_argument(
            "--quiet", action="store_true", help="no progress on standard error, only errors"
        )
        command.add_argument(
            "--traceback", action="store_true", help="on an error, show where it came from"
        )
        command.set_defaults(run=module.run)
    return parser


@functools.cache
def _about(command: str) -> tuple[str, str]:
    """The job of a command, and what it says of itself, from its file: imports take a second."""
    spec = importlib.util.find_spec(f"{__name__}.{command.replace('-', '_')}")
    assert spec is not None and spec.origin is not None
    module = ast.parse(Path(spec.origin).read_text(encoding="utf-8"))
    (group,) = (
        ast.literal_eval(node.value)
        for node in module.body
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "GROUP"
    )
    return group, ast.get_docstring(module) or ""


def _doc(command: str) -> tuple[str, str]:
    """The first line of what a command says of itself, and the rest."""
    summary, _, details = _about(command)[1].strip().partition("\n")
    return summary, details


def _listing(commands: Iterable[str]) -> str:
    """The commands with their first lines, job by job, as wide as the terminal."""
    width = max(shutil.get_terminal_size().columns - 2, 2 * _COLUMN)
    lines = []
    for group, names in grouped(commands).items():
        lines += ["", f"{group}:"]
        for name in names:
            indent = f"  {name:<{_COLUMN - 3}} "
            lines += textwrap.wrap(
                _doc(name)[0], width, initial_indent=indent, subsequent_indent=" " * _COLUMN
            )
    return "\n".join(lines[1:])


def main(arguments: list[str] | None = None) -> int:
    """Run one command; returns the exit status and lets no exception out."""
    try:
        if sys.stderr is None:
            # Nobody listens; and no file that is opened must become the standard error.
            os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
            sys.stderr = open(2, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
        elif arguments is None:
            # The process is ours, and so are its streams.
            sys.stderr = _leavable(sys.stderr)
        if sys.stdout is None:
            return _fail(f"{_STDOUT}: closed; if nobody wants the output, give /dev/null")
        return _main(sys.argv[1:] if arguments is None else arguments)
    except KeyboardInterrupt:
        # While the modules of a command were imported.
        return _fail("interrupted", INTERRUPTED)


def _main(words: list[str]) -> int:
    for stream in (sys.stdout, sys.stderr):
        # Data is UTF-8 whatever the locale says.
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")
    names = command_names()
    # A file whose name makes the two words a command is written with its folder: ./curves.
    if "-".join(words[:2]) in names:
        words = ["-".join(words[:2]), *words[2:]]
    given = words[1:] if words[:1] == ["--version"] else words
    if given and not given[0].startswith("-") and given[0] not in names:
        return _fail(_no_command(given, names), USAGE)
    # What is asked of `niwaki` itself needs no command: none is imported, all are listed.
    known = [word for word in words if word in names][:1]
    parser = make_parser(known, listed=known if words and words[0] in names else names)
    try:
        parsed = parser.parse_args(words)
    except SystemExit as stop:
        return int(stop.code or 0)
    if parsed.version:
        from niwaki import __version__

        print(f"niwaki {__version__}")
        return OK
    if parsed.command is None:
        parser.print_help()
        return USAGE
    return _run(parsed)


def _no_command(words: list[str], names: list[str]) -> str:
    """What to say of a first word that is no command."""
    family = [name for name in names if name.startswith(f"{words[0]}-")]
    if family and len(words) == 1:
        return f"no command {words[0]!r}; known: {', '.join(family)}"
    given = "-".join(words[:2]) if family else words[0]
    found = closest(given, family or names)
    advice = f"did you mean {found!r}?" if found else "see `niwaki --help`"
    return f"no command {given!r}; {advice}"


def _run(parsed: argparse.Namespace) -> int:
    fail = _fail_as_json if getattr(parsed, "progress", "") == "json" else _fail
    try:
        with quiet(parsed.quiet):
            status = int(parsed.run(parsed))
        sys.stdout.flush()
        return status
    except BrokenPipeError:
        # The reader of our output has gone, as with `| head`: not an error.
        _leave_stdout()
        return OK
    except KeyboardInterrupt as error:
        return fail("; ".join(["interrupted", *map(str, error.args)]), INTERRUPTED)
    except NiwakiError as error:
        _show(parsed, error)
        return fail(str(error))
    except MemoryError as error:
        _show(parsed, error)
        return fail("out of memory; give a narrower beam, a smaller k or a smaller --max-length")
    except OSError as error:
        _show(parsed, error)
        # Files that find no room name themselves; what is printed does not.
        name = error.filename or (_STDOUT if error.errno in _NO_ROOM else "")
        if name == _STDOUT:
            _leave_stdout()
        return fail(f"{name}: {error.strerror}" if name else str(error))


def _leave_stdout() -> None:
    """It must not be flushed again when the interpreter ends."""
    _leave(sys.stdout.fileno())


def _leave(descriptor: int) -> None:
    """What is written to it goes nowhere from now on."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), descriptor)


class _LeavableFile(io.FileIO):
    """A file whose reader may go away, as with `2>&1 | head`: what is written then is lost."""

    def write(self, data: Buffer, /) -> int:
        try:
            return super().write(data)
        except BrokenPipeError:
            _leave(self.fileno())
            return super().write(data)


def _leavable(stream: TextIO) -> TextIO:
    """Standard error that nobody has to read to its end: work is worth more than its progress."""
    raw = _LeavableFile(stream.fileno(), "w", closefd=False)
    return io.TextIOWrapper(io.BufferedWriter(raw), stream.encoding, line_buffering=True)


def _show(parsed: argparse.Namespace, error: BaseException) -> None:
    if parsed.traceback:
        traceback.print_exception(error)


def _fail(message: str, status: int = FAILED) -> int:
    """One line, whatever the message holds."""
    line = " ".join(message.split("\n"))
    print(f"niwaki: {line}", file=sys.stderr)
    return status


def _fail_as_json(message: str, status: int = FAILED) -> int:
    """The last line of `--progress json`."""
    print_json("error", message=message, status=status)
    return status
