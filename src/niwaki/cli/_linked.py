"""The option of commands that parse with links to a translation."""

from __future__ import annotations

import argparse

from niwaki.cli._on_error import add_on_error
from niwaki.errors import NiwakiError


def add_links_argument(parser: argparse.ArgumentParser, prefix: str = "") -> None:
    parser.add_argument(
        "--links",
        metavar="FILE",
        help=f"{prefix}links of the words to a translation, a line `0-0 1-2` for each sentence",
    )


def add_links_on_error(parser: argparse.ArgumentParser) -> None:
    """For commands that can do without nothing but links."""
    add_on_error(parser, "lines of --links that do not fit their sentences")


def check_links_on_error(arguments: argparse.Namespace) -> None:
    if arguments.on_error == "skip" and not arguments.links:
        raise NiwakiError("--on-error skip is for --links; leave it out, or give a file")
