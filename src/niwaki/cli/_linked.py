"""The option of commands that parse with links to a translation."""

from __future__ import annotations

import argparse


def add_links_argument(parser: argparse.ArgumentParser, prefix: str = "") -> None:
    parser.add_argument(
        "--links",
        metavar="FILE",
        help=f"{prefix}links of the words to a translation, a line `0-0 1-2` for each sentence",
    )
