"""The command line: `niwaki COMMAND ...`. A file `cli/<name>.py` is the command `<name>`.

`cli/a_b.py` is `a-b`, which may also be written as two words: `niwaki a b ...`.

A command module has a docstring (its first line is the help, the rest the
description), `add_arguments(parser)` and `run(arguments) -> exit status`.

Not public: each command is a function of `niwaki`.
"""

from __future__ import annotations

import argparse
import errno
import importlib
import io
import os
import pkgutil
import sys
import traceback
from types import ModuleType
from typing import NoReturn

from niwaki.cli._progress import print_json
from niwaki.errors import NiwakiError, nearest

OK, FAILED, USAGE, INTERRUPTED = 0, 1, 2, 130
STATUSES = {
    OK: "done; also if faulty items were left out (--on-error skip) and said on stderr",
    FAILED: "an error, said in one line on stderr; or `validate` found faults",
    USAGE: "unknown commands or options, or options that are wrong",
    INTERRUPTED: "interrupted (Ctrl-C)",
}

_STDOUT = "<stdout>"
_NO_ROOM = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}


def command_names() -> list[str]:
    """The commands, found by looking for their files."""
    modules = pkgutil.iter_modules(__path__)
    return sorted(m.name.replace("_", "-") for m in modules if not m.name.startswith("_"))


def load_command(name: str) -> ModuleType:
    return importlib.import_module(f"{__name__}.{name.replace('-', '_')}")


class _Parser(argparse.ArgumentParser):
    """Says what is wrong in one line, like every other error."""

    def error(self, message: str) -> NoReturn:
        command = self.prog.removeprefix("niwaki").strip()
        raise SystemExit(_fail(f"{command}: {message}" if command else message, USAGE))


def make_parser(commands: list[str]) -> argparse.ArgumentParser:
    """The parser of all commands given; only these are imported."""
    parser = _Parser(
        prog="niwaki",
        description="Dependency parsers trained for the job they will do.",
        epilog="\n".join(
            ["exit status:", *(f"  {status:<5}{text}" for status, text in STATUSES.items())]
        ),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="store_true", help="print the version and stop")
    subparsers = parser.add_subparsers(dest="command", metavar="COMMAND", title="commands")
    for name in commands:
        module = load_command(name)
        summary, _, details = (module.__doc__ or "").strip().partition("\n")
        command = subparsers.add_parser(
            name,
            help=summary,
            description=f"{summary}\n{details}",
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        module.add_arguments(command)
        command.add_argument(
            "--traceback", action="store_true", help="on an error, show where it came from"
        )
        command.set_defaults(run=module.run)
    return parser


def main(arguments: list[str] | None = None) -> int:
    """Run one command; returns the exit status and lets no exception out."""
    try:
        if sys.stderr is None:
            # Nobody listens; and no file that is opened must become the standard error.
            os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
            sys.stderr = open(2, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
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
    known = words[:1] if words and words[0] in names else names
    if words and not words[0].startswith("-") and words[0] not in names:
        return _fail(f"no command {words[0]!r}; {nearest(words[0], names)}", USAGE)
    parser = make_parser(known)
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


def _run(parsed: argparse.Namespace) -> int:
    fail = _fail_as_json if getattr(parsed, "progress", "") == "json" else _fail
    try:
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
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


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
