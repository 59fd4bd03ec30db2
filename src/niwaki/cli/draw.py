"""Draw dependency trees in the terminal, or as a picture.

niwaki draw trees.conllu
niwaki draw trees.conllu --tree
niwaki draw trees.conllu --html trees.html
niwaki parse letter.txt --probabilities | niwaki draw - --probabilities
"""

from __future__ import annotations

import argparse
import sys
from typing import Any

from niwaki.cli import OK
from niwaki.cli._arguments import positive
from niwaki.cli._on_error import Skipped, add_on_error
from niwaki.data.files import open_output
from niwaki.verbs.drawing import draw_trees

GROUP = "Parse and look"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE", help="CoNLL-U, gzipped or not; - is stdin")
    parser.add_argument("--id", metavar="ID", help="draw only the sentence with this sent_id")
    parser.add_argument(
        "--first",
        type=positive,
        metavar="N",
        help="draw only the first N (default: all, 1 for --svg)",
    )
    parser.add_argument(
        "--probabilities",
        action="store_true",
        help="of arcs and labels, as `niwaki parse --probabilities` writes them",
    )
    add_on_error(parser, "trees that cannot be read")
    style = parser.add_mutually_exclusive_group()
    style.add_argument("--tree", action="store_true", help="an indented tree instead of arcs")
    style.add_argument("--svg", metavar="OUT", help="write one tree as an SVG picture; - is stdout")
    style.add_argument("--html", metavar="OUT", help="write a self-contained page; - is stdout")


def run(arguments: argparse.Namespace) -> int:
    skipped = Skipped(arguments)
    chosen: dict[str, Any] = {
        "id": arguments.id,
        "first": arguments.first,
        "probabilities": arguments.probabilities,
        "on_error": skipped.on_error,
    }
    if arguments.html:
        (picture,) = draw_trees(arguments.file, "html", **chosen)
        _write(picture, arguments.html)
    elif arguments.svg:
        chosen["first"] = arguments.first or 1
        _write("\n".join(draw_trees(arguments.file, "svg", **chosen)), arguments.svg)
    else:
        drawn = draw_trees(arguments.file, "tree" if arguments.tree else "arcs", **chosen)
        for number, each in enumerate(drawn):
            sys.stdout.write(f"\n{each}" if number else each)
    skipped.tell()
    return OK


def _write(picture: str, file: str) -> None:
    with open_output(file) as out:
        out.write(picture.encode("utf-8"))
