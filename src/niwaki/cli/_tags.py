"""`--tags predict|keep`: what every command that parses does with tags that are given."""

from __future__ import annotations

import argparse

from niwaki.cli._on_error import FormerOption
from niwaki.verbs._given import TAGS


def add_tags_argument(parser: argparse.ArgumentParser, prefix: str = "") -> None:
    parser.add_argument(
        "--tags",
        choices=TAGS,
        default=TAGS[0],
        help=f"{prefix}tags, features and lemmas that are given are predicted anew, or kept "
        "and used (default: predict, in `parse` and `evaluate` alike)",
    )
    parser.add_argument("--retag", action=FormerOption, const="--tags predict, the default")
    parser.add_argument("--gold-tags", action=FormerOption, const="--tags keep")
