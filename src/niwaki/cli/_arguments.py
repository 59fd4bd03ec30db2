"""Kinds of arguments that several commands take."""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable

from niwaki.data.text import FORMATS

# The kernel counts in 32 bits.
_LARGEST = 2**31 - 1


def natural(text: str) -> int:
    """A whole number of at least 0."""
    return _number(text, 0)


def positive(text: str) -> int:
    """A whole number of at least 1."""
    return _number(text, 1)


def _number(text: str, least: int) -> int:
    # Ten digits are enough, and thousands of them are more than Python reads.
    if not text.isdecimal() or len(text) > 10 or not least <= int(text) <= _LARGEST:
        raise argparse.ArgumentTypeError(
            f"found {text!r}; give a whole number, at least {least} and at most {_LARGEST}"
        )
    return int(text)


def amount(text: str) -> float:
    """A number that is not negative."""
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not 0 <= value < math.inf:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number from 0; give one")
    return value


def weights(text: str) -> list[float]:
    """Numbers of at least 0, with commas between them."""
    try:
        found = [float(item) for item in text.split(",")]
    except ValueError:
        found = [-1.0]
    if not all(0 <= weight < math.inf for weight in found):
        raise argparse.ArgumentTypeError(f"found {text!r}; give numbers, such as 1,0.5")
    return found


def add_numbers(
    parser: argparse.ArgumentParser,
    kind: Callable[[str], int],
    *options: tuple[str, int, str],
) -> None:
    """Options with a whole number each: name, default, and what it says."""
    for name, default, text in options:
        help_text = f"{text} (default: {default})"
        parser.add_argument(f"--{name}", type=kind, default=default, metavar="N", help=help_text)


def add_overrides(parser: argparse.ArgumentParser) -> None:
    """`--set KEY=VALUE`, which changes a configuration."""
    parser.add_argument(
        "--set",
        metavar="KEY=VALUE",
        action="append",
        default=[],
        dest="overrides",
        help="change a value of the configuration; may be repeated",
    )


def add_source(parser: argparse.ArgumentParser, what: str = "input") -> None:
    """`--from`: how text is read."""
    parser.add_argument(
        "--from",
        choices=FORMATS,
        dest="source",
        help=f"format of the {what} (default: by its look)",
    )


def add_threads(
    parser: argparse.ArgumentParser, *, all_cores: bool = False, prefix: str = ""
) -> None:
    """`--threads`: what comes out does not depend on it."""
    parser.add_argument(
        "--threads",
        type=positive,
        default=None if all_cores else 1,
        metavar="N",
        help=f"{prefix}how many to use (default: {'all cores' if all_cores else 1})",
    )


def add_html(parser: argparse._ActionsContainer, what: str) -> None:
    """`--html`: a page beside what is printed."""
    parser.add_argument("--html", metavar="FILE", help=f"write {what} as a page; - is stdout")


def add_parser_arguments(parser: argparse.ArgumentParser, default: str | None = None) -> None:
    """Who makes the trees that a task looks at, if not the input."""
    more = "" if default is None else f" (default: {default})"
    parser.add_argument(
        "--parser", metavar="MODEL", default=default, help=f"parse with this model first{more}"
    )
    add_threads(parser, prefix="with --parser: ")
